// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/model/element_id.h"

namespace stickslip {

/// Numbers by id, as many for each id as it needs, sorted by id. Flat: what a hundred thousand contacts carry from
/// step to step takes three arrays, which keep their memory when cleared.
class ValuesById {
 public:
  std::size_t size() const { return ids_.size(); }  // of the ids
  bool empty() const { return ids_.empty(); }
  std::span<const ElementId> ids() const { return ids_; }  // ascending
  /// The numbers of the k-th id.
  std::span<const double> operator[](std::size_t k) const { return {values_.data() + begin(k), ends_[k] - begin(k)}; }
  std::span<double> operator[](std::size_t k) { return {values_.data() + begin(k), ends_[k] - begin(k)}; }
  /// The numbers of an id; none where it has no entry.
  std::span<const double> find(ElementId id) const {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
    if (found == ids_.end() || *found != id) return {};
    return (*this)[static_cast<std::size_t>(found - ids_.begin())];
  }
  /// All numbers, id by id.
  std::span<const double> values() const { return values_; }

  void clear() {
    ids_.clear();
    ends_.clear();
    values_.clear();
  }
  /// Numbers that it holds at most.
  static constexpr std::size_t kMostValues = std::numeric_limits<std::uint32_t>::max();
  /// Appends n zeros for an id above those so far, and returns them: valid until the next change.
  std::span<double> add(ElementId id, std::size_t n) {
    STICKSLIP_ASSERT(ids_.empty() || ids_.back() < id);
    append(ids_, id);
    make_room(values_, values_.size() + n);
    values_.resize(values_.size() + n);
    STICKSLIP_ASSERT(values_.size() <= kMostValues);
    append(ends_, static_cast<std::uint32_t>(values_.size()));
    return (*this)[ids_.size() - 1];
  }

  bool operator==(const ValuesById&) const = default;

 private:
  std::size_t begin(std::size_t k) const { return k == 0 ? 0 : ends_[k - 1]; }

  std::vector<ElementId> ids_;       // (n) ascending
  std::vector<std::uint32_t> ends_;  // (n) where the numbers of each end in values_
  std::vector<double> values_;
};

}  // namespace stickslip
