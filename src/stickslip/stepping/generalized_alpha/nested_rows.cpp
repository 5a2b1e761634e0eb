// SPDX-License-Identifier: BSD-3-Clause
// The rows of elements in the problems of the levels.
#include <array>

#include "stickslip/stepping/generalized_alpha/nested.h"

namespace stickslip::generalized_alpha {

/// plain(i, k), along(set, k): row k of the problem is row i of the element, or a friction set along its slip.
template <class Plain, class Along>
void Nested::for_rows(const StepElement& e, const Rows& rows, Plain&& plain, Along&& along) {
  if (rows.first) {
    for (int k = 0; k < rows.n; ++k) plain(k, k);
    return;
  }
  plain(0, 0);
  int k = 1;
  for (int set = 0; set < e.n_sets; ++set) {
    const FrictionSet& of_set = e.friction[set];
    if (rows.sets[set] == SetRows::along) along(set, k++);
    if (rows.sets[set] != SetRows::all) continue;
    for (int i = of_set.first; i < of_set.first + of_set.n; ++i) plain(i, k++);
  }
}

/// n: the first rows that are there, where there is no friction.
void Nested::add_cone(const Step& step, int element, int n, Friction friction, double radius) {
  step.stop.check();
  const StepElement& e = step.elements[element];
  Rows rows{element, n, problem_.size(), true, {}};
  if (friction == Friction::along || friction == Friction::held) {
    rows.first = false;
    rows.n = 1;
    for (int set = 0; set < e.n_sets; ++set) {
      SetRows& shown = rows.sets[set];
      if (e.sticks(set)) shown = SetRows::all;
      if (e.has_sliding_friction(set) && friction == Friction::along) shown = SetRows::along;
      rows.n += shown == SetRows::all ? e.friction[set].n : shown == SetRows::along ? 1 : 0;
    }
  } else if (friction == Friction::all) {
    rows.sets.fill(SetRows::all);
  }
  switch (e.kind) {
    case ConstraintElement::Kind::contact:
      add_contact(e, rows);
      break;
    case ConstraintElement::Kind::dry_friction:
      problem_.add_ball(n, radius);
      break;
    case ConstraintElement::Kind::joint:
      problem_.add_free(n);
      break;
  }
  rows_.push_back(rows);
  auto& delassus = std::get<FactoredDelassus>(problem_.delassus);
  delassus.begin_row(rows.n);
  for (const ConstraintElement::SideRange& side : e.sides()) {
    if (side.touch < 0) continue;
    const ConstraintElement::Touch& touch = e.touches()[side.touch];
    const VelocityBlock& block = step.rows.blocks()[touch.block];
    const Body& body = step.system.bodies()[side.body];
    RowMatrixView J = delassus.add_block(delassus_body_[side.body]);
    const double* w = step.rows.W() + touch.values + body.u_offset - block.u_offset;
    const auto plain = [&](int i, int k) { std::copy_n(w + i * block.n_u, body.n_u, J.data() + k * body.n_u); };
    const auto along = [&](int set, int k) {
      const FrictionSet& of_set = e.friction[set];
      for (int c = 0; c < body.n_u; ++c) {
        double sum = 0.0;
        for (int i = of_set.first; i < of_set.first + of_set.n; ++i) sum += e.slip[i] * w[i * block.n_u + c];
        J.data()[k * body.n_u + c] = sum;
      }
    };
    for_rows(e, rows, plain, along);
  }
}

void Nested::add_contact(const StepElement& e, const Rows& rows) {
  std::array<FrictionBlock, kMaxFrictionSets> blocks;
  std::size_t n = 0;
  for (int set = 0; set < e.n_sets; ++set) {
    const int dim = rows.sets[set] == SetRows::all ? e.friction[set].n : rows.sets[set] == SetRows::along ? 1 : 0;
    if (dim > 0) blocks[n++] = {dim, e.friction_of(set), 0, 0.0};
  }
  problem_.add_contact({blocks.data(), n});
}

/// Puts what an element has in the problem into its rows p (dim); those that are not there stay.
void Nested::scatter(const Step& step, const Rows& rows, const double* values, double* p) const {
  const StepElement& e = step.elements[rows.element];
  const auto along = [&](int set, int k) {
    const FrictionSet& of_set = e.friction[set];
    for (int i = of_set.first; i < of_set.first + of_set.n; ++i) p[i] = e.slip[i] * values[k];
  };
  for_rows(
      e, rows, [&](int i, int k) { p[i] = values[k]; }, along);
}

/// The values of its rows in the problem from those of all rows of an element (dim).
void Nested::contract(const Step& step, const Rows& rows, const double* w, double* values) const {
  const StepElement& e = step.elements[rows.element];
  const auto along = [&](int set, int k) {
    const FrictionSet& of_set = e.friction[set];
    values[k] = 0.0;
    for (int i = of_set.first; i < of_set.first + of_set.n; ++i) values[k] += e.slip[i] * w[i];
  };
  for_rows(
      e, rows, [&](int i, int k) { values[k] = w[i]; }, along);
}

/// What the solution has for rows of the problem, into multipliers of all rows; those of no row there stay.
void Nested::take_solution(const Step& step, Vector& multipliers) const {
  for (const Rows& rows : rows_) {
    scatter(step, rows, solution_.p.data() + rows.offset, multipliers.data() + step.elements[rows.element].offset);
  }
}

/// b of what slides of a pushed contact, see settle_many_sliding.
void Nested::push(const StepElement& e, const Rows& rows, double push) {
  double* b = problem_.b.data() + rows.offset;
  const auto push_row = [&](int i, int k) {
    for (int set = 0; set < e.n_sets; ++set) {
      const FrictionSet& of_set = e.friction[set];
      if (i >= of_set.first && i < of_set.first + of_set.n && !e.sticks(set)) b[k] = push * e.slip[i];
    }
  };
  for_rows(e, rows, push_row, [&](int, int k) { b[k] = push; });
}

}  // namespace stickslip::generalized_alpha
