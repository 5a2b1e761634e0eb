// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stickslip/model/system.h"
#include "stickslip/verify/result_rows.h"

namespace stickslip {

/// The balance of linear momentum of each body over a step,
///   m (v' - v) = applied impulse + sum of contact percussions + h sum of joint reactions.
/// A file with /bodies/applied_impulse is held to round-off. Schemes without it write percussions as integrals along
/// directions that turn in the step, and forces at its ends: they are held to what turns and changes. They write the
/// reactions of joints at the end of the step alone. What joints tie together, and to nothing that is fixed or moved,
/// is held as one: reactions within it cancel.
class MomentumBalance {
 public:
  /// The system must outlive this.
  MomentumBalance(const System& system, const ResultRows& rows);

  struct Miss {
    int body = -1;        // where the balance is off; -1: nowhere by more than its bound
    double missed = 0.0;  // [N s]
    double bound = 0.0;   // [N s] what explains
    double share = 0.0;   // [-] beyond the bound, of the largest percussion in the row
    double excess = 0.0;  // [-] missed / bound
  };
  /// The worst body over the step of length h that ends in row k of what is loaded; row k - 1 is its start. q (n_q)
  /// and u (n_u) at both ends. left_out (bodies): who is not asked.
  Miss find_worst(std::int64_t k, double h, double t, const Vector& q_before, const Vector& u_before, const Vector& q,
                  const Vector& u, std::span<const char> left_out);

  /// Why some bodies are left out, or empty.
  const std::string& not_checked() const { return not_checked_; }

 private:
  void add(int body, const Vector3& impulse, double loose);
  void add_contacts(std::int64_t k, double h, const Vector& u_before, const Vector& u);
  double turn(int body, const Vector& u) const;
  double turn_of(const ContactPoint& point, double h, const Vector& u_before, const Vector& u) const;
  Vector3 velocity(int body, const Vector& u) const;
  Vector3 linear(const Vector& generalized, int body) const;

  const System& system_;
  const ResultRows& rows_;
  bool is_exact_;  // applied impulses are known
  double eps_;     // [-] round-off of the stored numbers
  std::string not_checked_;
  std::vector<char> checked_;                                 // (bodies)
  std::vector<int> whole_;                                    // (bodies) the first body of those it is held with
  std::vector<Vector3> sums_;                                 // (bodies) [N s]
  std::vector<double> sizes_;                                 // (bodies) [N s] of all that was added
  std::vector<double> loose_;                                 // (bodies) [N s] what is known no better
  std::vector<double> most_;                                  // (bodies) [N s] the largest sum of sizes so far
  double largest_ = 0.0;                                      // [N s] percussion of the row
  Vector force_before_, force_, momentum_before_, momentum_;  // (n_u)
};

}  // namespace stickslip
