// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/instant_problem.h"

#include <cmath>
#include <utility>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

using RowsOf = std::vector<std::pair<int, int>>;  // (cones of the problem) first row of the Instant, how many

/// W of the Instant's rows, in full. (n, n) [1/kg]
Matrix make_full_delassus(const ConeProblem& problem) {
  const auto n = static_cast<Eigen::Index>(problem.size());
  Matrix W(n, n);
  std::vector<double> unit(n, 0.0);
  std::vector<double> column(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    unit[j] = 1.0;
    problem.apply_delassus(unit, column);
    unit[j] = 0.0;
    W.col(j) = ConstVectorView(column.data(), n);
  }
  return W;
}

/// Puts W and b of what of_problem, given and the rows say into the problem. b (n) [m/s^2] of the Instant's rows.
void fill_problem(const Matrix& W, const Vector& b, const RowsOf& rows, InstantProblem& made) {
  const Matrix by_columns = W * made.of_problem;
  const Vector without = b + W * made.given;
  StoredDelassus stored;
  std::vector<int> columns;
  std::vector<int> dims;
  for (int j = 0; j < made.problem.n_cones(); ++j) {
    columns.push_back(j);
    dims.push_back(made.problem.cones[j].dim);
  }
  for (int i = 0; i < made.problem.n_cones(); ++i) {
    const Cone& cone = made.problem.cones[i];
    std::vector<double> values;
    for (const Cone& other : made.problem.cones) {
      for (int r = 0; r < cone.dim; ++r) {
        for (int c = 0; c < other.dim; ++c) values.push_back(by_columns(rows[i].first + r, other.offset + c));
      }
    }
    stored.add_row(columns, dims, cone.dim, values);
    for (int r = 0; r < cone.dim; ++r) made.problem.b[cone.offset + r] = without(rows[i].first + r);
  }
  made.problem.delassus = std::move(stored);
}

/// Adds a cone with its first n rows, and how these make the Instant's.
class InstantProblemBuilder {
 public:
  explicit InstantProblemBuilder(const Instant& instant) : instant_(instant), all_(instant.constraints().problem()) {
    const auto n = static_cast<Eigen::Index>(all_.size());
    columns_ = Matrix::Zero(n, n);
    made_.given = Vector::Zero(n);
  }

  InstantProblem& made() { return made_; }

  void add_whole(int i) {
    const Cone& cone = all_.cones[i];
    switch (cone.kind) {
      case ConeKind::contact:
        made_.problem.add_contact(all_.friction(cone));
        break;
      case ConeKind::ball:
        made_.problem.add_ball(cone.dim, cone.radius);
        break;
      case ConeKind::free:
        made_.problem.add_free(cone.dim);
        break;
    }
    for (int r = 0; r < cone.dim; ++r) columns_(cone.offset + r, n_++) = 1.0;
    note(i, cone.dim, false);
  }

  /// A contact that slides: its normal row, with its friction.
  void add_sliding(int i) {
    const Cone& cone = all_.cones[i];
    const double mu = cone.n_blocks > 0 ? all_.friction(cone).front().mu : 0.0;
    const std::span<const double> n = instant_.slip_direction(i);
    made_.problem.add_contact({});
    columns_(cone.offset, n_) = 1.0;
    for (std::size_t r = 0; r < n.size(); ++r) {
      columns_(cone.offset + 1 + static_cast<Eigen::Index>(r), n_) = -mu * n[r];
    }
    ++n_;
    note(i, 1, true);
  }

  /// Dry friction that slides.
  void give(int i) {
    const Cone& cone = all_.cones[i];
    const std::span<const double> n = instant_.slip_direction(i);
    for (int r = 0; r < cone.dim; ++r) made_.given(cone.offset + r) = -cone.radius * n[r];
  }

  InstantProblem finish(const Vector& b) {
    made_.of_problem = columns_.leftCols(n_);
    fill_problem(make_full_delassus(all_), b, rows_, made_);
    return std::move(made_);
  }

 private:
  void note(int i, int dim, bool slides) {
    made_.cones.push_back(i);
    made_.slides.push_back(slides);
    rows_.emplace_back(all_.cones[i].offset, dim);
  }

  const Instant& instant_;
  const ConeProblem& all_;
  InstantProblem made_;
  Matrix columns_;
  Eigen::Index n_ = 0;
  RowsOf rows_;
};

}  // namespace

Vector InstantProblem::calc_lambda(std::span<const double> p) const {
  return given + of_problem * ConstVectorView(p.data(), static_cast<Eigen::Index>(p.size()));
}

InstantProblem make_acceleration_problem(const Instant& instant) {
  const ConstraintSet& set = instant.constraints();
  InstantProblemBuilder builder(instant);
  for (int i = 0; i < set.count(); ++i) {
    const bool is_contact = set.kind(i) == ConstraintSet::Kind::contact;
    switch (instant.mode(i)) {
      case InstantMode::open:
      case InstantMode::separating:
        break;
      case InstantMode::sliding:
        if (is_contact) {
          builder.add_sliding(i);
        } else {
          builder.give(i);
        }
        break;
      case InstantMode::sticking:
      case InstantMode::bilateral:
        builder.add_whole(i);
        break;
    }
  }
  return builder.finish(ConstVectorView(instant.given().data(), set.size()));
}

InstantProblem make_relaxed_problem(const Instant& instant, const BodySnapshot& at,
                                    const std::vector<ContactPoint>& points, double delta, double damping) {
  STICKSLIP_ASSERT(delta > 0.0 && damping >= 0.0);
  const ConstraintSet& set = instant.constraints();
  InstantProblemBuilder builder(instant);
  Vector b = ConstVectorView(instant.given().data(), set.size());
  for (int i = 0; i < set.count(); ++i) {
    builder.add_whole(i);
    const Cone& cone = set.problem().cones[i];
    const InstantMode mode = instant.mode(i);
    const bool is_contact = set.kind(i) == ConstraintSet::Kind::contact;
    for (int r = 0; r < cone.dim; ++r) {
      const bool is_normal = is_contact && r == 0;
      const bool moves = is_normal                        ? instant.jumps(i) || mode == InstantMode::separating
                         : mode == InstantMode::bilateral ? instant.jumps(i)
                                                          : mode != InstantMode::sticking;
      if (moves) b(cone.offset + r) += 2.0 * damping / delta * set.gamma()[cone.offset + r];
    }
    const auto add_position = [&](int row, double g) {
      if (std::abs(g) > instant.zero_gap(i, row)) b(cone.offset + row) += g / (delta * delta);
    };
    if (is_contact) add_position(0, calc_gap(at, points[set.index(i)]));
    if (set.kind(i) != ConstraintSet::Kind::joint) continue;
    JointVector g;
    at.system().calc_joint_position(set.index(i), at.t(), at.q(), g);
    for (int r = 0; r < cone.dim; ++r) add_position(r, g(r));
  }
  return builder.finish(b);
}

}  // namespace stickslip
