// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/step_row.h"

#include <array>
#include <limits>

namespace stickslip {

StepRow make_step_row(const StepReport& report) {
  return {report, static_cast<int>(report.status), report.solve.iterations, report.solve.residual.absolute,
          report.solve.residual.relative};
}

StepRow make_failed_step_row(const StepReport& report, double t_end, double h) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  StepRow row = make_step_row(report);
  row.t = t_end;
  row.step = h;
  row.status = static_cast<int>(Status::failed);
  for (const StepColumn& column : step_columns()) {
    if (const auto* member = std::get_if<double StepRow::*>(&column.member)) {
      if (*member != &StepRow::t && *member != &StepRow::step) row.*(*member) = nan;
    }
  }
  return row;
}

std::span<const StepColumn> step_columns() {
  static constexpr std::array kColumns = {
      StepColumn{"time", "s", "end of the step", &StepRow::t},
      StepColumn{"step", "s", "length of the step", &StepRow::step},
      StepColumn{"status", "1", "0 ok, 1 inexact: residual above the tolerance, 2 failed", &StepRow::status},
      StepColumn{"iterations", "1", "of the solver, in its own count", &StepRow::iterations},
      StepColumn{"tolerance", "1", "of the relative residual, in force in this step", &StepRow::tolerance, false, true},
      StepColumn{"residual", "m/s", "of the contact problem, under the law that was solved", &StepRow::residual},
      StepColumn{"relative_residual", "1",
                 "the same over the larger of |b| and |u|, the velocities without and with percussions",
                 &StepRow::relative_residual},
      StepColumn{"coulomb_residual", "m/s", "of the contact problem, under the exact Coulomb law",
                 &StepRow::coulomb_residual},
      StepColumn{"missed", "m/s", "|(max(0, -u_N) of contacts, u of joints)|, u what the law is imposed on",
                 &StepRow::missed},
      StepColumn{"worst_kind", "1",
                 "what set the residual: 0 nothing, 1 named contact, 2 detected contact, 3 joint, 4 force",
                 &StepRow::worst_kind},
      StepColumn{"worst", "1", "its index in /contacts/name, /joints/name or the scene's forces; -1: detected, nothing",
                 &StepRow::worst},
      StepColumn{"worst_a", "1", "its first body, an index of /bodies/name", &StepRow::worst_a},
      StepColumn{"worst_b", "1", "its second body", &StepRow::worst_b},
      StepColumn{"penetration", "m", "deepest at the end of the step, at least 0", &StepRow::penetration},
      StepColumn{"drift_position", "m", "worst of the joints at the end of the step", &StepRow::drift_position},
      StepColumn{"drift_angle", "rad", "worst of the joints at the end of the step", &StepRow::drift_angle},
      StepColumn{"kinetic_energy", "J", "at the end of the step", &StepRow::kinetic_energy},
      StepColumn{"potential_energy", "J", "of gravity (zero at the origin) and springs", &StepRow::potential_energy},
      StepColumn{"work", "J", "since the start, of loads, dampers and prescribed motions", &StepRow::work},
      StepColumn{"dissipated", "J", "since the start, by contacts and dry friction", &StepRow::dissipated},
      StepColumn{"projection_energy", "J", "since the start, put in where positions were put right",
                 &StepRow::projection_energy, false, true},
      StepColumn{"energy_error", "J", "kinetic + potential - initial - work + dissipated - projection_energy",
                 &StepRow::energy_error},
      StepColumn{"contacts", "1", "contact points that are not open", &StepRow::closed_contacts},
      StepColumn{"choices", "1", "where the laws left a choice and a rule made it", &StepRow::choices},
      StepColumn{"fallbacks", "1", "where the scheme's own method did not converge: iterations of a slower one",
                 &StepRow::fallbacks},
      StepColumn{"parts", "1", "the step was made in, where it had no solution whole", &StepRow::parts},
      StepColumn{"rejected", "1", "automatic steps: tries before the one that was accepted", &StepRow::rejected, true},
      StepColumn{"local_error", "1",
                 "automatic steps: estimated error over length and largest speed, at most the tolerance; NaN: an "
                 "event in the step",
                 &StepRow::local_error, true},
  };
  return kColumns;
}

}  // namespace stickslip
