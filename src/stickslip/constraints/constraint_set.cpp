// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/constraint_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/contact_blocks.h"
#include "stickslip/constraints/warm_start.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

/// From so many contacts on the packed operator is used; what has fewer keeps the bits of the factored one.
constexpr std::size_t kPackedContacts = 64;  // [-]

/// From so many points on threads share them, in blocks of some ten microseconds, and so many at a time, whose
/// geometries fit into a cache. [-]
constexpr std::size_t kManyPoints = 2048;
constexpr std::size_t kPointsOfABlock = 128;
constexpr std::size_t kPointsAtOnce = 1024;

/// Whether both bodies take a contact at one point, in the middle of its gap: two shapes, neither on a fixed body, in a
/// scene with joints. At the two nearest points bodies that turn together slide by omega times the gap: a gripped box
/// then slides on both faces in opposite directions, and no friction is left for its load (docs/ccp.md).
bool is_between_turning(const System& system, const ContactPoint& k) {
  if (system.joints().empty() || k.frozen == nullptr) return false;
  const auto is_fixed = [&](Side side) { return system.bodies()[system.body(k, side)].type == BodyType::fixed; };
  return !is_fixed(Side::first) && !is_fixed(Side::second);
}

/// visit(row, n, J, v_of_body): each row of W^T stored in blocks, with each body's n velocities that it has columns of.
template <class Visit>
void visit_rows(const ConeProblem& problem, const Vector& v, const Visit& visit) {
  const auto& factored = std::get<FactoredDelassus>(problem.delassus);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    for (const FactoredDelassus::Block& block : factored.row(i)) {
      const double* J = factored.values(block);
      with_size(block.n, [&](const auto n) {
        for (int r = 0; r < cone.dim; ++r) visit(cone.offset + r, n, J + r * n, v.data() + block.v_offset);
      });
    }
  }
}

}  // namespace

ConstraintSet::ConstraintSet(const System& system, StopToken stop, bool packs) : system_(system), stop_(stop) {
  problem_.delassus.emplace<FactoredDelassus>();
  other_.emplace<PackedDelassus>();
  const auto has_ellipse = [](const ContactPair& pair) { return pair.law().ellipse.has_value(); };
  const auto is_law_packed = [&](const ContactPair& pair) {
    return pair.friction_dim == PackedDelassus::kDim - 1 && !has_ellipse(pair) && !pair.has_moments();
  };
  can_pack_ = packs && system.joints().empty() && system.dry_frictions().empty() &&
              std::ranges::all_of(system.contacts(), is_law_packed) &&
              std::ranges::none_of(system.detected_pairs(), has_ellipse) &&
              std::ranges::none_of(system.detected_pairs(), &ContactPair::has_moments);
  has_motions_ = system.has_surface_velocities();
  int n_bodies = 0;
  for (const Body& body : system.bodies()) {
    stop_.check();
    if (body.n_u > 0) can_pack_ &= body.type == BodyType::rigid;
    has_motions_ |= body.type == BodyType::moving;
    delassus_body_.push_back(body.n_u > 0 ? n_bodies++ : -1);
  }
  for (std::size_t i = 0; can_pack_ && i < system.bodies().size(); ++i) {
    const int body = static_cast<int>(i);
    if (delassus_body_[i] < 0) continue;
    packed_masses_.push_back(
        {body, 1.0 / system.bodies()[i].mass, system.inverse_mass(body).bottomRightCorner<3, 3>()});
  }
  rest_.setZero(system.n_u());
  world_.setZero(system.n_u());
  indices_.reserve(system.contact_points().size() + system.joints().size() + system.dry_frictions().size());
}

void ConstraintSet::gather(const BodySnapshot& at, const std::vector<ContactPoint>& points, double activation,
                           double h) {
  problem_.of_positions = false;
  gather_closed(
      at, points, [activation](std::size_t) { return activation; }, h);
}

