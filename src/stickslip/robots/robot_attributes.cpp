// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/robot_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// The text of a value in messages.
std::string quoted(const std::string& value) {
  constexpr std::size_t kMost = 60;  // [bytes]
  std::string text;
  for (const char c : value.substr(0, kMost)) text += is_blank(c) ? ' ' : c;
  while (!text.empty() && (text.back() & 0xC0) == 0x80 && value.size() > kMost) text.pop_back();
  if (!text.empty() && (text.back() & 0x80) != 0 && value.size() > kMost) text.pop_back();
  return fmt::format("\"{}\"{}", text, value.size() > kMost ? "..." : "");
}

/// Whether a number, of which a double holds none but 0 or inf, is small: by the place of its first digit, and its
/// exponent.
bool is_tiny(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.substr(0, e).find('.'), e);
  const std::size_t digit = text.substr(0, e).find_first_not_of("0.");
  if (digit >= e) return true;
  const double places = static_cast<double>(point) - static_cast<double>(digit);
  std::string_view exponent = text.substr(std::min(e + 1, text.size()));
  const bool is_down = exponent.starts_with('-');
  exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size()));
  double power = 0.0;
  for (const char c : exponent) power = std::min(10.0 * power + (c - '0'), 1e18);
  return places + (is_down ? -power : power) < 0.0;
}

}  // namespace

void expect(const XmlElement& element, std::string_view attribute, const std::string& what) {
  const XmlAttribute* found = element.find(attribute);
  element.fail(attribute, found == nullptr ? "expected " + what : quoted(found->value) + ": expected " + what);
}

std::vector<double> parse_numbers(const XmlElement& element, const XmlAttribute& attribute, std::size_t least,
                                  std::size_t most) {
  const std::string count = least == most                                     ? fmt::format("{}", most)
                            : most == std::numeric_limits<std::size_t>::max() ? fmt::format("{} or more", least)
                                                                              : fmt::format("{} to {}", least, most);
  const auto refuse = [&] {
    expect(element, attribute.name, fmt::format("{} finite number{}", count, most == 1 ? "" : "s"));
  };
  std::vector<double> numbers;
  const char* at = attribute.value.data();
  const char* end = at + attribute.value.size();
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) break;
    if (*at == '+') ++at;
    double number = 0.0;
    const auto [next, error] = std::from_chars(at, end, number);
    const bool is_zero =
        error == std::errc::result_out_of_range && is_tiny(std::string_view(at, static_cast<std::size_t>(next - at)));
    if ((error != std::errc{} && !is_zero) || !std::isfinite(number) || (next != end && !is_blank(*next))) refuse();
    if (numbers.size() == most) refuse();
    numbers.push_back(number);
    at = next;
  }
  if (numbers.size() < least) refuse();
  return numbers;
}

double parse_number(const XmlElement& element, const XmlAttribute& attribute) {
  return parse_numbers(element, attribute, 1, 1)[0];
}

int parse_integer(const XmlElement& element, const XmlAttribute& attribute) {
  const double number = parse_number(element, attribute);
  if (number != std::floor(number) || std::abs(number) > 2147483647.0) {
    expect(element, attribute.name, "a whole number");
  }
  return static_cast<int>(number);
}

bool parse_boolean(const XmlElement& element, const XmlAttribute& attribute) {
  if (attribute.value == "true" || attribute.value == "1") return true;
  if (attribute.value == "false" || attribute.value == "0") return false;
  expect(element, attribute.name, "true or false");
}

std::optional<double> find_number(const XmlElement& element, std::string_view attribute) {
  const XmlAttribute* found = element.find(attribute);
  if (found == nullptr) return {};
  return parse_number(element, *found);
}

double number_or(const XmlElement& element, std::string_view attribute, double otherwise) {
  return find_number(element, attribute).value_or(otherwise);
}

Vector3 vector_or(const XmlElement& element, std::string_view attribute, const Vector3& otherwise) {
  const XmlAttribute* found = element.find(attribute);
  if (found == nullptr) return otherwise;
  const std::vector<double> numbers = parse_numbers(element, *found, 3, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

const std::string& require_text(const XmlElement& element, std::string_view attribute) {
  const XmlAttribute* found = element.find(attribute);
  if (found == nullptr || found->value.empty()) element.fail(attribute, "missing");
  return found->value;
}

Vector3 of_moderate_length(const Vector3& v) {
  constexpr double kLeast = 1e-10, kMost = 1e10;
  const double length = v.cwiseAbs().maxCoeff();
  return length < kLeast || length > kMost ? unit(v) : v;
}

Matrix3 euler_matrix(const Vector3& angles, std::string_view sequence) {
  Matrix3 R = Matrix3::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char c = sequence[i];
    const bool turns_with = c >= 'a';
    const int axis = (turns_with ? c - 'x' : c - 'X');
    const Matrix3 turn = axis_angle_matrix(Vector3::Unit(axis), angles(static_cast<int>(i)));
    R = turns_with ? Matrix3(R * turn) : Matrix3(turn * R);
  }
  return R;
}

Matrix3 z_to(const Vector3& axis) {
  const Vector3 z = unit(axis);
  const Vector3 about = Vector3::UnitZ().cross(z);
  const double sine = about.norm();
  constexpr double kParallel = 1e-10;  // [-] sine below which the axis of the rotation is round-off
  if (sine < kParallel) return z(2) > 0.0 ? Matrix3::Identity() : axis_angle_matrix(Vector3::UnitX(), std::acos(-1.0));
  return axis_angle_matrix(about / sine, std::atan2(sine, z(2)));
}

}  // namespace stickslip
