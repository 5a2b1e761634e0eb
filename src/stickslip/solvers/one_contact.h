// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/types.h"

namespace stickslip {

// One contact under exact Coulomb friction, solved exactly.
//
//   find p, u:  u = W p + b,   0 <= p_N perp u_N >= 0,   |p_T| <= mu p_N,   |u_T| p_T = -mu p_N u_T,
//
// with one ball-shaped friction block of dimension d = 0 (none), 1 (planar), 2 (spatial) or 3 (Coulomb-Contensou),
// which is K* contains u + mu |u_T| e_N perp p in K in the words of cone_problem.h. Three kinds of solution:
//
//   takeoff  p = 0                  where b_N >= 0;
//   stick    p = -W^-1 b            where that lies in K;
//   slip     u_N = 0, |p_T| = mu p_N, u_T = -lambda p_T with lambda > 0.
//
// For slip, p_N is eliminated: with S = W_TT - W_TN W_NT / W_NN and b~ = b_T - W_TN b_N / W_NN
//   p_T(lambda) = -(S + lambda I)^-1 b~,   p_N(lambda) = -(b_N + W_NT p_T) / W_NN,
// and lambda is a root of |p_T| = mu p_N; squared and cleared of fractions, a polynomial of degree 2 d, for d = 2 the
// quartic of [Bonnefon2011]. S is diagonalised once, so that p_T(lambda) is a division a row.
//
// Where mu |W_NT| (1 + k) < 2 sqrt(k) W_NN, k the condition number of S, the solution is unique. Proof: with
// e = p_T / |p_T|, g = mu W_NT^T / W_NN and A = S + lambda I, the derivative of f = mu p_N - |p_T| is
// |p_T| (e + g)^T A^-1 e; by Kantorovich's inequality e^T A^-1 e >= (2 sqrt(k) / (1 + k)) |A^-1 e| > |g| |A^-1 e|, so f
// increases with lambda. If b_N < 0 then f > 0 for large lambda, and there is either stick (f(0) >= 0) or one slip. If
// b_N >= 0 then u_N = b_N + W_NN p_N + W_NT p_T > 0 for every p in K but 0, as mu |W_NT| < W_NN: takeoff alone. There,
// takeoff, stick and slip are tried in turn, slip by Newton's method on h = mu p_N / |p_T| - 1, which is linear in
// lambda where S is a multiple of the identity. Elsewhere all positive roots of the polynomial are isolated by
// Bernstein subdivision (Descartes' rule of signs [Collins1976]) and each is refined on h by Newton's method inside its
// bracket.
//
// Of several solutions the one nearest to the starting guess is returned (Euclidean distance of p; ties: takeoff, then
// stick, then slip with the smaller lambda): a contact stays in the state it was in while the laws allow it, and from
// no percussion (p = 0) an open contact stays open, which is the choice of least action.
//
// W may be slightly asymmetric (files). Where the solution is unique and d <= 2, nothing is diagonalised: p_T(lambda)
// is solved for by Cramer's rule with S as it is. Elsewhere S is diagonalised by its symmetric part and the result is
// polished by Newton's method on the full system.
class OneContact {
 public:
  enum class Kind { takeoff, stick, slip };

  struct Solution {
    Kind kind = Kind::takeoff;
    std::array<double, kMaxContactDim> p = {};  // (1 + d) [N s]
    double lambda = 0.0;                        // [1/kg] slip: |u_T| / |p_T|
  };
  /// takeoff, stick, and as many slips as the polynomial has roots.
  static constexpr int kMaxSolutions = 2 + 2 * kMaxFrictionDim;
  using Solutions = std::array<Solution, kMaxSolutions>;

  /// Takes friction dimension d, coefficient mu >= 0 [-] and W (1 + d, 1 + d) row-major [1/kg].
  void prepare(int friction_dim, double mu, const double* w);

  /// Solves for b (1 + d) [m/s]. p (1 + d) [N s]: on entry the starting guess, on exit the solution. Returns how many
  /// solutions there are. 0: none to working accuracy (a singular W); p is then the candidate of least residual.
  int solve(const double* b, double* p) const;

  /// All solutions, in the order takeoff, stick, slip by increasing lambda; returns how many.
  int solve_all(const double* b, Solutions& solutions) const;

  /// Whether the criterion above shows that the solution is unique for every b.
  bool is_unique() const { return unique_; }

 private:
  class SlipFunction;

  template <class Size>
  void decompose(Size d, const double* w);
  int dim() const { return 1 + d_; }
  bool is_frictionless() const { return d_ == 0 || mu_ == 0.0 || !(w_nn_ > 0.0); }
  int solve_frictionless(double b_normal, Solution& solution) const;
  Solution solve_unique(const double* b) const;
  int find_slips(const SlipFunction& function, Solution* slips) const;
  void polish(const double* b, Solution& solution) const;
  double calc_defect(const double* b, const double* p) const;
  void find_least_defect(const double* b, double* p) const;

  int d_ = 0;
  double mu_ = 0.0;
  bool unique_ = true;
  bool asymmetric_ = false;
  bool is_direct_ = false;                        // asymmetric, unique and d = 2: row_ and col_ as they are, Q = I
  double w_nn_ = 0.0;                             // [1/kg]
  std::array<double, 4> direct_ = {};             // (2, 2) [1/kg] S where is_direct_
  std::array<double, kMaxFrictionDim> s_ = {};    // [1/kg] eigenvalues of S
  std::array<double, kMaxFrictionDim> row_ = {};  // [1/kg] W_NT in the eigenbasis
  std::array<double, kMaxFrictionDim> col_ = {};  // [-] W_TN / W_NN in the eigenbasis
  std::array<double, kMaxFrictionDim* kMaxFrictionDim> q_ = {};  // (d, d) eigenvectors of S in columns
  std::array<double, kMaxContactDim* kMaxContactDim> w_ = {};    // (1 + d, 1 + d) [1/kg]
};

}  // namespace stickslip