void ConstraintSet::gather(const BodySnapshot& at, const std::vector<ContactPoint>& points,
                           std::span<const double> activation, double h) {
  STICKSLIP_ASSERT(activation.size() == points.size());
  problem_.of_positions = false;
  gather_closed(
      at, points, [activation](std::size_t i) { return activation[i]; }, h);
}

void ConstraintSet::gather(const BodySnapshot& at, const std::vector<ContactPoint>& points,
                           const ActivationOf& activation_of, double h) {
  problem_.of_positions = false;
  gather_closed(at, points, activation_of, h);
}

template <class Activations>
void ConstraintSet::gather_closed(const BodySnapshot& at, const std::vector<ContactPoint>& points,
                                  const Activations& activation_of, double h) {
  STICKSLIP_ASSERT(&at.system() == &system_);
  at_ = &at;
  points_ = &points;
  if (finite_motions_ && has_motions_ && !problem_.of_positions) find_finite_motions(h);
  const bool groups = implicit_ != nullptr && !problem_.of_positions;
  bool packed = can_pack_ && !groups && points.size() >= kPackedContacts;
  if (packed) {
    clear();
    pack_bodies(problem_.of_positions ? 1 : PackedDelassus::kDim);
    gather_contacts(activation_of, h);
    packed = indices_.size() >= kPackedContacts;
  }
  if (!packed) {
    clear();
    auto& factored = hold<FactoredDelassus>();
    const int n_servos = servos_ != nullptr && !problem_.of_positions ? static_cast<int>(servos_->rows().size()) : 0;
    groups || has_groups_ || n_servos != n_servos_ ? factored.clear() : factored.clear_rows();
    has_groups_ = groups;
    n_servos_ = n_servos;
    gather_contacts(activation_of, h);
  }
  gather_joints();
  if (!problem_.of_positions) gather_dry_frictions(h);
  if (n_servos_ > 0) gather_servos(h);
  if (!tau_.empty()) {
    tau_.resize(gamma_.size(), 0.0);
    tau_at_instant_.resize(gamma_.size(), 0.0);
  }
}

void ConstraintSet::gather_positions(const BodySnapshot& at, const std::vector<ContactPoint>& points,
                                     double activation) {
  problem_.of_positions = true;
  problem_.floor = 0.0;
  gather_closed(
      at, points, [activation](std::size_t) { return activation; }, 0.0);
}

void ConstraintSet::clear() {
  problem_.clear_cones();
  indices_.clear();
  n_contacts_ = 0;
  n_joints_ = 0;
  n_dry_frictions_ = 0;
  kinetic_.clear();
  geometries_.clear();
  units_.clear();
  gaps_.clear();
  gamma_.clear();
  tau_.clear();
  tau_at_instant_.clear();
  tau_by_joints_.clear();
}

/// The Delassus operator of the problem as one of a kind, with the memory that it had when it was one last.
template <class W>
W& ConstraintSet::hold() {
  if (!std::holds_alternative<W>(problem_.delassus)) std::swap(problem_.delassus, other_);
  return std::get<W>(problem_.delassus);
}

/// The bodies that move, with their inverse inertia in the world frame.
void ConstraintSet::pack_bodies(int dim) {
  auto& packed = hold<PackedDelassus>();
  packed.clear(dim);
  for (const PackedMass& mass : packed_masses_) {
    const Matrix3& R = (*at_)[mass.body].R;
    packed.add_body(mass.inverse_mass, R * mass.inverse_inertia * R.transpose());
  }
}

void ConstraintSet::look_at(std::size_t point, PointAt& at) const {
  prefetch_ahead(*at_, *points_, point);
  const ContactPoint& k = (*points_)[point];
  at.is_closed =
      !(problem_.of_positions && k.apart) && calc_contact_within(*at_, k, at.activation, at.geometry, at.gamma);
}

