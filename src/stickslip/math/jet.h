// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <type_traits>

namespace stickslip {

/// A value with its derivatives in N directions, over a scalar that may be a jet itself: forward-mode automatic
/// differentiation (exact to round-off). Plain operations on plain types, not expression templates: nested, those take
/// the compiler most of a minute a file.
template <class S, int N>
class Jet {
 public:
  Jet() = default;                       // as a double: not set
  Jet(const S& value) : value_(value) {  // NOLINT(google-explicit-constructor): a number is a constant jet
    for (S& d : derivatives_) d = S(0.0);
  }
  explicit Jet(double value) requires(!std::is_same_v<S, double>) : Jet(S(value)) {}

  /// The variable of a direction.
  static Jet variable(const S& value, int direction) {
    Jet x(value);
    x.derivatives_[direction] = S(1.0);
    return x;
  }

  const S& value() const { return value_; }
  const S& derivative(int direction) const { return derivatives_[direction]; }
  void set_derivative(int direction, const S& derivative) { derivatives_[direction] = derivative; }

  friend Jet operator-(const Jet& a) {
    return make(-a.value_, [&](int i) { return -a.derivatives_[i]; });
  }
  friend Jet operator+(const Jet& a, const Jet& b) {
    return make(a.value_ + b.value_, [&](int i) { return a.derivatives_[i] + b.derivatives_[i]; });
  }
  friend Jet operator-(const Jet& a, const Jet& b) {
    return make(a.value_ - b.value_, [&](int i) { return a.derivatives_[i] - b.derivatives_[i]; });
  }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return make(a.value_ * b.value_,
                [&](int i) { return a.derivatives_[i] * b.value_ + b.derivatives_[i] * a.value_; });
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const S factor = S(1.0) / (b.value_ * b.value_);
    return make(a.value_ / b.value_,
                [&](int i) { return (a.derivatives_[i] * b.value_ - b.derivatives_[i] * a.value_) * factor; });
  }

  // With constants.
  friend Jet operator+(const Jet& a, const S& b) { return a.with_value(a.value_ + b); }
  friend Jet operator+(const S& a, const Jet& b) { return b.with_value(a + b.value_); }
  friend Jet operator-(const Jet& a, const S& b) { return a.with_value(a.value_ - b); }
  friend Jet operator*(const Jet& a, const S& b) { return a.scaled(a.value_ * b, b); }
  friend Jet operator*(const S& a, const Jet& b) { return b.scaled(b.value_ * a, a); }

  Jet& operator+=(const Jet& b) { return *this = *this + b; }
  Jet& operator-=(const Jet& b) { return *this = *this - b; }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }

  friend Jet sqrt(const Jet& x) {
    using std::sqrt;
    const S root = sqrt(x.value_);
    return x.scaled(root, S(0.5) / root);
  }
  friend Jet sin(const Jet& x) {
    using std::cos;
    using std::sin;
    return x.scaled(sin(x.value_), cos(x.value_));
  }
  friend Jet cos(const Jet& x) {
    using std::cos;
    using std::sin;
    return x.scaled(cos(x.value_), -sin(x.value_));
  }

 private:
  template <class Derivative>
  static Jet make(const S& value, Derivative&& derivative) {
    Jet x;
    x.value_ = value;
    for (int i = 0; i < N; ++i) x.derivatives_[i] = derivative(i);
    return x;
  }
  Jet with_value(const S& value) const {
    Jet x = *this;
    x.value_ = value;
    return x;
  }
  /// Of `value`, whose derivatives are those of this times `slope`.
  Jet scaled(const S& value, const S& slope) const {
    return make(value, [&](int i) { return derivatives_[i] * slope; });
  }

  S value_;
  std::array<S, N> derivatives_;
};

/// The number in a jet of any depth.
inline double plain_value(double x) {
  return x;
}
template <class S, int N>
double plain_value(const Jet<S, N>& x) {
  return plain_value(x.value());
}

}  // namespace stickslip

/// Vectors and matrices of jets.
template <class S, int N>
struct Eigen::NumTraits<stickslip::Jet<S, N>> : Eigen::NumTraits<double> {
  using Real = stickslip::Jet<S, N>;
  using NonInteger = stickslip::Jet<S, N>;
  using Nested = stickslip::Jet<S, N>;
  enum { RequireInitialization = 1 };
};
