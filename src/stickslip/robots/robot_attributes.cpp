// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/robot_attributes.h"

#include <fmt/format.h>

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

}  // namespace

std::vector<double> parse_numbers(const XmlElement& element, const XmlAttribute& attribute, std::size_t least,
                                  std::size_t most) {
  const std::string count = least == most                                     ? fmt::format("{}", most)
                            : most == std::numeric_limits<std::size_t>::max() ? fmt::format("{} or more", least)
                                                                              : fmt::format("{} to {}", least, most);
  const auto refuse = [&] {
    element.fail(attribute.name,
                 fmt::format("{}: {} finite number{}", quoted(attribute.value), count, most == 1 ? "" : "s"));
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
    const bool is_tiny = error == std::errc::result_out_of_range && std::abs(number) < 1.0;
    if ((error != std::errc{} && !is_tiny) || !std::isfinite(number) || (next != end && !is_blank(*next))) refuse();
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
    element.fail(attribute.name, quoted(attribute.value) + ": a whole number");
  }
  return static_cast<int>(number);
}

bool parse_boolean(const XmlElement& element, const XmlAttribute& attribute) {
  if (attribute.value == "true" || attribute.value == "1") return true;
  if (attribute.value == "false" || attribute.value == "0") return false;
  element.fail(attribute.name, quoted(attribute.value) + ": true or false");
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
  const Vector3 z = axis.normalized();
  const Vector3 about = Vector3::UnitZ().cross(z);
  const double sine = about.norm();
  constexpr double kParallel = 1e-10;  // [-] sine below which the axis of the rotation is round-off
  if (sine < kParallel) return z(2) > 0.0 ? Matrix3::Identity() : axis_angle_matrix(Vector3::UnitX(), std::acos(-1.0));
  return axis_angle_matrix(about / sine, std::atan2(sine, z(2)));
}

}  // namespace stickslip
