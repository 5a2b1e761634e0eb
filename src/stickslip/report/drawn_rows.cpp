// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/drawn_rows.h"

#include <cmath>
#include <span>

namespace stickslip {
namespace {

constexpr int kCurvePoints = 4;  // [-] drawn points an element of a beam: a bend of .5 rad then looks smooth

void add_vector(const double* vector, double factor, std::vector<float>& list) {
  for (int i = 0; i < 3; ++i) {
    const double x = vector[i] * factor;
    list.push_back(std::isfinite(x) ? static_cast<float>(x) : 0.0F);
  }
}

}  // namespace

void ContactList::add(const DrawnContact& contact) {
  if (!std::isfinite(contact.point[0]) || !std::isfinite(contact.normal[0])) return;
  add_vector(contact.point, 1.0, point);
  add_vector(contact.normal, 1.0, normal);
  add_vector(contact.force, contact.force_factor, force);
  gap.push_back(static_cast<float>(contact.gap));
  mu.push_back(static_cast<float>(contact.mu));
  status.push_back(static_cast<std::uint8_t>(contact.status));
  bodies.insert(bodies.end(), {static_cast<std::int32_t>(contact.body_a), static_cast<std::int32_t>(contact.body_b)});
  index.push_back(static_cast<std::int32_t>(contact.index));
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

void BeamCurve::sample(const double* control, std::vector<float>& curve) const {
  std::vector<double> value(static_cast<std::size_t>(spline_.degree()) + 1), first = value, second = value;
  const int n = kCurvePoints * spline_.elements();
  for (int i = 0; i <= n; ++i) {
    const double xi = static_cast<double>(i) / n;
    const int element = spline_.find_element(xi);
    spline_.calc_functions(element, xi, value.data(), first.data(), second.data());
    double x = 0.0, y = 0.0;
    for (int k = 0; k <= spline_.degree(); ++k) {
      x += value[static_cast<std::size_t>(k)] * control[2 * (element + k)];
      y += value[static_cast<std::size_t>(k)] * control[2 * (element + k) + 1];
    }
    curve.insert(curve.end(), {static_cast<float>(x), static_cast<float>(y)});
  }
}

double BeamCurve::row_bytes(const BeamOptions& beam) {
  return 2.0 * sizeof(float) * (kCurvePoints * beam.elements + 1);
}

}  // namespace stickslip
