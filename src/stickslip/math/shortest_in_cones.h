// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/math/block_lu.h"

namespace stickslip {

/// The shortest point of a product of cones that an operator maps to the same as a given one of them:
///
///   minimise 1/2 |y|^2   over y in K with A y = A y_0,   y_0 in K.
///
/// A consists of dense blocks: each part of y acts on one or two nodes, as a joint or a contact acts on two bodies. A
/// may be short of rank in rows and columns; what it maps to zero is what is taken from y_0.
///
/// Method: the dual, min over x of z . Pi(z) - 1/2 |Pi(z)|^2 - (A y_0) . x with z = A^T x and y = Pi(z) the projection
/// on K, by semismooth Newton steps with A Pi'(z) A^T and Armijo's rule, as in [Qi2006]. Where K is a whole space this
/// is one linear system, A A^T x = A y_0, refined. kRegular times the diagonal of A A^T is added to that matrix, which
/// no more changes y than what it leaves in A y_0 - A y: of directions that A, its rows scaled to unit length, shortens
/// to less than sqrt(kRegular) little is kept. Where that leaves more than 1e-5 |y_0| it is found by conjugate
/// gradients, that matrix being the preconditioner: no force that y_0 holds is lost, whatever the frame. Sparse: A A^T
/// has a block for each two nodes that a part couples (BlockLu).
class ShortestInCones {
 public:
  static constexpr double kRegular = 1e-8;  // [-]
  static constexpr int kMostColumns = 8;    // [-] of a part

  /// A factor of K.
  struct Part {
    enum class Kind {
      whole,  // R^dim
      cone,   // |(y_2, ..., y_dim)| <= size y_1; of dimension one the half line y_1 >= 0
      ball,   // |y| <= size
    };
    Kind kind = Kind::whole;
    int dim = 0;
    std::array<int, 2> nodes = {-1, -1};  // -1: none
    double size = 0.0;
  };

  /// Asks `stop` in factorisations and for each step, and throws Interrupted where it is raised.
  explicit ShortestInCones(StopToken stop = {}) : stop_(stop), lu_(stop) {}

  /// Takes the structure; all blocks of A are zero then. dims (n nodes): rows of A that belong to each. Keeps its
  /// memory.
  void set_structure(std::span<const int> dims, std::span<const Part> parts);
  /// Sizes and kinds of parts may change, their dim and nodes may not.
  Part& part(std::size_t k) { return parts_[k]; }
  /// The block of A of a part and the first or second of its nodes, transposed: (dim, rows of the node) row-major.
  double* block(std::size_t k, int side) { return values_.data() + first_value_[k][side]; }
  /// (dim) of a part: y_0 before solve(), y after it.
  double* value(std::size_t k) { return y_.data() + first_column_[k]; }

  /// Replaces y_0 by y. False, and y_0 kept, where it was not found.
  /// `holds`: parts that are not whole spaces stay what they are, and only the others are sought.
  [[nodiscard]] bool solve(bool holds = false);
  /// Whether the last y differs from y_0 by more than round-off makes it.
  bool has_changed() const { return has_changed_; }

 private:
  void find_pattern();
  bool factorise();
  void project(bool holds);
  double descend(double size, double left);
  double solve_linear(bool holds, double size, double left);
  double calc_dual() const;
  double calc_residual();
  void multiply(const std::vector<double>& y, std::vector<double>& x) const;             // x = A y
  void multiply_transposed(const std::vector<double>& x, std::vector<double>& z) const;  // z = A^T x

  StopToken stop_;
  std::vector<Part> parts_;
  std::vector<int> dims_, first_row_;                    // (nodes)
  std::vector<int> first_column_;                        // (parts)
  std::vector<int> first_derivative_;                    // (parts)
  std::vector<std::array<std::size_t, 2>> first_value_;  // (parts)
  std::vector<double> values_;
  std::vector<double> derivatives_;  // Pi', a (dim, dim) block a part
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> row_begin_, columns_;            // the pattern of A A^T
  std::vector<std::array<std::size_t, 4>> places_;  // (parts) of the blocks of its nodes (s, t) in it, at 2 s + t
  std::vector<std::size_t> diagonal_places_;        // (nodes)
  std::vector<double> product_, scratch_;
  BlockLu lu_;
  // No Eigen vectors, which take memory anew with each size.
  std::vector<double> y_, y_0_, z_;                                            // (n columns)
  std::vector<double> b_, x_, base_, direction_, last_, best_, r_, diagonal_;  // (n rows); diagonal_ of A A^T
  bool has_changed_ = false;
};

}  // namespace stickslip
