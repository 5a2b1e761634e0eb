// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/position_projection.h"
#include "stickslip/stepping/scheme_traits.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// Stewart's and Trinkle's scheme: one mixed linear complementarity problem a step, with polygons in the place of
/// friction discs [Trinkle2003]. With Psi the gaps of contacts (u) and what joints (b) are off by at (t, q), W their
/// directions there, and impulses p:
///
///   M (nu' - nu) = uW_n p_n + uD beta + bW_n bp_n + bD bbeta + h g_ext(t, q, nu)              (25)
///   q' = q + h G nu', quaternions normalised after it                                        (26)
///   bPsi + h bW_n^T nu' + h dbPsi/dt = 0                                                      (28)
///   0 <= p_n perpendicular to uPsi/h + uW_n^T nu' + duPsi/dt >= 0                             (32)
///   friction: D_j unit vectors at the angles orientation + 2 pi j / facets, beta_j >= 0       (35), (37)
///   joint friction: |p_f| <= h c_max, an impulse                                             (38)
///
/// Stated as a cone problem whose friction sets are polygons (FacetLcp says how (37) follows); the standard form
/// LCP(F, f) of (43)-(47), joints eliminated, is what `lemke` solves and --problems-every writes. Planar friction is
/// exact. facets = 0: the round cone, for solvers of the exact law.
///
/// Existence. LCP(F, f) has a solution, which Lemke's method finds, where no contact overlaps and joints fit and do not
/// move as prescribed: uPsi/h + duPsi/dt >= 0, bPsi/h + dbPsi/dt = 0. Elsewhere it may have none. A problem that is not
/// solved is tried again without uPsi/h of contacts that overlap, then without bPsi/h of joints as well; the report
/// says so by `fallbacks` and by its message.
///
/// Which contacts take part, the cap on Psi/h, projection and restitution, and the departures from (25) and (26): as
/// under `ccp` (ccp.h, docs/ccp.md).
struct StewartTrinkleOptions {
  static constexpr SchemeTraits kTraits = {
      .name = "stewart-trinkle",
      .meaning = "half-implicit Euler with a linear complementarity problem, friction by facets or round [Trinkle2003]",
      .order = 1,
      .holds_positions = false,
      .automatic_steps = false};

  int facets = 8;            // [-] >= 3, or 0: the round cone
  double orientation = 0.0;  // [rad] finite: angle of the first facet from the first tangent
  Projection projection = Projection::automatic;
  double correction_speed = kCorrectionSpeed;  // [m/s, rad/s] > 0; infinite: the paper's
  ForceChoice forces = ForceChoice::any;       // for whoever makes the solver
  bool operator==(const StewartTrinkleOptions&) const = default;
  void check() const;  // throws InputError
};

/// system and solver must outlive the stepper. eases: see VelocityStep. Throws InputError when the options do not
/// check, or when a contact has friction that no polygon can stand for.
std::unique_ptr<TimeStepper> make_stewart_trinkle(const StewartTrinkleOptions& options, const System& system,
                                                  ConeSolver& solver, StopToken stop = {}, bool eases = false);

}  // namespace stickslip
