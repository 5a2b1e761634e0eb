// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/constraints/stiffness.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Springs, dampers and beams taken at the end of a step, by one linear solve. With f(t, q, u) the applied forces, C
/// and K of them, t^ = t + h/2, and q^ = q + h/2 B u where the velocities at the start lead by the middle of the step:
///
///   f' = f(t^, q^, u) - C (u' - u) - K (h u' - h/2 u),   M_hat = M + h C + h^2 K,
///   M_hat (u' - u) = h f(t^, q^, u) - h^2/2 K u + J^T p
///
/// for positions that follow q' = q + h B u'. For a linear system this is backward Euler: it gains no energy at any
/// stiffness, modes that the step cannot resolve are damped out, and a state of equilibrium is one of the step exactly.
/// Directions are those of the middle of the step; the length of a spring goes on from that at the start. C and K are
/// symmetric and positive semidefinite: of springs c w w^T and k w w^T, w their rows at (t', q^), and what tension
/// holds across; of beams the exact stiffness, element by element, without what makes an element unstable; of forces
/// that depend on the state what is mutual in the sum of -W F_x R over all of them, x' = R u, without its part that
/// drives (eigenvalues < 0, in coordinates scaled by the square root of the diagonal of M). What is left away (the arms
/// of tensions, struts under compression, forces of the state that act one way, or across a velocity) stays as explicit
/// as the rest. Springs and dampers of joints are neither in f nor in C and K: they are rows of the problem
/// (servo_rows.h), which take the same.
class ImplicitForces {
 public:
  /// Forces are implicit where h c/m + h^2 k/m passes this on some body: up to 1 an explicit damper stops a body within
  /// a step at most, never turns it around, and an explicit oscillator makes a radian a step; both blow up from 2 on.
  /// [-]
  static constexpr double kMostExplicit = 1.0;

  explicit ImplicitForces(const System& system, StopToken stop = {});

  /// Whether a step of h [s] from a state needs them. c/m and k/m of a body are sums over all that acts on it
  /// (stiffness.h).
  bool are_needed(const State& state, double h);

  /// Whether M_hat ever differs from M: whether there are others than springs and dampers of joints.
  bool change_mass() const { return change_mass_; }

  /// Takes C and K for a step of h from a state, at (t^, q^).
  void linearise(const State& state, double t, const Vector& q, double h);
  /// -h^2/2 K u, and of springs what their lengths at the start ask for. (n_u) [N s]
  const Vector& pull() const { return pull_; }
  /// v = M_hat^-1 f. (n_u)
  void solve(const Vector& f, Vector& v) const;
  /// Adds h f' of the forces that depend on the state, u' the velocity at the end of the step. (n_u) [N s]
  void add_state_impulse(const Vector& u_end, Vector& impulse) const;

  // --- M_hat in blocks: groups of bodies that forces couple, whose velocities follow each other
  struct Place {
    int group = -1;  // -1: a body without velocities
    int column = 0;  // of its first velocity there
  };
  Place place(int body) const { return places_[body]; }
  int n_groups() const { return static_cast<int>(groups_.size()); }
  const Matrix& inverse_mass(int group) const { return groups_[group].inverse; }
  /// Of the velocities group by group, where each stands in u. (n_u)
  std::span<const int> order() const { return order_; }

 private:
  /// Of what acts on a body. c/m [1/s] and k/m [1/s^2]
  struct Stiffness {
    double c = 0.0, k = 0.0;
  };
  struct Group {
    int first = 0;  // of its velocities in order_
    int n = 0;
    bool is_coupled = false;  // whether a force acts on it
    Matrix mass, inverse;     // (n, n)
    Eigen::LLT<Matrix> factor;
  };
  /// What acts between velocities of a group by forces that depend on the state.
  struct StateGroup {
    int group = 0;
    std::vector<int> rows, columns;  // (m) where each velocity stands in u, and in the group
    Vector scale;                    // (m) square root of the diagonal of M
    Matrix damping, stiffness;       // (m, m) h C and h^2 K
    Matrix work;                     // (m, m)
    Vector u, change;                // (m) velocities at the start, and work
    Eigen::SelfAdjointEigenSolver<Matrix> eigen;
  };
  void prepare();
  void prepare_state_groups();
  void add_state_forces(const State& state, double t, const Vector& q, double h);
  static void keep_resisting_part(StateGroup& group, Matrix& matrix);
  void add_row(const Attachment& first, const Attachment& second, double t, const Vector& q, double weight,
               double of_positions);
  void add_spring(const Force& force, const State& state, double t, const Vector& q, double h);
  void add_beam(int body, const Vector& q, double h);

  const System& system_;
  StopToken stop_;
  std::vector<Stiffness> bounds_;  // (bodies) of those with forces
  StateStiffness state_stiffness_;
  bool change_mass_;
  std::vector<Stiffness> bounds_with_state_;  // (bodies)

  // Made when they are needed first.
  std::vector<Place> places_;  // (bodies)
  std::vector<Group> groups_;
  std::vector<int> order_;
  Beam::ElementMatrix element_;
  Eigen::SelfAdjointEigenSolver<Beam::ElementMatrix> eigen_;
  Inputs unit_;
  Vector row_, pull_;  // (n_u)
  const Vector* u_ = nullptr;
  std::vector<StateGroup> state_groups_;
  Vector state_row_, state_impulse_;  // (n_u) R; h f(t^, q^, u) of state forces
  mutable Vector group_f_;
};

}  // namespace stickslip
