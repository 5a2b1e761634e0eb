// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/verify/result_rows.h"

#include <algorithm>
#include <variant>

#include "stickslip/io/stored_shapes.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

constexpr std::array<const char*, ResultRows::n_columns> kPaths = {"/time",
                                                                   "/q",
                                                                   "/u",
                                                                   "/bodies/position",
                                                                   "/bodies/orientation",
                                                                   "/bodies/velocity",
                                                                   "/bodies/angular_velocity",
                                                                   "/bodies/applied_impulse",
                                                                   "/bodies/input_impulse",
                                                                   "/contacts/gap",
                                                                   "/contacts/point",
                                                                   "/contacts/normal",
                                                                   "/contacts/tangent",
                                                                   "/contacts/normal_force",
                                                                   "/contacts/friction_force",
                                                                   "/contacts/force",
                                                                   "/contacts/normal_impulse",
                                                                   "/contacts/friction_impulse",
                                                                   "/contacts/impulse",
                                                                   "/contacts/normal_percussion",
                                                                   "/contacts/friction_percussion",
                                                                   "/contacts/percussion",
                                                                   "/contacts/moment",
                                                                   "/joints/reaction_force",
                                                                   "/contact_sets/offsets"};
constexpr std::array<const char*, ResultRows::n_set_columns> kSetPaths = {
    "/contact_sets/body_a",  "/contact_sets/body_b", "/contact_sets/pair",       "/contact_sets/gap",
    "/contact_sets/point",   "/contact_sets/normal", "/contact_sets/percussion", "/contact_sets/shape_a",
    "/contact_sets/shape_b", "/contact_sets/moment"};

}  // namespace

const char* ResultRows::path(Column column) {
  return kPaths[column];
}

Scene read_scene_of(const Trajectory& result) {
  return parse_stored_scene(result.scene(), result.file().name(), find_stored_shapes(result.file()));
}

std::pair<double, double> verified_reach(const SchemeOptions& scheme) {
  if (const auto* moreau = std::get_if<MoreauOptions>(&scheme)) return {moreau->activation, 0.0};
  const auto* relaxation = std::get_if<RelaxationOptions>(&scheme);
  if (relaxation == nullptr || relaxation->form != RelaxationForm::ode) return {0.0, 0.0};
  return {0.0, (2.0 * relaxation->zeta + 1.0) * relaxation->delta};
}

ResultRows::ResultRows(const Trajectory& result)
    : result_(result),
      is_iterated_(result.text("scheme") == "generalized-alpha"),
      has_events_(result.text("scheme") == "event-driven") {
  constexpr std::int64_t kNumbers = 1 << 18;  // [-] read at once: 2 MB
  std::int64_t width = 1;
  for (int c = 0; c < n_columns; ++c) {
    if (c == set_end) continue;
    const Hdf5Dataset* dataset = result.find_rows(kPaths[c]);
    has_[c] = dataset != nullptr;
    if (!has_[c]) continue;
    widths_[c] = dataset->width();
    width += widths_[c];
    is_single_ |= dataset->is_single();
  }
  has_[set_end] = has_sets_ = result.file().has(kPaths[set_end]);
  has_set_shapes_ = has_sets_;
  has_set_moments_ = has_sets_ && result.file().has(kSetPaths[set_moment]);
  for (int c = 0; c < set_moment; ++c) {
    bool& has = c < set_shape_a ? has_sets_ : has_set_shapes_;
    has = has && result.file().has(kSetPaths[c]);
  }
  if (has_sets_) is_single_ |= result.file().open_dataset(kSetPaths[set_gap]).is_single();
  block_ = std::max<std::int64_t>(kNumbers / width, 2);
}

void ResultRows::load(std::int64_t first, std::int64_t n) {
  first_ = first;
  count_ = n;
  for (int c = 0; c < n_columns; ++c) {
    if (!has_[c]) continue;
    data_[c] = result_.read(kPaths[c], first, c == set_end ? n + 1 : n);
  }
  if (!has_sets_) return;
  set_origin_ = static_cast<std::int64_t>(data_[set_end](0, 0));
  const std::int64_t entries = static_cast<std::int64_t>(data_[set_end](n, 0)) - set_origin_;
  for (int c = 0; c < n_set_columns; ++c) {
    if (c == set_moment ? !has_set_moments_ : c >= set_shape_a && !has_set_shapes_) continue;
    sets_[c] = result_.read(kSetPaths[c], set_origin_, entries);
  }
}

std::int64_t ResultRows::set_begin(std::int64_t k) const {
  return has_sets_ ? static_cast<std::int64_t>(data_[set_end](k, 0)) - set_origin_ : 0;
}

std::int64_t ResultRows::set_last(std::int64_t k) const {
  return has_sets_ ? static_cast<std::int64_t>(data_[set_end](k + 1, 0)) - set_origin_ : 0;
}

}  // namespace stickslip
