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
class ServoRows {
 public:
  struct Row {
    int joint = -1;
    double stiffness = 0.0, damping = 0.0;
    double target = 0.0, rate = 0.0;
    double low = 0.0, high = 0.0;  // [N, N m] in this step: of the servo, and of what the limit of the effort leaves
    double middle = 0.0;           // [N, N m] of them, 0 where there are none
    // As gathered, multiplied by scale [-], which makes the row as large as one without compliance:
    double scale = 1.0;       // p of the problem is that of the row over it
    double compliance = 0.0;  // c scale^2 [1/kg, 1/(kg m^2)]
    double shift = 0.0;       // [m/s, rad/s] what is added to the rate

    bool is_bounded() const;
    /// What a percussion of the problem stands for, beside the middle. [N, N m]
    double calc_effort(double p, double h) const;
  };

  /// The system must outlive this.
  explicit ServoRows(const System& system);

  /// Whether joints have servos, forces by name or limits of their effort.
  bool exist() const { return !joints_.empty(); }
  /// Whether joints have servos, whose rows need the coordinates at the end of the step.
  bool have_rows() const { return have_rows_; }
  /// Sets the rows of a step from a state to t_end. Else says what is not finite.
  std::string begin(const State& state, double t_end);
  std::vector<Row>& rows() { return rows_; }
  const std::vector<Row>& rows() const { return rows_; }
  /// What is known of the efforts before the step beside a caller's.
  const Inputs& known() const { return known_; }
  /// Sums of efforts, as reported, are beyond limits of the efforts by no round-off.
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
  std::vector<int> joints_;
  bool have_rows_ = false;
  std::vector<Row> rows_;
  std::vector<Member> members_;  // of one joint
  std::vector<double> bends_;    // [m/s, rad/s] rates at which one of them reaches a limit
  Inputs known_;
};

}  // namespace stickslip
