// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <vector>

#include "bench/pile/pile.h"

namespace stickslip {

/// What programs of the kind of [Tasora2011] do in a step of a pile, to compare with: contacts by a grid, then half-
/// implicit Euler with fifty sweeps of projected successive over-relaxation on the relaxed law of friction, from no
/// percussions, whatever is left over then. Each contact has three rows with full Jacobians (6) of either body and
/// M^-1 times these, in double precision. It shares nothing with the library's own solvers.
class PsorPile {
 public:
  struct Options {
    int sweeps = 50;
    double friction = 0.3;          // [-]
    double density = 1000.0;        // [kg/m^3]
    double gravity = 9.81;          // [m/s^2]
    double envelope = 0.01;         // [m] contacts with gaps up to this take part
    double correction_speed = 0.6;  // [m/s] at which overlaps are undone at most
  };
  PsorPile(const SpherePile& pile, const Options& options);

  /// One step of h [s] = detection, gathering, sweeps, motion.
  void step(double h);

  /// Of the last step.
  int n_contacts() const { return static_cast<int>(contacts_.size()); }
  /// Natural map of the exact law of Coulomb over all contacts, 2-norm, by the percussions and velocities that the
  /// sweeps ended with; w as the library's certificate has it, the mean of the diagonal of W. [m/s]
  double calc_coulomb_residual() const;
  /// The same of the relaxed law, which is what the sweeps solve. [m/s]
  double calc_relaxed_residual() const;
  /// Where the balls are now. [m]
  double calc_overlap();
  /// Processor time of the sweeps so far. [s]
  double sweep_seconds() const { return sweep_seconds_; }

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  struct Body {
    double radius = 0.0;              // [m]
    double inverse_mass = 0.0;        // [1/kg]
    Eigen::Vector3d inverse_inertia;  // [1/(kg m^2)] principal
    Eigen::Vector3d x;                // [m]
    Eigen::Vector4d q;                // w, x, y, z
    Eigen::Matrix3d turn;             // of q
    Vector6 v;                        // [m/s, rad/s] velocity, spin in the body's frame
  };
  /// One direction of a contact.
  struct Row {
    Vector6 jacobian[2];     // (6) of each body
    Vector6 responses[2];    // (6) M^-1 J^T
    double effective = 0.0;  // [1/kg] J M^-1 J^T
    double b = 0.0;          // [m/s]
    double p = 0.0;          // [N s]
  };
  struct Contact {
    Body* bodies[2];
    double gap = 0.0;    // [m]
    double scale = 0.0;  // [kg] 1 over the mean of the rows' `effective`
    Row rows[3];         // normal, two tangents
  };
  struct Pair {
    int a, b;  // body; b = -1 - k: wall k is the first
    double gap;
  };

  void find();
  void gather(double h);
  void sweep();
  void move(double h);
  double calc_velocity(const Contact& contact, int row) const;
  double calc_residual(bool is_exact) const;

  Options options_;
  double side_, floor_;
  std::vector<Body> bodies_;
  Body ground_;
  std::vector<Pair> pairs_;
  std::vector<Contact> contacts_;
  std::vector<int> cell_of_, first_, in_cell_;  // workspace of find()
  double sweep_seconds_ = 0.0;
};

}  // namespace stickslip
