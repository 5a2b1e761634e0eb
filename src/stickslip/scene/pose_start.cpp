// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/pose_start.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "stickslip/math/dense_factors.h"
#include "stickslip/math/rotation.h"
#include "stickslip/scene/joint_motion.h"

namespace stickslip {
namespace {

class StartPoser {
 public:
  StartPoser(const System& system, const std::vector<DrawnBody>& bodies, const std::vector<StartCoordinates>& joints,
             State& state, const StopToken& stop)
      : system_(system), drawn_(bodies), given_(joints), state_(state), stop_(stop) {
    find_tree();
    place_as_drawn();
    set_coordinates();
  }

  JointGap pose() {
    place();
    find_rows();
    find_unknowns();
    JointGap gap;
    if (n_rows_ > 0) {
      close();
      gap = find_open();
    }
    set_velocities();
    return gap;
  }

 private:
  // --- the tree

  void find_tree() {
    const std::size_t n = system_.bodies().size();
    joint_of_.assign(n, -1);
    in_tree_.assign(system_.joints().size(), 0);
    for (std::size_t j = 0; j < system_.joints().size(); ++j) {
      const JointOptions& o = system_.joints()[j].options;
      if (!joint_traits(o.type).places_bodies) continue;
      for (const auto& [body, other] : {std::pair{o.second, o.first}, std::pair{o.first, o.second}}) {
        const Body& b = system_.bodies()[body];
        if (in_tree_[j] != 0 || b.n_u == 0 || b.beam || drawn_[body].parent != other || joint_of_[body] >= 0) continue;
        joint_of_[body] = static_cast<int>(j);
        in_tree_[j] = 1;
      }
    }
    // Parents before children, each subtree in one piece.
    std::vector<std::vector<int>> children(n + 1);
    for (std::size_t b = 0; b < n; ++b) {
      children[drawn_[b].parent < 0 ? n : static_cast<std::size_t>(drawn_[b].parent)].push_back(static_cast<int>(b));
    }
    rank_.assign(n, 0);
    end_.assign(n, 0);
    std::vector<std::pair<int, std::size_t>> chain = {{static_cast<int>(n), 0}};
    while (!chain.empty()) {
      const int parent = chain.back().first;
      const std::vector<int>& of_parent = children[static_cast<std::size_t>(parent)];
      if (chain.back().second == of_parent.size()) {
        if (parent < static_cast<int>(n)) end_[parent] = static_cast<int>(order_.size());
        chain.pop_back();
        continue;
      }
      const int child = of_parent[chain.back().second++];
      rank_[child] = static_cast<int>(order_.size());
      order_.push_back(child);
      chain.emplace_back(child, 0);
    }
  }

  bool hangs_on(int body, int ancestor) const { return rank_[body] >= rank_[ancestor] && rank_[body] < end_[ancestor]; }

  // --- coordinates

  void place_as_drawn() {
    poses_.resize(drawn_.size());
    turned_.assign(drawn_.size(), 0.0);
    for (const int body : order_) {
      const Body& b = system_.bodies()[body];
      const int parent = drawn_[body].parent;
      const bool is_placed = b.n_u == 0 || b.beam;
      poses_[body] = is_placed    ? system_.calc_pose(body, state_.t, state_.q)
                     : parent < 0 ? drawn_[body].relative
                                  : compose(poses_[parent], drawn_[body].relative);
      turned_[body] = drawn_[body].angle + (parent < 0 ? 0.0 : turned_[parent]);
      if (parent >= 0) write(body);
    }
    system_.normalize(state_.t, state_.q);
  }

