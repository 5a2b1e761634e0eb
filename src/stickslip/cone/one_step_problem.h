// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/math/sparse.h"

namespace stickslip {

// The forms in which one-step contact problems are exchanged [Acary2014]. Contacts are contiguous, each with `dim` rows
// (2 planar, 3 spatial), the normal first; mu has one entry a contact. What stands for bilateral constraints (V, R, s
// and G, b) may be empty.

/// u = W r + V lambda + q,  0 = V^T r + R lambda + s.
struct LocalForm {
  int dim = 3;
  SparseMatrix w;  // (n, n) [1/kg]
  SparseMatrix v;  // (n, m) [1/kg]
  SparseMatrix r;  // (m, m) [1/kg]
  Vector q;        // (n) [m/s]
  Vector s;        // (m) [m/s]
  Vector mu;       // (n / dim) [-]
};

/// M v = H r + G lambda + f,  u = H^T v + w,  0 = G^T v + b.
struct GlobalForm {
  int dim = 3;
  SparseMatrix m;  // (n_v, n_v) [kg and like] regular; symmetric or not
  SparseMatrix h;  // (n_v, n) [-]
  SparseMatrix g;  // (n_v, m) [-]
  Vector f;        // (n_v) [N s and like]
  Vector w;        // (n) [m/s]
  Vector b;        // (m) [m/s]
  Vector mu;       // (n / dim) [-]
};

/// w = M z + q,  0 <= w perpendicular to z >= 0.
struct LcpForm {
  SparseMatrix m;  // (n, n)
  Vector q;        // (n)
};

/// u = W p + b over any cones: those of the cone problem itself.
struct ConeForm {
  SparseMatrix w;  // (n, n) [1/kg]
};

/// A problem as it was stated, and as a cone problem:
///   local, global   a contact with one ball of friction for each contact, then a free row for each bilateral one
///   LCP             a half line for each unknown, z = p and w = u
///   cones           as it is
struct OneStepProblem {
  std::variant<LocalForm, GlobalForm, LcpForm, ConeForm> form;
  ConeProblem cones;
  Vector free_velocity;  // (n_v) M^-1 f of a global form; else empty

  bool is_lcp() const { return std::holds_alternative<LcpForm>(form); }
  /// Contacts, or unknowns of an LCP.
  int n_contacts() const;
};

/// States a form as a cone problem under the exact law. Shapes must agree. The local form's W is stored in blocks
/// without those that are zero; the global form's M is factorised component by component and never condensed
/// (SparseDelassus). Throws InputError, which names `file`, where M is singular.
OneStepProblem make_one_step_problem(LocalForm form);
OneStepProblem make_one_step_problem(GlobalForm form, const std::string& file);
OneStepProblem make_one_step_problem(LcpForm form);
/// `cones` has its cones and b, but no Delassus operator.
OneStepProblem make_one_step_problem(ConeForm form, ConeProblem cones);

/// A cone problem, as schemes make them, in the form in which it can be exchanged: global where it has many contacts
/// with a ball of friction each between bodies (make_body_form()), so that who reads it finds the bodies; local where
/// each contact is planar, or each spatial, with one ball of friction or none, not stretched, and the rest are
/// bilateral, coupled symmetrically with the contacts (a local form has V and V^T); else cones. Contacts come before
/// bilateral rows. A contact without friction gets uncoupled rows with mu = 0, b = 0 and the mean diagonal of W: they
/// hold no percussion and leave that mean, by which residuals are scaled, as it is. `row_of` (n), if not null, is
/// filled with the row in the new problem of each row of the old one.
OneStepProblem make_exchange_problem(const ConeProblem& problem, std::vector<int>* row_of = nullptr);

/// v = M^-1 (H r + G lambda + f) of a global form for percussions p (n), (n_v); empty for other forms.
Vector calc_generalized_velocity(const OneStepProblem& problem, std::span<const double> p);

}  // namespace stickslip
