// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// A contact point of a row, named or detected alike. Vectors are those of the world frame.
struct ContactRecord {
  Vector3 point = Vector3::Zero();       // (3) [m] on the second body
  Vector3 normal = Vector3::Zero();      // (3) [-] from the first to the second body
  Vector3 force = Vector3::Zero();       // (3) [N] on the second body; of a detected one percussion / step
  Vector3 percussion = Vector3::Zero();  // (3) [N s] on the second body, over the step
  double gap = 0.0;                      // [m, rad]
  double mu = std::numeric_limits<double>::quiet_NaN();  // [-] NaN: not in the result
  int status = 0;                                        // [-] ContactStatus
  int body_a = -1, body_b = -1;                          // [-] the first and the second body
  int shape_a = -1, shape_b = -1;                        // [-] likewise; -1: none, or not in the result
  int index = -1;                                        // [-] of a named contact point; -1: detected
};

/// Reads the contacts of some rows of a result, one row after the other, in blocks.
class ResultContacts {
 public:
  /// `rows` ascends. The result must outlive this. Throws InputError.
  ResultContacts(const Trajectory& result, std::vector<std::int64_t> rows);

  /// Those of the next row: named points, of a result that has what draws them, then detected ones. Valid until the
  /// next call. Throws InputError.
  const std::vector<ContactRecord>& next();

 private:
  /// Columns of /contacts or /contact_sets.
  struct Columns {
    RowMatrix point, normal, gap, status, force, percussion;
  };
  void read_named_constants();
  void load();
  void add_named(Eigen::Index row, double per_step);
  void add_detected(Eigen::Index entry, double per_step);

  const Trajectory& result_;
  std::vector<std::int64_t> rows_;
  std::vector<double> step_ends_, step_lengths_;                   // (steps) [s]
  std::vector<std::int64_t> offsets_;                              // of the detected contacts of each row
  std::vector<std::int64_t> body_a_, body_b_, shape_a_, shape_b_;  // (named)
  std::vector<double> mu_;                                         // (named)
  bool has_force_ = false, has_percussion_ = false;                // of named points
  std::size_t next_ = 0;                                           // into rows_
  std::int64_t first_ = 0, n_loaded_ = 0;                          // rows in the block
  RowMatrix time_;
  Columns named_, detected_;
  RowMatrix detected_pairs_;  // (entries, 5) bodies, shapes, mu
  std::vector<ContactRecord> records_;
};

}  // namespace stickslip
