// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/drawn_rows.h"

#include <cmath>
#include <span>

namespace stickslip {
namespace {

constexpr int kCurvePoints = 4;  // [-] drawn points an element of a beam: a bend of .5 rad then looks smooth

void add_vector(const Vector3& vector, std::vector<float>& list) {
  for (const double x : vector) list.push_back(std::isfinite(x) ? static_cast<float>(x) : 0.0F);
}

}  // namespace

void ContactList::add(const ContactRecord& contact) {
  if (!std::isfinite(contact.point.x()) || !std::isfinite(contact.normal.x())) return;
  add_vector(contact.point, point);
  add_vector(contact.normal, normal);
  add_vector(contact.force, force);
  gap.push_back(static_cast<float>(contact.gap));
  mu.push_back(static_cast<float>(contact.mu));
  status.push_back(static_cast<std::uint8_t>(contact.status));
  bodies.insert(bodies.end(), {contact.body_a, contact.body_b});
  index.push_back(contact.index);
}

void ContactList::write(PageData& data) const {
  data.add("contact_offset", std::span<const std::uint32_t>(offsets));
  data.add("contact_point", std::span<const float>(point));
  data.add("contact_normal", std::span<const float>(normal));
  data.add("contact_force", std::span<const float>(force));
  data.add("contact_gap", std::span<const float>(gap));
  data.add("contact_mu", std::span<const float>(mu));
  data.add("contact_status", std::span<const std::uint8_t>(status));
  data.add("contact_bodies", std::span<const std::int32_t>(bodies));
  data.add("contact_index", std::span<const std::int32_t>(index));
}

Eigen::Vector2d BeamCurve::at(double xi, const double* control) const {
  std::vector<double> value(static_cast<std::size_t>(spline_.degree()) + 1), first = value, second = value;
  const int element = spline_.find_element(xi);
  spline_.calc_functions(element, xi, value.data(), first.data(), second.data());
  Eigen::Vector2d point = Eigen::Vector2d::Zero();
  for (int k = 0; k <= spline_.degree(); ++k) {
    point += value[static_cast<std::size_t>(k)] * Eigen::Vector2d(control + 2 * (element + k));
  }
  return point;
}

std::vector<double> BeamCurve::places() const {
  std::vector<double> places;
  const int n = kCurvePoints * spline_.elements();
  for (int i = 0; i <= n; ++i) places.push_back(static_cast<double>(i) / n);
  return places;
}

void BeamCurve::sample(const double* control, std::vector<float>& curve) const {
  for (const double xi : places()) {
    const Eigen::Vector2d point = at(xi, control);
    curve.insert(curve.end(), {static_cast<float>(point.x()), static_cast<float>(point.y())});
  }
}

double BeamCurve::row_bytes(const BeamOptions& beam) {
  return 2.0 * sizeof(float) * (kCurvePoints * beam.elements + 1);
}

}  // namespace stickslip
