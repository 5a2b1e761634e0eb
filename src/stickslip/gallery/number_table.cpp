// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/number_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/base/text_lines.h"

namespace stickslip {

NumberTable::NumberTable(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw InputError({path.string(), 0, 0}, "", "", "a file of numbers that cannot be read");
  TextLines lines(text, path.string(), TextLines::Commas::are_separators);
  if (!lines.next()) throw InputError({path.string(), 0, 0}, "", "", "a line of names, then lines of numbers");
  for (const TextWord& word : lines.words()) names_.emplace_back(word.text);
  columns_.resize(names_.size());
  while (lines.next()) {
    if (lines.words().size() != names_.size()) lines.fail(fmt::format("{} numbers, as there are names", names_.size()));
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const TextWord& word = lines.words()[k];
      columns_[k].push_back(word.text.empty() ? std::numeric_limits<double>::quiet_NaN() : lines.number(word));
    }
  }
}

bool NumberTable::has(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

const std::vector<double>& NumberTable::column(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  STICKSLIP_ASSERT(found != names_.end());
  return columns_[static_cast<std::size_t>(found - names_.begin())];
}

}  // namespace stickslip
