// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

/// One iterative method as a solver: it starts at the guess unless that is within the tolerance, and the best iterate
/// is the answer. A Method has
///
///   using Options = ...                  derived from StopOptions; Method is made from them
///   static constexpr bool kKeepsBlocks   whether it needs the diagonal blocks of W, see Iterate
///   static constexpr const char* kFailure   what the report says where it did not converge; or describe_failure()
///   static const char* find_reason_to_refuse(problem)   only where it does not take every problem
///   int run(problem, tolerance, max_iterations, deadline, iterate)   iterates until the best iterate is within the
///                                        tolerance, and returns how many iterations it took
template <class Method>
class IterativeSolver final : public ConeSolver {
 public:
  using Options = typename Method::Options;
  explicit IterativeSolver(const Options& options) : options_(options), method_(options) {}

  std::string_view name() const override { return Options::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses([[maybe_unused]] const ConeProblem& problem) const override {
    if constexpr (requires { Method::find_reason_to_refuse(problem); }) {
      if (const char* reason = Method::find_reason_to_refuse(problem)) return reason;
    }
    return std::nullopt;
  }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override {
    SolveReport report;
    if (!iterate_.begin_solve(problem, solution, report)) return report;
    const Deadline deadline(options_.time_limit, options_.stop);
    if (!iterate_.best().is_within(tolerance)) {
      report.iterations = method_.run(problem, tolerance, options_.max_iterations, deadline, iterate_);
    }
    iterate_.finish(tolerance, solution, report);
    if (report.status == Status::inexact) report.message = deadline.is_time_up() ? kTimeIsUp : describe_failure();
    return report;
  }
  const char* describe_failure() const {
    if constexpr (requires { Method::kFailure; }) {
      return Method::kFailure;
    } else {
      return method_.describe_failure();
    }
  }

  const Options options_;
  Iterate iterate_{options_.stop, Method::kKeepsBlocks};
  Method method_;
};

}  // namespace stickslip
