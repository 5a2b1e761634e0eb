// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/half_implicit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/base/phase_clock.h"
#include "stickslip/base/rank_share.h"
#include "stickslip/cone/residual.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/closest_approach.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/free_rotation.h"
#include "stickslip/stepping/velocity_step.h"

namespace stickslip {
namespace {

/// Solves of a step at most that take in contacts which the one before made overlap, and that leave out or put back
/// contacts which it passed.
constexpr int kMaxSolves = 4;
constexpr int kMaxSolvesWithout = 8;
/// Contacts with gaps up to this part of the smaller body touch, whatever moves: what is left of positions of scenes,
/// which are rounded. [-]
constexpr double kTouches = 1e-9;
/// Steps within which a bounce takes away the overlap at which it began: this is then left to it, as stabilisation
/// would add to its velocity. An overlap of one step's approach is gone so for e >= 0.1. [-]
constexpr double kLeavesWithin = 10.0;
/// A gap is the difference of two positions, each rounded to half of the spacing of numbers: a quarter of what a sum of
/// products is counted with. [-]
constexpr double kOfPositions = 0.25;
/// Points of a block that threads and ranks share, and from how many on they do: 300 us in all. [-]
constexpr std::size_t kPointsOfABlock = 256;
constexpr std::size_t kManyPoints = 2048;

class HalfImplicitStepper final : public TimeStepper {
 public:
  HalfImplicitStepper(const HalfImplicitOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  std::string_view name() const override { return options_.name; }
  bool knows_applied_impulses() const override { return true; }
  void initialize(State& state, StepReport& report) override { velocity_.initialize(state, report); }
  Status step(State& state, double h, double t_end, StepReport& report) override;

 private:
  /// What is known of a point before a solve.
  struct Look {
    double gap = 0.0;          // [m] at the start
    double activation = 0.0;   // [m] the gap up to which it takes part
    std::uint64_t closes = 0;  // whether it does within the step without percussions
  };

  bool calc_free_velocity(const State& state, const Inputs& inputs, double h, double t_end, StepReport& report);
  void look_at_points(double h);
  Look look_at(const ContactPoint& point, double h) const;
  void gather(double h);
  void advance(double h, double t_end);
  bool meet_overlapping();
  bool leave_out_passed(double h, double t_end);
  bool put_back_left_out();
  Status solve(const State& state, double h, double t_end, StepReport& report);
  bool drop(bool joints);
  void add_positions(double h, double t_end);
  void add_contact(int cone, double h);
  std::span<const double> slip(int cone);
  ConstraintSet::Restitution restitution(int cone);
  void keep_slips();
  double calc_size(const ContactPoint& point) const;
  double calc_touching(const ContactPoint& point) const;
  double calc_distance(int body) const;
  double calc_distance(const ContactPoint& point) const;
  void add_joint(int cone, double h);
  void set_motion(int cone, double t_end);

  HalfImplicitOptions options_;
  const System& system_;
  StopToken stop_;
  VelocityStep velocity_;
  std::optional<PositionProjection> projection_;
  BodySizes sizes_;
  ClosestApproach approach_;

  // Workspace, kept from step to step.
  BodySnapshot start_, end_;  // at (t, q, u); at (t, q, u_free), then at (t', q')
  BodySnapshot free_end_;     // at t', where u_free leads
  std::vector<Look> looks_;   // (points)
  RankRecords records_;
  std::vector<ElementId> met_;       // sorted; contacts that percussions close in the step
  std::vector<ElementId> left_out_;  // sorted; contacts whose shapes pass each other in the step
  std::vector<ElementId> put_back_;  // sorted; such that met in the motion without them
  Vector u_free_, force_;            // (n_u)
  Vector u_work_;                    // (n_u) u after the gyroscopic torque, which does no work
  Vector u_move_;                    // (n_u) what positions follow
  Vector q_dot_, q_end_;             // (n_q)
  Vector q_free_;                    // (n_q) where it was asked for
  std::vector<Gyroscopic> gyroscopic_;
  bool implicit_ = false;                // whether forces are, in this step
  const ValuesById* landing_ = nullptr;  // slips of contacts that were about to land at the end of the last step
  ValuesById next_landing_;              // and of this one
};

HalfImplicitStepper::HalfImplicitStepper(const HalfImplicitOptions& options, const System& system, ConeSolver& solver,
                                         StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      velocity_(system, solver, stop, options.eases),
      sizes_(system),
      approach_(system),
      start_(system),
      end_(system),
      free_end_(system) {
  velocity_.look_within(options.envelope.value_or(0.0));
  velocity_.constraints().use_finite_motions();
  velocity_.constraints().set_polygon(FrictionPolygon(options.facets, options.orientation));
  if (is_on(options.projection, system)) projection_.emplace(system, solver, options.correction_speed, stop);
  velocity_.constraints().problem().law = options.law;
  for (Vector* v : {&u_free_, &force_, &u_work_, &u_move_}) v->resize(system.n_u());
  for (Vector* v : {&q_dot_, &q_end_}) v->resize(system.n_q());
  gyroscopic_ = find_gyroscopic(system);
  std::erase_if(gyroscopic_,
                [](const Gyroscopic& k) { return k.inertia == Matrix3(k.inertia(0, 0) * Matrix3::Identity()); });
  gyroscopic_.shrink_to_fit();
}

Status HalfImplicitStepper::step(State& state, double h, double t_end, StepReport& report) {
  report.message.clear();
  if (!velocity_.are_given_finite(state.inputs, {state.t, t_end}, report)) return report.status = Status::failed;
  const State& start = velocity_.settle_start(state);
  if (!velocity_.begin_servos(start, t_end, report)) return report.status = Status::failed;
  implicit_ = velocity_.is_implicit(state, h);
  if (velocity_.has_adhesion()) {
    velocity_.contacts().find(start_.take(start.t, start.q, &start.u), t_end);
    velocity_.find_adhesion(start_);
  }
  if (!calc_free_velocity(start, state.inputs, h, t_end, report)) return report.status = Status::failed;

  ContactFinder& contacts = velocity_.contacts();
  start_.take(start.t, start.q, &start.u);
  velocity_.constraints().set_joint_loads(state.joint_loads);
  met_.clear();
  left_out_.clear();
  put_back_.clear();
  landing_ = &state.contacts;
  int solves_with_more = 1;
  for (int i = 0;; ++i) {
    contacts.find(start_, t_end, met_, i > 0);
    if (projection_ && i == 0) velocity_.look_ahead(start_, h);
    gather(h);
    if (solve(start, h, t_end, report) == Status::failed) return report.status = Status::failed;
    advance(h, t_end);
    if (const std::string what = describe_non_finite(system_, q_end_, velocity_.u_end()); !what.empty()) {
      report.message += what;
      return report.status = Status::failed;
    }
    end_.take(t_end, q_end_, nullptr);
    contacts.extend(end_);
    const bool met_more = meet_overlapping() && solves_with_more++ < kMaxSolves;
    const bool put_back = put_back_left_out();
    const bool left_out = leave_out_passed(h, t_end);
    if (!met_more && (!(put_back || left_out) || i + 1 >= kMaxSolvesWithout)) break;
    // In large heaps most steps are solved again for few contacts; in small ones the choice among solutions stays.
    if (velocity_.admitted_overlap() > 0.0) velocity_.go_on();
  }

  EnergyLedger energy = start.energy;
  keep_slips();
  const double t_forces = implicit_ ? t_end : start.t;
  const Vector& q_forces = implicit_ ? q_end_ : start.q;
  const Vector& u_forces = implicit_ ? velocity_.u_end() : start.u;
  velocity_.account_energy(state.inputs, implicit_ ? velocity_.t_ahead() : t_forces,
                           implicit_ ? velocity_.q_ahead() : q_forces, u_forces, u_work_, h, energy);
  if (implicit_) velocity_.calc_implicit_impulse(u_work_, force_);
  velocity_.report_forces(h, state.inputs, t_forces, q_forces, u_forces, &force_, report);
  if (projection_) energy.projection += projection_->project(h, velocity_, q_end_, end_);
  velocity_.report_places(end_, report);

  const Status status = velocity_.finish(energy, q_end_, t_end, state, report);
  std::swap(state.contacts, next_landing_);
  return status;
}

/// (5b) [Negrut2017], (25) [Trinkle2003], without impulses: u_free = u + M^-1 h f. What the gyroscopic torque -omega x
/// J omega does to the body alone is that of solve_mean_rotation().
bool HalfImplicitStepper::calc_free_velocity(const State& state, const Inputs& inputs, double h, double t_end,
                                             StepReport& report) {
  report.message = calc_mean_rotations(system_, gyroscopic_, state.u, h, stop_, u_work_);
  if (!report.message.empty()) return false;
  if (implicit_) {
    velocity_.calc_implicit_free_velocity(state, inputs, h, t_end, u_work_, u_free_);
    return true;
  }
  system_.calc_applied_forces(state.t, state.q, state.u, force_);
  system_.add_gyroscopic_forces(state.u, force_);
  velocity_.add_input_forces(inputs, state.t, state.q, force_);
  if (velocity_.has_adhesion()) force_ += velocity_.adhesion();
  force_ *= h;
  system_.solve_mass(force_, u_free_);
  u_free_ += state.u;
  for (const Gyroscopic& k : gyroscopic_) {
    const Vector3 omega = state.u.segment<3>(k.row);
    u_free_.segment<3>(k.row) +=
        (u_work_.segment<3>(k.row) - omega) + h * (k.inverse_inertia * omega.cross(k.inertia * omega));
  }
  return true;
}

/// The gap up to which each point takes part: the envelope where one is given, else what its sides move in the step
/// without percussions; under the associated law also the gap mu h |u_T| at which it bears what slides. With
/// restitution a contact that does not close takes part where it touches, no farther away: others may close it in this
/// step, and it gives back in the next, from the velocity that it then has.
void HalfImplicitStepper::look_at_points(double h) {
  const std::size_t n = velocity_.contacts().points().size();
  end_.take(start_.t(), start_.q(), &u_free_);
  const bool are_many = n >= kManyPoints;
  const RankShare share(are_many);
  const int n_blocks = count_blocks(n, kPointsOfABlock);
  const BlockRange own = share.own(n_blocks);
  const std::size_t first = calc_block_begin(n, n_blocks, own.begin);
  make_room(looks_, n);
  looks_.resize(calc_block_begin(n, n_blocks, own.end) - first);
  for_blocks(are_many, n, kPointsOfABlock, own, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      stop_.check();
      looks_[i - first] = look_at(velocity_.contacts().points()[i], h);
    }
  });
  records_.gather(share, looks_);
}

HalfImplicitStepper::Look HalfImplicitStepper::look_at(const ContactPoint& point, double h) const {
  const double fall = h * h * system_.gravity().norm();
  const ContactPair& pair = system_.pair(point);
  ContactGeometry geometry;
  ContactVector gamma;
  calc_contact_within(end_, point, std::numeric_limits<double>::infinity(), geometry, gamma);
  Look look;
  look.gap = geometry.gap;
  look.closes = geometry.gap + h * gamma(0) < 0.0 ? 1 : 0;
  const double touches = calc_touching(point);
  if (pair.options.envelope || options_.envelope) {
    look.activation = pair.options.envelope ? *pair.options.envelope : *options_.envelope;
  } else if (std::ranges::binary_search(met_, point.id)) {
    look.activation = look.gap;
  } else {
    look.activation = std::max({h * std::abs(gamma(0)), fall, touches});
    if (options_.law == FrictionLaw::associated) {
      const double slip = gamma.segment(1, pair.friction_dim).norm();
      look.activation += h * std::max(pair.law().friction, pair.law().calc_friction(slip)) * slip;
      if (pair.has_moments()) {
        const ContactRowLayout& rows = pair.rows;
        look.activation += h * gamma.segment(rows.drill_row(), rows.n_drill).norm();
        look.activation += h * gamma.segment(rows.roll_row(), rows.n_roll).norm();
      }
    }
  }
  if (pair.law().rebounds() && look.closes == 0) look.activation = std::min(look.activation, std::max(fall, touches));
  if (std::ranges::binary_search(left_out_, point.id)) look.activation = -std::numeric_limits<double>::infinity();
  return look;
}

void HalfImplicitStepper::gather(double h) {
  const PhaseScope phase(Phase::gather);
  look_at_points(h);
  const auto activation_of = [this](std::size_t i) { return looks_[i].activation; };
  velocity_.constraints().gather(start_, velocity_.contacts().points(), std::ref(activation_of), h);
}

/// Solves the CCP (10) [Negrut2017] of the step, or LCP (39) [Trinkle2003]. With `retries` one that is not solved is
/// tried again without what may have made it insoluble: overlaps first, then what joints are off by as well
/// [Trinkle2003, the premises of existence]. Where that does not help the answer is that of the problem itself, solved
/// once more.
Status HalfImplicitStepper::solve(const State& state, double h, double t_end, StepReport& report) {
  report.fallbacks = 0;
  add_positions(h, t_end);
  const Status first = velocity_.solve(u_free_, state, report);
  if (!options_.retries || first == Status::ok) return first;
  const std::string message = report.message;
  std::string left_away;
  for (const bool joints : {false, true}) {
    if (!drop(joints)) continue;
    left_away += joints ? (left_away.empty() ? "joints" : " and joints") : "overlaps";
    ++report.fallbacks;
    if (velocity_.solve(u_free_, state, report) != Status::ok) continue;
    report.message = "solved without the stabilisation of " + left_away;
    return Status::ok;
  }
  if (left_away.empty()) return first;
  add_positions(h, t_end);
  report.message = message;
  return velocity_.solve(u_free_, state, report);
}

/// Takes the stabilisation of overlaps, or of joints, out of what is added to rows; whether there was some.
bool HalfImplicitStepper::drop(bool joints) {
  const ConstraintSet& constraints = velocity_.constraints();
  bool some = false;
  for (int i = 0; i < constraints.count(); ++i) {
    const ConstraintSet::Kind kind = constraints.kind(i);
    const Cone& cone = constraints.problem().cones[i];
    if (kind != (joints ? ConstraintSet::Kind::joint : ConstraintSet::Kind::contact)) continue;
    if (!joints && looks_[constraints.index(i)].gap >= 0.0) continue;
    for (int row = cone.offset; row < cone.offset + (joints ? cone.dim : 1); ++row) {
      const bool bounces = !joints && looks_[constraints.index(i)].closes != 0;
      const double kept = bounces ? std::min(0.0, restitution(i).normal * constraints.gamma()[row]) : 0.0;
      some |= velocity_.added()[row] != kept;
      velocity_.added()[row] = kept;
    }
  }
  return some;
}

/// (5a) [Negrut2017], (26) [Trinkle2003], and quaternions normalised.
void HalfImplicitStepper::advance(double h, double t_end) {
  calc_mean_velocity(gyroscopic_, start_.u(), u_work_, velocity_.u_end(), u_move_);
  system_.calc_coordinate_rates(start_.q(), u_move_, q_dot_);
  q_end_ = start_.q() + h * q_dot_;
  system_.normalize(t_end, q_end_);
}

/// Lists contacts that took no part and overlap at the end, to take part in another solve; whether there are some.
bool HalfImplicitStepper::meet_overlapping() {
  const std::vector<ContactPoint>& points = velocity_.contacts().points();
  const std::size_t before = met_.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    stop_.check();
    const ContactPair& pair = system_.pair(points[i]);
    if (options_.envelope || pair.options.envelope || pair.law().rebounds()) continue;
    const bool took_part = i < looks_.size() && looks_[i].gap <= looks_[i].activation;
    if (took_part || points[i].apart) continue;
    const double gap = calc_gap(end_, points[i]);
    if (gap < 0.0 && -gap > velocity_.admitted_overlap() * calc_size(points[i])) append(met_, points[i].id);
  }
  std::ranges::sort(met_);
  met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
  return met_.size() > before;
}

/// Lists contacts with percussions whose shapes stay apart in the step, without percussions and in the motion with
/// them: along the normal at the start they close, but they pass each other. What is solved for next goes without
/// them. Whether there are some.
bool HalfImplicitStepper::leave_out_passed(double h, double t_end) {
  if (options_.law == FrictionLaw::associated) return false;  // which bears what slides at a distance
  const std::vector<ContactPoint>& points = velocity_.contacts().points();
  const ConstraintSet& constraints = velocity_.constraints();
  const std::size_t before = left_out_.size();
  bool has_free_end = false;
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const int first_row = constraints.problem().cones[i].offset;
    const int k = constraints.index(i);
    if (!(velocity_.solution().p[first_row] > 0.0) || !(looks_[k].gap > 0.0) || points[k].joint >= 0) continue;
    const double apart = kApart * calc_size(points[k]);
    if (!(looks_[k].gap > apart) || std::ranges::binary_search(put_back_, points[k].id)) continue;
    stop_.check();
    if (!has_free_end) {
      q_free_ = start_.q();
      system_.advance(h, u_free_, q_free_);
      free_end_.take(t_end, q_free_, nullptr);
      has_free_end = true;
    }
    if (approach_.stays_apart(start_, free_end_, points[k], apart) &&
        approach_.stays_apart(start_, end_, points[k], apart)) {
      append(left_out_, points[k].id);
    }
  }
  std::ranges::sort(left_out_);
  return left_out_.size() > before;
}

