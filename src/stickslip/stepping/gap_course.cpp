// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/gap_course.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stickslip {
namespace {

/// What is off by at a quarter is 1.05 times less than at its most where one more order of the gap's course counts; the
/// rest is for more of them. [-]
constexpr double kOffAtMost = 4.0;
/// Halvings: what happens within less than 1/4096 of a step is not looked for. [-]
constexpr int kMaxHalvings = 12;
/// Intervals at most: of gaps that stay at zero but for round-off, which no halving tells apart. [-]
constexpr int kMaxIntervals = 256;

/// Bernstein coefficients of the polynomial of fifth order with these values and rates times the length, at 0, 1/2, 1.
std::array<double, 6> make_quintic(double f0, double d0, double fm, double dm, double f1, double d1) {
  const double c0 = f0;
  const double c1 = f0 + d0 / 5.0;
  const double c4 = f1 - d1 / 5.0;
  const double c5 = f1;
  const double sum = (32.0 * fm - c0 - 5.0 * c1 - 5.0 * c4 - c5) / 10.0;              // c2 + c3
  const double difference = (16.0 * dm / 5.0 + c0 + 3.0 * c1 - 3.0 * c4 - c5) / 2.0;  // c3 - c2
  return {c0, c1, 0.5 * (sum - difference), 0.5 * (sum + difference), c4, c5};
}

/// At a quarter, or, with the coefficients reversed, at three quarters.
double at_quarter(const std::array<double, 6>& c, bool reversed) {
  constexpr std::array<double, 6> kWeights = {243.0, 405.0, 270.0, 90.0, 15.0, 1.0};
  double sum = 0.0;
  for (std::size_t i = 0; i < 6; ++i) sum += kWeights[reversed ? 5 - i : i] * c[i];
  return sum / 1024.0;
}

}  // namespace

std::optional<GapCourse::Bracket> GapCourse::find_first(double h, const Evaluate& evaluate) {
  h_ = h;
  intervals_ = 0;
  evaluate_ = &evaluate;
  Sample start;
  Sample middle;
  Sample end;
  evaluate(0.0, start);
  if (start.values.empty()) return std::nullopt;
  evaluate(0.5, middle);
  evaluate(1.0, end);
  return find_in(start, 0.0, middle, end, 1.0, 0);
}

std::optional<GapCourse::Bracket> GapCourse::find_in(const Sample& start, double from, const Sample& middle,
                                                     const Sample& end, double to, int depth) {
  const double length = to - from;
  Sample quarter;
  Sample three_quarters;
  (*evaluate_)(from + 0.25 * length, quarter);
  (*evaluate_)(from + 0.75 * length, three_quarters);
  bool some_close = false;
  bool is_known = true;
  for (std::size_t i = 0; i < start.values.size(); ++i) {
    const Verdict verdict = judge(start, quarter, middle, three_quarters, end, i, h_ * length, from == 0.0);
    some_close |= verdict == Verdict::closes;
    is_known &= verdict != Verdict::unknown;
  }
  if (is_known && !some_close) return std::nullopt;
  if (is_known) return Bracket{from, to};  // several may: what finds the zero takes the least of them
  if (depth == kMaxHalvings || ++intervals_ > kMaxIntervals) {
    double before = from;
    const std::array<const Sample*, 4> samples = {&quarter, &middle, &three_quarters, &end};
    for (int k = 0; k < 4; ++k) {
      const double theta = k == 3 ? to : from + 0.25 * (k + 1) * length;
      if (*std::ranges::min_element(samples[k]->values) < 0.0) return Bracket{before, theta};
      before = theta;
    }
    return std::nullopt;
  }
  const double half = from + 0.5 * length;
  const std::optional<Bracket> first = find_in(start, from, quarter, middle, half, depth + 1);
  return first ? first : find_in(middle, half, three_quarters, end, to, depth + 1);
}

GapCourse::Verdict GapCourse::judge(const Sample& start, const Sample& quarter, const Sample& middle,
                                    const Sample& three_quarters, const Sample& end, std::size_t i, double length,
                                    bool begins) {
  const std::array<double, 6> c = make_quintic(start.values[i], length * start.rates[i], middle.values[i],
                                               length * middle.rates[i], end.values[i], length * end.rates[i]);
  const double off = kOffAtMost * std::max(std::abs(at_quarter(c, false) - quarter.values[i]),
                                           std::abs(at_quarter(c, true) - three_quarters.values[i]));
  const double least = *std::min_element(c.begin() + 1, c.end());
  if (least > off && (begins || c[0] > off)) return Verdict::open;
  if (!(end.values[i] < 0.0) || !(begins || start.values[i] > 0.0)) return Verdict::unknown;
  bool falls = true;
  for (std::size_t k = 1; k < c.size(); ++k) falls &= c[k] < c[k - 1];
  return falls ? Verdict::closes : Verdict::unknown;
}

}  // namespace stickslip
