// SPDX-License-Identifier: BSD-3-Clause
// Rows of single constraints against those that ConstraintSet gathers, and their derivatives against differences.
#include "stickslip/constraints/element_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/constraints/element_derivatives.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

using test::make_body;

/// Two rigid bodies with balls, on a floor and on each other, a rod between them, and dry friction at one.
System make_system() {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  Body floor = make_body('f', "floor", false);
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitZ(), .offset = 0.0}}};
  Body first = make_body('r', "first", false);
  first.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = 0.3}, .position = Vector3(0.1, 0.0, 0.0)}};
  Body second = make_body('r', "second", false);
  second.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = 0.2}}};
  const int ground = builder.add_body(floor);
  const int one = builder.add_body(first);
  const int two = builder.add_body(second);
  const auto touch = [&](int a, int b) {
    ContactPairOptions pair;
    pair.name = "c" + std::to_string(a) + std::to_string(b);
    pair.first = a;
    pair.second = b;
    pair.first_shape = 0;
    pair.second_shape = 0;
    pair.law.friction = 0.3;
    builder.add_contact(pair);
  };
  touch(ground, one);
  touch(one, two);
  JointOptions rod;
  rod.name = "rod";
  rod.type = JointType::distance;
  rod.first = one;
  rod.second = two;
  rod.length = 0.7;
  builder.add_joint(rod);
  Force dry;
  dry.name = "dry";
  dry.law = DryFriction{.first = ground, .second = one, .bound = 1.5, .axis = std::nullopt};
  builder.add_force(dry);
  return builder.build();
}

class Elements : public testing::Test {
 protected:
  Elements() : system(make_system()), contacts(system), rows(system, contacts) {
    q.resize(system.n_q());
    q << 0.1, 0.2, 0.5, 0.8, 0.1, -0.5, 0.3, 0.7, -0.1, 0.9, 0.6, -0.2, 0.4, 0.5;
    for (int i = 0; i < 2; ++i) q.segment<4>(7 * i + 3).normalize();
    u = Vector::LinSpaced(12, -1.0, 1.3);
    for (int k = 0; k < contacts.n_named(); ++k) elements.push_back(rows.add_contact(k));
    elements.push_back(rows.add_dry_friction(0));
    elements.push_back(rows.add_joint(0));
    rows.keep_added();
  }
  void evaluate(const Vector& at, const Vector& speed, const Vector& a) {
    for (ConstraintElement& e : elements) {
      if (e.kind == ConstraintElement::Kind::contact) rows.calc_gap(e, 0.0, at, speed);
      rows.calc_rates(e, 0.0, at, speed);
      rows.calc_accelerations(e, 0.0, at, speed, a);
    }
  }
  /// q moved by velocities v: q + B(q) v.
  Vector moved(const Vector& v) const {
    Vector rates(system.n_q());
    system.calc_coordinate_rates(q, v, rates);
    return q + rates;
  }

  System system;
  ContactFinder contacts;
  ElementRows rows;
  std::vector<ConstraintElement> elements;
  Vector q, u;
};

TEST_F(Elements, VelocitiesAreTheRatesOfGaps) {
  evaluate(q, u, Vector::Zero(12));
  const std::vector<ConstraintElement> now = elements;
  constexpr double kStep = 1e-7;
  evaluate(moved(kStep * u), u, Vector::Zero(12));
  const std::vector<ConstraintElement> later = elements;
  evaluate(moved(-kStep * u), u, Vector::Zero(12));
  for (std::size_t k = 0; k < elements.size(); ++k) {
    for (int i = 0; i < now[k].n_pos; ++i) {
      EXPECT_NEAR((later[k].gap[i] - elements[k].gap[i]) / (2.0 * kStep), now[k].gamma[i], 1e-7) << k;
    }
    // gamma_dot without accelerations: the rate of gamma along the motion.
    for (int i = 0; i < now[k].dim; ++i) {
      EXPECT_NEAR((later[k].gamma[i] - elements[k].gamma[i]) / (2.0 * kStep), now[k].gamma_dot[i], 1e-6) << k << i;
    }
  }
}

TEST_F(Elements, ProductsAgreeWithTheDenseMatrices) {
  evaluate(q, u, Vector::Zero(12));
  for (const ConstraintElement& e : elements) {
    Matrix W = Matrix::Zero(12, e.dim);  // by its columns
    for (int i = 0; i < e.dim; ++i) {
      std::vector<double> unit(e.dim, 0.0);
      unit[i] = 1.0;
      Vector column = Vector::Zero(12);
      rows.add_force(e, unit.data(), column);
      W.col(i) = column;
      Vector response = Vector::Zero(12);
      rows.add_response(e, unit.data(), response);
      Vector expected(12);
      system.solve_mass(column, expected);
      EXPECT_LE((response - expected).norm(), 1e-14 * expected.norm());
    }
    std::vector<double> gamma(e.dim);
    rows.multiply_transposed(e, u, gamma.data());
    Vector solved(12);
    for (int i = 0; i < e.dim; ++i) {
      EXPECT_NEAR(gamma[i], W.col(i).dot(u), 1e-14);
      EXPECT_NEAR(gamma[i], e.gamma[i], 1e-13);  // nothing moves as prescribed
      system.solve_mass(Vector(W.col(i)), solved);
      EXPECT_NEAR(e.diagonal[i], W.col(i).dot(solved), 1e-13);
      for (int j = 0; j < e.dim; ++j) EXPECT_NEAR(rows.calc_coupling(e, j, e, i), W.col(j).dot(solved), 1e-13);
    }
  }
}

