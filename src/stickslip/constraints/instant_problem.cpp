// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/instant_problem.h"

#include <cmath>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/cone/condense.h"

namespace stickslip {
namespace {

/// Puts W and b of what of_problem, given and `measures` (n, n of the problem), accelerations in the Instant's rows,
/// say into the problem. b (n) [m/s^2] of the Instant's rows.
void fill_problem(const Matrix& W, const Vector& b, const Matrix& measures, InstantProblem& made) {
  const Matrix by_columns = measures.transpose() * W * made.of_problem;
  const Vector without = measures.transpose() * (b + W * made.given);
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
        for (int c = 0; c < other.dim; ++c) values.push_back(by_columns(cone.offset + r, other.offset + c));
      }
    }
    stored.add_row(columns, dims, cone.dim, values);
    for (int r = 0; r < cone.dim; ++r) made.problem.b[cone.offset + r] = without(cone.offset + r);
  }
  made.problem.delassus = std::move(stored);
}

/// Adds a cone with its first n rows, and how these make the Instant's.
class InstantProblemBuilder {
 public:
  explicit InstantProblemBuilder(const Instant& instant) : instant_(instant), all_(instant.constraints().problem()) {
    const auto n = static_cast<Eigen::Index>(all_.size());
    columns_ = Matrix::Zero(n, n);
    measures_ = columns_;
    made_.given = Vector::Zero(n);
  }

  InstantProblem& made() { return made_; }

  /// With discs, or as the Instant has it.
  void add_whole(int i, bool as_instant) {
    const Cone& cone = all_.cones[i];
    switch (cone.kind) {
      case ConeKind::contact: {
        std::vector<FrictionBlock> friction(all_.friction(cone).begin(), all_.friction(cone).end());
        if (as_instant && !friction.empty()) friction.front() = instant_.friction_block(i);
        made_.problem.add_contact(friction);
        break;
      }
      case ConeKind::ball:
        made_.problem.add_ball(cone.dim, cone.radius);
        break;
      case ConeKind::free:
        made_.problem.add_free(cone.dim);
        break;
    }
    for (int r = 0; r < cone.dim; ++r) {
      measures_(cone.offset + r, n_) = 1.0;
      columns_(cone.offset + r, n_++) = 1.0;
    }
    note(i, false);
  }

  /// A contact of which something slides: its normal row, with the friction of what slides, and the rows of what
  /// sticks; on an edge of a polygon the row across, too.
  void add_sliding(int i) {
    const Cone& cone = all_.cones[i];
    std::vector<FrictionBlock> friction;
    const bool slides = instant_.mode(i) == InstantMode::sliding;
    if (!slides || instant_.on_edge(i)) friction.push_back(instant_.friction_block(i));
    for (const Instant::Turning& turning : instant_.turning(i)) {
      if (!turning.slides) friction.push_back({turning.n, 1.0, 0, 0.0});
    }
    if (!friction.empty() && friction.front().dim == 0) friction.erase(friction.begin());
    made_.problem.add_contact(friction);
    const Eigen::Index normal = n_;
    const auto hold = [&](Eigen::Index row) {
      measures_(cone.offset + row, n_) = 1.0;
      columns_(cone.offset + row, n_++) = 1.0;
    };
    const auto rub = [&](int first, std::span<const double> direction, double mu) {
      for (std::size_t r = 0; r < direction.size(); ++r) {
        columns_(cone.offset + first + static_cast<Eigen::Index>(r), normal) = -mu * direction[r];
      }
    };
    hold(0);
    const std::span<const double> n = instant_.slip_direction(i);
    if (slides) rub(1, n, instant_.slip_friction(i));
    for (int r = 0; r < static_cast<int>(n.size()) && !slides; ++r) hold(1 + r);
    if (instant_.on_edge(i)) {
      for (Matrix* each : {&columns_, &measures_}) {
        (*each)(cone.offset + 1, n_) = -n[1];
        (*each)(cone.offset + 2, n_) = n[0];
      }
      ++n_;
    }
    for (const Instant::Turning& turning : instant_.turning(i)) {
      const auto dim = static_cast<std::size_t>(turning.n);
      if (turning.slides) rub(turning.first, std::span(turning.direction).first(dim), 1.0);
      for (int r = 0; r < turning.n && !turning.slides; ++r) hold(turning.first + r);
    }
    note(i, friction.empty());
  }

  /// Dry friction that slides.
  void give(int i) {
    const Cone& cone = all_.cones[i];
    const std::span<const double> n = instant_.slip_direction(i);
    for (int r = 0; r < cone.dim; ++r) made_.given(cone.offset + r) = -cone.radius * n[r];
  }

  InstantProblem finish(const Vector& b) {
    made_.of_problem = columns_.leftCols(n_);
    fill_problem(make_dense_delassus(all_), b, measures_.leftCols(n_), made_);
    return std::move(made_);
  }

 private:
  void note(int i, bool slides) {
    made_.cones.push_back(i);
    made_.slides.push_back(slides);
  }

  const Instant& instant_;
  const ConeProblem& all_;
  InstantProblem made_;
  Matrix columns_, measures_;  // (n, n of the problem) its forces, and its accelerations, in the Instant's rows
  Eigen::Index n_ = 0;
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
        if (is_contact && instant.has_sliding_friction(i)) {
          builder.add_sliding(i);
        } else {
          builder.add_whole(i, true);
        }
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
    builder.add_whole(i, false);
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
