// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/limits.h"

#include <fmt/format.h>

#include <array>

namespace stickslip {
namespace {

struct KindText {
  std::string_view name;
  std::string_view unit;
  std::string_view what;  // passed the limit, before the name
};

constexpr std::array<KindText, kLimitKinds> kKinds = {{
    {"penetration", "m", "penetration of "},
    {"penetration-angle", "rad", "overshoot of the stop of "},
    {"drift", "m", "drift of "},
    {"drift-angle", "rad", "drift of "},
    {"energy", "-", "energy error"},
    {"passed-through", "m", "passing unseen through each other of "},
    {"contact energy", "-", "contact energy of "},
}};

const KindText& text_of(LimitKind what) {
  return kKinds[static_cast<std::size_t>(what)];
}

std::string describe_worst(const LimitEntry& entry) {
  const bool is_balance = entry.what == LimitKind::energy;
  const bool is_share = is_balance || entry.what == LimitKind::contact_energy;
  const std::string_view unit = is_share ? "of the energy of the run" : text_of(entry.what).unit;
  const std::string_view unnamed = is_balance ? ""
                                   : is_share ? "all contacts, and of positions that are put right"
                                              : "others";
  const std::string_view name = entry.name.empty() ? unnamed : std::string_view(entry.name);
  return fmt::format("{}{}: {:.4g} {}", text_of(entry.what).what, name, entry.worst, unit);
}

}  // namespace

std::string_view limit_name(LimitKind what) {
  return text_of(what).name;
}

std::string_view limit_unit(LimitKind what) {
  return text_of(what).unit;
}

std::string describe(const LimitEntry& entry) {
  std::string text =
      fmt::format("{} at most, the limit is {:.3g}; in {} step{}, first at t = {:.6g} s", describe_worst(entry),
                  entry.limit, entry.count, entry.count == 1 ? "" : "s", entry.first_time);
  if (entry.first_step > 0) text += fmt::format(" (step {})", entry.first_step);
  return text;
}

std::string describe_first(const LimitEntry& entry) {
  const bool is_told = entry.what == LimitKind::contact_energy && entry.first_step > 0;
  return fmt::format("t = {:.6g} s{}: {}, above the limit of {:.3g}", entry.first_time,
                     is_told ? fmt::format(" (step {})", entry.first_step) : "", describe_worst(entry), entry.limit);
}

}  // namespace stickslip
