// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stickslip {

/// Where a function falls below zero in (first, last]: an argument at which it is below zero, at most `close` behind
/// one at which it is not. `at_first` >= 0 is its value at `first`. Returns `last` if the function is not below zero
/// there. By the Illinois method, and by bisection whenever two of its tries leave more than half, as where the minimum
/// of two functions changes from one to the other at the zero.
template <class Function>
double find_crossing(Function&& calc, double first, double at_first, double last, double close) {
  constexpr int kMostTries = 200;  // [-] an end of what never settles: by then halves alone have taken 2^66 off
  double at_last = calc(last);
  int side = 0;
  double width = last - first;  // before the last three tries
  for (int i = 0; i < kMostTries && last - first > close && at_last < 0.0; ++i) {
    double middle = first + (last - first) * at_first / (at_first - at_last);
    if (i % 3 == 0) width = last - first;
    const bool is_slow = i % 3 == 2 && last - first > 0.5 * width;
    if (is_slow || !(middle > first) || !(middle < last)) middle = 0.5 * (first + last);
    const double value = calc(middle);
    if (value < 0.0) {
      last = middle;
      at_last = value;
      if (side < 0) at_first *= 0.5;
      side = -1;
    } else {
      first = middle;
      at_first = value;
      if (side > 0) at_last *= 0.5;
      side = 1;
    }
  }
  return last;
}

}  // namespace stickslip
