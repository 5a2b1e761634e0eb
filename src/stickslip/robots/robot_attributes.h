// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/robots/xml_tree.h"

namespace stickslip {

/// Throws InputError at the attribute: what it is, or that it is missing, and what it should be.
[[noreturn]] void expect(const XmlElement& element, std::string_view attribute, const std::string& what);

// Values of attributes. All throw InputError at the attribute.

/// Finite numbers with blanks between, at least `least` and at most `most` of them; `element` and `attribute` are
/// where.
std::vector<double> parse_numbers(const XmlElement& element, const XmlAttribute& attribute, std::size_t least,
                                  std::size_t most);
double parse_number(const XmlElement& element, const XmlAttribute& attribute);
int parse_integer(const XmlElement& element, const XmlAttribute& attribute);
bool parse_boolean(const XmlElement& element, const XmlAttribute& attribute);

std::optional<double> find_number(const XmlElement& element, std::string_view attribute);
double number_or(const XmlElement& element, std::string_view attribute, double otherwise);
Vector3 vector_or(const XmlElement& element, std::string_view attribute, const Vector3& otherwise);
/// A text that must be there and not be empty.
const std::string& require_text(const XmlElement& element, std::string_view attribute);

/// A vector (or quaternion) that is not zero, of length 1, where its squared length is no number, too.
template <class AnyVector>
AnyVector unit(const AnyVector& v) {
  const int exponent = std::ilogb(v.cwiseAbs().maxCoeff());
  return AnyVector(v.unaryExpr([=](double x) { return std::scalbn(x, -exponent); })).normalized();
}

/// A vector as it is, or, where its squared length is no number, of length 1.
Vector3 of_moderate_length(const Vector3& v);

/// The quaternion that turns about the x, y, z axes in the order of `sequence` (of "xyzXYZ": small letters about axes
/// that turn with the body, capitals about fixed ones) by `angles` (3) [rad].
Matrix3 euler_matrix(const Vector3& angles, std::string_view sequence);
/// The least rotation that takes the z axis to `axis`.
Matrix3 z_to(const Vector3& axis);

}  // namespace stickslip
