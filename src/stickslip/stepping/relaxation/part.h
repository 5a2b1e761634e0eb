// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/model/state.h"
#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/gap_course.h"
#include "stickslip/stepping/motion_scales.h"
#include "stickslip/stepping/relaxation/equations.h"
#include "stickslip/stepping/relaxation/gates.h"
#include "stickslip/stepping/sundials_integrator.h"

namespace stickslip {

/// A part of a step, in which the same contacts take part: the relaxed equations (relaxation.h) integrated from where
/// it starts.
class RelaxationPart {
 public:
  using Rates = RelaxationEquations::Rates;

  /// system, solver and gates must outlive this.
  RelaxationPart(const RelaxationOptions& options, const System& system, ConeSolver& solver, RelaxationGates& gates,
                 StopToken stop);

  RelaxationEquations& equations() { return equations_; }
  const RelaxationEquations& equations() const { return equations_; }
  /// [s] Of the implicit form.
  void set_delta(double delta) { delta_ = delta; }

  /// Where it starts. The first evaluation has its forces, of the penalty model its deflections, from `warm`, which
  /// must outlive the part.
  void begin(const Vector& q, const Vector& u, const ValuesById& warm);
  /// The rates at the start.
  bool evaluate_start(double t, const Inputs& inputs, StepReport& report);
  const Rates& last_rates() const { return stages_[last_]; }

  /// One step of length h by the explicit methods of fixed step. False where an evaluation fails; `report` says why.
  bool advance(double t, double h, const Inputs& inputs, StepReport& report);
  /// To t_end, or, with gates, to the first instant at which one switches, by SUNDIALS; `reached` says to where. False
  /// where that fails; message() or report.solve say why. Then switch_gates().
  bool advance_controlled(double t, double t_end, const Inputs& inputs, StepReport& report, double& reached);
  const std::string& message() const { return message_; }  // of that, where SUNDIALS has one
  /// Switches what has to at the end of such a part.
  void switch_gates();
  /// The rates at the end, last of all, which forces are reported by.
  bool evaluate_end(double t, const Inputs& inputs, StepReport& report);

  // The start and the end.
  const Vector& q0() const { return q0_; }
  const Vector& u0() const { return u0_; }
  const Vector& q1() const { return q1_; }
  Vector& q1() { return q1_; }
  const Vector& u1() const { return u1_; }
  const std::vector<double>& e1() const { return e1_; }      // (n) [m] of the penalty model
  const std::vector<double>& mean() const { return mean_; }  // (n) [N, N m] forces, over its length
  double work() const { return work_; }                      // [W] likewise
  double dissipated() const { return dissipated_; }          // [W] likewise

 private:
  static constexpr int kStages = 4;
  enum class Gate : char { stays, closes, opens };

  bool evaluate(double t, const Vector& q, const Vector& u, bool is_first, const Inputs& inputs, Rates& rates,
                StepReport& report);
  bool advance_rk4(double t, double h, const Inputs& inputs, StepReport& report);
  bool advance_euler(double t, double h, const Inputs& inputs, StepReport& report);
  void weigh(double weight);
  bool calc_controlled(double t, const Vector& y, Vector& rates);
  void pack(const Rates& rates, Vector& y_dot);
  void unpack(const Vector& y);
  void calc_tolerances();
  double calc_switch(double t, const Vector& y);
  void look_at_gaps(double t, GapCourse::Sample& gaps);
  double find_switch(double& last);
  double locate(double first, double last);

  const RelaxationOptions options_;
  const System& system_;
  StopToken stop_;
  RelaxationGates& gates_;
  RelaxationEquations equations_;
  double delta_, zeta_;

  const ValuesById* warm_ = nullptr;
  Vector q0_, u0_, q1_, u1_, q_, u_;  // start, end, of a stage
  std::vector<double> e0_, e1_, e_;   // (n) [m] likewise
  std::array<Rates, kStages> stages_;
  int last_ = 0;  // the stage of the last evaluation
  std::vector<double> mean_;
  double work_ = 0.0, dissipated_ = 0.0;

  // Of SUNDIALS: y is q, u, e of the penalty model, work, what is dissipated, and the integrals of J^T lambda and of
  // lambda.
  std::unique_ptr<SundialsIntegrator> integrator_;
  const Inputs* inputs_ = nullptr;
  StepReport* report_ = nullptr;
  StepReport trial_;
  const char* why_ = "";  // of the last evaluation that failed
  std::string message_;
  bool reload_ = false;
  BodySnapshot at_, look_;
  GapCourse gap_course_;
  std::vector<Gate> switches_;  // (points) at the instant looked at last
  Vector y_, y_dot_;
  Vector resultant_;  // (n_u) [N, N m] J^T lambda
  BodySizes sizes_;
  Vector tolerances_;  // of the integrals in y_
};

}  // namespace stickslip
