// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "stickslip/io/step_sink.h"
#include "stickslip/io/vtk_mesh.h"
#include "stickslip/io/vtk_series.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Writes the output rows as files of VTK for ParaView and others, series by series (docs/results.md): bodies, contacts
/// where the system can have any, joints where it has some.
class VtkWriter final : public StepSink {
 public:
  /// initial: the first state of the run; expected_rows: 0 where nobody knows. The system must outlive this. Throws
  /// InputError where `folder` cannot be one, WriteError.
  VtkWriter(const std::filesystem::path& folder, const System& system, const State& initial,
            std::int64_t expected_rows);

  void begin(const State& state, const StepReport& report) override;
  /// Frames of the same rows that are in the folder already stay as they are; others are made of the result.
  void begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) override;
  void publish() override;
  void record(const State& state, const StepReport& report, bool is_row) override;
  void flush() override {}  // what was recorded is in files already
  void checkpoint(const Checkpoint&, std::span<const LimitEntry>) override {}
  void finish(const RunEnd& end) override;

  /// Throws InputError where the folder holds what would be written over and is not this program's.
  static void check_replaceable(const std::filesystem::path& folder);

 private:
  struct ContactPoints;
  struct JointPoints;
  class RowsOfResult;
  void make_static_arrays();
  void write_row(const State& state, const ContactPoints& contacts, const JointPoints& joints);
  void write_bodies(const State& state, std::uint64_t key);
  void write_contacts(const ContactPoints& contacts, double t, std::uint64_t key);
  void write_joints(const JointPoints& joints, double t, std::uint64_t key);
  ContactPoints points_of(const StepReport& report) const;
  JointPoints joints_of(const State& state, const StepReport& report) const;
  Vector3 joint_point(std::size_t joint, const State& state) const;
  void check_room_for(std::int64_t rows) const;

  const System& system_;
  std::filesystem::path folder_path_;
  NewFolder folder_;
  VtkMesh mesh_;
  std::int64_t expected_rows_;
  std::int64_t rows_ = 0;
  std::size_t row_bytes_ = 0;  // of the last row
  // What is the same in all frames.
  std::vector<VtkArray> body_fields_, contact_fields_, joint_fields_, owners_;
  std::vector<VtkTopology> topology_;  // of bodies: points, lines, polygons
  std::vector<VtkTopology> joint_topology_;
  std::optional<VtkSeries> bodies_, contacts_, joints_;
};

}  // namespace stickslip
