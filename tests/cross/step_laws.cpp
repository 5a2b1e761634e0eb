// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cross/step_laws.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "stickslip/math/rotation.h"

namespace stickslip::test {
namespace {

/// A step that says ok may miss a law by this multiple of its tolerance: it measures with another prox parameter, and
/// the largest of rows where sums are taken here.
constexpr double kFactor = 100.0;  // [-]
/// Differences of coordinates and of forces that nearly cancel, in units of the last place.
constexpr double kRoundOff = 64.0 * std::numeric_limits<double>::epsilon();  // [-]

/// One contact at the end of a step: rows of W^T over all velocities, and the laws' quantities.
struct Contact {
  int dim = 0;
  double mu = 0.0;
  RowMatrix W;                        // (dim, n_u)
  Vector G;                           // (dim) [1/kg]: normal, then a bound for friction
  double gap = 0.0, kappa_hat = 0.0;  // [m], [kg m]
  Vector xi, gamma_dot, P, lambda;    // (dim)
};

double project_radius(const Vector& y, double radius) {
  const double size = y.norm();
  return size > radius ? radius / size : 1.0;
}

/// |x - P_K(x - y / G)| G of Signorini's law.
double signorini(double y, double x, double G) {
  return std::abs(x - std::max(0.0, x - y / G)) * G;
}

/// The same of friction in a ball of that radius.
double coulomb(const Vector& y, const Vector& x, double radius, double G) {
  const Vector argument = x - y / G;
  return (x - project_radius(argument, std::max(radius, 0.0)) * argument).norm() * G;
}

/// The x that brings |A x - b| to its least with x(i) >= 0 for i < n_signed, the others free [Lawson and Hanson,
/// Solving Least Squares Problems, 1974, chapter 23]; of several one with few x(i) > 0. A (m, n).
Vector fit_nonnegative(const Matrix& A, const Vector& b, Eigen::Index n_signed) {
  const Eigen::Index n = A.cols();
  const double small = kRoundOff * (1.0 + b.norm()) * (1.0 + A.norm());
  std::vector<bool> used(static_cast<std::size_t>(n), false);
  for (Eigen::Index i = n_signed; i < n; ++i) used[i] = true;
  const auto solve_used = [&] {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (used[i]) columns.push_back(i);
    }
    Vector x = Vector::Zero(n);
    if (!columns.empty()) {
      const Vector y = A(Eigen::all, columns).completeOrthogonalDecomposition().solve(b);
      for (std::size_t k = 0; k < columns.size(); ++k) x(columns[k]) = y(static_cast<Eigen::Index>(k));
    }
    return x;
  };
  Vector x = solve_used();
  for (int round = 0; round < 10 * static_cast<int>(n) + 10; ++round) {
    const Vector slope = A.transpose() * (b - A * x);
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < n_signed; ++i) {
      if (!used[i] && slope(i) > small && (best < 0 || slope(i) > slope(best))) best = i;
    }
    if (best < 0) break;
    used[best] = true;
    for (int back = 0; back <= static_cast<int>(n); ++back) {
      const Vector next = solve_used();
      double share = 1.0;
      for (Eigen::Index i = 0; i < n_signed; ++i) {
        if (used[i] && next(i) < 0.0) share = std::min(share, x(i) / (x(i) - next(i)));
      }
      x += share * (next - x);
      if (share == 1.0) break;
      for (Eigen::Index i = 0; i < n_signed; ++i) {
        if (!used[i] || x(i) > 1e-15 * x.cwiseAbs().maxCoeff()) continue;
        used[i] = false;
        x(i) = 0.0;
      }
    }
  }
  return x;
}

}  // namespace

StepLaws::StepLaws(const SceneRun& run, double rho_inf, double tolerance)
    : alpha_m_((2.0 * rho_inf - 1.0) / (rho_inf + 1.0)),
      alpha_f_(rho_inf / (rho_inf + 1.0)),
      gamma_(0.5 + alpha_f_ - alpha_m_),
      beta_(0.25 * (0.5 + gamma_) * (0.5 + gamma_)),
      tolerance_(tolerance),
      a_(run.report.a),
      a_bar_(run.report.a) {
  for (const ContactReport& contact : run.report.contacts) {
    lambda_.push_back(contact.force);
    lambda_bar_.push_back(contact.force);
  }
}

void StepLaws::note(double ratio, const char* what, double& score) {
  if (ratio <= score) return;
  score = ratio;
  worst_ = what;
}

