// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/certificate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/cone/cone_defect.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/math/round_off.h"

namespace stickslip::generalized_alpha {

Certificate::Certificate(const Step& step) {
  // With all that the scene names closed.
  std::size_t n_rows = 0;
  for (const StepElement& e : step.elements) n_rows += static_cast<std::size_t>(e.dim);
  for (std::vector<double>* y : {&percussions_, &velocities_, &problem_.b}) y->reserve(n_rows);
  problem_.cones.reserve(n_rows);
  problem_.blocks.reserve(n_rows);
  stretches_.reserve(n_rows);
}

bool Certificate::judge(const Step& step, const Vector& response, StepReport& report) {
  set_problem(step);
  report.solve.residual = {};
  report.coulomb_residual = 0.0;
  if (!percussions_.empty()) {
    set_free_velocities(step, response);
    const auto calc = [&] { return calc_residual(problem_, FrictionLaw::coulomb, percussions_, velocities_, w_); };
    report.solve.residual = calc();
    report.coulomb_residual = report.solve.residual.absolute;
    for (const Stretch& s : stretches_) {
      s.apply(velocities_.data() + s.row);
      s.apply(problem_.b.data() + s.row);
    }
    if (!stretches_.empty()) report.solve.residual = calc();
  }
  report_worst(step, report);
  return holds_to_tolerances(step, report.solve.residual.absolute);
}

/// All of it but b.
void Certificate::set_problem(const Step& step) {
  problem_.clear_cones();
  stretches_.clear();
  percussions_.clear();
  velocities_.clear();
  double diagonal = 0.0;
  for (const StepElement& e : step.elements) {
    if (e.level < Level::position) continue;
    for (int set = 0; set < e.n_sets; ++set) {
      if (!(e.states[set].stretch.tau > 0.0)) continue;
      stretches_.push_back(e.states[set].stretch);
      stretches_.back().row = problem_.size() + e.friction[set].first;
    }
    if (e.kind == ConstraintElement::Kind::contact) {
      std::array<FrictionBlock, kMaxFrictionSets> blocks;
      problem_.add_contact({blocks.data(), e.get_blocks(blocks)});
    } else if (e.kind == ConstraintElement::Kind::dry_friction) {
      problem_.add_ball(e.dim, e.bound * step.h / e.lever(0));
    } else {
      problem_.add_free(e.dim);
    }
    for (int i = 0; i < e.dim; ++i) {
      const double lever = e.lever(i);
      percussions_.push_back(step.P(e.offset + i) / lever);
      velocities_.push_back(lever * e.xi[i]);
      diagonal += lever * lever * e.diagonal[i];
    }
  }
  w_ = percussions_.empty() ? 0.0 : diagonal / static_cast<double>(percussions_.size());
}

/// b = xi - W^T M^-1 W P: the velocities without the percussions, against which the residual is scaled.
void Certificate::set_free_velocities(const Step& step, const Vector& response) {
  std::array<double, kMaxElementDim> moved;
  std::size_t k = 0;
  for (const StepElement& e : step.elements) {
    if (e.level < Level::position) continue;
    step.rows.multiply_transposed(e, response, moved.data());
    for (int i = 0; i < e.dim; ++i) problem_.b[k++] = e.lever(i) * (e.xi[i] - moved[i]);
  }
}

/// What the velocities miss, and the element that has the largest part of the residual.
void Certificate::report_worst(const Step& step, StepReport& report) const {
  report.missed = report.solve.residual.missed;
  const int worst = report.solve.residual.worst;
  if (worst < 0) return report_no_worst(report);
  // The problem's cones are those of the closed elements, in their order.
  int cone = -1;
  for (const StepElement& e : step.elements) {
    if (e.level < Level::position || ++cone < worst) continue;
    switch (e.kind) {
      case ConstraintElement::Kind::contact:
        return report_worst_contact(step.system, step.rows.point(e), e.index, report);
      case ConstraintElement::Kind::joint:
        return report_worst_joint(step.system, e.index, report);
      case ConstraintElement::Kind::dry_friction:
        return report_worst_dry_friction(step.system, e.index, report);
    }
  }
}

/// error() takes the largest of rows, with index sets and a prox parameter of its own. Where these are right and each
/// row of a contact holds to the velocity tolerance tol, the natural map |w P - proj(w P - xi - De Saxce's shift)| is
/// at most tol (1 + sqrt(n_F) (1 + mu)) for what xi is off by, as the projection does not expand, and sqrt(n_F) tol w /
/// G_FF for P, w the mean of the diagonal; twice that where ties are kept, and with S xi in place of xi (1 + tau) the
/// share of friction. Measure::kSolved (1 + mu) tol bounds all of it: a step is refused whose index sets or directions
/// were wrong. residual [m/s]: of all, that of a single one among them.
bool Certificate::holds_to_tolerances(const Step& step, double residual) const {
  std::size_t k = 0;
  for (const StepElement& e : step.elements) {
    if (e.level < Level::position) continue;
    const Cone& cone = problem_.cones[k++];
    const double* p = percussions_.data() + cone.offset;
    double w = 0.0;        // [1/kg]
    double largest = 0.0;  // [N s]
    for (int i = 0; i < e.dim; ++i) {
      w += e.lever(i) * e.lever(i) * e.diagonal[i] / e.dim;
      largest = std::max(largest, std::abs(p[i]));
    }
    const double* xi = velocities_.data() + cone.offset;
    const double defect = problem_.cones.size() == 1
                              ? residual
                              : std::sqrt(calc_squared_defect(problem_, FrictionLaw::coulomb, cone, w, p, xi));
    const double tolerance = step.measure.tolerance_velocity(step, e) / step.h + kSumRoundOff * w * largest;  // [m/s]
    if (!(defect <= Measure::kSolved * (1.0 + e.sum_of_friction()) * tolerance)) return false;
  }
  return true;
}

}  // namespace stickslip::generalized_alpha
