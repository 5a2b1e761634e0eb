// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/runge_kutta.h"

namespace stickslip::event_driven {
namespace {

/// [Dormand1980 table 2, RK5(4)7M]: the last row of the coefficients is that of the result.
constexpr std::array<double, 7> kNodes = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
constexpr double kStages[7][6] = {{},
                                  {1.0 / 5.0},
                                  {3.0 / 40.0, 9.0 / 40.0},
                                  {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
                                  {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
                                  {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
                                  {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
/// Result of fifth order less that of fourth.
constexpr std::array<double, 7> kError = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                          -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
/// Of the polynomial's highest term [Hairer1993 eq. II.6.12 and the code DOPRI5].
constexpr std::array<double, 7> kDense = {-12715105075.0 / 11282082432.0,  0.0,
                                          87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                          701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                          69997945.0 / 29380423.0};

}  // namespace

bool RungeKutta::start(double t, const Vector& y) {
  t_ = t;
  y_ = y;
  for (Vector& k : k_) k.resize(y.size());
  return rates_(t, y, k_[0]);
}

bool RungeKutta::step(double h) {
  h_ = h;
  for (std::size_t stage = 1; stage < 7; ++stage) {
    at_ = y_;
    for (std::size_t j = 0; j < stage; ++j) {
      if (kStages[stage][j] != 0.0) at_ += h * kStages[stage][j] * k_[j];
    }
    if (stage == 6) end_ = at_;
    if (!rates_(t_ + kNodes[stage] * h, at_, k_[stage])) return false;
  }
  error_ = h * kError[0] * k_[0];
  for (std::size_t j = 2; j < 7; ++j) error_ += h * kError[j] * k_[j];
  return true;
}

void RungeKutta::interpolate(double theta, Vector& y) const {
  const double left = 1.0 - theta;
  const Vector way = end_ - y_;
  const Vector bend = h_ * k_[0] - way;
  Vector last = h_ * kDense[0] * k_[0];
  for (std::size_t j = 2; j < 7; ++j) last += h_ * kDense[j] * k_[j];
  y = y_ + theta * (way + left * (bend + theta * (way - h_ * k_[6] - bend + left * last)));
}

}  // namespace stickslip::event_driven
