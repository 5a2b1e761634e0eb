// SPDX-License-Identifier: BSD-3-Clause
#include "progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "stickslip/base/visible_text.h"
#include "terminal.h"

namespace stickslip {
namespace {

/// Where nobody watches, a line this often will do. [wall-clock]
constexpr auto kLineEvery = std::chrono::seconds(10);

/// Tells a terminal to erase from where it stands to the end of the line.
constexpr const char* kEraseRest = "\x1b[K";

/// Lines fit a screen of 80 columns, and narrower ones; the last column stays free, where some begin a new line.
int find_width() {
  constexpr int kWidest = 79;
  constexpr int kNarrowest = 10;
  struct winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidest;
  return std::clamp(static_cast<int>(size.ws_col) - 1, kNarrowest, kWidest);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), last_line_(std::chrono::steady_clock::now()) {
}

void ProgressLine::show(const Progress& progress) {
  if (quiet_) return;
  if (terminal_) {
    const std::string line = visible_text(describe_with_bar(progress, title_, find_width()));
    std::fputs(fmt::format("\r{}{}", line, kEraseRest).c_str(), stderr);
    std::fflush(stderr);
    is_drawn_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - last_line_ < kLineEvery) return;
  last_line_ = now;
  print_error("{}\n", describe(progress, title_, find_width()));
}

void ProgressLine::clear() {
  if (is_drawn_) std::fputs(fmt::format("\r{}", kEraseRest).c_str(), stderr);
  is_drawn_ = false;
}

}  // namespace stickslip
