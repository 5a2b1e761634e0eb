// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stickslip {

/// How far a run is.
struct Progress {
  double share = 0.0;             // [-] done, in [0, 1]
  double time = 0.0;              // [s] simulated
  std::int64_t steps = 0;         // [-] done
  double steps_per_second = 0.0;  // [1/s] of wall-clock time, lately
  int contacts = 0;               // [-] closed now
  double worst_residual = 0.0;    // [m/s] of all steps
  double seconds_left = 0.0;      // [s] of wall-clock time, if it goes on as lately; not finite: nobody knows
};

/// How quickly something goes on lately: its growth over that of the clock, both with weights that fall by a factor e
/// in kMemory. A step that becomes dear counts at once, and one hiccup not for long.
class RecentRate {
 public:
  static constexpr double kMemory = 10.0;  // [s]

  /// Where both stand at the beginning. now [s]
  RecentRate(double now, double value) : now_(now), value_(value) {}
  /// At later instants now. [s]
  void update(double now, double value);
  /// Growth of the value in a second; 0 before the first update.
  double rate() const { return seconds_ > 0.0 ? grown_ / seconds_ : 0.0; }

 private:
  double now_;  // [s]
  double value_;
  double grown_ = 0.0;    // weighted
  double seconds_ = 0.0;  // [s] weighted
};

/// One line of at most `width` columns (>= 10; below 40 the figures alone, as many as fit): the bar, then how far the
/// run is, contacts, the worst residual, and the time left last. What runs, where it says so, stands in front, cut
/// short where there is no room.
std::string describe_with_bar(const Progress& progress, std::string_view title, int width);
/// The same without a bar.
std::string describe(const Progress& progress, std::string_view title, int width);

}  // namespace stickslip
