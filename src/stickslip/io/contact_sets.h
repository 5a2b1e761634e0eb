// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/constraints/step_report.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/io/table.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// /contact_sets: at each output instant the contacts that come and go, detected ones and those of named pairs whose
/// points depend on the poses. Those of row i are the rows offsets[i] to offsets[i + 1] - 1 of the other datasets.
class ContactSets {
 public:
  /// Makes the group and its datasets in the file, which must outlive this, as must the system. real: float64 or
  /// float32.
  ContactSets(Hdf5File& file, const System& system, Hdf5Type real, std::int64_t expected_rows);

  /// What a contact takes in a row. [bytes]
  static std::int64_t contact_bytes(const System& system, const OutputChoice& output);
  /// Size of `rows` rows with `contacts` contacts each. [bytes]
  static double estimate_bytes(const System& system, const OutputChoice& output, std::int64_t rows, double contacts);

  /// The next row: the report's contacts beside the named points.
  void record(const StepReport& report);
  void flush();
  void add_sums(std::vector<RowSum>& sums) const;
  /// Takes over the first rows of the same datasets of another file. Throws InputError where they are not there.
  void copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums, const StopToken& stop);

 private:
  void add(const ContactReport& contact);

  const System& system_;
  bool has_moments_;
  Table contacts_;
  Table offsets_;
};

/// Rows of /contact_sets that are whole in a file, whose other rows are `rows`: at most that many. Throws InputError.
std::int64_t count_whole_sets(const Hdf5File& file, std::int64_t rows);

}  // namespace stickslip
