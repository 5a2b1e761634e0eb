// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// Random numbers of a [[fill]]. The engine is fixed by the C++ standard, and the distributions are written here, since
/// those of the library differ from one library to the next.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1): the 53 upper bits of the engine's next number. [-]
  double unit();
  /// In [a, b). Units are those of a and b.
  double uniform(double a, double b) { return a + (b - a) * unit(); }
  /// Of mean 0 and standard deviation 1, from two numbers. [-]
  double normal();
  /// (4) A unit quaternion w x y z whose rotations are uniform, from three numbers. [-] [Shoemake1992]
  Vector4 rotation();

 private:
  std::mt19937_64 engine_;
};

/// How the numbers of a table such as {log_normal = [1e-3, 0.2], within = [5e-4, 2e-3]} are distributed.
struct DrawLaw {
  enum class Kind {
    uniform,     // parameters [a, b]
    list,        // one of the parameters, each as often as its weight
    normal,      // parameters [mean, standard deviation]
    log_normal,  // parameters [median, standard deviation of the natural logarithm]
    power        // parameters [a, b, k]: density proportional to x^k on [a, b]
  };
  Kind kind = Kind::uniform;
  std::vector<double> parameters;
  std::vector<double> weights;  // [-] of a list, one a parameter, >= 0, not all 0

  double draw(Draws& draws) const;
};

}  // namespace stickslip