/// Threads look at points where there are many, some thousand at a time; rows are made one by one.
template <class Activations>
void ConstraintSet::gather_contacts(const Activations& activation_of, double h) {
  auto* packed = std::get_if<PackedDelassus>(&problem_.delassus);
  const bool are_many = points_->size() >= kManyPoints;
  const bool carries = finite_motions_ && !problem_.of_positions && h > 0.0;
  const std::size_t n_at_once = are_many ? kPointsAtOnce : 1;
  make_room(looked_at_, n_at_once);
  if (looked_at_.size() < n_at_once) looked_at_.resize(n_at_once);
  for (std::size_t i = 0; i < points_->size(); ++i) {
    stop_.check();
    if (i % n_at_once == 0) {
      const std::size_t n = std::min(n_at_once, points_->size() - i);
      for (std::size_t j = 0; j < n; ++j) looked_at_[j].activation = activation_of(i + j);
      for_blocks(are_many, n, kPointsOfABlock, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t j = begin; j < end; ++j) look_at(i + j, looked_at_[j]);
      });
    }
    PointAt& looked_at = looked_at_[i % n_at_once];
    if (!looked_at.is_closed) continue;
    const ContactPoint& k = (*points_)[i];
    ContactGeometry& geometry = looked_at.geometry;
    const ContactVector& gamma = looked_at.gamma;
    const ContactPair& pair = system_.pair(k);
    const bool slides = pair.friction_dim > 0 && !problem_.of_positions;
    if (slides && is_between_turning(system_, k)) {
      geometry.position_first = geometry.position_second = 0.5 * (geometry.position_first + geometry.position_second);
    }
    double mu = pair.law().friction;
    if (slides && pair.law().is_of_speed()) {
      mu = pair.law().calc_friction(gamma.segment(1, std::min(pair.friction_dim, 2)).norm());
      if (pair.law().kinetic && mu < pair.law().friction) append(kinetic_, n_contacts_);
    }
    if (slides) {
      problem_.add_contact(ContactBlocks(pair, mu, polygon_).all());
    } else {
      problem_.add_contact({});
    }
    ++n_contacts_;
    add_member(static_cast<int>(i), problem_.of_positions ? &geometry.gap : gamma.data());
    if (!problem_.of_positions) append(gaps_, geometry.gap);
    const std::optional<Side> carrier = carries ? find_carrier(*at_, k, h) : std::nullopt;
    if ((has_motions_ && !problem_.of_positions && system_.has_prescribed_motion(k)) || carrier) {
      const ContactVector at_instant = system_.calc_contact_velocity(k, geometry, at_->t(), at_->q(), rest_);
      ContactVector tau = at_instant;
      ContactVector by_joints = ContactVector::Zero();
      if (k.joint < 0 && !turning_.empty()) {
        ContactGeometry same;
        system_.calc_contact_within(k, carry(k, Side::first, h), carry(k, Side::second, h),
                                    std::numeric_limits<double>::infinity(), same, tau);
        if (system_.has_surface_velocity(k)) {
          BodyMotion first, second;
          system_.add_surface_velocity(k, at_->t(), geometry, at_->at(system_.place_number(k, Side::first), first),
                                       at_->at(system_.place_number(k, Side::second), second), tau);
        }
      }
      if (carrier) add_carried(k, geometry, *carrier, h, tau, by_joints);
      const Cone& rows = problem_.cones.back();
      for (int r = 0; r < rows.dim; ++r) gamma_[rows.offset + r] += at_instant(r) - tau(r) + 2.0 * by_joints(r);
      if (carrier && ahead_ != nullptr) {
        tau_by_joints_.resize(problem_.b.size(), 0.0);
        std::copy_n(by_joints.data(), rows.dim, tau_by_joints_.begin() + rows.offset);
      }
      set_last_tau(tau.data(), at_instant.data());
    }
    if (packed != nullptr) {
      const int first = system_.body(k, Side::first);
      const int second = system_.body(k, Side::second);
      packed->add_contact({geometry.normal, geometry.tangent1, geometry.position_first - (*at_)[first].p,
                           geometry.position_second - (*at_)[second].p, delassus_body_[first], delassus_body_[second]});
      continue;
    }
    append(geometries_, geometry);
    BodyMotion scratch;
    FactoredDelassus& factored = begin_rows();
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& at = system_.side(k, side);
      add_side(factored, at, [&](Eigen::Ref<RowMatrix> J) {
        system_.calc_contact_jacobian(k, geometry, at_->q(), at_->at(at, scratch), side, J);
      });
    }
  }
}

