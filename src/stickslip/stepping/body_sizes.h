// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {

/// How large bodies are: what lengths in the certificate of a run are compared with.
class BodySizes {
 public:
  explicit BodySizes(const System& system);

  /// The diameter of the least sphere round all shapes of a body, points included, half-spaces and containers
  /// excluded, as shapes that are only drawn; of a beam its length. Without extent the largest distance of one of its
  /// joints from the centre of mass, which fixed and moving bodies do not have. 0: none of it, or joints at the centre.
  /// [m]
  double size(int body) const { return sizes_[body]; }
  /// The smaller size of two bodies; one of size 0 does not count, and where none is left it is 1 m. [m]
  double of_pair(int body_a, int body_b) const;
  /// The least that of_pair() can be. [m]
  double least() const { return least_; }

 private:
  std::vector<double> sizes_;  // (n bodies) [m]
  double least_ = 1.0;         // [m]
};

}  // namespace stickslip
