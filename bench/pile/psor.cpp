// SPDX-License-Identifier: BSD-3-Clause
#include "bench/pile/psor.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>

#include "stickslip/base/processor_clock.h"

namespace stickslip {
namespace {

/// The nearest point of the cone |p_T| <= mu p_N; p_N, then two of p_T.
Eigen::Vector3d project(const Eigen::Vector3d& p, double mu) {
  const double tangential = std::hypot(p(1), p(2));
  if (tangential <= mu * p(0)) return p;
  if (mu * tangential <= -p(0)) return Eigen::Vector3d::Zero();
  const double normal = (p(0) + mu * tangential) / (1.0 + mu * mu);
  const double share = mu * normal / tangential;
  return {normal, share * p(1), share * p(2)};
}

Eigen::Matrix3d make_turn(const Eigen::Vector4d& q) {
  return Eigen::Quaterniond(q(0), q(1), q(2), q(3)).toRotationMatrix();
}

/// The inward normal of wall k of the box, the floor first.
Eigen::Vector3d wall_normal(int k) {
  switch (k) {
    case 0:
      return Eigen::Vector3d::UnitZ();
    case 1:
      return Eigen::Vector3d::UnitX();
    case 2:
      return -Eigen::Vector3d::UnitX();
    case 3:
      return Eigen::Vector3d::UnitY();
    default:
      return -Eigen::Vector3d::UnitY();
  }
}

}  // namespace

PsorPile::PsorPile(const SpherePile& pile, const Options& options)
    : options_(options), side_(pile.side), floor_(pile.floor) {
  bodies_.reserve(pile.balls.size());
  for (const Ball& ball : pile.balls) {
    const double r = ball.radius;
    const double mass = options.density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
    Body body;
    body.radius = r;
    body.inverse_mass = 1.0 / mass;
    body.inverse_inertia.setConstant(1.0 / (0.4 * mass * r * r));
    body.x = ball.position;
    body.q = ball.orientation.normalized();
    body.turn = make_turn(body.q);
    body.v << ball.velocity, ball.spin;
    bodies_.push_back(body);
  }
  ground_.v.setZero();
}

void PsorPile::find() {
  // Balls sorted by cells as wide as the largest with its envelope.
  double widest = 0.0;
  Eigen::Vector3d low = bodies_[0].x, high = low;
  for (const Body& body : bodies_) {
    widest = std::max(widest, 2.0 * body.radius + options_.envelope);
    low = low.cwiseMin(body.x);
    high = high.cwiseMax(body.x);
  }
  const Eigen::Vector3i n = ((high - low) / widest).cast<int>() + Eigen::Vector3i::Ones();
  const auto cell_at = [&](int i, int j, int k) { return (k * n(1) + j) * n(0) + i; };
  first_.assign(static_cast<std::size_t>(n.prod()) + 1, 0);
  cell_of_.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Eigen::Vector3i at = ((bodies_[i].x - low) / widest).cast<int>();
    cell_of_[i] = cell_at(at(0), at(1), at(2));
    ++first_[static_cast<std::size_t>(cell_of_[i]) + 1];
  }
  for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
  in_cell_.resize(bodies_.size());
  for (std::size_t i = bodies_.size(); i-- > 0;) in_cell_[--first_[cell_of_[i] + 1]] = static_cast<int>(i);
  // first_[c + 1] is now where cell c begins, and where cell c + 1 does follows it.
  const auto begin = [&](int cell) { return first_[cell + 1]; };
  const auto end = [&](int cell) {
    return cell + 2 < static_cast<int>(first_.size()) ? first_[cell + 2] : static_cast<int>(bodies_.size());
  };

  pairs_.clear();
  const auto look = [&](int a, int b) {
    const double reach = bodies_[a].radius + bodies_[b].radius + options_.envelope;
    const double distance = (bodies_[b].x - bodies_[a].x).squaredNorm();
    if (distance <= reach * reach) pairs_.push_back({a, b, std::sqrt(distance) - reach + options_.envelope});
  };
  for (int k = 0; k < n(2); ++k) {
    for (int j = 0; j < n(1); ++j) {
      for (int i = 0; i < n(0); ++i) {
        const int cell = cell_at(i, j, k);
        for (int s = begin(cell); s < end(cell); ++s) {
          const int a = in_cell_[s];
          for (int t = s + 1; t < end(cell); ++t) look(a, in_cell_[t]);
          for (int d = 14; d < 27; ++d) {  // the half of the 26 neighbours that come later
            const int x = i + d % 3 - 1, y = j + d / 3 % 3 - 1, z = k + d / 9 - 1;
            if (x < 0 || y < 0 || x >= n(0) || y >= n(1) || z >= n(2)) continue;
            const int other = cell_at(x, y, z);
            for (int t = begin(other); t < end(other); ++t) look(a, in_cell_[t]);
          }
          const Body& body = bodies_[a];
          for (int wall = 0; wall < 5; ++wall) {
            const double offset = wall == 0 ? floor_ : -0.5 * side_;
            const double gap = wall_normal(wall).dot(body.x) - offset - body.radius;
            if (gap <= options_.envelope) pairs_.push_back({a, -1 - wall, gap});
          }
        }
      }
    }
  }
}

