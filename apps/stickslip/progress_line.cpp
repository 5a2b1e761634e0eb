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
/// A count on a terminal is drawn so often, however quick the runs are. [wall-clock]
constexpr auto kDrawEvery = std::chrono::milliseconds(100);

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
    draw(describe_with_bar(progress, title_, find_width()));
  } else if (is_due(kLineEvery)) {
    print_error("{}\n", describe(progress, title_, find_width()));
  }
}

void ProgressLine::show_count(std::int64_t done, std::int64_t all) {
  if (quiet_ || !is_due(terminal_ ? kDrawEvery : kLineEvery)) return;
  const std::string text = fmt::format("{}: {} of {} runs", title_, done, all);
  if (terminal_) {
    draw(text.substr(0, static_cast<std::size_t>(find_width())));
  } else {
    print_error("{}\n", text);
  }
}

/// Whether nothing was shown for so long.
bool ProgressLine::is_due(std::chrono::steady_clock::duration interval) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_line_ < interval) return false;
  last_line_ = now;
  return true;
}

void ProgressLine::draw(const std::string& line) {
  std::fputs(fmt::format("\r{}{}", visible_text(line), kEraseRest).c_str(), stderr);
  std::fflush(stderr);
  is_drawn_ = true;
}

void ProgressLine::clear() {
  if (is_drawn_) std::fputs(fmt::format("\r{}", kEraseRest).c_str(), stderr);
  is_drawn_ = false;
}

}  // namespace stickslip
