// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace stickslip {

void Worst::add(double x, double t) {
  // What is not a number is worse than any number, and stays.
  if (std::isnan(value) || std::abs(x) <= value) return;
  value = std::abs(x);
  time = t;
}

void Summary::add(const StepRow& row) {
  if (row.status == static_cast<int>(Status::failed)) {
    ++failed;
    return;
  }
  ++steps;
  if (row.status == static_cast<int>(Status::inexact) && inexact++ == 0) first_inexact = row.t;
  choices += row.choices;
  if (row.fallbacks > 0) ++fallbacks;
  if (row.parts > 1) ++in_parts;
  shortest = std::min(shortest, row.step);
  longest = std::max(longest, row.step);
  duration += row.step;
  rejected += row.rejected;
  automatic = automatic || row.rejected > 0 || !std::isnan(row.local_error);
  iterations += row.iterations;
  most_contacts = std::max<std::int64_t>(most_contacts, row.closed_contacts);
  add_tolerance(row);
  residual.add(row.residual, row.t);
  relative_residual.add(row.relative_residual, row.t);
  coulomb_residual.add(row.coulomb_residual, row.t);
  penetration.add(row.penetration, row.t);
  drift_position.add(row.drift_position, row.t);
  drift_angle.add(row.drift_angle, row.t);
  energy_error.add(row.energy_error, row.t);
}

/// Results of earlier versions have none.
void Summary::add_tolerance(const StepRow& row) {
  if (!(row.tolerance > 0.0)) return;
  least_tolerance = std::min(least_tolerance, row.tolerance);
  most_tolerance = std::max(most_tolerance, row.tolerance);
  const double size = row.relative_residual > 0.0 ? row.residual / row.relative_residual : 0.0;
  allowed.add(row.tolerance * size, row.t);
}

void Summary::add(std::span<const StepRow> rows) {
  for (const StepRow& row : rows) add(row);
}

std::string describe_limits(std::span<const LimitEntry> entries, std::size_t most) {
  std::vector<const LimitEntry*> sorted;
  for (const LimitEntry& entry : entries) sorted.push_back(&entry);
  // What is not finite is beyond any measure, as is what has a limit of 0.
  const auto excess = [](const LimitEntry* entry) {
    const double ratio = entry->worst / entry->limit;
    return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  };
  std::ranges::stable_sort(sorted, std::ranges::greater(), excess);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) text += describe(*sorted[i]) + '\n';
  if (sorted.size() > most) text += fmt::format("and {} more\n", sorted.size() - most);
  return text;
}

std::string describe(const Summary& s) {
  std::string text = fmt::format("steps              {}", s.steps);
  if (s.inexact > 0)
    text += fmt::format(", {} above the tolerance, the first at t = {:.6g} s", s.inexact, s.first_inexact);
  if (s.failed > 0) text += ", then one failed";
  if (s.automatic) {
    text += fmt::format("\nlength of a step   {:.3g} to {:.3g} s, {:.3g} s in the mean; {} tries rejected", s.shortest,
                        s.longest, s.duration / static_cast<double>(std::max<std::int64_t>(s.steps, 1)), s.rejected);
  }
  text += fmt::format("\ncontacts           {} at most, {:.3g} solver iterations a step", s.most_contacts,
                      static_cast<double>(s.iterations) / static_cast<double>(std::max<std::int64_t>(s.steps, 1)));
  if (s.choices > 0) text += fmt::format("; the laws left a choice {} times", s.choices);
  if (s.fallbacks > 0) text += fmt::format("; {} steps needed a fallback of the scheme", s.fallbacks);
  if (s.in_parts > 0) text += fmt::format("; {} were made in parts", s.in_parts);
  if (s.most_tolerance > 0.0) {
    text += fmt::format("\ntolerance          {:.3g}", s.least_tolerance);
    if (s.most_tolerance > s.least_tolerance) text += fmt::format(" to {:.3g}", s.most_tolerance);
    text += fmt::format(": residuals up to {:.3g} m/s", s.allowed.value);
  }
  text += "\nworst of all steps:\n";
  const auto line = [&text](const char* name, const Worst& worst, const char* unit) {
    text += fmt::format("  {:<17}{:<10.3g} {}", name, worst.value, unit);
    if (std::isfinite(worst.time)) text += fmt::format("{}at t = {:.6g} s", *unit == '\0' ? "" : " ", worst.time);
    text += '\n';
  };
  line("residual", s.residual, "m/s");
  line("  relative", s.relative_residual, "");
  line("  exact Coulomb", s.coulomb_residual, "m/s");
  line("penetration", s.penetration, "m");
  line("joint drift", s.drift_position, "m");
  line("", s.drift_angle, "rad");
  line("energy error", s.energy_error, "J");
  if (s.limits.empty()) return text + "limits passed      none\n";
  return text + "limits passed:\n" + describe_limits(s.limits);
}

}  // namespace stickslip
