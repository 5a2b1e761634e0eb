// SPDX-License-Identifier: BSD-3-Clause
#include "progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace stickslip {
namespace {

/// Where nobody watches, a line this often will do. [wall-clock]
constexpr auto kLineEvery = std::chrono::seconds(10);

std::string describe_duration(double seconds) {
  if (!(seconds < 1e7)) return "?";
  const auto s = static_cast<long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

std::string describe(const Progress& p) {
  return fmt::format("{:3.0f} %  t = {:.4g} s  {:.3g} steps/s  {} contacts  residual <= {:.1e} m/s  {} left",
                     100.0 * p.share, p.time, p.steps_per_second, p.contacts, p.worst_residual,
                     describe_duration(p.seconds_left));
}

std::string bar(double share) {
  constexpr int kWidth = 20;  // [-] characters
  const int full = static_cast<int>(share * kWidth);
  return '[' + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kWidth - full), '.') + ']';
}

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), last_line_(std::chrono::steady_clock::now()) {
}

void ProgressLine::show(const Progress& progress) {
  if (quiet_) return;
  if (terminal_) {
    const std::string line = title_ + bar(progress.share) + ' ' + describe(progress);
    const std::size_t padding = width_ > line.size() ? width_ - line.size() : 0;
    fmt::print(stderr, "\r{}{}", line, std::string(padding, ' '));
    std::fflush(stderr);
    width_ = line.size();
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - last_line_ < kLineEvery) return;
  last_line_ = now;
  fmt::print(stderr, "{}{}\n", title_, describe(progress));
}

void ProgressLine::clear() {
  if (width_ > 0) fmt::print(stderr, "\r{}\r", std::string(width_, ' '));
  width_ = 0;
}

}  // namespace stickslip
