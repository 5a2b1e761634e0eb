// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/row_reader.h"

#include <algorithm>

namespace stickslip {

std::vector<std::int64_t> pick_rows(std::int64_t n, std::int64_t most) {
  std::vector<std::int64_t> rows;
  if (n <= 0) return rows;
  const std::int64_t gaps = std::max<std::int64_t>(most - 1, 1);
  const std::int64_t stride = std::max<std::int64_t>((n - 1 + gaps - 1) / gaps, 1);
  for (std::int64_t row = 0; row < n - 1; row += stride) rows.push_back(row);
  rows.push_back(n - 1);
  return rows;
}

std::vector<double> read_picked(const Trajectory& result, const std::string& dataset,
                                const std::vector<std::int64_t>& rows) {
  constexpr std::int64_t kBlock = 1 << 20;  // [-] numbers read at a time
  const std::int64_t width = std::max<std::int64_t>(result.file().open_dataset(dataset).width(), 1);
  const std::int64_t n_block = std::max<std::int64_t>(kBlock / width, 1);
  std::vector<double> picked;
  picked.reserve(rows.size() * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    while (end < rows.size() && rows[end] < rows[i] + n_block) ++end;
    const RowMatrix block = result.read(dataset, rows[i], rows[end - 1] - rows[i] + 1);
    for (const std::int64_t first = rows[i]; i < end; ++i) {
      const double* row = block.data() + (rows[i] - first) * block.cols();
      picked.insert(picked.end(), row, row + block.cols());
    }
  }
  return picked;
}

}  // namespace stickslip