  void set_coordinates() {
    for (std::size_t j = 0; j < system_.joints().size(); ++j) {
      const Joint& joint = system_.joints()[j];
      std::array<double, 3> x = {0.0, 0.0, 0.0};
      Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
      const std::vector<double>& start = given_[j].start;
      if (joint.options.type == JointType::spherical) {
        if (start.size() == 4) turn = Eigen::Quaterniond(start[0], start[1], start[2], start[3]).normalized();
      } else {
        for (std::size_t c = 0; c < std::min<std::size_t>(start.size(), 3); ++c) {
          x[c] = start[c] - (c == 0 ? joint.options.coordinate_origin : 0.0);
        }
        for (int c = 0; start.empty() && given_[j].absolute && c < joint.n_coordinates; ++c) {
          x[static_cast<std::size_t>(c)] = system_.calc_joint_coordinate(static_cast<int>(j), c, state_.t, state_.q) -
                                           (c == 0 ? joint.options.coordinate_origin : 0.0);
        }
      }
      x_.push_back(x);
      turn_.push_back(turn);
      drawn_turn_.push_back(Matrix3::Identity());
    }
    for (const DrawnBody& body : drawn_) {
      relative_.push_back(body.relative);
      angle_.push_back(body.angle);
    }
    for (std::size_t b = 0; b < drawn_.size(); ++b) {
      if (joint_of_[b] < 0) continue;
      const bool is_second = system_.joints()[joint_of_[b]].options.second == static_cast<int>(b);
      drawn_turn_[joint_of_[b]] = is_second ? drawn_[b].relative.R_WB : drawn_[b].relative.R_WB.transpose();
    }
  }

  /// Second's own frame in first's.
  Pose relative_pose(int j) const {
    const JointOptions& o = system_.joints()[j].options;
    if (o.type == JointType::spherical) {
      const Matrix3 R = drawn_turn_[j] * turn_[j].toRotationMatrix();
      return {o.on_first.at - R * o.on_second.at, R};
    }
    const Pose on_first{o.on_first.at, o.on_first.axes};
    const Pose on_second{o.on_second.at, o.on_second.axes};
    return compose(compose(on_first, calc_displacement(system_.joints()[j], x_[j])), invert(on_second));
  }

  Pose start_pose(int body) const {
    const Body& b = system_.bodies()[body];
    if (b.n_u == 0 || b.beam) return system_.calc_pose(body, state_.t, state_.q);
    const int j = joint_of_[body];
    const int parent = drawn_[body].parent;
    const Pose relative = j < 0                                        ? relative_[body]
                          : system_.joints()[j].options.second == body ? relative_pose(j)
                                                                       : invert(relative_pose(j));
    return parent < 0 ? relative : compose(poses_[parent], relative);
  }

  /// Puts all bodies that hang on another, or have moved, where the coordinates say.
  void place() {
    for (const int body : order_) {
      stop_.check();
      poses_[body] = start_pose(body);
      const int parent = drawn_[body].parent;
      const int j = joint_of_[body];
      double angle = angle_[body] + (parent < 0 ? 0.0 : turned_[parent]);
      if (j >= 0 && system_.joints()[j].options.type == JointType::revolute) {
        angle += system_.joints()[j].options.second == body ? x_[j][0] : -x_[j][0];
      }
      turned_[body] = angle;
      if (parent >= 0 || has_moved_) write(body);
    }
    for (std::size_t j = 0; j < system_.joints().size(); ++j) {
      const Joint& joint = system_.joints()[j];
      if (joint.turns_offset < 0) continue;
      for (int c = joint.n_free_lengths; c < joint.n_coordinates; ++c) {
        double& turns = state_.q(joint.turns_offset + c - joint.n_free_lengths);
        if (in_tree_[j] != 0 || !has_counted_) turns = x_[j][static_cast<std::size_t>(c)];
      }
    }
    has_counted_ = true;
    system_.normalize(state_.t, state_.q);
  }

  void write(int body) {
    const Body& b = system_.bodies()[body];
    if (b.n_u == 0 || b.beam) return;
    const int dim = system_.dimension();
    state_.q.segment(b.q_offset, dim) = poses_[body].p_WB.head(dim);
    if (b.type == BodyType::rigid) {
      const Eigen::Quaterniond e = Eigen::Quaterniond(poses_[body].R_WB).normalized();
      state_.q.segment<4>(b.q_offset + 3) << e.w(), e.x(), e.y(), e.z();
    } else if (b.type == BodyType::planar) {
      state_.q(b.q_offset + 2) = turned_[body];
    }
  }

  // --- what closes loops

