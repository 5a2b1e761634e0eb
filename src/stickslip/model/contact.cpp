// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact.h"

#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/manifold.h"
#include "stickslip/collision/triangle_surface.h"
#include "stickslip/model/contact_traits.h"
#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {

namespace {

constexpr int kShapeBits = 30;
constexpr std::uint64_t kShapeMask = (std::uint64_t{1} << kShapeBits) - 1;
constexpr std::uint64_t kFeatureMask = (std::uint64_t{1} << 32) - 1;

/// Where two sides are so; center (3) [m] of the ball, of a crossing where its line touches.
Gap<double> gap_between(const SurfaceFeature& surface, const BallFeature& ball, bool flipped, const BodyMotion& first,
                        const BodyMotion& second, Vector3& center) {
  const BodyMotion& of_surface = flipped ? second : first;
  const BodyMotion& of_ball = flipped ? first : second;
  return stickslip::calc_gap<double>(surface, of_surface.p, of_surface.R, ball, of_ball.p, of_ball.R, center);
}

/// The features of a solid in a row: vertices, edges, faces.
std::uint64_t number_feature(const Solid& solid, std::uint64_t feature) {
  const auto id = static_cast<FeatureId>(feature);
  auto number = static_cast<std::uint64_t>(feature_index(id));
  if (feature_kind(id) == FeatureKind::vertex) return number;
  const TriangleSurface* surface = solid.surface.get();
  number += surface ? static_cast<std::size_t>(surface->n_vertices()) : solid.vertices.size();
  if (feature_kind(id) == FeatureKind::edge) return number;
  return number + (surface ? static_cast<std::size_t>(surface->n_edges()) : solid.edges.size());
}

}  // namespace

ElementId System::make_contact_id(int surface_shape, int ball_shape, int ball) {
  return {
      kDetectedBit | static_cast<std::uint64_t>(surface_shape) << kShapeBits | static_cast<std::uint64_t>(ball_shape),
      static_cast<std::uint64_t>(ball)};
}

bool System::meet_in_manifold(int a, int b) const {
  const ShapeFeatures& x = shapes_[a];
  const ShapeFeatures& y = shapes_[b];
  if ((x.solid < 0 && x.plane < 0) || (y.solid < 0 && y.plane < 0) || (x.is_round && y.is_round)) return false;
  // What is below a height-field has no end, and a half-space none beside it.
  if ((x.plane >= 0 && is_height_field(y)) || (y.plane >= 0 && is_height_field(x))) return false;
  return !touch_by_balls(x, y) && !touch_by_balls(y, x) && NarrowPhase::has_manifold(solid(a).kind, solid(b).kind);
}

bool System::is_height_field(const ShapeFeatures& shape) const {
  const auto* mesh = std::get_if<Mesh>(&bodies_[shape.body].shapes[shape.shape].geometry);
  return mesh != nullptr && mesh->field;
}

bool System::touch_by_balls(const ShapeFeatures& on, const ShapeFeatures& of) const {
  if (on.surface < 0 || of.n_balls == 0) return false;
  const SurfaceKind kind = surfaces_[on.surface].kind;
  if (is_bounded(kind)) return of.is_round;
  return kind == SurfaceKind::half_space || !balls_[of.first_ball].is_ellipsoid;
}

std::optional<System::ManifoldOfId> System::find_manifold(ElementId id) const {
  if ((id.pair & kDetectedBit) != 0) {
    const auto first = static_cast<int>(id.pair >> kShapeBits & kShapeMask);
    const auto second = static_cast<int>(id.pair & kShapeMask);
    if (!meet_in_manifold(first, second)) return std::nullopt;
    return ManifoldOfId{first, second, -1};
  }
  if ((id.pair & kVaryingBit) == 0) return std::nullopt;
  const auto index = static_cast<int>(id.pair & ~kVaryingBit);
  return ManifoldOfId{manifold_pairs_[index].first_shape, manifold_pairs_[index].second_shape, index};
}

ContactPoint System::make_manifold_point(int first_shape, int second_shape, int manifold_pair,
                                         std::uint32_t feature_first, std::uint32_t feature_second) const {
  ContactPoint point;
  if (manifold_pair >= 0) {
    point.id.pair = kVaryingBit | static_cast<std::uint64_t>(manifold_pair);
    point.pair = manifold_pairs_[manifold_pair].pair;
  } else {
    point.id.pair =
        kDetectedBit | static_cast<std::uint64_t>(first_shape) << kShapeBits | static_cast<std::uint64_t>(second_shape);
    point.pair = kDetected;
  }
  point.id.feature = static_cast<std::uint64_t>(feature_first) << 32 | feature_second;
  return point;
}

