// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/report/child_process.h"

namespace stickslip {

/// A page in a Chromium without a window, driven over its debugging pipe (Chrome DevTools Protocol). Pictures are drawn
/// by software where there is no graphics card. Throws InputError where the browser does not answer or refuses;
/// Interrupted.
class Browser {
 public:
  /// program: find_program() of what Browser::names() lists; a page of width x height pixels.
  Browser(const std::string& program, const std::filesystem::path& profile, int width, int height, StopToken stop);

  static std::vector<std::string> names();

  void open(const std::filesystem::path& page, std::string_view fragment);
  /// Evaluates an expression, awaits it where it is a promise: whether it is true.
  bool is_true(std::string_view expression);
  /// The page as PNG.
  std::string take_picture();

 private:
  /// The reply to a command; params: JSON.
  std::string call(std::string_view method, std::string_view params);

  StopToken stop_;
  ChildProcess process_;
  std::string session_;
  std::string pending_;  // received and not yet a whole message
  int calls_ = 0;
};

}  // namespace stickslip
