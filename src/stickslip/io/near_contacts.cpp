// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/near_contacts.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstddef>
#include <span>

#include "stickslip/constraints/certificate.h"

namespace stickslip {
namespace {

/// What counts as touching where the scene sets no envelope: positions in files are rounded to a few digits. [m]
constexpr double kTouching = 1e-9;

}  // namespace

NearContacts::NearContacts(const System& system)
    : system_(system),
      detected_(system.detection() ? std::max(system.detection()->envelope.value_or(0.0), kTouching) : kTouching),
      largest_(detected_),
      finder_(system),
      snapshot_(system) {
  for (const ContactPair& pair : system.contacts()) {
    named_.push_back(std::max(pair.options.envelope.value_or(0.0), kTouching));
  }
  for (const ManifoldPair& pair : system.manifold_pairs()) {
    if (pair.point < 0) largest_ = std::max(largest_, named_[pair.pair]);
  }
}

const std::vector<ContactReport>& NearContacts::find(const State& state, const StepReport& report) {
  const auto by_id = [](const ContactReport& a, const ContactReport& b) { return a.id < b.id; };
  found_.clear();
  for (std::size_t k = system_.contact_points().size(); k < report.contacts.size(); ++k) {
    const ContactReport& contact = report.contacts[k];
    // One that opened again in a step of several parts acted in it.
    const bool acted = contact.status != ContactStatus::open || contact.percussion != ContactComponents{};
    if (acted || contact.gap <= envelope_of(contact)) found_.push_back(contact);
  }
  std::sort(found_.begin(), found_.end(), by_id);
  snapshot_.take(state.t, state.q, nullptr);
  finder_.find_touching(snapshot_, largest_);
  report_geometry(snapshot_, std::span(finder_.points()).subspan(finder_.n_named()), open_);
  const auto n_reported = static_cast<std::ptrdiff_t>(found_.size());
  for (const ContactReport& contact : open_.contacts) {
    const bool is_known = std::binary_search(found_.begin(), found_.begin() + n_reported, contact, by_id);
    if (contact.gap <= envelope_of(contact) && !is_known) found_.push_back(contact);
  }
  std::sort(found_.begin(), found_.end(), by_id);
  return found_;
}

Vector3 world_percussion(const System& system, const ContactReport& contact) {
  Vector3 percussion = contact.percussion[0] * contact.normal + contact.percussion[1] * contact.tangent;
  if (!system.planar()) percussion += contact.percussion[2] * contact.normal.cross(contact.tangent);
  return percussion;
}

}  // namespace stickslip
