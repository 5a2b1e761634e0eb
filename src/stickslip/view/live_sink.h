// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stickslip/io/output_columns.h"
#include "stickslip/io/result_writer.h"
#include "stickslip/io/row_buffer.h"
#include "stickslip/io/step_sink.h"
#include "stickslip/report/certificate_data.h"
#include "stickslip/report/drawn_rows.h"
#include "stickslip/view/live_data.h"
#include "stickslip/view/run_control.h"

namespace stickslip {

/// Makes frames of a run for viewers: its beginning as in a report, then frames of output rows, at most 30 a second; if
/// rows come more slowly, also of steps between them. A frame has the numbers of the result's row and the certificate
/// of the worst step since the last frame. Frames take at most a twentieth of the run's time: if one takes longer to
/// make, there are fewer.
class LiveSink final : public StepSink {
 public:
  /// result: the name of the result's file. The system, the data and the control outlive this.
  LiveSink(const std::filesystem::path& result, const System& system, const State& initial, const ResultHeader& header,
           LiveData& data, const RunControl& control);
  ~LiveSink() override;

  void begin(const State& state, const StepReport& report) override;
  void begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) override;
  void publish() override;
  void record(const State& state, const StepReport& report, bool is_row) override;
  void flush() override {}
  void checkpoint(const Checkpoint&, std::span<const LimitEntry> limits) override { set_limits(limits); }
  void finish(const RunEnd& end) override { set_limits(end.limits); }

 private:
  using Clock = std::chrono::steady_clock;
  int find_column(const std::string& path) const;
  bool is_due(bool is_row, Clock::time_point now) const;
  std::shared_ptr<const LiveFrame> make_frame(const State& state, const StepReport& report, bool is_row);
  void add_picture(LiveFrame& frame) const;
  void add_contacts(const StepReport& report, LiveFrame& frame) const;
  void add_signals(LiveFrame& frame) const;
  LiveProgress make_progress(const State& state, Clock::time_point now);
  void set_limits(std::span<const LimitEntry> limits) { certificate_.set_limits({limits.begin(), limits.end()}); }

  std::filesystem::path folder_;  // of the beginning, while there is one
  std::filesystem::path path_;
  const System& system_;
  double start_, end_;  // [s] of the run
  bool automatic_;
  LiveData& data_;
  const RunControl& control_;
  std::optional<ResultWriter> beginning_;
  State mark_;  // at the beginning

  OutputColumns columns_;
  RowBuffer row_;
  bool has_named_, has_detected_;
  bool has_forces_;                                        // of named points; else their percussions are shown
  std::vector<std::pair<std::size_t, BeamCurve>> curves_;  // of bodies
  std::set<std::string> shown_;                            // arrays of the page
  PlaceNames names_;

  CertificateData certificate_;
  std::optional<StepRow> worst_;  // since the last row that was shown
  std::int64_t number_ = 0;       // of the last frame
  std::int64_t steps_ = 0, rows_ = 0, left_out_ = 0;
  Clock::duration interval_;  // between frames
  Clock::time_point last_frame_{}, last_row_{};
  std::int64_t last_steps_ = 0;
};

}  // namespace stickslip
