// SPDX-License-Identifier: BSD-3-Clause
// Inputs of a caller are constant in a step and change between steps; accelerations and forces of joints jump with
// them. The scheme goes on from a mean of what it remembers of these, and would let the jump act half a step late. So
// the memory is moved by the jump at the instant where it happens:
//   M da = df + W dlambda,   W^T da = 0      over the rows of joints,
// to a, abar and the earlier a, and to lambda likewise. The impulse of inputs is then exact, whatever dlambda is.
// Contacts and dry friction, whose laws have no derivative, answer in the step itself, by percussions.
#include <algorithm>

#include "stickslip/stepping/generalized_alpha_nested.h"

namespace stickslip {

void GeneralizedAlphaStep::set_joints(const State& state) {
  t_end = state.t;
  q = state.q;
  u = state.u;
  for (StepElement& e : elements) {
    if (e.kind == StepElement::Kind::joint) calc_rates(e);
  }
}

void GeneralizedAlphaStep::move_memory(State& state) const {
  const int n_u = system.n_u();
  const int n = n_fixed_rows_;
  double* memory = state.memory.data();
  const auto move = [&memory](const Vector& jump, int size) {
    for (int i = 0; i < size; ++i) memory[i] += jump(i);
    memory += size;
  };
  // a, abar, lambda, lambdabar, then a and lambda of the last step and of the one before.
  for (int i = 0; i < 2; ++i) move(x.a, n_u);
  for (int i = 0; i < 2; ++i) move(x.lambda, n);
  for (int i = 0; i < 2; ++i) {
    move(x.a, n_u);
    move(x.lambda, n);
  }
}

void GeneralizedAlphaNested::calc_jump(GeneralizedAlphaStep& step, const State& state) {
  step.set_joints(state);
  // The change of forces, as a residual.
  work_.setZero();
  step.system.add_input_forces(state.inputs, state.t, state.q, work_);
  response_.setZero();
  step.system.add_input_forces(state.remembered_inputs, state.t, state.q, response_);
  response_ -= work_;
  step.system.solve_mass(response_, free_);
  clear();
  solution_.p.clear();
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.kind != StepElement::Kind::joint) continue;
    add_cone(step, static_cast<int>(k), e.dim, Law::normal, 0.0);
    for (int i = 0; i < e.dim; ++i) {
      problem_.b[rows_.back().offset + i] = 0.0;
      solution_.p.push_back(0.0);
    }
  }
  const bool solved = solve_level(step, 0.0) && change_.allFinite();
  step.x.lambda.setZero();
  if (!solved) {
    step.x.a = -free_;
    return;
  }
  step.x.a = change_;
  for (const Rows& rows : rows_) {
    std::copy_n(solution_.p.begin() + rows.offset, rows.n, step.x.lambda.data() + step.elements[rows.element].offset);
  }
}

}  // namespace stickslip
