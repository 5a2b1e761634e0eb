// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/json.h"

namespace stickslip {

/// What a page is given of one result: named arrays of numbers, one behind the other in little-endian bytes, and a
/// header in JSON that says where each of them lies and holds the texts.
class PageData {
 public:
  /// Adds an array; its type is that of the numbers.
  void add(std::string_view name, std::span<const double> numbers);
  void add(std::string_view name, std::span<const float> numbers);
  void add(std::string_view name, std::span<const std::int32_t> numbers);
  void add(std::string_view name, std::span<const std::uint32_t> numbers);
  void add(std::string_view name, std::span<const std::uint16_t> numbers);
  void add(std::string_view name, std::span<const std::uint8_t> numbers);
  /// Adds a member to the header; `json` is the text of its value.
  void set(std::string_view name, std::string_view json);

  /// {"arrays": {NAME: [TYPE, OFFSET, COUNT], ...}, members that were set}
  std::string header() const;
  const std::vector<std::byte>& bytes() const { return bytes_; }
  const std::vector<std::string>& names() const { return names_; }  // of the arrays

 private:
  void append(std::string_view name, std::string_view type, std::span<const std::byte> numbers, std::size_t count);

  std::string arrays_;
  std::vector<std::string> names_;
  std::string members_;
  std::vector<std::byte> bytes_;
};

}  // namespace stickslip
