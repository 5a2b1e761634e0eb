// SPDX-License-Identifier: BSD-3-Clause
// Inputs of a caller are constant in a step and change between steps; accelerations and forces of joints jump with
// them. The scheme goes on from a mean of what it remembers of these, and would let the jump act half a step late. So
// the memory is moved by the jump at the instant where it happens:
//   M da = df + W dlambda,   W^T da = 0      over the rows of joints,
// to a, abar and the earlier a, and to lambda likewise. The impulse of inputs is then exact, whatever dlambda is.
// Contacts and dry friction, whose laws have no derivative, answer in the step itself, by percussions.
#include "stickslip/stepping/generalized_alpha/nested.h"
#include "stickslip/stepping/generalized_alpha/start.h"

namespace stickslip::generalized_alpha {

void Nested::calc_jump(Step& step, const State& state) {
  set_joints(step, state);
  is_stuck_.clear();  // of the last step
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
    if (e.kind != ConstraintElement::Kind::joint) continue;
    add_cone(step, static_cast<int>(k), e.dim, Friction::none, 0.0);
    for (int i = 0; i < e.dim; ++i) {
      problem_.b[rows_.back().offset + i] = 0.0;
      solution_.p.push_back(0.0);
    }
  }
  solve_level(step, 0.0);
  step.x.lambda.setZero();
  if (last_.status == Status::failed || !change_.allFinite()) {
    step.x.a = -free_;
    return;
  }
  step.x.a = change_;
  take_solution(step, step.x.lambda);
}

}  // namespace stickslip::generalized_alpha
