// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/io/step_row.h"
#include "stickslip/sim/summary.h"

namespace stickslip {

/// Names by which places are told.
struct PlaceNames {
  std::vector<std::string> bodies, contacts, joints;
  PlaceNames() = default;
  explicit PlaceNames(const Trajectory& result)
      : bodies(result.names("bodies")), contacts(result.names("contacts")), joints(result.names("joints")) {}
};

/// The steps of a run so far, or of all of it: what a page says of them at its top.
class CertificateData {
 public:
  /// A step, not the initial state.
  void add(const StepRow& row);
  void set_limits(std::vector<LimitEntry> limits) { summary_.limits = std::move(limits); }
  /// As a JSON object: the counts of steps, the worst residual, where and when, and the limits that were passed.
  std::string to_json(const PlaceNames& names) const;

 private:
  Summary summary_;
  StepRow worst_;
};

}  // namespace stickslip
