// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {

struct StepReport;

/// The servos of joints as rows of a step's problem. With the coordinate and its rate v at the end of the step, x + h
/// v, the law effort = k (target - x - h v) + d (rate - v) is
///
///   v + c p = b,   p = h effort,   c = 1 / (h (h k + d)),   b = (k (target - x) + d rate) / (h k + d),
///
/// a row with a compliance c, and on the boundary of [h low, h high] it gives way: a bounded row. p is an unknown of
/// the step, so that no gain costs digits: at rest it is the load, whatever is left of target - x. The middle of [low,
/// high] is known before the step, and p is relative to it.
///
/// Several servos of a joint whose effort is limited: what they do together is a function of v that never rises, linear
/// between the rates at which one reaches a limit of its own,
///
///   effort(v) = clamp(known + sum_i clamp(a_i - c_i v, low_i, high_i), low, high),   a_i = k_i (target_i - x) + d_i
///   rate_i,   c_i = h k_i + d_i,
///
/// and so a sum again of bounded rows, one for each stretch on which it falls: the servos that are within their limits
/// there add up to one, which is bounded by the efforts at the ends of the stretch. Without limits of their own they
/// are one servo, whose gains are the sums of theirs.
///
/// A spring and damper of a joint is the same without limits, target and rate being its rest and zero: in steps that
/// take it at their end. Of a spherical joint it is a damper about each axis. A damper alone shares the row of a servo
/// without limits: their dampings add up.
class ServoRows {
 public:
  struct Row {
    int joint = -1;
    int direction = 0;  // of the joint's free ones
    bool is_spring = false;
    double stiffness = 0.0, damping = 0.0;
    double target = 0.0, rate = 0.0;
    double passive = 0.0;          // [N s/m, N m s/rad] damping that is no servo's but shares the row
    double low = 0.0, high = 0.0;  // [N, N m] in this step: of the servo, and of what the limit of the effort leaves
    double middle = 0.0;           // [N, N m] of them, 0 where there are none
    // As gathered, multiplied by scale [-], which makes the row as large as one without compliance:
    double scale = 1.0;       // p of the problem is that of the row over it
    double compliance = 0.0;  // c scale^2 [1/kg, 1/(kg m^2)]
    double shift = 0.0;       // [m/s, rad/s] what is added to the rate
    double moved = 0.0;       // [m/s, rad/s] of the rate what prescribed motions give
    double wanted = 0.0;      // [m/s, rad/s] the rate at which the effort is zero
    JointReaction unit;       // what a unit of the effort does to second

    bool is_bounded() const;
    double calc_gain(double h) const { return h * stiffness + damping + passive; }
    /// The effort less the middle that a percussion p of the problem stands for. [N, N m]
    double calc_effort(double p, double h) const;
    /// The part of an effort that is not the servo's: its spring and passive damping. [N, N m]
    double calc_passive(double effort, double h) const;
  };

  /// The system must outlive this.
  explicit ServoRows(const System& system);

  /// Whether joints have servos, whose rows need the coordinates at the end of the step.
  bool have_rows() const { return have_rows_; }
  /// Sets the rows of a step from a state to t_end. Else says what is not finite.
  std::string begin(const State& state, double t_end);
  /// Adds rows of the springs and dampers of all joints, with their directions at (t, q), which must outlive the step.
  void add_springs(double t, const Vector& q);
  /// The instant (t, q) of the directions of a row, in a step whose other rows are gathered at (t, q).
  double time_of(const Row& row, double t) const { return row.is_spring ? t_springs_ : t; }
  const Vector& coordinates_of(const Row& row, const Vector& q) const { return row.is_spring ? *q_springs_ : q; }
  std::vector<Row>& rows() { return rows_; }
  const std::vector<Row>& rows() const { return rows_; }
  /// The part of the efforts that is known before the step, without a caller's inputs.
  const Inputs& known() const { return known_; }
  /// Clamps reported sums of efforts to their limits, which round-off may have passed.
  void keep_limits(StepReport& report) const;

 private:
  /// A servo of a joint with several under a limit: within its own limits at the rates between `from` and `to`.
  struct Member {
    Row row;
    double from = 0.0, to = 0.0;  // [m/s, rad/s]

    double calc_effort_at(double v, double x, double h) const;
  };

  /// Adds the rows of the members under a limit, where `effort` acts beside them, and returns what is known of theirs.
  double add_limited_sum(const EffortLimit& limit, double effort, const State& state, double h);

  const System& system_;
  std::vector<int> joints_;   // with servos, forces by name or limits of their effort
  std::vector<int> springs_;  // joints
  bool have_rows_ = false;
  std::vector<Row> rows_;
  std::vector<Member> members_;  // of one joint
  std::vector<double> bends_;    // [m/s, rad/s] rates at which one of them reaches a limit
  Inputs known_;
  double t_springs_ = 0.0;             // [s]
  const Vector* q_springs_ = nullptr;  // (n_q)
};

}  // namespace stickslip