  /// Rows of joints that the tree does not hold, and of coordinates that are given beside it.
  void find_rows() {
    for (std::size_t j = 0; j < system_.joints().size(); ++j) {
      const Joint& joint = system_.joints()[j];
      if (in_tree_[j] != 0) continue;
      const int n_given = joint.has_single_coordinate() && !given_[j].start.empty() ? 1 : 0;
      const int dim = joint.n_position_rows;
      if (dim + n_given == 0) continue;
      rows_.push_back({static_cast<int>(j), n_rows_, dim, n_given});
      n_rows_ += dim + n_given;
    }
  }

  /// A freedom of a body against its parent: a coordinate of its joint, or one of six of a body without one.
  struct Unknown {
    int body = 0;
    int direction = 0;
  };

  int n_directions(int body) const {
    const int j = joint_of_[body];
    if (j < 0) return system_.bodies()[body].beam ? 0 : system_.bodies()[body].n_u;
    const Joint& joint = system_.joints()[j];
    return joint.options.type == JointType::spherical ? 3 : joint.n_coordinates;
  }

  /// Of those that can close a loop: on the way from a body of an open joint to the world.
  void find_unknowns() {
    if (n_rows_ == 0) return;
    std::vector<char> matters(drawn_.size(), 0);
    for (const RowsOfJoint& rows : rows_) {
      const Joint& joint = system_.joints()[rows.joint];
      for (int k = 0; k < joint.n_sides(); ++k) {
        for (int body = joint.side(k).body; body >= 0 && matters[body] == 0; body = drawn_[body].parent) {
          matters[body] = 1;
        }
      }
    }
    for (const int body : order_) {
      if (matters[body] == 0) continue;
      for (int d = 0; d < n_directions(body); ++d) unknowns_.push_back({body, d});
    }
  }

  bool is_given(const Unknown& unknown, bool of_rates) const {
    const int j = joint_of_[unknown.body];
    if (j < 0) return of_rates && drawn_[unknown.body].parent < 0;  // a body's own velocities are given
    if (system_.joints()[j].options.motion) return true;
    return !(of_rates ? given_[j].rate : given_[j].start).empty();
  }

  /// What a unit rate of a direction does to the body and all that hangs on it.
  OriginTwist twist_of(int body, int direction) const {
    const int j = joint_of_[body];
    if (j < 0) {
      if (system_.bodies()[body].type == BodyType::planar && direction == 2) {
        return turn_about(Vector3::UnitZ(), poses_[body].p_WB);
      }
      const Vector3 axis = Vector3::Unit(direction % 3);
      return direction < 3 ? slide_along(axis) : turn_about(axis, poses_[body].p_WB);
    }
    const Joint& joint = system_.joints()[j];
    const JointOptions& o = joint.options;
    const OriginTwist twist = calc_unit_twist(joint, poses_[o.first], poses_[o.second], direction);
    return o.second == body ? twist : twist * -1.0;
  }

  /// The velocities u of a body that moves so. (n_u)
  Vector velocities_of(int body, const OriginTwist& twist) const {
    const Body& b = system_.bodies()[body];
    Vector u = Vector::Zero(b.n_u);
    if (b.n_u == 0 || b.beam) return u;
    const int dim = system_.dimension();
    u.head(dim) = twist.at(poses_[body].p_WB).head(dim);
    if (b.type == BodyType::rigid) u.segment<3>(3) = poses_[body].R_WB.transpose() * twist.w;
    if (b.type == BodyType::planar) u(2) = twist.w(2);
    return u;
  }

  Vector calc_rows() const {
    Vector g(n_rows_);
    JointVector part;
    for (const RowsOfJoint& rows : rows_) {
      if (rows.dim > 0) {
        system_.calc_joint_position(rows.joint, state_.t, state_.q, part);
        g.segment(rows.begin, rows.dim) = part.head(rows.dim);
      }
      if (rows.n_given > 0) {
        g(rows.begin + rows.dim) =
            system_.calc_joint_coordinate(rows.joint, 0, state_.t, state_.q) - given_[rows.joint].start[0];
      }
    }
    return g;
  }

