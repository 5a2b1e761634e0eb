// SPDX-License-Identifier: BSD-3-Clause
// Two free rigid bodies held by a joint, integrated by a dense implementation that shares nothing with the program but
// Eigen: rotation matrices and angular velocities in the world frame, elementary constraints differentiated twice by
// hand, u' from the dense system of equations of motion and constraints, Runge-Kutta of fourth order.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <functional>
#include <vector>

namespace stickslip::test {

struct DenseBody {
  double mass = 1.0;                                      // [kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();  // (3, 3) [kg m^2] about the centre, body frame
  Eigen::Vector3d p = Eigen::Vector3d::Zero();            // (3) [m]
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();        // (3, 3) [-] body to world
  Eigen::Vector3d v = Eigen::Vector3d::Zero();            // (3) [m/s]
  Eigen::Vector3d w = Eigen::Vector3d::Zero();            // (3) [rad/s] world frame
  std::array<Eigen::Vector3d, 2> load = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};  // [N], [N m] world frame
};

/// One scalar constraint between first (0) and second (1), by vectors fixed in the bodies.
struct DenseConstraint {
  enum class Kind {
    coincide,       // direction . (b_second - b_first) = 0, direction fixed in the world
    along,          // (R_first a) . (b_second - b_first) = 0
    perpendicular,  // (R_first a) . (R_second b) = 0
  } kind;
  Eigen::Vector3d direction;            // coincide: world; else a, first's body frame
  Eigen::Vector3d on_first, on_second;  // the points, body frames; perpendicular: on_second is b
};

class DensePair {
 public:
  std::array<DenseBody, 2> bodies;
  std::vector<DenseConstraint> constraints;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();

  /// Makes the velocities fit the constraints, by the least change of kinetic energy.
  void project_velocities() {
    const Rows rows = make_rows();
    const Eigen::MatrixXd M = mass();
    const Eigen::MatrixXd MinvJt = M.ldlt().solve(rows.J.transpose());
    const Eigen::VectorXd l = (rows.J * MinvJt).ldlt().solve(rows.J * velocity());
    set_velocity(velocity() - MinvJt * l);
  }

  void integrate(double span, int n) {
    for (int i = 0; i < n; ++i) step(span / n);
  }

  double energy() const {
    double e = 0.0;
    for (const DenseBody& b : bodies) {
      const Eigen::Vector3d w = b.R.transpose() * b.w;
      e += 0.5 * b.mass * b.v.squaredNorm() + 0.5 * w.dot(b.inertia * w) - b.mass * gravity.dot(b.p);
    }
    return e;
  }

 private:
  struct Rows {
    Eigen::MatrixXd J;     // (n, 12)
    Eigen::VectorXd bias;  // (n) J' u
  };

  /// A body's velocity and what it brings with it, as the rates of p and of the columns of R.
  struct Rates {
    Eigen::Vector3d p;
    Eigen::Matrix3d R;
    Eigen::Vector3d v, w;
  };

  Eigen::VectorXd velocity() const {
    Eigen::VectorXd u(12);
    u << bodies[0].v, bodies[0].w, bodies[1].v, bodies[1].w;
    return u;
  }
  void set_velocity(const Eigen::VectorXd& u) {
    for (int k = 0; k < 2; ++k) {
      bodies[k].v = u.segment<3>(6 * k);
      bodies[k].w = u.segment<3>(6 * k + 3);
    }
  }

  Eigen::MatrixXd mass() const {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(12, 12);
    for (int k = 0; k < 2; ++k) {
      const DenseBody& b = bodies[k];
      M.block<3, 3>(6 * k, 6 * k) = b.mass * Eigen::Matrix3d::Identity();
      M.block<3, 3>(6 * k + 3, 6 * k + 3) = b.R * b.inertia * b.R.transpose();
    }
    return M;
  }

