// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/math/types.h"
#include "stickslip/solvers/enumeration.h"

namespace stickslip {

// The cases of an enumeration (enumeration.h): what a cone's state says of its rows.

/// How a cone of the problem without bilateral rows is.
struct CaseCone {
  ConeKind kind = ConeKind::contact;  // contact or ball
  int cone = 0;                       // of the problem
  int offset = 0, dim = 0;            // rows
  int d = 0;                          // [-] friction directions; of a ball all rows
  double mu = 0.0;                    // [-] of a contact
  double radius = 0.0;                // [N s] of a ball
  int facets = 0;                     // [-]
  double orientation = 0.0;           // [rad]

  bool is_contact() const { return kind == ConeKind::contact; }
  bool has_friction() const { return is_contact() ? d > 0 && mu > 0.0 : radius > 0.0; }
  int first_tangent() const { return is_contact() ? offset + 1 : offset; }
};

/// One of the states that a cone may have.
struct CaseState {
  enum class Kind : std::uint8_t {
    open,     // p = 0; of a ball of radius zero, too
    pressed,  // a contact without friction: u_N = 0, p_T = 0
    stick,    // u = 0
    side,     // p_T = p_N side, u_N = 0: a corner, or one of two directions; of a ball p = side
    edge,     // of a polygon: side is the middle of the edge, mu cos(pi / facets) times its normal
    smooth,   // a disc or a ball that slides, direction unknown
  };
  Kind kind = Kind::open;
  std::array<double, kMaxFrictionDim> side = {};  // [-]; of a ball [N s]
};

/// All states of a cone, open first.
std::vector<CaseState> make_case_states(const CaseCone& cone);
/// How many these are.
double count_case_states(const CaseCone& cone);
ContactState to_contact_state(CaseState::Kind kind);

/// Corner j of the polygon of a contact, on the circle `radius`. [-]
std::array<double, kMaxFrictionDim> corner_of(const CaseCone& cone, double j, double radius);
/// Distance of the edges of a contact's polygon from its middle, and half their length. [-]
double apothem_of(const CaseCone& cone);
double half_edge_of(const CaseCone& cone);

class FeasibleSet;

/// One choice of a state for each cone, as equations and inequalities in p (m).
class EnumerationCase {
 public:
  EnumerationCase(const Matrix& W, const Vector& b, FrictionLaw law, const std::vector<CaseCone>& cones,
                  const std::vector<const CaseState*>& states);

  /// Cones that slip in an unknown direction, into cones.
  const std::vector<int>& smooth() const { return smooth_; }
  /// The degree of the polynomial in the s of each of these.
  std::vector<int> degrees() const;

  /// E p = e (m), rows scaled so that all are velocities [m/s]. s (smooth) in (0, 1): their lambda / (w + lambda).
  void make_equations(const Vector& s, Matrix& E, Vector& e) const;
  /// Values of the polynomials at s, f (smooth).
  void eval_polynomials(const Vector& s, Vector& f) const;
  /// Improves s by Newton's method on mu p_N = |p_T|; p (m) are its percussions. False where that leads nowhere.
  bool polish(Vector& s, Vector& p) const;
  /// Whether all cones that slip in unknown directions bear something at s.
  bool presses(const Vector& s) const;
  /// Of the inequalities of a case all, all but that normal percussions may be zero, or those of velocities alone.
  enum class Demand : std::uint8_t { strict, loose, velocities };
  /// Whether p (m) obeys the inequalities.
  bool holds(const Vector& p, Demand demand) const;
  /// What came of a search among the solutions of E p = e, which is short of rank.
  struct Feasible {
    enum class Verdict : std::uint8_t {
      none,     // nothing obeys the inequalities, by a separating combination of them
      found,    // the first of p does, and all that do have the same W p
      several,  // all of p do, and there are others with other W p, as a rule infinitely many
      unknown,  // neither is known
    };
    Verdict verdict = Verdict::none;
    std::vector<Vector> p;  // (m) each
  };
  /// Decides whether a solution of E p = e obeys the inequalities, those of velocities included, all with equality
  /// allowed (enumeration_feasible.cpp).
  Feasible find_feasible(const Matrix& E, const Vector& e) const;

 private:
  double scale_of(std::size_t i) const { return weights_[i]; }
  void refine(const Vector& s, Vector& p) const;
  void add_smooth(std::size_t i, double s, Matrix& E, Vector& e) const;
  bool holds(std::size_t i, const Vector& p, const Vector& u, const Vector& zero, Demand demand) const;
  bool holds_contact(std::size_t i, const Vector& p, const Vector& u, const Vector& zero, Demand demand) const;
  void project_on_cones(Vector& p) const;
  void add_inequalities(FeasibleSet& set) const;
  void add_inequalities(std::size_t i, FeasibleSet& set) const;

  const Matrix& W_;
  const Vector& b_;
  FrictionLaw law_;
  const std::vector<CaseCone>& cones_;
  const std::vector<const CaseState*>& states_;
  std::vector<int> smooth_;
  std::vector<double> weights_;  // (cones) [1/kg] what percussions are scaled by to velocities
};

}  // namespace stickslip
