// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/cone_problem.h"

#include <array>
#include <cmath>

#include "stickslip/base/assert.h"

namespace stickslip {

void ConeProblem::clear_cones() {
  cones.clear();
  blocks.clear();
  stretches.clear();
  b.clear();
}

int ConeProblem::add_ball(int dim, double radius) {
  STICKSLIP_ASSERT(radius >= 0.0);
  Cone cone = make_cone(ConeKind::ball, dim);
  cone.radius = radius;
  return add_cone(cone);
}

int ConeProblem::add_free(int dim) {
  return add_cone(make_cone(ConeKind::free, dim));
}

void ConeProblem::apply_delassus(std::span<const double> p, std::span<double> result) const {
  std::vector<double> work(delassus_work_size());
  apply_delassus(p, result, work);
}

std::size_t ConeProblem::delassus_work_size() const {
  return std::visit([](const auto& w) { return w.work_size(); }, delassus);
}

void ConeProblem::apply_delassus(std::span<const double> p, std::span<double> result, std::span<double> work) const {
  STICKSLIP_ASSERT(static_cast<int>(p.size()) == size() && static_cast<int>(result.size()) == size());
  STICKSLIP_ASSERT(work.size() == delassus_work_size());
  const auto apply = [&](const auto& w) {
    STICKSLIP_ASSERT(w.n_rows() == n_cones());
    w.apply(cones, p.data(), result.data(), work);
  };
  std::visit(apply, delassus);
}

void ConeProblem::calc_diagonal_block(int i, std::span<double> block) const {
  STICKSLIP_ASSERT(static_cast<int>(block.size()) == cones[i].dim * cones[i].dim);
  std::visit([&](const auto& w) { w.calc_diagonal_block(cones, i, block.data()); }, delassus);
}

void ConeProblem::calc_diagonal(int i, double* diagonal) const {
  std::visit([&](const auto& w) { w.calc_diagonal(cones, i, diagonal); }, delassus);
}

double ConeProblem::calc_residual_scale() const {
  if (residual_scale > 0.0) return residual_scale;
  std::array<double, kMaxConeDim> diagonal = {};
  double sum = 0.0;
  for (int i = 0; i < n_cones(); ++i) {
    calc_diagonal(i, diagonal.data());
    for (int r = 0; r < cones[i].dim; ++r) sum += std::abs(diagonal[r]);
  }
  return sum > 0.0 ? sum / size() : 1.0;
}

}  // namespace stickslip