  /// d g / d unknowns, (rows, unknowns); zero in those that are given.
  Matrix calc_jacobian(bool of_rates) const {
    Matrix J = Matrix::Zero(n_rows_, static_cast<Eigen::Index>(unknowns_.size()));
    RowMatrix part;
    for (const RowsOfJoint& rows : rows_) {
      stop_.check();
      const Joint& joint = system_.joints()[rows.joint];
      for (int k = 0; k < joint.n_sides(); ++k) {
        const Attachment& at = joint.side(k);
        if (at.n_u == 0) continue;
        for (std::size_t i = 0; i < unknowns_.size(); ++i) {
          const Unknown& unknown = unknowns_[i];
          if (is_given(unknown, of_rates) || !hangs_on(at.body, unknown.body)) continue;
          const Vector u = velocities_of(at.body, twist_of(unknown.body, unknown.direction));
          if (u.size() != at.n_u) continue;  // a beam's cross-section stays
          const auto column = static_cast<Eigen::Index>(i);
          if (rows.dim > 0) {
            part.resize(joint.dim, at.n_u);
            system_.calc_joint_jacobian(rows.joint, state_.t, state_.q, k, part);
            J.col(column).segment(rows.begin, rows.dim) += part.topRows(rows.dim) * u;
          }
        }
      }
      if (rows.n_given == 0) continue;
      for (std::size_t i = 0; i < unknowns_.size(); ++i) {
        const Unknown& unknown = unknowns_[i];
        if (is_given(unknown, of_rates)) continue;
        Vector u = Vector::Zero(system_.n_u());
        const OriginTwist twist = twist_of(unknown.body, unknown.direction);
        for (int r = rank_[unknown.body]; r < end_[unknown.body]; ++r) {
          const Body& b = system_.bodies()[order_[r]];
          u.segment(b.u_offset, b.n_u) = velocities_of(order_[r], twist);
        }
        J(rows.begin + rows.dim, static_cast<Eigen::Index>(i)) =
            system_.calc_joint_coordinate(rows.joint, 0, state_.t, state_.q, u).rate;
      }
    }
    return J;
  }

  void move(const Vector& by) {
    has_moved_ = true;
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      const auto [body, direction] = unknowns_[i];
      const double x = by(static_cast<Eigen::Index>(i));
      if (x == 0.0) continue;
      const int j = joint_of_[body];
      if (j >= 0 && system_.joints()[j].options.type == JointType::spherical) {
        const Vector4 e = quaternion_exp(x * Vector3::Unit(direction));
        turn_[j] = (turn_[j] * Eigen::Quaterniond(e(0), e(1), e(2), e(3))).normalized();
      } else if (j >= 0) {
        x_[j][static_cast<std::size_t>(direction)] += x;
      } else {
        move_free(body, direction, x);
      }
    }
    place();
  }

  /// A body without a joint, by world axes.
  void move_free(int body, int direction, double x) {
    const int parent = drawn_[body].parent;
    const Matrix3 to_parent = parent < 0 ? Matrix3::Identity() : Matrix3(poses_[parent].R_WB.transpose());
    const bool turns_in_plane = system_.bodies()[body].type == BodyType::planar && direction == 2;
    if (direction < 3 && !turns_in_plane) {
      relative_[body].p_WB += x * to_parent.col(direction);
      return;
    }
    const Vector3 axis = to_parent.col(direction % 3);
    relative_[body].R_WB = axis_angle_matrix(axis, x) * relative_[body].R_WB;
    if (turns_in_plane) angle_[body] += x;
  }

  struct Snapshot {
    std::vector<std::array<double, 3>> x;
    std::vector<Eigen::Quaterniond> turn;
    std::vector<Pose> relative;
    std::vector<double> angle;
    Vector q;
  };
  Snapshot save() const { return {x_, turn_, relative_, angle_, state_.q}; }
  void restore(const Snapshot& s) {
    x_ = s.x;
    turn_ = s.turn;
    relative_ = s.relative;
    angle_ = s.angle;
    state_.q = s.q;
    place();
  }

