// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// A file of numbers with a line of names above: cells between commas, lines with # skipped, empty cells NaN.
class NumberTable {
 public:
  /// Throws InputError with file and line.
  explicit NumberTable(const std::filesystem::path& path);

  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  /// The column of a name that is there.
  const std::vector<double>& column(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace stickslip
