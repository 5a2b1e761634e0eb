// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/math/shortest_in_cones.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// Joints that close loops, and contacts and dry friction with them, can leave forces undetermined: what lies in the
/// null space of W moves nothing, and no equation of a step holds it. A step whose changes are of least norm keeps what
/// its start values have of it, and their extrapolation from step to step makes that grow, like exp(sqrt(3) w t) where
/// the null space turns at the rate w, whatever the step and rho_inf: from round-off to the end of all digits in a few
/// turns. So forces that a step leaves behind are replaced by those of least norm that move bodies alike and obey the
/// laws of the step's index sets,
///   minimise sum_r m_r lambda_r^2  over  W lambda' = W lambda,
///     joints                    any lambda'
///     contacts that stick       lambda_F' in lambda_N' D
///     contacts that slide       lambda' = lambda_N' (1, lambda_F / lambda_N),  lambda_N' >= 0
///     dry friction that sticks  |lambda'| <= bound
///     all else                  lambda' = lambda,
/// where kappa_hat of contacts stays at least zero with them (keeps_position_law),
/// in the norm of LeastNormForces (solvers/least_norm.h), whose terms are energies: m_r = (W^T M^-1 W)_rr on rows of
/// joints, the mean over its rows on a dry friction, on contacts the mean of W_NN over all that are closed.
///
/// Which elements take part: those in loops of the graph whose nodes are bodies, all that nothing moves being one, when
/// those of leaves are taken away, again and again; a limit or dry friction of a joint's own does not make a loop. With
/// ForceChoice::any loops of contacts alone are left as they are: no joint's directions turn their null space, and what
/// they leave open is for whoever asks for least_norm.
class UndeterminedForces {
 public:
  UndeterminedForces(const Step& step, ForceChoice contacts);

  /// Replaces x.lambda [N] of an evaluated step, and Lambda by what leaves P as it is. False where what is free between
  /// joints and contacts was not found: then the joints alone have what is of least norm with the contacts' forces as
  /// they are, and extrapolating these would let them grow.
  bool settle_forces(Step& step);
  /// The same of P [N s], by way of Lambda, under ForceChoice::least_norm. Nothing else changes in the step.
  void settle_percussions(Step& step);
  /// x.lambda at the instant of a state from solve_start() or settle_start(), for which it makes
  /// the directions there.
  void settle_start(Step& step, const State& state);

 private:
  /// Whose multipliers, and which index sets say what is closed.
  enum class Multiplier { force, percussion, start };
  /// An element whose multipliers are not known from others.
  struct Member {
    int element;
    int n_columns;  // 1: a contact's along its own direction; else its rows
    std::array<int, 2> bodies;
    bool is_own;  // of a joint's free direction: no edge of the graph
    int joint;    // whose, or itself
    bool operator==(const Member&) const = default;
  };

  Member make_member(const Step& step, int element) const;
  bool settle(Step& step, Multiplier which);
  void find_candidates(const Step& step, Multiplier which);
  void find_members(const Step& step);
  void strip_leaves(int n_nodes);
  void keep_with_joints(int n_nodes);
  void set_structure(const Step& step);
  void set_weights(const Step& step, Multiplier which);
  void set_values(const Step& step, Multiplier which);
  bool keeps_position_law(const Step& step, Multiplier which);
  double get_found(const Step& step, std::size_t k, int i);
  void write_back(Step& step, Multiplier which);

  bool all_;                                                              // whether loops of contacts alone take part
  std::vector<Member> candidates_, last_;                                 // now, and when members_ were found
  bool has_candidates_ = false;                                           // whether last_ are
  std::vector<Member> members_;                                           // in loops
  std::vector<std::array<double, kMaxElementDim>> weights_, directions_;  // (members) [1/kg] m; [-] of one column
  double contact_weight_ = 0.0;                                           // [1/kg]
  std::vector<ShortestInCones::Part> parts_;                              // (members)
  ShortestInCones shortest_;
  std::vector<int> node_of_body_, dims_;
  // Of the graph: by node, 0 being what nothing moves, and by candidate.
  std::vector<int> degree_;
  std::vector<std::int64_t> sum_;  // of the numbers of a node's edges: a leaf's is that of its one
  std::vector<char> is_left_, joint_is_left_, has_joint_;
  DisjointSets components_{0};
};

}  // namespace stickslip::generalized_alpha