/// The largest sqrt(y^T M^-1 y / m) over the bodies.
double StepLaws::measure(const System& system, const Vector& y) const {
  double worst = 0.0;
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    if (body.n_u == 0) continue;
    const Vector part = y.segment(body.u_offset, body.n_u);
    worst = std::max(worst, part.dot(system.inverse_mass(static_cast<int>(i)) * part) / body.mass);
  }
  return std::sqrt(worst);
}

StepLaws::Allowed StepLaws::calc_allowed(const State& before, const SceneRun& run) const {
  const System& system = *run.built.system;
  const double h = run.report.step;
  Vector momentum(system.n_u());
  Vector force(system.n_u());
  system.multiply_mass(before.u, momentum);
  const double speed = measure(system, momentum);
  system.multiply_mass(a_, momentum);
  system.calc_applied_forces(run.state.t, run.state.q, run.state.u, force);
  system.add_gyroscopic_forces(run.state.u, force);
  const double acceleration = std::max(measure(system, momentum), measure(system, force));
  const double way = speed + h * acceleration;
  const double place = before.q.cwiseAbs().maxCoeff();
  Allowed allowed;
  allowed.length = kFactor * tolerance_ * h * way + kRoundOff * (1.0 + place);
  allowed.velocity = kFactor * tolerance_ * way + kRoundOff * (way + place / h);
  double stiffest = 0.0;  // [1/s^2] forces of beams are known to the round-off of coordinates
  for (const Body& body : system.bodies()) {
    if (body.beam) stiffest = std::max(stiffest, body.beam->highest_frequency2());
  }
  allowed.acceleration = kFactor * tolerance_ * acceleration + kRoundOff * (acceleration + way / h + stiffest * place);
  return allowed;
}

/// Q of (125), B Q = q' - q - dt q_dot - dt^2/2 q_ddot, with the quaternion's length undone.
Vector StepLaws::calc_position_jump(const State& before, const SceneRun& run, const Vector& a_beta) const {
  const double h = run.report.step;
  const State& state = run.state;
  Vector Q(before.u.size());
  for (const Body& body : run.built.system->bodies()) {
    if (body.n_u == 0) continue;
    const int n = body.type == BodyType::rigid ? 3 : body.n_u;
    Q.segment(body.u_offset, n) = state.q.segment(body.q_offset, n) - before.q.segment(body.q_offset, n) -
                                  h * before.u.segment(body.u_offset, n) -
                                  0.5 * h * h * a_beta.segment(body.u_offset, n);
    if (body.type != BodyType::rigid) continue;
    const Vector4 e = before.q.segment<4>(body.q_offset + 3);
    const Vector4 end = state.q.segment<4>(body.q_offset + 3);
    const Vector3 omega = before.u.segment<3>(body.u_offset + 3);
    const Vector4 rate = quaternion_rate<double>(e, omega);
    const Vector4 known =
        e + h * rate +
        0.5 * h * h *
            (quaternion_rate<double>(e, a_beta.segment<3>(body.u_offset + 3)) + quaternion_rate<double>(rate, omega));
    // length end = known + 1/2 E Q, with e^T E = 0 and E^T E = |e|^2.
    const double length = e.dot(known) / e.dot(end);
    const Vector4 jump = length * end - known;
    for (int i = 0; i < 3; ++i) {
      Q(body.u_offset + 3 + i) = 4.0 * quaternion_rate<double>(e, Vector3::Unit(i)).dot(jump) / e.squaredNorm();
    }
  }
  return Q;
}

void StepLaws::rescale_bars(double ratio) {
  a_bar_ = a_ + ratio * (a_bar_ - a_);
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    for (std::size_t i = 0; i < lambda_[k].size(); ++i) {
      lambda_bar_[k][i] = lambda_[k][i] + ratio * (lambda_bar_[k][i] - lambda_[k][i]);
    }
  }
}

/// State::memory begins with a, abar, and lambda, lambdabar, of contacts first; it ends with the length of the step.
void StepLaws::resume(const SceneRun& run) {
  const Vector& memory = run.state.memory;
  const Eigen::Index n_u = run.state.u.size();
  a_ = memory.head(n_u);
  a_bar_ = memory.segment(n_u, n_u);
  last_h_ = memory(memory.size() - 1);
  const Eigen::Index n_rows = (memory.size() - 3 - 4 * n_u) / 4;
  Eigen::Index next = 2 * n_u;
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    for (int i = 0; i <= run.report.contacts[k].friction_dim; ++i, ++next) {
      lambda_[k][i] = memory(next);
      lambda_bar_[k][i] = memory(next + n_rows);
    }
  }
}