void ConstraintSet::gather_joints() {
  const std::vector<Joint>& joints = system_.joints();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    stop_.check();
    const int dim = problem_.of_positions ? joints[i].n_position_rows : joints[i].dim;
    if (dim == 0) continue;
    const int j = static_cast<int>(i);
    problem_.add_free(dim);
    system_.calc_joint_geometry(j, at_->t(), at_->q(), problem_.of_positions ? nullptr : &at_->u(), pair_);
    if (dim < joints[i].dim) {
      for (auto& W : pair_.W) W.conservativeResize(dim, Eigen::NoChange);
    }
    ++n_joints_;
    add_member(j, problem_.of_positions ? pair_.g.data() : pair_.gamma.data());
    if (!problem_.of_positions && system_.joint_has_prescribed_motion(j)) {
      system_.calc_joint_velocity(j, at_->t(), at_->q(), rest_, pair_.gamma);
      set_last_tau(pair_.gamma.data(), pair_.gamma.data());
    }
    if (joints[i].is_coupling()) {
      FactoredDelassus& factored = begin_rows();
      for (int k = 0; k < joints[i].n_sides(); ++k) {
        add_side(factored, joints[i].side(k),
                 [&](Eigen::Ref<RowMatrix> J) { system_.calc_joint_jacobian(j, at_->t(), at_->q(), k, J); });
      }
    } else {
      add_pair(joints[i].first, joints[i].second);
    }
    for (int r = 0; r < dim; ++r) append(units_, pair_.unit[r]);
  }
}

void ConstraintSet::gather_dry_frictions(double h) {
  for (std::size_t i = 0; i < system_.dry_frictions().size(); ++i) {
    stop_.check();
    const int k = static_cast<int>(i);
    const DryFrictionElement& e = system_.dry_frictions()[i];
    problem_.add_ball(e.dim, h * system_.calc_friction_bound(k, joint_loads_));
    system_.calc_dry_friction_geometry(k, at_->t(), at_->q(), &at_->u(), pair_);
    ++n_dry_frictions_;
    add_member(k, pair_.gamma.data());
    if (system_.dry_friction_has_prescribed_motion(k)) {
      system_.calc_dry_friction_velocity(k, at_->t(), at_->q(), rest_, pair_.gamma);
      set_last_tau(pair_.gamma.data(), pair_.gamma.data());
    }
    add_pair(e.first, e.second);
  }
}

/// The rows W^T of pair_ for the last cone.
void ConstraintSet::add_pair(const Attachment& first, const Attachment& second) {
  FactoredDelassus& factored = begin_rows();
  add_side(factored, first, [this](Eigen::Ref<RowMatrix> J) { J = pair_.W[0]; });
  add_side(factored, second, [this](Eigen::Ref<RowMatrix> J) { J = pair_.W[1]; });
}

/// What the last cone of the problem is, and gamma (dim) of its rows; of positions, these.
void ConstraintSet::add_member(int index, const double* gamma) {
  append(indices_, index);
  if (problem_.of_positions) {
    const Cone& cone = problem_.cones.back();
    std::copy_n(gamma, cone.dim, problem_.b.begin() + cone.offset);
    return;
  }
  make_room(gamma_, problem_.b.size());
  for (int r = 0; r < problem_.cones.back().dim; ++r) gamma_.push_back(gamma[r]);
}

