// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/cone/one_step_problem.h"

namespace stickslip {

// Global forms of bodies, and operators of bodies: the one out of the other.

/// From so many contacts on solvers gain from bodies. [-]
inline constexpr int kManyContacts = 64;

/// Whether a global form is one of bodies, each with six velocities in a row (planar: three) that M couples with no
/// others, and each contact or bilateral row between two of them at most; then w = J M^-1 J^T is made of them.
/// `problem` has the cones of the form.
bool find_bodies(const GlobalForm& form, const ConeProblem& problem, FactoredDelassus& w);

/// Such a form of a problem, f = 0, whose operator is one of bodies and has many contacts, each with `dim` rows and a
/// ball of friction, and else bilateral rows; nothing of others. `rows` (n) gets the row in it of each row.
std::optional<GlobalForm> make_body_form(const ConeProblem& problem, int dim, std::vector<int>& rows);

}  // namespace stickslip