  /// Of a vector r fixed in a turning body: r' = w x r, r'' = w' x r + w x (w x r).
  Rows make_rows() const {
    const DenseBody& a = bodies[0];
    const DenseBody& b = bodies[1];
    const auto n = static_cast<Eigen::Index>(constraints.size());
    Rows rows = {Eigen::MatrixXd::Zero(n, 12), Eigen::VectorXd::Zero(n)};
    for (Eigen::Index i = 0; i < n; ++i) {
      const DenseConstraint& c = constraints[static_cast<std::size_t>(i)];
      auto row = rows.J.row(i);
      if (c.kind == DenseConstraint::Kind::perpendicular) {
        const Eigen::Vector3d x = a.R * c.direction;
        const Eigen::Vector3d y = b.R * c.on_second;
        row.segment<3>(3) = x.cross(y).transpose();
        row.segment<3>(9) = y.cross(x).transpose();
        rows.bias(i) =
            a.w.cross(a.w.cross(x)).dot(y) + 2.0 * a.w.cross(x).dot(b.w.cross(y)) + x.dot(b.w.cross(b.w.cross(y)));
        continue;
      }
      const Eigen::Vector3d ra = a.R * c.on_first;
      const Eigen::Vector3d rb = b.R * c.on_second;
      const bool turns = c.kind == DenseConstraint::Kind::along;
      const Eigen::Vector3d d = turns ? Eigen::Vector3d(a.R * c.direction) : c.direction;
      row.segment<3>(0) = -d.transpose();
      row.segment<3>(3) = -ra.cross(d).transpose();
      row.segment<3>(6) = d.transpose();
      row.segment<3>(9) = rb.cross(d).transpose();
      rows.bias(i) = d.dot(b.w.cross(b.w.cross(rb)) - a.w.cross(a.w.cross(ra)));
      if (!turns) continue;
      const Eigen::Vector3d gap = b.p + rb - a.p - ra;
      const Eigen::Vector3d gap_rate = b.v + b.w.cross(rb) - a.v - a.w.cross(ra);
      row.segment<3>(3) += d.cross(gap).transpose();
      rows.bias(i) += 2.0 * a.w.cross(d).dot(gap_rate) + a.w.cross(a.w.cross(d)).dot(gap);
    }
    return rows;
  }

  Eigen::VectorXd acceleration() const {
    const Rows rows = make_rows();
    const Eigen::Index n = rows.bias.size();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(12 + n, 12 + n);
    A.topLeftCorner(12, 12) = mass();
    A.topRightCorner(12, n) = -rows.J.transpose();
    A.bottomLeftCorner(n, 12) = rows.J;
    Eigen::VectorXd f = Eigen::VectorXd::Zero(12 + n);
    for (int k = 0; k < 2; ++k) {
      const DenseBody& b = bodies[k];
      const Eigen::Matrix3d I = b.R * b.inertia * b.R.transpose();
      f.segment<3>(6 * k) = b.mass * gravity + b.load[0];
      f.segment<3>(6 * k + 3) = b.load[1] - b.w.cross(I * b.w);
    }
    f.tail(n) = -rows.bias;
    return A.partialPivLu().solve(f).head(12);
  }

  std::array<Rates, 2> rates() const {
    const Eigen::VectorXd a = acceleration();
    std::array<Rates, 2> r;
    for (int k = 0; k < 2; ++k) {
      const DenseBody& b = bodies[k];
      r[k].p = b.v;
      for (int j = 0; j < 3; ++j) r[k].R.col(j) = b.w.cross(b.R.col(j));
      r[k].v = a.segment<3>(6 * k);
      r[k].w = a.segment<3>(6 * k + 3);
    }
    return r;
  }

  DensePair moved(const std::array<Rates, 2>& r, double h) const {
    DensePair next = *this;
    for (int k = 0; k < 2; ++k) {
      next.bodies[k].p += h * r[k].p;
      next.bodies[k].R += h * r[k].R;
      next.bodies[k].v += h * r[k].v;
      next.bodies[k].w += h * r[k].w;
    }
    return next;
  }

  void step(double h) {
    const auto k1 = rates();
    const auto k2 = moved(k1, 0.5 * h).rates();
    const auto k3 = moved(k2, 0.5 * h).rates();
    const auto k4 = moved(k3, h).rates();
    *this = moved(k1, h / 6.0).moved(k2, h / 3.0).moved(k3, h / 3.0).moved(k4, h / 6.0);
  }
};

}  // namespace stickslip::test