/// tau (dim) of the last cone's rows.
void ConstraintSet::set_last_tau(const double* tau, const double* tau_at_instant) {
  const Cone& cone = problem_.cones.back();
  tau_.resize(problem_.b.size(), 0.0);
  tau_at_instant_.resize(problem_.b.size(), 0.0);
  std::copy_n(tau, cone.dim, tau_.begin() + cone.offset);
  std::copy_n(tau_at_instant, cone.dim, tau_at_instant_.begin() + cone.offset);
}

/// Begins the rows W^T of the last cone in the Delassus operator.
FactoredDelassus& ConstraintSet::begin_rows() {
  auto& factored = std::get<FactoredDelassus>(problem_.delassus);
  if (factored.n_bodies() == 0) add_bodies(factored);
  factored.begin_row(problem_.cones.back().dim);
  return factored;
}

/// Their columns of one side: on a beam those of the attachment's range, in a group of bodies those of its body.
template <class FillJacobian>
void ConstraintSet::add_side(FactoredDelassus& factored, const Attachment& at, FillJacobian&& fill_jacobian) const {
  if (at.n_u == 0) return;
  const int body = has_groups_ ? implicit_->place(at.body).group : delassus_body_[at.body];
  const int column = has_groups_ ? implicit_->place(at.body).column : 0;
  fill_jacobian(factored.add_block(body, column + at.u_offset - system_.bodies()[at.body].u_offset, at.n_u));
}

/// The bodies that move, before the first row: a heap that is packed at once never has them here.
void ConstraintSet::add_bodies(FactoredDelassus& factored) const {
  for (int k = 0; has_groups_ && k < implicit_->n_groups(); ++k) factored.add_body(implicit_->inverse_mass(k));
  for (std::size_t i = 0; !has_groups_ && i < system_.bodies().size(); ++i) {
    stop_.check();
    if (delassus_body_[i] < 0) continue;
    const Body& body = system_.bodies()[i];
    if (!system_.has_diagonal_mass()) {
      factored.add_body(system_.inverse_mass(static_cast<int>(i)));
      continue;
    }
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxSideDofs, kMaxSideDofs> inverse;  // no memory
    inverse.setZero(body.n_u, body.n_u);
    inverse.diagonal() = system_.inverse_mass_diagonal().segment(body.u_offset, body.n_u);
    factored.add_body(inverse);
  }
  for (int k = 0; k < n_servos_; ++k) factored.add_body(Matrix::Identity(1, 1));
}

ElementId ConstraintSet::id(int cone) const {
  const auto index = static_cast<std::uint64_t>(indices_[cone]);
  switch (kind(cone)) {
    case Kind::contact:
      return (*points_)[index].id;
    case Kind::joint:
      return {kJointBit | index, 0};
    case Kind::servo:
      return {kDryFrictionBit | (system_.dry_frictions().size() + index), 0};
    case Kind::dry_friction:
      break;
  }
  return {kDryFrictionBit | index, 0};
}

ConstraintSet::Restitution ConstraintSet::restitution(int cone) const {
  if (kind(cone) != Kind::contact) return {};
  const ContactLaw& law = system_.pair((*points_)[indices_[cone]]).law();
  return {law.calc_restitution(gamma_[problem_.cones[cone].offset]), law.restitution_tangential};
}

ImpactLaw ConstraintSet::impact_law(int cone) const {
  return system_.pair((*points_)[indices_[cone]]).law().impact;
}

int ConstraintSet::friction_dim(int cone) const {
  return system_.pair((*points_)[indices_[cone]]).friction_dim;
}

double ConstraintSet::slip_speed(int cone) const {
  const int first = problem_.cones[cone].offset + 1;
  const int n_slide = std::min(system_.pair((*points_)[indices_[cone]]).friction_dim, 2);
  return ConstVectorView(gamma_.data() + first, n_slide).norm();
}

const Vector3& ConstraintSet::normal(int cone) const {
  const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus);
  return packed != nullptr ? packed->contact(cone).normal : geometries_[cone].normal;
}

