// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/page_data.h"

#include <fmt/format.h>

#include <bit>

namespace stickslip {
namespace {

static_assert(std::endian::native == std::endian::little, "pages hold little-endian numbers");
constexpr std::size_t kAlignment = 8;  // [bytes] of the widest number, which a typed array wants

}  // namespace

void PageData::append(std::string_view name, std::string_view type, std::span<const std::byte> numbers,
                      std::size_t count) {
  bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
  arrays_ += fmt::format("{}{}:[\"{}\",{},{}]", arrays_.empty() ? "" : ",", to_json(name), type, bytes_.size(), count);
  names_.emplace_back(name);
  bytes_.insert(bytes_.end(), numbers.begin(), numbers.end());
}

void PageData::add(std::string_view name, std::span<const double> numbers) {
  append(name, "f64", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const float> numbers) {
  append(name, "f32", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::int32_t> numbers) {
  append(name, "i32", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::uint32_t> numbers) {
  append(name, "u32", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::uint16_t> numbers) {
  append(name, "u16", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::uint8_t> numbers) {
  append(name, "u8", std::as_bytes(numbers), numbers.size());
}

void PageData::set(std::string_view name, std::string_view json) {
  members_ += fmt::format(",{}:{}", to_json(name), json);
}

std::string PageData::header() const {
  return fmt::format("{{\"arrays\":{{{}}}{}}}", arrays_, members_);
}

}  // namespace stickslip
