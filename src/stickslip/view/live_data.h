// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "stickslip/view/live_frame.h"

namespace stickslip {

/// The state of a run or a result that viewers watch.
enum class ViewPhase {
  preparing,  // the scene is read and built
  running,    // the run is under way
  ended,      // the run has ended: its result is shown
  growing,    // a result that another program writes
  result,     // a result
};

/// The progress of a run, for its viewers.
struct LiveProgress {
  double time = 0.0;              // [s] simulated
  double share = 0.0;             // [-] of the run
  std::int64_t steps = 0;         // [-]
  std::int64_t rows = 0;          // [-] in the result
  std::int64_t left_out = 0;      // [-] of them not shown while it runs
  double steps_per_second = 0.0;  // [1/s] of wall-clock time, lately
  std::string certificate;        // JSON, CertificateData::to_json(); empty: as the data say
};

/// The data of viewers: a beginning, which is the data of a report, and frames that follow it. Any thread may call any
/// function; calls wait no longer than it takes to copy some pointers.
class LiveData {
 public:
  /// The most that frames may take; beyond, every second one is dropped. [bytes]
  static constexpr std::size_t kMostBytes = 50'000'000;

  /// Shows this from now on, without frames. Pages begin anew.
  void show(const PageData& beginning, ViewPhase phase);
  void set_phase(ViewPhase phase);
  /// An error message; empty: none.
  void set_message(const std::string& message);
  /// Adds a frame. A row is kept; a step between rows only until the next frame.
  void add(std::shared_ptr<const LiveFrame> frame, LiveProgress progress);

  /// The answer to a page.
  struct View {
    std::int64_t version = 0;   // [-] of the beginning; 0: there is none yet
    std::int64_t revision = 0;  // [-] changes with phase and message
    ViewPhase phase = ViewPhase::preparing;
    std::string message;
    LiveProgress progress;
    LiveFrames frames;
    std::int64_t last = 0;      // [-] number of the last frame given here or before
    bool is_more = false;       // there are more frames for the next answer
    bool is_transient = false;  // the last frame is not kept: the next one replaces it
  };
  /// The frames of this version that came after frame number `after`, about `most_bytes` of them.
  View look(std::int64_t version, std::int64_t after, std::size_t most_bytes) const;
  /// The beginning, packed (live_frame.h), its version among the members; none yet: null.
  std::shared_ptr<const std::string> beginning() const;

 private:
  mutable std::mutex mutex_;
  std::int64_t version_ = 0, revision_ = 0;
  ViewPhase phase_ = ViewPhase::preparing;
  std::string message_;
  std::shared_ptr<const std::string> beginning_;
  PageData page_;  // of which the beginning is packed
  LiveFrames kept_;
  std::size_t kept_bytes_ = 0;
  std::int64_t stride_ = 1;                // [-] one row in this number is kept
  std::int64_t rows_ = 0;                  // [-] received
  std::int64_t thinned_ = 0;               // [-] of them dropped
  std::shared_ptr<const LiveFrame> last_;  // that is not kept
  LiveProgress progress_;
};

}  // namespace stickslip