const Vector3& ConstraintSet::tangent(int cone) const {
  const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus);
  return packed != nullptr ? packed->contact(cone).tangent : geometries_[cone].tangent1;
}

bool ConstraintSet::restore_static_friction(std::span<const double> velocity, std::span<const double> added) {
  return std::erase_if(kinetic_, [&](int i) {
           const Cone& cone = problem_.cones[i];
           const ContactPair& pair = system_.pair((*points_)[indices_[i]]);
           double along = 0.0;
           for (int row = cone.offset + 1; row < cone.offset + 1 + std::min(pair.friction_dim, 2); ++row) {
             along += gamma_[row] * (velocity[row] - (added.empty() ? 0.0 : added[row]));
           }
           if (!(along < 0.0)) return false;
           problem_.blocks[cone.first_block].mu = pair.law().friction;
           return true;
         }) > 0;
}

double ConstraintSet::calc_exact_residual(std::span<const double> p) {
  for (FrictionBlock& block : problem_.blocks) FrictionPolygon().shape(block);
  const double exact = calc_residual(problem_, FrictionLaw::coulomb, p, residual_work_).absolute;
  for (FrictionBlock& block : problem_.blocks) polygon_.shape(block);
  return exact;
}

bool ConstraintSet::has_restitution() const {
  for (int i = 0; i < count() && kind(i) == Kind::contact; ++i) {
    const Restitution e = restitution(i);
    if (e.normal != 0.0 || e.tangential != 0.0) return true;
  }
  return false;
}

void ConstraintSet::add_restitution(std::span<double> added) const {
  for (int i = 0; i < count() && kind(i) == Kind::contact; ++i) {
    const Restitution e = restitution(i);
    if ((e.normal == 0.0 && e.tangential == 0.0) || has_phases(i)) continue;
    const Cone& cone = problem_.cones[i];
    added[cone.offset] += e.normal * gamma_[cone.offset];
    const int end = cone.offset + 1 + friction_dim(i);
    for (int row = cone.offset + 1; row < end; ++row) added[row] += e.tangential * gamma_[row];
  }
}

/// As the factored operator has them.
const Vector& ConstraintSet::ordered(const Vector& v) {
  if (!has_groups_ && n_servos_ == 0) return v;
  ordered_.setZero(v.size() + n_servos_);
  for (Eigen::Index i = 0; i < v.size(); ++i) ordered_(i) = v(has_groups_ ? implicit_->order()[i] : i);
  return ordered_;
}

/// Calls f(contact) for all contacts of the packed operator, which threads share where there are many.
template <class F>
void ConstraintSet::for_packed(F&& f) const {
  const auto n = static_cast<std::size_t>(count());
  for_blocks(n >= kManyPoints, n, kPointsOfABlock, [&](std::size_t begin, std::size_t end, int) {
    for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i) f(i);
  });
}

void ConstraintSet::add_relative_velocities(const Vector& u, std::span<double> gamma) {
  if (const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus)) {
    world_ = u;
    turn_packed([](const Matrix3& R, Eigen::Ref<Vector3> w) { w = R * w.eval(); });
    for_packed([&](int i) {
      packed->prefetch_ahead(i, world_.data());
      packed->add_relative_velocity(i, world_.data(), gamma.data() + problem_.cones[i].offset);
    });
    return;
  }
  const auto& factored = std::get<FactoredDelassus>(problem_.delassus);
  const Vector& v = ordered(u);
  for (int i = 0; i < count(); ++i) {
    const Cone& cone = problem_.cones[i];
    for (const FactoredDelassus::Block& block : factored.row(i)) {
      with_size(block.n, [&](const auto n) {
        add_product(cone.dim, n, factored.values(block), v.data() + block.v_offset, gamma.data() + cone.offset);
      });
    }
  }
}