/// Puts back contacts that were left out and meet after all in the motion without them; whether there are some.
bool HalfImplicitStepper::put_back_left_out() {
  if (left_out_.empty()) return false;
  const std::size_t before = put_back_.size();
  for (const ContactPoint& point : velocity_.contacts().points()) {
    if (!std::ranges::binary_search(left_out_, point.id)) continue;
    if (!approach_.stays_apart(start_, end_, point, calc_touching(point))) append(put_back_, point.id);
  }
  std::ranges::sort(put_back_);
  std::erase_if(left_out_, [this](ElementId id) { return std::ranges::binary_search(put_back_, id); });
  return put_back_.size() > before;
}

/// What positions and restitution add to the rows of (5c) and (7), and by what round-off of positions these are off.
void HalfImplicitStepper::add_positions(double h, double t_end) {
  const ConstraintSet& constraints = velocity_.constraints();
  std::vector<double>& added = velocity_.added();
  std::vector<double>& sizes = velocity_.added_sizes();
  make_room(added, constraints.size());
  make_room(sizes, constraints.size());
  added.assign(constraints.size(), 0.0);
  sizes.assign(constraints.size(), 0.0);
  for (int i = 0; i < constraints.count(); ++i) {
    stop_.check();
    if (constraints.kind(i) == ConstraintSet::Kind::contact) add_contact(i, h);
    if (constraints.kind(i) != ConstraintSet::Kind::joint) continue;
    if (projection_) {
      set_motion(i, t_end);
    } else if (options_.stabilisation) {
      add_joint(i, h);
    }
  }
}