void PsorPile::gather(double h) {
  contacts_.resize(pairs_.size());
  for (std::size_t c = 0; c < pairs_.size(); ++c) {
    const Pair& pair = pairs_[c];
    Contact& contact = contacts_[c];
    contact.gap = pair.gap;
    // The normal leads from the first body to the second.
    const bool is_wall = pair.b < 0;
    contact.bodies[0] = is_wall ? &ground_ : &bodies_[pair.a];
    contact.bodies[1] = &bodies_[is_wall ? pair.a : pair.b];
    const Eigen::Vector3d normal =
        is_wall ? wall_normal(-1 - pair.b) : (contact.bodies[1]->x - contact.bodies[0]->x).normalized();
    Eigen::Matrix3d frame;
    frame.col(0) = normal;
    frame.col(1) = normal.unitOrthogonal();
    frame.col(2) = normal.cross(frame.col(1));
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
      Row& row = contact.rows[k];
      row.p = 0.0;
      row.b = k == 0 ? std::max(contact.gap / h, -options_.correction_speed) : 0.0;
      row.effective = 0.0;
      for (int side = 0; side < 2; ++side) {
        const Body& body = *contact.bodies[side];
        if (is_wall && side == 0) {
          row.jacobian[side].setZero();
          row.responses[side].setZero();
          continue;
        }
        const double sign = side == 0 ? -1.0 : 1.0;
        const Eigen::Vector3d arm = -sign * body.radius * normal;
        row.jacobian[side] << sign * frame.col(k), sign * (body.turn.transpose() * arm.cross(frame.col(k)));
        row.responses[side] << body.inverse_mass * row.jacobian[side].head<3>(),
            body.inverse_inertia.cwiseProduct(row.jacobian[side].tail<3>());
        row.effective += row.jacobian[side].dot(row.responses[side]);
      }
      sum += row.effective;
    }
    contact.scale = 3.0 / sum;
  }
}

double PsorPile::calc_velocity(const Contact& contact, int k) const {
  const Row& row = contact.rows[k];
  return row.jacobian[0].dot(contact.bodies[0]->v) + row.jacobian[1].dot(contact.bodies[1]->v) + row.b;
}

void PsorPile::sweep() {
  for (Contact& contact : contacts_) {
    Eigen::Vector3d p;
    for (int k = 0; k < 3; ++k) p(k) = contact.rows[k].p - contact.scale * calc_velocity(contact, k);
    p = project(p, options_.friction);
    for (int k = 0; k < 3; ++k) {
      Row& row = contact.rows[k];
      const double change = p(k) - row.p;
      row.p = p(k);
      for (int side = 0; side < 2; ++side) contact.bodies[side]->v += change * row.responses[side];
    }
  }
}

void PsorPile::move(double h) {
  for (Body& body : bodies_) {
    body.x += h * body.v.head<3>();
    const Eigen::Vector3d w = body.v.tail<3>();
    const double angle = 0.5 * h * w.norm();
    const double factor = angle > 0.0 ? std::sin(angle) / angle * 0.5 * h : 0.5 * h;
    const Eigen::Quaterniond turn(std::cos(angle), factor * w(0), factor * w(1), factor * w(2));
    const Eigen::Quaterniond q = Eigen::Quaterniond(body.q(0), body.q(1), body.q(2), body.q(3)) * turn;
    body.q = Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()).normalized();
    body.turn = make_turn(body.q);
  }
}

void PsorPile::step(double h) {
  find();
  gather(h);
  for (Body& body : bodies_) body.v(2) -= h * options_.gravity;  // a ball has no gyroscopic torque
  const double start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  for (int k = 0; k < options_.sweeps; ++k) sweep();
  sweep_seconds_ += read_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
  move(h);
}

double PsorPile::calc_residual(bool is_exact) const {
  double w = 0.0;
  for (const Contact& contact : contacts_) w += 1.0 / contact.scale;
  w /= static_cast<double>(std::max<std::size_t>(1, contacts_.size()));
  double sum = 0.0;
  for (const Contact& contact : contacts_) {
    Eigen::Vector3d u, p;
    for (int k = 0; k < 3; ++k) {
      u(k) = calc_velocity(contact, k);
      p(k) = w * contact.rows[k].p;
    }
    if (is_exact) u(0) += options_.friction * std::hypot(u(1), u(2));  // De Saxce's shift
    sum += (p - project(p - u, options_.friction)).squaredNorm();
  }
  return std::sqrt(sum);
}

double PsorPile::calc_coulomb_residual() const {
  return calc_residual(true);
}

double PsorPile::calc_relaxed_residual() const {
  return calc_residual(false);
}

double PsorPile::calc_overlap() {
  find();
  double deepest = 0.0;
  for (const Pair& pair : pairs_) deepest = std::max(deepest, -pair.gap);
  return deepest;
}

}  // namespace stickslip