void ConstraintSet::add_speeds(const Vector& v, std::span<double> speed) {
  if (const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus)) {
    for_packed([&](int i) {
      packed->prefetch_ahead(i, v.data());
      const PackedDelassus::Contact& contact = packed->contact(i);
      double of_contact = 0.0;
      for (const auto& [body, arm] :
           {std::pair(contact.first, &contact.arm_first), std::pair(contact.second, &contact.arm_second)}) {
        if (body == PackedDelassus::kFixed) continue;
        const auto of_body = v.segment<6>(6 * body);
        of_contact += of_body.head<3>().norm() + arm->norm() * of_body.tail<3>().norm();
      }
      for (int r = 0; r < PackedDelassus::kDim; ++r) speed[problem_.cones[i].offset + r] += of_contact;
    });
    return;
  }
  visit_rows(problem_, ordered(v), [&](int row, auto n, const double* J, const double* v_of_body) {
    double sum = 0.0;
    for (int j = 0; j < n; ++j) sum += std::abs(J[j] * v_of_body[j]);
    speed[row] += sum;
  });
}

void ConstraintSet::add_relative_velocities(const Vector& v, std::span<double> gamma, std::span<double> speed) {
  if (std::holds_alternative<PackedDelassus>(problem_.delassus)) {
    add_relative_velocities(v, gamma);
    return add_speeds(v, speed);
  }
  visit_rows(problem_, ordered(v), [&](int row, auto n, const double* J, const double* v_of_body) {
    double sum = 0.0;
    double size = 0.0;
    for (int j = 0; j < n; ++j) {
      const double term = J[j] * v_of_body[j];
      sum += term;
      size += std::abs(term);
    }
    gamma[row] += sum;
    speed[row] += size;
  });
}

void ConstraintSet::calc_generalized_percussions(std::span<const double> p, Vector& force) {
  if (const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus)) {
    world_.setZero();
    for (int i = 0; i < count(); ++i) {
      packed->prefetch_ahead(i, world_.data());
      packed->add_momentum(i, p.data() + problem_.cones[i].offset, world_.data());
    }
    turn_packed([](const Matrix3& R, Eigen::Ref<Vector3> w) { w = R.transpose() * w.eval(); });
    force = world_;
    return;
  }
  const auto& factored = std::get<FactoredDelassus>(problem_.delassus);
  Vector& momenta = has_groups_ || n_servos_ > 0 ? ordered_ : force;
  momenta.setZero(system_.n_u() + n_servos_);
  for (int i = 0; i < count(); ++i) {
    const Cone& cone = problem_.cones[i];
    for (const FactoredDelassus::Block& block : factored.row(i)) {
      const double* J = factored.values(block);
      with_size(block.n, [&](const auto n) {
        add_transposed_product(cone.dim, n, J, p.data() + cone.offset, momenta.data() + block.v_offset);
      });
    }
  }
  if (&momenta == &force) return;
  force.resize(system_.n_u());
  for (Eigen::Index i = 0; i < force.size(); ++i) force(has_groups_ ? implicit_->order()[i] : i) = ordered_(i);
}

/// Turns the angular parts of world_ between the frames of the bodies and of the world.
template <class Turn>
void ConstraintSet::turn_packed(Turn&& turn) {
  for (std::size_t k = 0; k < packed_masses_.size(); ++k) {  // each has PackedDelassus::kBodyRows velocities
    turn((*at_)[packed_masses_[k].body].R,
         world_.segment<3>(PackedDelassus::kBodyRows * static_cast<Eigen::Index>(k) + 3));
  }
}

void ConstraintSet::load_warm(const ValuesById& warm, ConeSolution& solution) const {
  stickslip::load_warm(
      warm, problem_, [this](int cone) { return id(cone); }, solution);
}

void ConstraintSet::save_warm(const ConeSolution& solution, ValuesById& warm) const {
  stickslip::save_warm(
      problem_, [this](int cone) { return id(cone); }, solution, warm);
}

}  // namespace stickslip
