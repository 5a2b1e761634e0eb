// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/de_saxce_shift.h"

#include <array>

namespace stickslip {

double calc_de_saxce_shift(std::span<const FrictionBlock> friction, const double* u) {
  double shift = 0.0;
  int row = 1;
  for (const FrictionBlock& block : friction) {
    std::array<double, kMaxFrictionDim> opposite = {};
    for (int i = 0; i < block.dim; ++i) opposite[i] = -u[row + i];
    shift += calc_support(block, opposite.data());
    row += block.dim;
  }
  return shift;
}

void add_de_saxce_shift(const ConeProblem& problem, std::span<const double> u, std::span<double> result) {
  if (problem.law != FrictionLaw::coulomb) return;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::contact) continue;
    result[cone.offset] += calc_de_saxce_shift(problem.friction(cone), u.data() + cone.offset);
  }
}

}  // namespace stickslip