void HalfImplicitStepper::add_contact(int cone, double h) {
  const ConstraintSet& constraints = velocity_.constraints();
  const ContactPoint& point = velocity_.contacts().points()[constraints.index(cone)];
  const Cone& rows = constraints.problem().cones[cone];
  double& added = velocity_.added()[rows.offset];
  double& size = velocity_.added_sizes()[rows.offset];
  const double gap = looks_[constraints.index(cone)].gap;
  added = gap / h;
  // A gap is known up to the round-off of positions: overlaps within it that contradict each other, as of what just
  // fits between two walls, are none, and with the projection, which takes back no less, neither are openings. Closed
  // on one side alone, what bends a stack would stay (docs/schemes.md: a hundred boxes).
  const double round_off = kOfPositions * calc_distance(point);
  if (projection_) {
    if (gap < kSumRoundOff * round_off) added = 0.0;
  } else if (gap < 0.0) {
    size = round_off / h;
    const double most = correction_speed_of(system_, point, options_.correction_speed);
    added = options_.stabilisation ? std::max(added, -most) : 0.0;
  }
  const ConstraintSet::Restitution e = restitution(cone);
  if (e.tangential > 0.0) {
    const std::span<const double> slip = this->slip(cone);
    for (int row = 1; row <= constraints.friction_dim(cone); ++row) {
      velocity_.added()[rows.offset + row] = e.tangential * slip[row];
      velocity_.added_sizes()[rows.offset + row] = std::abs(velocity_.added()[rows.offset + row]);
    }
  }
  if (e.normal == 0.0) return;
  const double approach = constraints.gamma()[rows.offset];  // < 0 where it closes
  if (gap < 0.0 && -gap <= kLeavesWithin * h * std::abs(approach)) added = 0.0;
  if (approach >= 0.0 || looks_[constraints.index(cone)].closes == 0) return;
  added = std::min(added, e.normal * approach);
}

