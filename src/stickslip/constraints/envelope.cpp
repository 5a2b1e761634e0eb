// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/envelope.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "stickslip/base/make_room.h"
#include "stickslip/constraints/certificate.h"

namespace stickslip {
namespace {

/// What counts as touching where the scene sets no envelope: positions in files are rounded to a few digits. [m]
double envelope_or_touching(const std::optional<double>& envelope) {
  constexpr double kTouching = 1e-9;
  return std::max(envelope.value_or(0.0), kTouching);
}

}  // namespace

Envelope::Envelope(const System& system) : system_(system), finder_(system), snapshot_(system) {
  if (system.detection()) {
    for (const ContactPair& pair : system.detected_pairs()) {
      largest_ = std::max(largest_, envelope_or_touching(pair.options.envelope));
    }
  }
  for (const ContactPair& pair : system.contacts()) named_.push_back(envelope_or_touching(pair.options.envelope));
  for (const ManifoldPair& pair : system.manifold_pairs()) {
    if (pair.point < 0) largest_ = std::max(largest_, named_[pair.pair]);
  }
}

/// One that opened again in a step of several parts acted in it.
bool Envelope::has(const ContactReport& contact) const {
  if (contact.status != ContactStatus::open || contact.percussion != ContactComponents{}) return true;
  if (contact.contact >= 0) return contact.gap <= named_[contact.contact];
  return contact.gap <= envelope_or_touching(system_.detected_pair(contact.id).options.envelope);
}

void Envelope::complete(const State& state, StepReport& report) {
  if (!system_.has_varying_contacts()) return;
  const auto n_named = static_cast<std::ptrdiff_t>(system_.contact_points().size());
  const auto by_id = [](const ContactReport& a, const ContactReport& b) { return a.id < b.id; };
  const auto is_out = [this](const ContactReport& contact) { return !has(contact); };
  std::vector<ContactReport>& all = report.contacts;
  const auto sort = [&] {
    if (!std::is_sorted(all.begin() + n_named, all.end(), by_id)) std::sort(all.begin() + n_named, all.end(), by_id);
  };
  all.erase(std::remove_if(all.begin() + n_named, all.end(), is_out), all.end());
  sort();
  const auto n_known = static_cast<std::ptrdiff_t>(all.size());
  finder_.find_touching(snapshot_.take(state.t, state.q, nullptr), largest_);
  for (const ContactPoint& point : std::span(finder_.points()).subspan(finder_.n_named())) {
    report_geometry(snapshot_, std::span(&point, 1), near_);
    const ContactReport& contact = near_.contacts.front();
    const bool is_known = std::binary_search(all.begin() + n_named, all.begin() + n_known, contact, by_id);
    if (has(contact) && !is_known) append(all, contact);
  }
  sort();
}

}  // namespace stickslip
