// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/certificate_data.h"

#include <fmt/format.h>

#include <cmath>

#include "stickslip/base/json.h"

namespace stickslip {
namespace {

/// Where the worst residual of a run was: "contact tip-ground", "detected contact of a1 and table".
std::string describe_place(const StepRow& row, const PlaceNames& names) {
  const auto name = [](const std::vector<std::string>& all, std::int64_t i) {
    return i >= 0 && i < static_cast<std::int64_t>(all.size()) ? all[static_cast<std::size_t>(i)] : std::string("?");
  };
  switch (row.worst_kind) {
    case 1:
      return "contact " + name(names.contacts, row.worst);
    case 2:
      return "the contact of " + name(names.bodies, row.worst_a) + " and " + name(names.bodies, row.worst_b);
    case 3:
      return "joint " + name(names.joints, row.worst);
    case 4:
      return fmt::format("force {}", row.worst);
    default:
      return "";
  }
}

}  // namespace

void CertificateData::add(const StepRow& row) {
  summary_.add(row);
  if (std::isfinite(row.residual) && !(row.residual <= worst_.residual)) worst_ = row;
}

std::string CertificateData::to_json(const PlaceNames& names) const {
  std::vector<std::string> limits;
  for (const LimitEntry& entry : summary_.limits) limits.push_back(describe(entry));
  using stickslip::to_json;
  return fmt::format(
      "{{\"steps\":{},\"inexact\":{},\"failed\":{},\"residual\":{},\"relative\":{},\"time\":{},\"place\":{},"
      "\"penetration\":{},\"drift\":{},\"energy_error\":{},\"limits\":{}}}",
      summary_.steps, summary_.inexact, summary_.failed, to_json(summary_.residual.value),
      to_json(summary_.relative_residual.value), to_json(summary_.residual.time),
      to_json(describe_place(worst_, names)), to_json(summary_.penetration.value),
      to_json(summary_.drift_position.value), to_json(summary_.energy_error.value), to_json(limits));
}

}  // namespace stickslip
