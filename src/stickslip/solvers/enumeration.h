// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_problem.h"
#include "stickslip/cone/residual.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// What a cone does in a solution.
enum class ContactState : std::uint8_t {
  open,   // contact: p = 0
  stick,  // contact: p_N > 0, u = 0; ball: u = 0; free rows always
  slip,   // contact: p_N > 0, u_T is not zero, or there is no friction; ball: u is not zero
};

/// One solution of a cone problem.
struct EnumeratedSolution {
  std::vector<ContactState> states;  // (cones)
  std::vector<double> p;             // (n) [N s]
  std::vector<double> u;             // (n) [m/s] W p + b
  Residual residual;                 // of p, by calc_residual()
  bool unique_percussions = true;    // whether no other p gives this u
};

/// All solutions of a cone problem.
struct Enumeration {
  std::vector<EnumeratedSolution> solutions;  // no two with the same u; in the order of their states, open before stick
                                              // before slip, the first contact slowest
  /// Whether these are all for certain. Not where discs may slip along dependent directions, where there are infinitely
  /// many, where a search was left, or where the candidate is one that no case gave: then those given are solutions,
  /// and there may be more. Without any solution: whether there is none for certain.
  bool complete = true;
  std::int64_t cases = 0;  // [-] of states that were looked at
  /// The problem without its bilateral rows, which are eliminated: u = W p + b on the others, in their order.
  Matrix W;  // (m, m) [1/kg]
  Vector b;  // (m) [m/s]
};

/// Contacts, and cases, at most: what is above is refused.
inline constexpr int kMaxEnumeratedContacts = 8;        // [-]
inline constexpr double kMaxEnumeratedCases = 100000.;  // [-]

/// Why a problem is not enumerated: too many contacts or cases, friction in several blocks. Else nothing.
std::optional<std::string> refuses_enumeration(const ConeProblem& problem);

/// Finds every solution of a small cone problem (cone_problem.h), under either law; W need be neither symmetric nor
/// regular. What refuses_enumeration() must not be asked.
///
/// Bilateral rows are eliminated. The rest is divided into cases, in each of which every cone has a state, and a
/// solution belongs to one case alone:
///
///   open                   p = 0,                      u_N >= 0 (associated: u_N >= h(-u_T))
///   stick                  u = 0,                      p_N > 0, p_T in p_N D
///   slip  planar           p_T = +-mu p_N, u_N = 0,    p_N > 0, u_T against p_T
///         corner v         p_T = p_N v, u_N = 0,       -u_T in the normal cone of the polygon D at v
///         edge             u_N = 0, u_T against its normal, p_T between its corners
///         disc             u_N = 0, u_T = -lambda p_T, |p_T| = mu p_N, lambda > 0
///   ball  stick            u = 0,                      |p| <= R
///         slip             u = -lambda p, |p| = R, lambda > 0;   in one dimension p = +-R
///
/// (associated: u_N = h(-u_T) wherever u_N = 0 stands with slip). All but discs and balls that slip give one linear
/// system and inequalities. With k that slip, p is rational in their k numbers lambda, and by Cramer's rule
/// (mu p_N)^2 = |p_T|^2 are k polynomials in s = lambda / (w + lambda), whose roots in (0, 1)^k are found by Bernstein
/// subdivision (bernstein_roots.h); for one contact this is the quartic of [Bonnefon2011].
///
/// Where a linear system is short of rank but has solutions, as of a body on two points that stick, whether any of them
/// obeys the inequalities is decided by a linear program, with planes that touch for discs (feasible_set.h): either one
/// is found, which the residual judges, or a separating combination of the inequalities shows that there is none. Where
/// such solutions have different velocities, the ends of what they reach are given. Solutions with the same u are one,
/// of which the percussions with the fewest open contacts are given.
///
/// `candidate` (n) [N s], which may be empty: the answer of a solver; where it is a solution that no case gave, it is
/// added. Under the associated law u is unique where W is symmetric and positive semidefinite [Negrut2017 eq. 11]:
/// there it is the answer, where it is a solution, and any solution is the only one.
Enumeration enumerate_solutions(const ConeProblem& problem, std::span<const double> candidate = {},
                                StopToken stop = {});

}  // namespace stickslip