double StepLaws::check(const State& before, SceneRun& run) {
  if (run.report.status != Status::ok) {
    resume(run);
    return 0.0;
  }
  if (run.report.parts == 1) return check_whole(before, run);
  const State after = run.state;
  const StepReport report = run.report;
  const double half = 0.5 * report.step;
  double score = 0.0;
  bool is_same = true;
  run.state = before;
  for (const double end : {after.t - half, after.t}) {
    const State start = run.state;
    is_same = is_same && run.built.stepper->step(run.state, half, end, run.report) == Status::ok;
    if (is_same) score = std::max(score, check(start, run));
  }
  is_same = is_same && run.state.q == after.q && run.state.u == after.u;
  run.state = after;
  run.report = report;
  if (!is_same) {
    ++unjudged_;
    resume(run);
  }
  return score;
}

double StepLaws::check_whole(const State& before, const SceneRun& run) {
  const System& system = *run.built.system;
  const State& state = run.state;
  const StepReport& report = run.report;
  const double h = report.step;
  if (last_h_ > 0.0 && last_h_ != h) rescale_bars(h / last_h_);
  last_h_ = h;
  const int n_u = system.n_u();
  const Allowed allowed = calc_allowed(before, run);
  double score = 0.0;
  worst_ = "";

  // What the step adds to the recursions.
  const auto next_bar = [&](auto x, auto next, auto bar) {
    return ((alpha_f_ * x + (1.0 - alpha_f_) * next - alpha_m_ * bar) / (1.0 - alpha_m_));
  };
  const Vector a_bar = next_bar(a_, report.a, a_bar_);
  const Vector U = state.u - before.u - h * ((1.0 - gamma_) * a_bar_ + gamma_ * a_bar);
  const Vector Q = calc_position_jump(before, run, Vector((1.0 - 2.0 * beta_) * a_bar_ + 2.0 * beta_ * a_bar));

  Vector force_balance(n_u);
  Vector impulse_balance(n_u);
  Vector position_balance(n_u);
  Vector h_force(n_u);
  system.multiply_mass(report.a, force_balance);
  system.multiply_mass(U, impulse_balance);
  system.multiply_mass(Q, position_balance);
  system.calc_applied_forces(state.t, state.q, state.u, h_force);
  system.add_gyroscopic_forces(state.u, h_force);
  force_balance -= h_force;

  std::vector<Contact> contacts(report.contacts.size());
  std::vector<double> known_kappa(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int index = static_cast<int>(k);
    const ContactPoint& point = system.contact_points()[k];
    const ContactLaw& law = system.contacts()[point.pair].law();
    const ContactReport& published = report.contacts[k];
    Contact& c = contacts[k];
    c.dim = 1 + published.friction_dim;
    c.mu = law.friction;
    ContactGeometry geometry;
    system.calc_contact(index, state.t, state.q, geometry);
    c.gap = geometry.gap;
    c.W.setZero(c.dim, n_u);
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& at = system.side(point, side);
      if (at.n_u > 0) system.calc_contact_jacobian(index, geometry, state.q, side, c.W.middleCols(at.u_offset, at.n_u));
    }
    RowMatrix response(c.dim, n_u);
    for (int i = 0; i < c.dim; ++i) {
      Vector solved(n_u);
      system.solve_mass(c.W.row(i).transpose(), solved);
      response.row(i) = solved.transpose();
    }
    const Matrix G = c.W * response.transpose();
    c.G = Vector::Constant(c.dim, c.dim > 1 ? G.bottomRightCorner(c.dim - 1, c.dim - 1).norm() : 0.0);
    c.G(0) = G(0, 0);
    c.xi = system.calc_contact_velocity(index, geometry, state.t, state.q, state.u).head(c.dim);
    const ContactVector start = system.calc_contact_velocity(index, geometry, state.t, state.q, before.u);  // (88)
    c.xi(0) += law.restitution_normal * start(0);
    for (int i = 1; i < c.dim; ++i) c.xi(i) += law.restitution_tangential * start(i);
    c.gamma_dot = c.W * report.a + system.calc_contact_acceleration_bias(index, state.t, state.q, state.u).head(c.dim);
    c.P = Eigen::Map<const Vector>(published.percussion.data(), c.dim);
    c.lambda = Eigen::Map<const Vector>(published.force.data(), c.dim);
    const Vector Lambda = Eigen::Map<const Vector>(published.impulse.data(), c.dim);
    for (int i = 0; i < c.dim; ++i) {
      const double bar = next_bar(lambda_[k][i], c.lambda(i), lambda_bar_[k][i]);
      const double sum = Lambda(i) + h * ((1.0 - gamma_) * lambda_bar_[k][i] + gamma_ * bar);
      note(std::abs(sum - c.P(i)) * c.G(i) / allowed.velocity, "P is Lambda and the bars", score);
      if (i == 0) known_kappa[k] = 0.5 * h * h * ((1.0 - 2.0 * beta_) * lambda_bar_[k][0] + 2.0 * beta_ * bar);
      lambda_bar_[k][i] = bar;
      lambda_[k][i] = c.lambda(i);
    }
    force_balance -= c.W.transpose() * c.lambda;
    impulse_balance -= c.W.transpose() * Lambda;
    for (int i = 1; i < c.dim; ++i) position_balance -= 0.5 * h * Lambda(i) * c.W.row(i).transpose();
  }

  // Forces of joints and kappa_hat of contacts are what fits best, in the metric of M^-1.
  const auto n_contacts = static_cast<Eigen::Index>(contacts.size());
  Eigen::Index n_joint_rows = 0;
  for (const Joint& joint : system.joints()) n_joint_rows += joint.dim;
  Matrix columns = Matrix::Zero(n_u, n_contacts + n_joint_rows);
  for (Eigen::Index k = 0; k < n_contacts; ++k) columns.col(k) = contacts[k].W.row(0).transpose();
  Eigen::Index next = n_contacts;
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    const Joint& joint = system.joints()[j];
    const int index = static_cast<int>(j);
    RowMatrix W = RowMatrix::Zero(joint.dim, n_u);
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& at = joint.side(side);
      if (at.n_u > 0) system.calc_joint_jacobian(index, state.t, state.q, side, W.middleCols(at.u_offset, at.n_u));
    }
    columns.middleCols(next, joint.dim) = W.transpose();
    next += joint.dim;
    JointVector g;
    JointVector gamma;
    JointVector zeta;
    system.calc_joint_position(index, state.t, state.q, g);
    system.calc_joint_velocity(index, state.t, state.q, state.u, gamma);
    system.calc_joint_acceleration_bias(index, state.t, state.q, state.u, zeta);
    // Angles count with a lever of a metre here, which the bodies of a scene seldom are.
    note(g.cwiseAbs().maxCoeff() / allowed.length, "joint on position level", score);
    note(gamma.cwiseAbs().maxCoeff() / allowed.velocity, "joint on velocity level", score);
    note((W * report.a + zeta).cwiseAbs().maxCoeff() / allowed.acceleration, "joint on acceleration level", score);
  }
  // Columns, and what they are to fit, in the metric of M^-1; columns of length one, as angles of long bodies are small
  // beside lengths: their lengths are returned.
  const auto scale_columns = [&](Matrix& of_columns, Vector& target) {
    for (std::size_t i = 0; i < system.bodies().size(); ++i) {
      const Body& body = system.bodies()[i];
      if (body.n_u == 0) continue;
      const Matrix factor = Matrix(system.inverse_mass(static_cast<int>(i))).llt().matrixU();
      of_columns.middleRows(body.u_offset, body.n_u) = factor * of_columns.middleRows(body.u_offset, body.n_u);
      target.segment(body.u_offset, body.n_u) = factor * target.segment(body.u_offset, body.n_u);
    }
    Vector scale = of_columns.colwise().norm().transpose();
    for (Eigen::Index k = 0; k < of_columns.cols(); ++k) {
      if (scale(k) == 0.0) scale(k) = 1.0;
      of_columns.col(k) /= scale(k);
    }
    return scale;
  };
  const auto fit_joints = [&](Vector& residual) {
    if (n_joint_rows == 0) return;
    const Matrix used = columns.rightCols(n_joint_rows);
    Matrix root = used;
    Vector target = residual;
    const Vector scale = scale_columns(root, target);
    // Directions that loops of joints all but close could otherwise fit anything by forces of any size.
    Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
    decomposition.setThreshold(1e-9);
    residual -= used * decomposition.compute(root).solve(target).cwiseQuotient(scale);
  };
  // (129) asks for a kappa_hat >= 0 that is zero but where g is: contacts without any force first take none, as a
  // redundant one that is shut by the others; where that leaves a residual, all that are shut may that do not close,
  // as they would then have a percussion; and at last all.
  enum class Shut { bears, rests, any };
  for (Eigen::Index k = 0; k < n_contacts; ++k) position_balance += known_kappa[k] * columns.col(k);
  const auto fit_kappa = [&](Shut which, Vector& residual) {
    std::vector<Eigen::Index> taken;
    for (Eigen::Index k = 0; k < n_contacts; ++k) {
      const Contact& c = contacts[k];
      const bool pushes = c.P.norm() > 0.0 || c.lambda.norm() > 0.0;
      const bool rests = pushes || c.xi(0) >= -allowed.velocity;
      const bool bears = pushes || (rests && known_kappa[k] != 0.0);
      const bool may = which == Shut::any || (which == Shut::rests ? rests : bears);
      if (std::abs(c.gap) <= allowed.length && may) taken.push_back(k);
    }
    const auto n_signed = static_cast<Eigen::Index>(taken.size());
    for (Eigen::Index k = n_contacts; k < columns.cols(); ++k) taken.push_back(k);
    Vector kappa = Vector::Zero(n_contacts);
    if (taken.empty() || residual.norm() == 0.0) return kappa;
    const Matrix used = columns(Eigen::all, taken);
    Matrix root = used;
    Vector target = residual;
    const Vector scale = scale_columns(root, target);
    const double size = target.norm();
    const Vector fitted = size * fit_nonnegative(root, target / size, n_signed).cwiseQuotient(scale);
    residual -= used * fitted;
    for (Eigen::Index k = 0; k < n_signed; ++k) kappa(taken[k]) = fitted(k);
    return kappa;
  };
  Vector position_residual;
  Vector kappa;
  for (const Shut which : {Shut::bears, Shut::rests, Shut::any}) {
    position_residual = position_balance;
    kappa = fit_kappa(which, position_residual);
    if (measure(system, position_residual) <= allowed.length) break;
  }
  fit_joints(force_balance);
  fit_joints(impulse_balance);
  note(measure(system, force_balance) / allowed.acceleration, "M a = h + W lambda", score);
  note(measure(system, impulse_balance) / allowed.velocity, "M U = W Lambda", score);
  note(measure(system, position_residual) / allowed.length, "M Q = W kappa + dt/2 W Lambda", score);

  // The laws. Where a contact is between two cases within the tolerance, the better one counts.
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    Contact& c = contacts[k];
    c.kappa_hat = kappa(static_cast<Eigen::Index>(k));
    const double G = c.G(0);
    note(std::max(0.0, -c.gap) / allowed.length, "penetration", score);
    note(signorini(c.gap, c.kappa_hat, G) / allowed.length, "g and kappa_hat", score);
    const auto open = [&] {
      return std::max(c.P.cwiseProduct(c.G).norm() / allowed.velocity,
                      c.lambda.cwiseProduct(c.G).norm() / allowed.acceleration);
    };
    const auto closed = [&] {
      double worst = signorini(c.xi(0), c.P(0), G) / allowed.velocity;
      const double no_force = c.lambda.cwiseProduct(c.G).norm() / allowed.acceleration;
      Vector n;
      double force_slides = 0.0;
      double force_sticks = 0.0;
      double sliding = 0.0;  // [m/s] how far the argument is outside of the ball
      if (c.dim > 1) {
        const int d = c.dim - 1;
        const double GF = c.G(1);
        worst = std::max(worst, coulomb(c.xi.tail(d), c.P.tail(d), c.mu * c.P(0), GF) / allowed.velocity);
        n = c.xi.tail(d) / GF - c.P.tail(d);
        sliding = (n.norm() - c.mu * c.P(0)) * GF;
        if (n.norm() > 0.0) n.normalize();
        force_slides = (c.lambda.tail(d) + c.mu * c.lambda(0) * n).norm() * GF;
        force_sticks = coulomb(c.gamma_dot.tail(d), c.lambda.tail(d), c.mu * c.lambda(0), GF);
      }
      double force = signorini(c.gamma_dot(0), c.lambda(0), G);
      const double friction = std::abs(sliding) <= allowed.velocity ? std::min(force_slides, force_sticks)
                              : sliding > 0.0                       ? force_slides
                                                                    : force_sticks;
      force = std::max(force, friction) / allowed.acceleration;
      const double separating = c.xi(0) - G * c.P(0);
      if (separating > allowed.velocity) force = no_force;
      if (std::abs(separating) <= allowed.velocity) force = std::min(force, no_force);
      return std::max(worst, force);
    };
    const double apart = c.gap - G * c.kappa_hat;
    double worst = apart > 0.0 ? open() : closed();
    if (std::abs(apart) <= allowed.length) worst = std::min(open(), closed());
    note(worst, apart > 0.0 ? "an open contact's forces" : "a closed contact's laws", score);
  }

  a_ = report.a;
  a_bar_ = a_bar;
  return score;
}

}  // namespace stickslip::test