std::uint64_t System::number_of(ElementId id) const {
  if (const std::optional<ManifoldOfId> of = find_manifold(id)) {
    std::uint64_t first = number_feature(solid(of->first_shape), id.feature >> 32);
    std::uint64_t second = number_feature(solid(of->second_shape), id.feature & kFeatureMask);
    if (is_surface(solid(of->second_shape).kind)) std::swap(first, second);
    const std::uint64_t shapes =
        static_cast<std::uint64_t>(of->first_shape) * shapes_.size() + static_cast<std::uint64_t>(of->second_shape);
    return shapes * numbers_a_pair() + first * most_features_ + second;
  }
  STICKSLIP_ASSERT((id.pair & kDetectedBit) != 0);
  const std::uint64_t surface_shape = id.pair >> kShapeBits & kShapeMask;
  return (surface_shape * shapes_.size() + (id.pair & kShapeMask)) * numbers_a_pair() + (id.feature & kFeatureMask);
}

const ContactPair& System::detected_between(ElementId id) const {
  STICKSLIP_ASSERT((id.pair & kDetectedBit) != 0);
  return detected_between(static_cast<int>(id.pair >> kShapeBits & kShapeMask), static_cast<int>(id.pair & kShapeMask));
}

ContactPoint System::make_contact_point(ElementId id) const {
  STICKSLIP_ASSERT((id.pair & kDetectedBit) != 0);
  ContactPoint point;
  point.id = id;
  point.pair = kDetected;
  point.index = static_cast<int>(id.feature & kFeatureMask);
  point.surface = shapes_[id.pair >> kShapeBits & kShapeMask].surface;  // a shape has one: its number is 0
  point.ball = shapes_[id.pair & kShapeMask].first_ball + point.index;
  return point;
}

void System::calc_contact(const ContactPoint& k, double t, const Vector& q, ContactGeometry& geometry) const {
  if (k.joint >= 0) return calc_limit(k, t, q, geometry);
  calc_contact(k, calc_motion(side(k, Side::first), t, q, nullptr), calc_motion(side(k, Side::second), t, q, nullptr),
               geometry);
}

void System::calc_contact(const ContactPoint& k, const BodyMotion& first, const BodyMotion& second,
                          ContactGeometry& geometry) const {
  STICKSLIP_ASSERT(k.joint < 0);
  ContactFrame<double> c = contact_frame<double>(surface(k), ball(k), k.flipped, planar_, k.flipped ? second : first,
                                                 k.flipped ? first : second);
  if (const ContactLaw& law = pair(k).law(); law.ellipse) turn_to_ellipse(law, first, second, c);
  geometry = {is_present(k) ? c.gap : kAbsentGap, c.first, c.second, c.normal, c.t1, c.t2};
}

// Flat: calls, which hand on by memory what they compute, take half as long again.
[[gnu::flatten]] bool System::calc_contact_within(const ContactPoint& k, const BodyMotion& first,
                                                  const BodyMotion& second, double most, ContactGeometry& geometry,
                                                  ContactVector& gamma) const {
  STICKSLIP_ASSERT(k.joint < 0);
  if (!is_present(k) && !(kAbsentGap <= most)) return false;
  const ShapeBall& of_ball = ball(k);
  Vector3 center;
  const Gap<double> between = gap_between(surface(k), of_ball, k.flipped, first, second, center);
  if (!(between.gap <= most)) return false;
  ContactFrame<double> c = contact_frame<double>(between, center, of_ball.radius, k.flipped, planar_);
  const ContactPair& pair = this->pair(k);
  if (pair.law().ellipse) turn_to_ellipse(pair.law(), first, second, c);
  geometry = {is_present(k) ? c.gap : kAbsentGap, c.first, c.second, c.normal, c.t1, c.t2};
  contact_velocity<double>(c, pair.rows, first, second, gamma.data());
  return true;
}

[[gnu::flatten]] double System::calc_gap(const ContactPoint& k, const BodyMotion& first,
                                         const BodyMotion& second) const {
  STICKSLIP_ASSERT(k.joint < 0);
  if (!is_present(k)) return kAbsentGap;
  Vector3 center;
  return gap_between(surface(k), ball(k), k.flipped, first, second, center).gap;
}

void System::calc_limit(const ContactPoint& point, double t, const Vector& q, ContactGeometry& geometry) const {
  const Joint& joint = joints_[point.joint];
  const Pair pair(*this, joint.first, joint.second);
  const PairFrames<double> frames = frames_of(pair, t, q, nullptr);
  const JointPlacement<double> place = joint_placement(joint, frames.first, frames.second);
  const double sign = limit_sign(point);
  const JointLimits& limits = *joint.options.limits;
  const JointRow<double> row = free_row(joint, 0, frames.first, frames.second);
  const double coordinate = coordinate_at(joint, 0, t, q, pair, frames, row.g);
  geometry.gap = sign * (coordinate - (point.is_high ? limits.high : limits.low));
  geometry.position_first = place.p_first;
  geometry.position_second = place.p_second;
  geometry.normal = sign * row.direction;
  geometry.tangent1.setZero();
  geometry.tangent2 = sign * row.axis;
}

double System::calc_gap(const ContactPoint& k, double t, const Vector& q) const {
  if (k.joint >= 0) {
    const JointLimits& limits = *joints_[k.joint].options.limits;
    return limit_sign(k) * (calc_joint_coordinate(k.joint, t, q) - (k.is_high ? limits.high : limits.low));
  }
  ContactGeometry geometry;
  calc_contact(k, t, q, geometry);
  return geometry.gap;
}

