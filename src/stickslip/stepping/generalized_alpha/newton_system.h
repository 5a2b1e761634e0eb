// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "stickslip/constraints/element_derivatives.h"
#include "stickslip/math/sparse_solver.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// The linear system of a semismooth Newton step on the equations of a step, with the index sets as active sets. a, U
/// and Q are eliminated block by block through the iteration matrix
///   S = M + dt gamma' C + dt^2 beta' K B,   C = -dh/du,   K = -d(h + W lambda)/dq,
/// which leaves a system in the multipliers (kappa_hat, P, lambda) of the closed contacts and of the joints, scaled to
/// lengths. Derivatives of W Lambda and W kappa are taken as if the impulses were dt gamma' and dt^2 beta'
/// times the forces, which is exact in smooth motion. The direction of a sliding contact's lambda_F takes the
/// derivatives of xi_F for those of gamma_F, which differ by e_F d gamma_F(t', q', u)/dq. The others are exact.
///
/// All columns of that system are combinations of M^-1 w, S^-1 w and S^-1 dh/du M^-1 w, two solves a row w of W,
/// because
///   dt^2 beta' S^-1 K M^-1 w = S^-1 w - M^-1 w - dt gamma' S^-1 dh/du M^-1 w.
///
/// A small system is dense and solved by elimination. Where a pivot is small, again with complete pivoting, which where
/// it is rank deficient (redundant contacts or joints) gives the step of least norm that leaves the least residual; an
/// orthogonal decomposition does where the rank is not plain. A large system couples only elements that share a
/// velocity block; its rows are kept compressed to these and solved by SparseSolver.
class NewtonSystem {
 public:
  explicit NewtonSystem(const Step& step);

  /// Whether the system of the present index sets is large: sparse, of unknown rank.
  static bool is_large(const Step& step);
  bool is_dense() const { return dense_; }
  /// Of the last system.
  int n_rows() const { return n_; }

  /// Finds the change of x at step.x, which must be evaluated. False: none was found.
  bool solve(const Step& step);
  /// Moves step.x by a share of it.
  void apply(Step& step, double factor) const;

  /// Numbers the rows and takes all derivatives, as solve() does.
  void calc_derivatives(const Step& step);
  const ElementDerivatives& derivatives() const { return derivatives_; }
  /// The elements that have some: those that were closed then.
  const std::vector<int>& elements() const { return elements_; }

 private:
  /// The multipliers of one element: [kappa_hat][P][lambda], as many as its level has.
  struct Group {
    int element;
    int row;                          // first row and column
    int own;                          // place of its own columns in its rows
    std::size_t first_link, n_links;  // the groups whose columns its rows have
    int width;                        // how many columns these are
    int n_pos, n_vel, n_acc;
    int size() const { return n_pos + n_vel + n_acc; }
    int n_directions() const { return n_vel > n_pos ? n_vel : n_pos; }  // rows of W that it has multipliers on
  };
  /// The change by one multiplier on the row w of W, with y = M^-1 w, s = S^-1 w and z = S^-1 dh/du y:
  ///   da = by_s s + by_z z + by_y y,   du = dt gamma' da + by_U y,   dv = dt^2 beta' (by_s s + by_z z).
  struct Column {
    double by_s, by_z, by_y, by_U;
  };
  /// Columns of another group in a group's rows.
  struct Link {
    int group;
    int at;  // first place in the rows
  };
  /// One friction law in sliding, rows and columns of the system by their first index.
  struct Sliding {
    double radius;                              // of the ball
    int target;                                 // rows of the law, columns of its multiplier
    int source;                                 // rows of the quantity in the argument of the prox
    int in_argument;                            // columns of the multiplier in the argument, -1: none
    int normal;                                 // column of the normal multiplier, -1: constant radius
    double r;                                   // [kg] prox parameter
    double size;                                // |argument|
    const double* multiplier;                   // (n) at the iterate
    const double* value;                        // (n) the quantity at the iterate
    const double* direction;                    // (n) argument / |argument|
    const Stretch* value_stretch = nullptr;     // of the value; null: none
    const Stretch* argument_stretch = nullptr;  // its inverse, of the multiplier in the argument; null: none
  };

  void reserve(const Step& step);
  void resize_rows();
  void number_rows(const Step& step);
  void link_groups(const Step& step);
  bool factorise_blocks(const Step& step);
  void calc_free_change(const Step& step);
  void calc_responses(const Step& step);
  void calc_columns(const Step& step, const Group& group, const StepElement& e);
  void assemble(const Step& step);
  void add_rows(const Step& step, const Group& row, const StepElement& e);
  void add_free_rows(const Step& step, const Group& group, const StepElement& e);
  void couple(const Step& step, const Group& row, const StepElement& e, int t, const Group& column,
              std::size_t at_column, int shift);
  template <bool damped, class Size>
  void couple_sized(Size n, const Step& step, const Group& row, std::size_t at_row, const Group& column,
                    std::size_t at_column, int block, int shift);
  void apply_laws(const Step& step, const Group& group, const StepElement& e);
  void slide_set(const Step& step, const Group& group, const StepElement& e, int set);
  void slide(const Group& group, int n, double mu, const Sliding& s);
  bool solve_system();
  bool solve_dense_system();
  bool solve_sparse_system();
  void add_responses(const Step& step);
  double* row(int i) { return matrix_.data() + row_begin_[i]; }

  ElementDerivatives derivatives_;
  std::vector<double> S_;            // (n_u, n_u) of each velocity block: its LU factors
  std::vector<int> pivots_;          // (all n_u)
  std::vector<double> SinvW_;        // S^-1 w of each row w of W, in its layout
  std::vector<double> SinvHMinvW_;   // S^-1 dh/du M^-1 w
  Vector free_u_, free_v_, free_a_;  // (n_u) the change of u, v, a, first with the multipliers held
  Vector work_;                      // (n_u)

  std::vector<Group> groups_;
  std::vector<int> elements_;  // (groups_)
  std::vector<Link> links_;
  std::vector<std::size_t> row_begin_;          // (n) first value of each row in matrix_
  std::vector<std::vector<int>> block_groups_;  // per velocity block: the groups that act on it
  std::vector<int> marks_;                      // per group: the last one that it was linked to
  bool dense_ = true;
  SparseSolver sparse_;
  std::vector<Column> columns_;
  int n_ = 0;
  std::size_t n_values_ = 0;    // in matrix_
  std::vector<double> matrix_;  // rows, each of the columns that its group is linked to; all of them where dense
  std::vector<double> rhs_;     // (n)
  std::vector<double> scale_;   // (n) multiplier per unit of length
  std::vector<double> copy_, work_rhs_, solution_;
  std::vector<double> sliding_;  // (n_F, n) rows of a law before they are put in place
  std::array<double, kMaxElementDim> sliding_rhs_ = {};
  std::vector<int> order_;
};

}  // namespace stickslip::generalized_alpha
