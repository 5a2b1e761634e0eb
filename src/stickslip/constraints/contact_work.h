// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "stickslip/constraints/step_report.h"

namespace stickslip {

/// The work of the percussions of one impact, or of one step, contact by contact:
///
///   P . (gamma- + gamma+) / 2,
///
/// gamma- and gamma+ the relative velocities before and after. The sum over all contacts is what percussions make of
/// kinetic energy, beside the work of prescribed motions. A scheme that corrects overlaps gives a contact a velocity c
/// of correction: it counts as if its surface moved with c, and P_N c is no energy that the contact makes.
///
/// Contacts that share one restitution e = e_N = e_T and obey the laws have P . (gamma+ + e gamma-) <= 0: they make
/// no energy but for what forces do in the step. What is above 0 is the excess.
class ContactWorkSum {
 public:
  /// Adds a contact with percussion p, friction coefficient mu and restitution (e_N, e_T); arrays (dim). before, after
  /// [m/s] gamma- and gamma+ less the correction; law [m/s] what is added to gamma+ by the law of impacts.
  void add(int body_a, int body_b, int dim, double mu, double e_normal, double e_tangential, const double* p,
           const double* before, const double* after, const double* law) {
    if (!(p[0] > 0.0)) return;
    double work = 0.0;
    double excess = 0.0;
    for (int i = 0; i < dim; ++i) {
      work += p[i] * 0.5 * (before[i] + after[i]);
      excess += p[i] * (after[i] + law[i]);
    }
    const bool is_one = e_normal <= 1.0 && (dim == 1 || mu == 0.0 || e_normal == e_tangential);
    shares_one_ &= is_one && (!has_contacts_ || e_normal == restitution_);
    has_contacts_ = true;
    restitution_ = e_normal;
    work_ += work;
    excess_ += excess / (1.0 + e_normal);
    sum_.percussion += (1.0 + mu) * p[0];
    if (work > sum_.most) {
      sum_.most = work;
      sum_.body_a = body_a;
      sum_.body_b = body_b;
    }
  }

  /// The work; zero where the contacts together take energy.
  ContactWork result() const {
    if (work_ <= 0.0) return {};
    ContactWork result = sum_;
    result.made = work_;
    if (shares_one_) result.excess = std::fmax(excess_, 0.0);
    return result;
  }

 private:
  ContactWork sum_;
  double work_ = 0.0;    // [J]
  double excess_ = 0.0;  // [J]
  double restitution_ = 0.0;
  bool has_contacts_ = false;
  bool shares_one_ = true;
};

}  // namespace stickslip
