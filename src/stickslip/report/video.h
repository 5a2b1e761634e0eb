// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>

#include "stickslip/base/stop_token.h"

namespace stickslip {

struct VideoOptions {
  double speed = 0.0;  // [-] seconds of the motion a second of the film; 0: 1, or less where the film took under 4 s
  int width = 960;     // [pixels] even
  int height = 540;    // [pixels] even
  int frames_a_second = 25;
  StopToken stop;  // raised by someone else: throw Interrupted
  std::function<void(int made, int all)> progress;
};

/// The replay of a result as a film, .mp4, .webm or .gif by the ending of `film`: frames by a browser, the film by
/// ffmpeg. Throws InputError where one of both is missing, and says how to install it; WriteError; Interrupted.
void write_video(const std::filesystem::path& result, const std::filesystem::path& film, const VideoOptions& options);

}  // namespace stickslip
