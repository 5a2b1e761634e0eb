// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "stickslip/sim/run.h"

namespace stickslip {

/// Shows on stderr how far a run is: a bar that is drawn anew on a terminal, a plain line now and then elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  void show(const Progress& progress);
  /// How many of several runs are done.
  void show_count(std::int64_t done, std::int64_t all);
  /// What runs, where there are several runs.
  void set_title(const std::string& title) { title_ = title; }
  /// Takes the bar away, so that other text can follow.
  void clear();

 private:
  bool is_due(std::chrono::steady_clock::duration interval);
  void draw(const std::string& line);

  bool quiet_;
  bool terminal_;
  std::string title_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point last_line_;
};

}  // namespace stickslip
