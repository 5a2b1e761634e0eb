// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "stickslip/cone/cone_problem.h"

namespace stickslip::test {

// For tests of solvers only; nothing in the library includes it. Boxes with redundant contacts: four corners each.

/// One step of boxes that rest on each other and on the floor.
class Boxes {
 public:
  static constexpr double kFall = 0.1;      // [m/s] h g
  static constexpr double kFriction = 0.5;  // [-]

  /// Boxes of these masses [kg], cubes with edges of 1 m; u = (velocity, angular velocity) of each.
  explicit Boxes(const std::vector<double>& masses, double push = 0.0) : masses_(masses), push_(push) {}

  int n_contacts() const { return static_cast<int>(contacts_.size()); }

  /// Contacts in the given order.
  ConeProblem make(FrictionLaw law, const std::vector<int>& order) const {
    ConeProblem problem;
    problem.law = law;
    FactoredDelassus w;
    for (const double mass : masses_) {
      Matrix inverse = Matrix::Identity(6, 6) / mass;
      inverse.bottomRightCorner(3, 3) *= 6.0;  // a cube's inertia is m / 6
      w.add_body(inverse);
    }
    const FrictionBlock block{2, kFriction, 0, 0.0};
    for (const int k : order) {
      const Contact& contact = contacts_[k];
      const int first = 3 * problem.add_contact({&block, 1});
      w.begin_row(3);
      // Upwards and along x and y, at the corner (x, y) of the upper one's lower side.
      if (contact.lower >= 0) w.add_block(contact.lower) = -make_rows(contact.x_lower, contact.y_lower, 0.5);
      w.add_block(contact.upper) = make_rows(contact.x_upper, contact.y_upper, -0.5);
      // Every box falls by h g; so the gaps close at the floor only. The topmost is pushed along x.
      problem.b[first] = contact.lower >= 0 ? 0.0 : -kFall;
      if (contact.upper == static_cast<int>(masses_.size()) - 1) problem.b[first + 1] = push_;
    }
    problem.delassus = w;
    return problem;
  }
  ConeProblem make(FrictionLaw law) const {
    std::vector<int> order(contacts_.size());
    std::iota(order.begin(), order.end(), 0);
    return make(law, order);
  }

 protected:
  struct Contact {
    int lower;  // -1: the floor
    int upper;
    double x_lower, y_lower, x_upper, y_upper;  // [m] from their centres
  };
  /// Box `upper` rests on `lower`, from which it is `shift` [m] away along x, by the corners they share.
  void rest(int lower, int upper, double shift = 0.0) {
    const double half_width = 0.5 - 0.5 * (shift < 0.0 ? -shift : shift);
    for (const double sx : {-1.0, 1.0}) {
      for (const double sy : {-1.0, 1.0}) {
        const double x = 0.5 * shift + sx * half_width;  // from the lower one's centre
        contacts_.push_back({lower, upper, x, 0.5 * sy, x - shift, 0.5 * sy});
      }
    }
  }

 private:
  /// Rows of z, x and y velocity of the material point (x, y, z).
  static Matrix make_rows(double x, double y, double z) {
    Matrix rows = Matrix::Zero(3, 6);
    rows(0, 2) = rows(1, 0) = rows(2, 1) = 1.0;
    rows(0, 3) = y;  // w x r = (w_y z - w_z y, w_z x - w_x z, w_x y - w_y x)
    rows(0, 4) = -x;
    rows(1, 4) = z;
    rows(1, 5) = -y;
    rows(2, 5) = x;
    rows(2, 3) = -z;
    return rows;
  }

  std::vector<double> masses_;
  double push_;
  std::vector<Contact> contacts_;
};

/// One on the other.
class BoxStack : public Boxes {
 public:
  explicit BoxStack(const std::vector<double>& masses, double push = 0.0) : Boxes(masses, push) {
    for (std::size_t k = 0; k < masses.size(); ++k) rest(static_cast<int>(k) - 1, static_cast<int>(k));
  }
};

/// Rows of boxes, each but those of the lowest row on two: n (n + 1) / 2 of them, of 1 kg.
class BoxPyramid : public Boxes {
 public:
  explicit BoxPyramid(int n_rows)
      : Boxes(std::vector<double>(static_cast<std::size_t>(n_rows) * (n_rows + 1) / 2, 1.0)) {
    int below = -1;  // first box of the row below
    int box = 0;
    for (int row = 0; row < n_rows; ++row) {
      const int first = box;
      for (int k = 0; k < n_rows - row; ++k, ++box) {
        if (row == 0) {
          rest(-1, box);
        } else {
          rest(below + k, box, 0.5);
          rest(below + k + 1, box, -0.5);
        }
      }
      below = first;
    }
  }
};

}  // namespace stickslip::test
