// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "stickslip/io/table.h"

namespace stickslip {

/// One row of a table in memory: what a file would hold of it.
class RowBuffer {
 public:
  explicit RowBuffer(std::vector<Column> columns) : columns_(std::move(columns)) {
    for (const Column& column : columns_) {
      const auto width = static_cast<std::size_t>(column.width());
      const bool real = column.type == Hdf5Type::float64 || column.type == Hdf5Type::float32;
      reals_.emplace_back(real ? width : 0);
      integers_.emplace_back(real ? 0 : width);
    }
  }

  const std::vector<Column>& columns() const { return columns_; }
  double* reals(int column) { return reals_[static_cast<std::size_t>(column)].data(); }              // (width)
  std::int64_t* integers(int column) { return integers_[static_cast<std::size_t>(column)].data(); }  // (width)

  /// The numbers of a column as a reader of the file gets them: rounded where it stores single precision. (width)
  std::vector<double> read(std::size_t column) const {
    if (!integers_[column].empty()) return {integers_[column].begin(), integers_[column].end()};
    std::vector<double> numbers = reals_[column];
    if (columns_[column].type == Hdf5Type::float32) {
      for (double& x : numbers) x = static_cast<float>(x);
    }
    return numbers;
  }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<double>> reals_;
  std::vector<std::vector<std::int64_t>> integers_;
};

}  // namespace stickslip