  /// Newton's method by least norm, each step halved until the rows get smaller.
  void close_rows(Vector& moved) {
    constexpr int kMostSteps = 100;    // [-] far starts need tens
    constexpr int kMostHalvings = 20;  // [-]
    constexpr double kLongest = 0.5;   // [rad, m] of one unknown: further, tangents say nothing
    Vector g = calc_rows();
    for (int i = 0; i < kMostSteps && g.lpNorm<Eigen::Infinity>() > kRoundOff; ++i) {
      Vector step = -solve_least_norm(calc_jacobian(false), g, kDependent);
      const double longest = step.size() > 0 ? step.lpNorm<Eigen::Infinity>() : 0.0;
      if (!(longest > 0.0) || !std::isfinite(longest)) return;
      step *= std::min(1.0, kLongest / longest);
      const Snapshot before = save();
      bool falls = false;
      for (int k = 0; k < kMostHalvings && !falls; ++k, step *= 0.5) {
        if (k > 0) restore(before);
        move(step);
        const Vector there = calc_rows();
        falls = there.norm() < g.norm();
        if (!falls) continue;
        g = there;
        moved += step;
      }
      if (!falls) return restore(before);
    }
  }

  void close() {
    constexpr int kMostProjections = 200;  // [-] linear convergence
    constexpr double kEnough = 1e-10;      // [rad, m] what projections still move
    Vector moved = Vector::Zero(static_cast<Eigen::Index>(unknowns_.size()));
    close_rows(moved);
    for (int i = 0; i < kMostProjections; ++i) {
      const Matrix J = calc_jacobian(false);
      // Of what has moved, the part along directions that leave the rows as they are goes back.
      const Vector back = solve_least_norm(J, J * moved, kDependent) - moved;
      if (!(back.lpNorm<Eigen::Infinity>() > kEnough)) break;
      const Snapshot before = save();
      const Vector moved_before = moved;
      move(back);
      moved += back;
      close_rows(moved);
      const bool is_closed = calc_rows().lpNorm<Eigen::Infinity>() <= kClosed;
      if (is_closed && moved.norm() < moved_before.norm()) continue;
      restore(before);
      moved = moved_before;
      break;
    }
    close_rows(moved);
  }

  JointGap find_open() const {
    JointGap worst;
    const Vector g = calc_rows();
    double scale = 1.0;  // [m] where bodies are
    for (const Pose& pose : poses_) scale = std::max(scale, pose.p_WB.lpNorm<Eigen::Infinity>());
    double most = kClosed * scale;
    for (const RowsOfJoint& rows : rows_) {
      const Joint& joint = system_.joints()[rows.joint];
      JointGap gap{rows.joint, 0.0, 0.0};
      for (int i = 0; i < rows.dim + rows.n_given; ++i) {
        const bool is_angle = i < rows.dim ? joint.is_angle_row(i) : joint.turns();
        double& part = is_angle ? gap.angle : gap.length;
        part = std::hypot(part, g(rows.begin + i));
      }
      const double size = std::max(gap.length, gap.angle);
      if (size <= most) continue;
      most = size;
      worst = gap;
    }
    return worst;
  }

  // --- velocities

  void set_velocities() {
    const bool has_rates = std::ranges::any_of(given_, [](const StartCoordinates& s) { return !s.rate.empty(); });
    std::vector<OriginTwist> twists(drawn_.size());
    std::vector<std::array<double, 3>> rates(system_.joints().size(), {0.0, 0.0, 0.0});
    for (std::size_t j = 0; j < rates.size(); ++j) {
      for (std::size_t c = 0; c < std::min<std::size_t>(given_[j].rate.size(), 3); ++c) rates[j][c] = given_[j].rate[c];
      const Joint& joint = system_.joints()[j];
      if (joint.options.motion) rates[j][0] = joint.motion_rate.value(state_.t);
    }
    spread(rates, {}, twists);
    if (n_rows_ == 0 || !(has_rates || state_.u.lpNorm<Eigen::Infinity>() > 0.0)) return;
    Vector residual(n_rows_);
    JointVector part;
    for (const RowsOfJoint& rows : rows_) {
      if (rows.dim > 0) {
        system_.calc_joint_velocity(rows.joint, state_.t, state_.q, state_.u, part);
        residual.segment(rows.begin, rows.dim) = part.head(rows.dim);
      }
      if (rows.n_given > 0) {
        residual(rows.begin + rows.dim) = 0.0;
        if (!given_[rows.joint].rate.empty()) {
          residual(rows.begin + rows.dim) =
              system_.calc_joint_coordinate(rows.joint, 0, state_.t, state_.q, state_.u).rate -
              given_[rows.joint].rate[0];
        }
      }
    }
    if (!(residual.lpNorm<Eigen::Infinity>() > 0.0)) return;
    Matrix J = calc_jacobian(true);
    for (const RowsOfJoint& rows : rows_) {
      if (rows.n_given > 0 && given_[rows.joint].rate.empty()) J.row(rows.begin + rows.dim).setZero();
    }
    spread(rates, -solve_least_norm(J, residual, kDependent), twists);
  }