/// gamma before an impact: that of the start, or of the start of the step before, where that left the contact about to
/// land. An impact without rebound takes two steps, in the first of which the gap is closed.
std::span<const double> HalfImplicitStepper::slip(int cone) {
  const ConstraintSet& constraints = velocity_.constraints();
  const std::span<const double> before = landing_->find(velocity_.contacts().points()[constraints.index(cone)].id);
  const Cone& rows = constraints.problem().cones[cone];
  return before.empty() ? constraints.gamma().subspan(rows.offset, rows.dim) : before;
}

/// e_N is that of the speed before the impact, too.
ConstraintSet::Restitution HalfImplicitStepper::restitution(int cone) {
  const ConstraintSet& constraints = velocity_.constraints();
  ConstraintSet::Restitution e = constraints.restitution(cone);
  const ContactLaw& law = system_.pair(velocity_.contacts().points()[constraints.index(cone)]).law();
  if (law.restitution_of_speed) e.normal = law.calc_restitution(slip(cone)[0]);
  return e;
}

/// Of contacts that give back slip, or by their speed, which percussions have slowed down to land in the next step.
void HalfImplicitStepper::keep_slips() {
  next_landing_.clear();
  const ConstraintSet& constraints = velocity_.constraints();
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const ContactPoint& point = velocity_.contacts().points()[constraints.index(i)];
    const ContactLaw& law = system_.pair(point).law();
    if (law.restitution_tangential == 0.0 && !law.restitution_of_speed) continue;
    const Cone& rows = constraints.problem().cones[i];
    if (looks_[constraints.index(i)].gap <= calc_touching(point) || !(velocity_.gamma_end()[rows.offset] < 0.0) ||
        !(velocity_.solution().p[rows.offset] > 0.0)) {
      continue;
    }
    if (!landing_->find(point.id).empty()) continue;  // it landed in this step, whatever gap curved surfaces leave
    std::ranges::copy(slip(i), next_landing_.add(point.id, static_cast<std::size_t>(rows.dim)).begin());
  }
}

