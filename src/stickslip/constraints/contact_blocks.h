// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "stickslip/math/cones.h"
#include "stickslip/math/friction_polygon.h"
#include "stickslip/model/contact.h"

namespace stickslip {

/// Friction sets of one contact at most: sliding, spinning, rolling.
inline constexpr int kMaxFrictionSets = 3;

/// The friction blocks of a contact: sliding, then spinning, then rolling, those that its rows have. Moments are
/// measured by levers of the size of their bounds, so that the friction sets of turning have the radius 1. Sets of two
/// directions are regular polygons where there is a polygon [Trinkle2003 eq. 35], else discs.
class ContactBlocks {
 public:
  ContactBlocks(const ContactPair& pair, double mu, const FrictionPolygon& polygon = {}) : polygon_(polygon) {
    const ContactRowLayout& rows = pair.rows;
    if (pair.friction_dim > 0) add(pair.friction_dim, mu);
    if (!pair.has_moments()) return;
    if (pair.law().spinning > 0.0) add(rows.n_drill, 1.0);
    if (rows.n_roll > 0) add(rows.n_roll, 1.0);
  }
  std::span<const FrictionBlock> all() const { return {blocks_.data(), n_}; }

 private:
  void add(int dim, double radius) {
    blocks_[n_] = {dim, radius, 0, 0.0};
    polygon_.shape(blocks_[n_++]);
  }

  FrictionPolygon polygon_;
  std::array<FrictionBlock, kMaxFrictionSets> blocks_;
  std::size_t n_ = 0;
};

}  // namespace stickslip
