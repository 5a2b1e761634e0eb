// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/video.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/write_error.h"
#include "stickslip/report/browser.h"
#include "stickslip/report/child_process.h"
#include "stickslip/report/report.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr double kShortest = 4.0;       // [s] of a film at its own speed
constexpr double kMostFrames = 1e6;     // [-] eleven hours at 25 a second: a speed that was mistyped
constexpr double kFirstPicture = 60.0;  // [s] until the page has drawn its first picture

/// A folder that goes with this object.
class ScratchFolder {
 public:
  ScratchFolder() { path_ = make_temporary_folder("stickslip-video"); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// How ffmpeg makes a film of this ending.
std::vector<std::string> encoding(const fs::path& film) {
  const std::string ending = film.extension().string();
  if (ending == ".mp4")
    return {"-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"};
  if (ending == ".webm") return {"-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-pix_fmt", "yuv420p", "-f", "webm"};
  if (ending == ".gif")
    return {"-vf", "split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none", "-f", "gif"};
  throw InputError({}, "--video", film.string(), "a file *.mp4, *.webm or *.gif");
}

void wait_for_picture(Browser& browser, const StopToken& stop) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  while (!browser.is_true("window.stickslip?.replay?.frames > 0")) {
    stop.check();
    if (browser.is_true("document.getElementById('no-webgl')?.hidden === false")) {
      throw InputError("--video: the browser draws no WebGL 2");
    }
    if (std::chrono::duration<double>(Clock::now() - start).count() > kFirstPicture) {
      throw InputError("--video: the browser did not draw the page");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

void write_video(const fs::path& result, const fs::path& film, const VideoOptions& options) {
  const std::vector<std::string> encoded = encoding(film);
  const std::optional<std::string> chromium = find_program(Browser::names(), "STICKSLIP_BROWSER");
  const std::optional<std::string> ffmpeg = find_program({"ffmpeg"}, "STICKSLIP_FFMPEG");
  if (!chromium || !ffmpeg) {
    throw InputError(fmt::format(
        "--video: needs {}; to install {}: sudo apt-get install --no-install-recommends {} (elsewhere: {})",
        !chromium && !ffmpeg ? "a browser (Chromium) and ffmpeg"
        : !chromium          ? "a browser (Chromium)"
                             : "ffmpeg",
        !chromium && !ffmpeg ? "them" : "it",
        fmt::join(std::vector<std::string>{chromium ? "" : "chromium-headless-shell ", ffmpeg ? "" : "ffmpeg"}, ""),
        "chromium.org, ffmpeg.org; STICKSLIP_BROWSER and STICKSLIP_FFMPEG name programs that are not in the path"));
  }
  const Trajectory trajectory(result);
  const std::vector<double> times = trajectory.file().read_numbers("/time");
  const double begin = times.empty() ? 0.0 : times.front(), duration = times.empty() ? 0.0 : times.back() - begin;
  const double speed = options.speed > 0.0 ? options.speed : std::min(1.0, duration / kShortest);
  const double interval = speed / options.frames_a_second;  // [s] of the motion
  const double wanted = interval > 0.0 ? std::floor(duration / interval + 1e-9) + 1.0 : 1.0;
  if (!(wanted <= kMostFrames)) {
    throw InputError(
        fmt::format("--speed {}: {:.3g} frames, of which a film has at most {:.0f}", speed, wanted, kMostFrames));
  }
  const int frames = static_cast<int>(wanted);

  const ScratchFolder scratch;
  write_text(scratch.path() / "page.html", make_report({result}));
  Browser browser(*chromium, scratch.path() / "profile", options.width, options.height, options.stop);
  browser.open(scratch.path() / "page.html", "picture&light");
  wait_for_picture(browser, options.stop);

  NewFile file(film, BeforePublish::named);
  std::vector<std::string> arguments = {*ffmpeg, "-y",         "-loglevel",  "error",
                                        "-f",    "image2pipe", "-framerate", fmt::format("{}", options.frames_a_second),
                                        "-c:v",  "png",        "-i",         "-"};
  arguments.insert(arguments.end(), encoded.begin(), encoded.end());
  arguments.push_back(file.temporary_path().string());
  ChildProcess encoder(arguments, {0}, false);
  for (int i = 0; i < frames; ++i) {
    if (options.stop.is_raised()) throw Interrupted();
    browser.is_true(
        fmt::format("stickslip.set_time({}), new Promise((drawn) => requestAnimationFrame(() => "
                    "requestAnimationFrame(() => drawn(true))))",
                    begin + interval * i));
    if (!encoder.write(browser.take_picture())) break;  // why, it says itself
    if (options.progress) options.progress(i + 1, frames);
  }
  if (encoder.finish(options.stop) != 0)
    throw WriteError(fmt::format("{}: ffmpeg did not make it, as said above", film.string()));
  file.publish();
}

}  // namespace stickslip