void System::calc_contact_jacobian(const ContactPoint& k, const ContactGeometry& geometry, const Vector& q, Side side,
                                   Eigen::Ref<RowMatrix> J) const {
  const Attachment& at = this->side(k, side);
  if (at.n_u == 0) return;
  calc_contact_jacobian(k, geometry, q, calc_motion(at, 0.0, q, nullptr), side, J);
}

void System::calc_contact_jacobian(const ContactPoint& k, const ContactGeometry& geometry, const Vector& q,
                                   const BodyMotion& frame, Side side, Eigen::Ref<RowMatrix> J) const {
  const ContactPair& pair = this->pair(k);
  const Attachment& at = this->side(k, side);
  if (at.n_u == 0) return;
  const int n_rows = static_cast<int>(J.rows());
  const int n_slide = std::min(pair.rows.n_slide, n_rows - 1);
  const ContactRowLayout* turning = n_rows > 1 + pair.rows.n_slide ? &pair.rows : nullptr;
  const Body& body = bodies_[at.body];
  const double sign = side == Side::first ? -1.0 : 1.0;
  const bool limit = k.joint >= 0;
  // The force of a slide's limit acts on first where second's point is.
  const bool slides = limit && joints_[k.joint].options.type == JointType::prismatic;
  const Vector3& x = side == Side::first && !slides ? geometry.position_first : geometry.position_second;
  if (body.type == BodyType::rigid && !limit) {  // the rows below in one
    const Vector3 arm = x - frame.p;
    const Vector3* const directions[] = {&geometry.normal, &geometry.tangent1, &geometry.tangent2};
    double* row = J.data();
    for (int r = 0; r <= n_slide; ++r, row += J.outerStride()) {
      const Vector3 direction = sign * *directions[r];
      const Vector3 torque = frame.R.transpose() * arm.cross(direction);
      for (int i = 0; i < 3; ++i) {
        row[i] = direction(i);
        row[3 + i] = torque(i);
      }
    }
    if (turning == nullptr) return;
    const auto fill_turning = [&](double factor, const Vector3& axis) {
      const Vector3 torque = frame.R.transpose() * (factor * axis);
      for (int i = 0; i < 3; ++i) {
        row[i] = 0.0;
        row[3 + i] = torque(i);
      }
      row += J.outerStride();
    };
    if (turning->n_drill > 0) fill_turning(sign * turning->drilling, geometry.normal);
    if (turning->n_roll > 0) fill_turning(sign * turning->rolling, geometry.tangent1);
    if (turning->n_roll > 0) fill_turning(sign * turning->rolling, geometry.tangent2);
    return;
  }
  const Vector3 none = Vector3::Zero();
  const auto fill_row = [&](int row, const Vector3& direction, const Vector3& axis) {
    double f[kMaxSideDofs];
    attachment_force(body, at, q, frame, x, direction, axis, f);
    for (int i = 0; i < at.n_u; ++i) J(row, i) = f[i];
  };
  const Vector3 turn = limit ? Vector3(sign * geometry.tangent2) : none;
  fill_row(0, sign * geometry.normal, turn);
  if (n_slide > 0) fill_row(1, sign * geometry.tangent1, none);
  if (n_slide > 1) fill_row(2, sign * geometry.tangent2, none);
  if (turning == nullptr) return;
  if (turning->n_drill > 0) fill_row(turning->drill_row(), none, sign * turning->drilling * geometry.normal);
  const double rolling = sign * turning->rolling;
  if (turning->n_roll == 1) fill_row(turning->roll_row(), none, rolling * Vector3::UnitZ());
  if (turning->n_roll < 2) return;
  fill_row(turning->roll_row(), none, rolling * geometry.tangent1);
  fill_row(turning->roll_row() + 1, none, rolling * geometry.tangent2);
}

ContactVector System::calc_contact_velocity(const ContactPoint& k, const ContactGeometry& geometry, double t,
                                            const Vector& q, const Vector& u) const {
  if (k.joint >= 0) {
    ContactVector gamma = ContactVector::Zero();
    gamma(0) = limit_sign(k) * calc_joint_rate(k.joint, 0, t, q, u);
    return gamma;
  }
  const ContactPair& pair = this->pair(k);
  const ContactFrame<double> c = {geometry.gap,    geometry.position_first, geometry.position_second,
                                  geometry.normal, geometry.tangent1,       geometry.tangent2};
  ContactVector gamma = ContactVector::Zero();
  const BodyMotion first = calc_motion(side(k, Side::first), t, q, &u);
  const BodyMotion second = calc_motion(side(k, Side::second), t, q, &u);
  contact_velocity<double>(c, pair.rows, first, second, gamma.data());
  if (has_surface_velocity(k)) add_surface_velocity(k, t, geometry, first, second, gamma);
  return gamma;
}

bool System::has_prescribed_motion(const ContactPoint& k) const {
  const auto moves = [&](Side side) { return bodies_[body(k, side)].type == BodyType::moving; };
  return moves(Side::first) || moves(Side::second) || has_surface_velocity(k);
}

}  // namespace stickslip
