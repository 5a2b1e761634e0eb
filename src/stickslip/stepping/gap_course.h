// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace stickslip {

/// Where gaps that are open first close within a step of smooth motion, however often they fall and rise within it.
///
/// Over an interval each gap is taken for the polynomial of fifth order through its values and rates at both ends and
/// halfway. Its Bernstein coefficients bound it from below; what it is off by a quarter and three quarters of the way
/// bounds what else the gap may do. Where this does not show that all gaps stay open, or that one of them falls through
/// zero once, the interval is halved.
class GapCourse {
 public:
  struct Sample {
    std::vector<double> values;  // (gaps) [m]
    std::vector<double> rates;   // (gaps) [m/s]
  };
  /// Fills values and rates (as many each time) at the share theta of the step.
  using Evaluate = std::function<void(double theta, Sample& sample)>;
  /// Shares of the step: at the first all gaps are open, at the second one is below zero.
  struct Bracket {
    double before;
    double behind;
  };

  /// The first zero within a step of h > 0 [s]; nothing: all gaps stay open. What is at zero where the step begins
  /// counts as open there.
  std::optional<Bracket> find_first(double h, const Evaluate& evaluate);

 private:
  enum class Verdict { open, closes, unknown };
  std::optional<Bracket> find_in(const Sample& start, double from, const Sample& middle, const Sample& end, double to,
                                 int depth);
  static Verdict judge(const Sample& start, const Sample& quarter, const Sample& middle, const Sample& three_quarters,
                       const Sample& end, std::size_t i, double length, bool begins);

  double h_ = 0.0;  // [s]
  int intervals_ = 0;
  const Evaluate* evaluate_ = nullptr;
};

}  // namespace stickslip