TEST_F(Elements, DroppedContactsLeaveTheRestInPlace) {
  const int n = rows.n_rows();
  const ConstraintElement again = rows.add_contact(1);
  EXPECT_EQ(again.offset, n);
  rows.drop_others();
  EXPECT_EQ(rows.n_rows(), n);
  EXPECT_EQ(rows.add_contact(0).offset, n);
  EXPECT_EQ(rows.n_kept_rows(), n);
}

TEST_F(Elements, DerivativesAreThoseOfDifferences) {
  const Vector a = Vector::LinSpaced(12, 2.0, -3.0);
  evaluate(q, u, a);
  ElementDerivatives derivatives(system, rows);
  const ElementDerivatives::At at{0.0, q, u, a, q, u};
  derivatives.set_forces(at, {});
  const std::vector<double> none(kMaxElementDim, 0.0);
  for (const ConstraintElement& e : elements) derivatives.add_element(at, e, none.data());
  const std::vector<ConstraintElement> now = elements;
  constexpr double kStep = 1e-6;
  for (int c = 0; c < 12; ++c) {
    const Vector unit = Vector::Unit(12, c);
    evaluate(moved(kStep * unit), u, a);
    const std::vector<ConstraintElement> ahead = elements;
    evaluate(moved(-kStep * unit), u, a);
    const std::vector<ConstraintElement> behind = elements;
    evaluate(q, u + kStep * unit, a);
    const std::vector<ConstraintElement> faster = elements;
    evaluate(q, u - kStep * unit, a);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const ConstraintElement& e = now[k];
      for (int t = 0; t < e.n_touches; ++t) {
        const VelocityBlock& block = rows.blocks()[e.touches()[t].block];
        const int column = c - block.u_offset;
        if (column < 0 || column >= block.n_u) continue;
        for (int i = 0; i < e.dim; ++i) {
          const std::size_t value = e.touches()[t].values + static_cast<std::size_t>(i) * block.n_u + column;
          const auto difference = [&](const auto& over) { return over / (2.0 * kStep); };
          if (i < e.n_pos) {
            EXPECT_NEAR(derivatives.gap_v()[value], difference(ahead[k].gap[i] - behind[k].gap[i]), 1e-7);
          }
          EXPECT_NEAR(derivatives.xi_v()[value], difference(ahead[k].gamma[i] - behind[k].gamma[i]), 1e-6);
          EXPECT_NEAR(derivatives.gamma_dot_v()[value], difference(ahead[k].gamma_dot[i] - behind[k].gamma_dot[i]),
                      1e-5);
          EXPECT_NEAR(derivatives.gamma_dot_u()[value], difference(faster[k].gamma_dot[i] - elements[k].gamma_dot[i]),
                      1e-6);
        }
      }
    }
  }
}

/// Those of xi = gamma(t, q, u) + e gamma(t, q, u_start), by row of the element.
TEST_F(Elements, DerivativesOfRestitutionAreThoseOfDifferences) {
  const Vector zero = Vector::Zero(12);
  const Vector u_start = Vector::LinSpaced(12, -1.5, 2.5);
  evaluate(q, u, zero);
  ElementDerivatives derivatives(system, rows);
  derivatives.set_forces({0.0, q, u, zero, q, u_start}, {});
  const std::vector<double> none(kMaxElementDim, 0.0);
  std::vector<ConstraintElement> restituting;
  for (ConstraintElement e : elements) {
    if (e.kind != ConstraintElement::Kind::contact) continue;
    e.e_normal = 0.7;
    e.e_tangent = 0.3;
    derivatives.add_element({0.0, q, u, zero, q, u_start}, e, none.data());
    restituting.push_back(e);
  }
  ASSERT_FALSE(restituting.empty());
  constexpr double kStep = 1e-6;
  for (const ConstraintElement& e : restituting) {
    const auto calc_xi = [&](const Vector& at, int i) {
      std::array<double, kMaxElementDim> now, start;
      rows.calc_velocity(e, 0.0, at, u, now.data());
      rows.calc_velocity(e, 0.0, at, u_start, start.data());
      return now[i] + (i == 0 ? 0.7 : 0.3) * start[i];
    };
    for (int t = 0; t < e.n_touches; ++t) {
      const VelocityBlock& block = rows.blocks()[e.touches()[t].block];
      for (int column = 0; column < block.n_u; ++column) {
        const Vector unit = kStep * Vector::Unit(12, block.u_offset + column);
        for (int i = 0; i < e.dim; ++i) {
          const double difference = (calc_xi(moved(unit), i) - calc_xi(moved(-unit), i)) / (2.0 * kStep);
          EXPECT_NEAR(derivatives.xi_v()[e.touches()[t].values + i * block.n_u + column], difference, 1e-6);
        }
      }
    }
  }
}

}  // namespace
}  // namespace stickslip