  /// Velocities of all bodies from the rates of joints and what is added to those of the unknowns.
  void spread(const std::vector<std::array<double, 3>>& rates, const Vector& added, std::vector<OriginTwist>& twists) {
    std::vector<OriginTwist> more(drawn_.size());
    for (Eigen::Index i = 0; i < added.size(); ++i) {
      const Unknown& unknown = unknowns_[static_cast<std::size_t>(i)];
      more[unknown.body] = more[unknown.body] + twist_of(unknown.body, unknown.direction) * added(i);
    }
    for (const int body : order_) {
      const Body& b = system_.bodies()[body];
      const int parent = drawn_[body].parent;
      if (b.n_u == 0 || parent < 0) {
        if (b.beam) continue;
        const Twist own = system_.calc_twist(body, state_.t, state_.q, state_.u);
        if (added.size() == 0) twists[body] = {own.w_WB, own.v_WB - own.w_WB.cross(poses_[body].p_WB)};
        continue;
      }
      twists[body] = twists[parent] + more[body];
      const int j = joint_of_[body];
      for (int c = 0; j >= 0 && c < n_directions(body); ++c) {
        const double rate = rates[j][static_cast<std::size_t>(c)];
        if (rate != 0.0) twists[body] = twists[body] + twist_of(body, c) * rate;
      }
      state_.u.segment(b.u_offset, b.n_u) = velocities_of(body, twists[body]);
    }
  }

  /// Rows of one joint in g: those of the joint, then its coordinate less the given one.
  struct RowsOfJoint {
    int joint = 0;
    int begin = 0;
    int dim = 0;
    int n_given = 0;
  };

  /// [-] Rows that say what others say, to what Newton's method leaves of them.
  static constexpr double kDependent = 1e-9;
  static constexpr double kClosed = 1e-12;    // [m, rad] a loop is closed to this, at a size of 1 m
  static constexpr double kRoundOff = 1e-15;  // [m, rad] below it there is nothing to gain

  const System& system_;
  const std::vector<DrawnBody>& drawn_;
  const std::vector<StartCoordinates>& given_;
  State& state_;
  const StopToken& stop_;
  std::vector<int> joint_of_;             // (bodies) the joint by which a body hangs on its parent, -1: none
  std::vector<char> in_tree_;             // (joints) whether it is one of these
  std::vector<int> order_;                // bodies, parents first
  std::vector<int> rank_;                 // (bodies) where in order_
  std::vector<int> end_;                  // (bodies) where in order_ what hangs on it ends
  std::vector<std::array<double, 3>> x_;  // (joints) [m, rad] coordinates from where the frames coincide
  std::vector<Eigen::Quaterniond> turn_;  // (joints) of spherical ones
  std::vector<Matrix3> drawn_turn_;       // (joints) of spherical ones: second's orientation in first, as drawn
  std::vector<Pose> relative_;            // (bodies) of those without a joint
  std::vector<double> angle_;             // (bodies) [rad] planar
  std::vector<Pose> poses_;               // (bodies)
  std::vector<double> turned_;            // (bodies) [rad] planar: angles, whole turns included
  std::vector<RowsOfJoint> rows_;
  int n_rows_ = 0;
  std::vector<Unknown> unknowns_;
  bool has_moved_ = false;
  bool has_counted_ = false;
};

}  // namespace

JointGap pose_start(const System& system, const std::vector<DrawnBody>& bodies,
                    const std::vector<StartCoordinates>& joints, State& state, const StopToken& stop) {
  return StartPoser(system, bodies, joints, state, stop).pose();
}

}  // namespace stickslip