/// Of the smaller of its bodies. [m]
double HalfImplicitStepper::calc_size(const ContactPoint& point) const {
  return sizes_.of_pair(system_.body(point, Side::first), system_.body(point, Side::second));
}

/// The gap up to which a contact touches, whatever moves.
double HalfImplicitStepper::calc_touching(const ContactPoint& point) const {
  return kTouches * calc_size(point);
}

/// Of a body that moves from the origin of the world: its positions are rounded by that. [m]
double HalfImplicitStepper::calc_distance(int body) const {
  if (system_.bodies()[body].n_u == 0) return 0.0;
  return system_.calc_pose(body, start_.t(), start_.q()).p_WB.lpNorm<Eigen::Infinity>();
}

/// The larger of the two bodies of a contact.
double HalfImplicitStepper::calc_distance(const ContactPoint& point) const {
  double far = 0.0;
  for (const Side side : {Side::first, Side::second}) far = std::max(far, calc_distance(system_.body(point, side)));
  return far;
}

/// g/h + g_t: g_t, of prescribed motions, is tau.
void HalfImplicitStepper::add_joint(int cone, double h) {
  const int index = velocity_.constraints().index(cone);
  const Joint& joint = system_.joints()[index];
  if (joint.n_position_rows == 0) return;
  JointVector g;
  system_.calc_joint_position(index, start_.t(), start_.q(), g);
  double far = 0.0;
  for (int k = 0; k < joint.n_sides(); ++k) far = std::max(far, calc_distance(joint.side(k).body));
  const int first = velocity_.constraints().problem().cones[cone].offset;
  for (int r = 0; r < joint.n_position_rows; ++r) {
    velocity_.added()[first + r] = std::clamp(g(r) / h, -options_.correction_speed, options_.correction_speed);
    velocity_.added_sizes()[first + r] = kOfPositions * (joint.is_angle_row(r) ? 1.0 : far) / h;
  }
}

/// Where the projection puts a joint with a motion at the end of the step is where the velocities lead it, but for
/// terms of fifth order: by the mean of the rate over the step and not by g_t. Else what rests on it by friction, which
/// is not projected, would lag. By the mean of the rates at both ends it would slip by h^2/12 of how much the
/// acceleration has changed.
void HalfImplicitStepper::set_motion(int cone, double t_end) {
  const Joint& joint = system_.joints()[velocity_.constraints().index(cone)];
  if (!joint.options.motion) return;
  const double mean = calc_mean_rate(joint, start_.t(), t_end);
  velocity_.constraints().add_motion_rate(cone, mean - joint.motion_rate.value(start_.t()));
}

}  // namespace

std::unique_ptr<TimeStepper> make_half_implicit(const HalfImplicitOptions& options, const System& system,
                                                ConeSolver& solver, StopToken stop) {
  return std::make_unique<HalfImplicitStepper>(options, system, solver, stop);
}

}  // namespace stickslip
