// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/overloaded.h"
#include "stickslip/collision/features.h"
#include "stickslip/collision/triangle_surface.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/model/contact_filter.h"
#include "stickslip/model/kinematics.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

std::string describe(const Body& body, const Shape& shape) {
  return fmt::format("{}/{} ({})", body.name, shape.name, shape_type_name(shape.geometry));
}

constexpr const char* kAvailablePairs =
    "available: sphere, point, box, capsule and convex with each other, but for two points, on half-spaces and inside "
    "a sphere or cylinder with inside = true; ellipsoid and solid cylinder with all of these and each other, but not "
    "inside; mesh and height-field with all of these, but not inside, nor with each other, and height-field not with "
    "half-space; polyline with sphere, point, box and convex";

std::size_t count_features(const Solid& solid) {
  if (const TriangleSurface* surface = solid.surface.get()) {
    return static_cast<std::size_t>(surface->n_vertices()) + static_cast<std::size_t>(surface->n_edges()) +
           static_cast<std::size_t>(surface->n_triangles());
  }
  return solid.vertices.size() + solid.edges.size() + solid.faces.size();
}

/// The shapes of a body that a contact means; `shape` -1: all.
std::span<const ShapeFeatures> shapes_meant(const System& system, int body, int shape) {
  const auto of_body =
      std::span(system.shapes())
          .subspan(static_cast<std::size_t>(system.first_shape(body)), system.bodies()[body].shapes.size());
  return shape < 0 ? of_body : of_body.subspan(static_cast<std::size_t>(shape), 1);
}

void check_shape(const Body& body, const Shape& shape, bool planar) {
  struct IsPlanar {
    bool operator()(const Sphere&) const { return true; }
    bool operator()(const PointShape&) const { return true; }
    bool operator()(const HalfSpace&) const { return true; }
    bool operator()(const Box&) const { return true; }
    bool operator()(const Capsule&) const { return false; }
    bool operator()(const Cylinder& c) const { return c.inside; }
    bool operator()(const Convex&) const { return true; }
    bool operator()(const Ellipsoid&) const { return false; }
    bool operator()(const Mesh&) const { return false; }
    bool operator()(const Polyline&) const { return true; }
  };
  if (!planar && std::holds_alternative<Polyline>(shape.geometry)) {
    throw InputError(fmt::format("{}: not in a spatial scene", describe(body, shape)));
  }
  if (planar && !std::visit(IsPlanar{}, shape.geometry)) {
    throw InputError(fmt::format("{}: not in a planar scene", describe(body, shape)));
  }
}

void check_beam_shape(const Body& body, const Shape& shape) {
  const auto* point = std::get_if<PointShape>(&shape.geometry);
  if (point == nullptr) throw InputError(fmt::format("{}: only points on a beam", describe(body, shape)));
  if (!(point->at >= 0.0 && point->at <= 1.0)) {
    throw InputError(fmt::format("{}: at must be in [0, 1]", describe(body, shape)));
  }
}

void check_body(const Body& body, bool planar) {
  const auto refuse = [&body](const std::string& why) {
    throw InputError(fmt::format("body '{}': {}", body.name, why));
  };
  const bool moves = body.type == BodyType::rigid || body.type == BodyType::planar || body.type == BodyType::point;
  if (moves && !(body.mass > 0.0 && std::isfinite(body.mass))) refuse("mass must be positive");
  if (body.type == BodyType::planar && !planar) refuse("a planar body in a spatial system");
  if (body.type == BodyType::rigid && planar) refuse("a rigid body in a planar system");
  if (body.type == BodyType::beam) {
    if (!planar) refuse("beams are planar: not in a spatial system");
    if (!body.beam) refuse("a beam needs its options");
    for (const Shape& shape : body.shapes) check_beam_shape(body, shape);
  }
  if (body.type == BodyType::planar && !(body.inertia(2, 2) > 0.0)) refuse("inertia must be positive");
  if (body.type == BodyType::rigid) {
    const std::string defect = inertia_defect(body.inertia);
    if (!defect.empty()) refuse("inertia " + defect);
  }
  if (body.type == BodyType::moving && !body.motion) refuse("a moving body needs its motion");
  for (const Shape& shape : body.shapes) check_shape(body, shape, planar);
}

Matrix mass_block(const Body& body) {
  Matrix m = Matrix::Zero(body.n_u, body.n_u);
  if (body.n_u == 0) return m;
  switch (body.type) {
    case BodyType::rigid:
      m.topLeftCorner<3, 3>() = body.mass * Matrix3::Identity();
      m.bottomRightCorner<3, 3>() = body.inertia;
      break;
    case BodyType::planar:
      m.diagonal() << body.mass, body.mass, body.inertia(2, 2);
      break;
    case BodyType::beam:
      for (int i = 0; i < body.beam->n_control(); ++i) {
        for (int j = 0; j < body.beam->n_control(); ++j) {
          m.block<2, 2>(2 * i, 2 * j) = body.beam->control_mass()(i, j) * Eigen::Matrix2d::Identity();
        }
      }
      break;
    case BodyType::point:
      m = body.mass * Matrix::Identity(body.n_u, body.n_u);
      break;
    case BodyType::fixed:
    case BodyType::moving:
      break;
  }
  return m;
}

/// M^-1 of one body, symmetric to the last bit.
Matrix inverse_mass_block(const Body& body) {
  Matrix inverse = Matrix::Zero(body.n_u, body.n_u);
  if (body.n_u == 0) return inverse;
  switch (body.type) {
    case BodyType::rigid: {
      inverse.topLeftCorner<3, 3>() = Matrix3::Identity() / body.mass;
      const Matrix3 inverse_inertia = body.inertia.inverse();
      inverse.bottomRightCorner<3, 3>() = 0.5 * (inverse_inertia + inverse_inertia.transpose());
      break;
    }
    case BodyType::beam: {
      Matrix columns = Matrix::Identity(body.n_u, body.n_u);
      for (int j = 0; j < body.n_u; ++j) body.beam->solve_mass(columns.col(j).data(), columns.col(j).data());
      inverse = 0.5 * (columns + columns.transpose());
      break;
    }
    case BodyType::planar:
    case BodyType::point:
      inverse.diagonal() = mass_block(body).diagonal().cwiseInverse();
      break;
    case BodyType::fixed:
    case BodyType::moving:
      break;
  }
  return inverse;
}

void check_corrections(std::optional<double> envelope, std::optional<double> speed, const std::string& owner) {
  if (envelope && !(*envelope >= 0.0)) throw InputError(owner + ": envelope must not be negative");
  if (speed && !(*speed > 0.0)) throw InputError(owner + ": correction_speed must be above zero");
}

}  // namespace

SystemBuilder::SystemBuilder(bool planar, const Vector3& gravity) {
  system_.planar_ = planar;
  system_.gravity_ = gravity;
  if (!gravity.allFinite()) throw InputError("gravity must be finite");
}

int SystemBuilder::add_body(Body body) {
  check_body(body, system_.planar_);
  if (!body_names_.insert(body.name).second) throw InputError(fmt::format("body '{}': the name is taken", body.name));
  switch (body.type) {
    case BodyType::rigid:
      body.n_q = 7;
      body.n_u = 6;
      break;
    case BodyType::planar:
      body.n_q = body.n_u = 3;
      break;
    case BodyType::point:
      body.n_q = body.n_u = system_.dimension();
      break;
    case BodyType::beam:
      body.n_q = body.n_u = 2 * body.beam->n_control();
      body.mass = body.beam->mass();
      break;
    case BodyType::fixed:
    case BodyType::moving:
      body.n_q = body.n_u = 0;
      break;
  }
  if (body.motion) {
    Motion& m = *body.motion;
    for (int i = 0; i < 3; ++i) {
      m.velocity[i] = m.position[i].derivative();
      m.acceleration[i] = m.velocity[i].derivative();
    }
    m.angle_rate = m.angle.derivative();
    m.angle_acceleration = m.angle_rate.derivative();
  }
  body.q_offset = system_.n_q_;
  body.u_offset = system_.n_u_;
  system_.n_q_ += body.n_q;
  system_.n_u_ += body.n_u;
  system_.bodies_.push_back(std::move(body));
  const int index = static_cast<int>(system_.bodies_.size()) - 1;
  for (Vector* diagonal : {&system_.mass_diagonal_, &system_.inverse_mass_diagonal_}) {
    diagonal->conservativeResize(system_.n_u_);
  }
  set_mass_blocks(index);
  system_.origins_.push_back(system_.attach(index));
  add_features(index);
  add_surface_velocities(system_.bodies_.back());
  return index;
}

void SystemBuilder::set_mass_blocks(int index) {
  const Body& body = system_.bodies_[index];
  const Matrix inverse = inverse_mass_block(body);
  system_.mass_diagonal_.segment(body.u_offset, body.n_u) = mass_block(body).diagonal();
  system_.inverse_mass_diagonal_.segment(body.u_offset, body.n_u) = inverse.diagonal();
  system_.has_diagonal_mass_ &= inverse.isDiagonal(0.0);
}

void SystemBuilder::set_mass(int body, double mass, const Matrix3& inertia) {
  system_.bodies_[body].mass = mass;
  system_.bodies_[body].inertia = inertia;
  check_body(system_.bodies_[body], system_.planar_);
  set_mass_blocks(body);
}

void SystemBuilder::add_features(int body) {
  const std::vector<Shape>& shapes = system_.bodies_[body].shapes;
  system_.first_shape_.push_back(static_cast<int>(system_.shapes_.size()));
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const int shape = static_cast<int>(system_.shapes_.size());
    ShapeFeatures features;
    features.body = body;
    features.shape = static_cast<int>(k);
    if (shapes[k].contact.visual) {  // it has nothing to touch with
      features.first_ball = static_cast<int>(system_.balls_.size());
      system_.shapes_.push_back(features);
      continue;
    }
    if (const auto surface = surface_of(shapes[k])) {
      features.surface = static_cast<int>(system_.surfaces_.size());
      system_.surfaces_.push_back({*surface, shape, body});
    }
    features.first_ball = static_cast<int>(system_.balls_.size());
    for (const BallFeature& ball : balls_of(shapes[k], system_.planar_)) {
      int place = body;
      if (system_.bodies_[body].beam) {
        system_.beam_places_.push_back(system_.attach(body, ball.parameter));
        place = ~(static_cast<int>(system_.beam_places_.size()) - 1);
      }
      system_.balls_.push_back({ball, shape, body, place});
    }
    features.n_balls = static_cast<int>(system_.balls_.size()) - features.first_ball;
    features.is_round = is_round(shapes[k]);
    if (!system_.bodies_[body].beam && has_solid(shapes[k], system_.planar_)) {
      features.solid = static_cast<int>(system_.solids_.size());
      system_.solids_.push_back(make_solid(shapes[k], system_.planar_));
      const Solid& solid = system_.solids_.back();
      std::uint64_t& most = is_surface(solid.kind) ? system_.most_triangle_features_ : system_.most_features_;
      most = std::max(most, static_cast<std::uint64_t>(count_features(solid)));
    }
    if (!system_.planar_ && std::holds_alternative<HalfSpace>(shapes[k].geometry)) {
      features.plane = static_cast<int>(system_.solids_.size());
      system_.solids_.push_back(make_solid(shapes[k], false));
    }
    system_.most_balls_ = std::max(system_.most_balls_, static_cast<std::uint64_t>(features.n_balls));
    system_.shapes_.push_back(features);
  }
}

/// The balls of a shape that touch the surface of another.
std::span<const ShapeBall> SystemBuilder::balls_on(const ShapeFeatures& on, const ShapeFeatures& of) const {
  if (!system_.touch_by_balls(on, of)) return {};
  return std::span(system_.balls_)
      .subspan(static_cast<std::size_t>(of.first_ball), static_cast<std::size_t>(of.n_balls));
}

void SystemBuilder::check(const ContactLaw& law, const std::string& owner) const {
  const auto refuse = [&owner](const char* why) { throw InputError(owner + ": " + why); };
  if (!(law.friction >= 0.0)) refuse("friction must not be negative");
  if (law.kinetic && !(law.kinetic->friction >= 0.0 && law.kinetic->friction <= law.friction)) {
    refuse("kinetic friction must not be negative, and at most the static one");
  }
  if (law.kinetic && !(law.kinetic->stick_speed >= 0.0)) refuse("stick_speed must not be negative");
  if (law.ellipse) {
    if (system_.planar_) refuse("friction of two directions needs a spatial scene");
    if (law.contensou_radius > 0.0) refuse("friction of two directions goes without drilling friction (contensou)");
    if (!(law.friction > 0.0 && law.ellipse->across > 0.0)) refuse("friction in both directions must be above zero");
    if (!(law.ellipse->direction.norm() > 0.0)) refuse("the direction of friction must not be zero");
  }
  for (const double e : {law.restitution_normal, law.restitution_tangential}) {
    if (!(e >= 0.0 && e <= 1.0)) refuse("restitution must be in [0, 1]");
  }
  if (!(law.contensou_radius >= 0.0)) refuse("the Contensou radius must not be negative");
  if (system_.planar_ && law.contensou_radius > 0.0) refuse("drilling friction (contensou) needs a spatial scene");
  if (!(law.rolling >= 0.0 && law.spinning >= 0.0)) refuse("rolling and spinning must not be negative");
  if (system_.planar_ && law.spinning > 0.0) refuse("spinning needs a spatial scene");
  if (law.contensou_radius > 0.0 && (law.rolling > 0.0 || law.spinning > 0.0)) {
    refuse("contensou stands for spinning: it goes without rolling and spinning");
  }
  if (!(law.adhesion >= 0.0)) refuse("adhesion must not be negative");
  if (law.adhesion > 0.0 && !(law.adhesion_range > 0.0)) refuse("adhesion_range must be above zero");
  if (law.impact != ImpactLaw::newton && law.restitution_tangential != 0.0) {
    refuse("tangential restitution is of Newton's law alone");
  }
}

int SystemBuilder::add_contact(const ContactPairOptions& options) {
  const Body& first = system_.bodies_.at(options.first);
  const Body& second = system_.bodies_.at(options.second);
  const auto refuse = [&options](const std::string& why) {
    throw InputError(fmt::format("contact '{}': {}", options.name, why));
  };
  if (options.first == options.second) refuse("a body cannot touch itself");
  if (first.n_u == 0 && second.n_u == 0) refuse("one of its bodies must be able to move");
  check(options.law, fmt::format("contact '{}'", options.name));
  check_corrections(options.envelope, options.correction_speed, fmt::format("contact '{}'", options.name));

  ContactPair pair;
  pair.options = options;
  set_rows(pair);
  pair.first_point = static_cast<int>(system_.points_.size());
  const int pair_index = static_cast<int>(system_.contacts_.size());
  const auto add_points = [&](int surface, std::span<const ShapeBall> balls, bool flipped) {
    for (const ShapeBall& ball : balls) {
      ContactPoint point;
      point.pair = pair_index;
      point.index = pair.n_points++;
      point.id = {static_cast<std::uint64_t>(pair_index), static_cast<std::uint64_t>(point.index)};
      point.surface = surface;
      point.ball = static_cast<int>(&ball - system_.balls_.data());
      point.flipped = flipped;
      system_.points_.push_back(point);
    }
  };
  const auto add_manifold = [&](int a, int b) {
    ManifoldPair& manifold = system_.manifold_pairs_.emplace_back();
    manifold.pair = pair_index;
    manifold.first_shape = a;
    manifold.second_shape = b;
    const auto has_one_point = [this](int shape) {
      return system_.shapes_[shape].is_round || system_.solid(shape).kind == Solid::Kind::ellipsoid;
    };
    const bool on_surface = is_surface(system_.solid(a).kind) || is_surface(system_.solid(b).kind);
    if (on_surface || (!has_one_point(a) && !has_one_point(b))) {
      ++system_.n_varying_pairs_;
      return;
    }
    // One point, of which what touches is found where the bodies are.
    FrozenFeatures& unfrozen = system_.unfrozen_.emplace_back();
    unfrozen.surface.shape = a;
    unfrozen.surface.body = options.first;
    unfrozen.ball.shape = b;
    unfrozen.ball.body = unfrozen.ball.place = options.second;
    manifold.point = static_cast<int>(system_.points_.size());
    ContactPoint point;
    point.pair = pair_index;
    point.index = pair.n_points++;
    point.id = {static_cast<std::uint64_t>(pair_index), static_cast<std::uint64_t>(point.index)};
    point.frozen = &unfrozen;
    system_.points_.push_back(point);
  };
  const auto is_visual = [&](const ShapeFeatures& s) { return system_.bodies_[s.body].shapes[s.shape].contact.visual; };
  const auto add_shapes = [&](const ShapeFeatures& a, const ShapeFeatures& b) {
    if (is_visual(a) || is_visual(b)) return;
    if (const auto balls = balls_on(a, b); !balls.empty()) return add_points(a.surface, balls, false);
    if (const auto balls = balls_on(b, a); !balls.empty()) return add_points(b.surface, balls, true);
    const int shape_a = static_cast<int>(&a - system_.shapes_.data());
    const int shape_b = static_cast<int>(&b - system_.shapes_.data());
    if (system_.meet_in_manifold(shape_a, shape_b)) return add_manifold(shape_a, shape_b);
    refuse(fmt::format("no gap function between {} and {}; {}", describe(first, first.shapes[a.shape]),
                       describe(second, second.shapes[b.shape]), kAvailablePairs));
  };
  for (const ShapeFeatures& a : shapes_meant(system_, options.first, options.first_shape)) {
    for (const ShapeFeatures& b : shapes_meant(system_, options.second, options.second_shape)) add_shapes(a, b);
  }
  if (pair.n_points == 0 && std::ranges::count(system_.manifold_pairs_, pair_index, &ManifoldPair::pair) == 0) {
    const Body& bare = first.shapes.empty() ? first : second;
    refuse(fmt::format("body '{}' has no shapes that can touch", bare.name));
  }
  if (!contact_names_.insert(options.name).second) refuse("another contact has this name");
  system_.contacts_.push_back(std::move(pair));
  return pair_index;
}

namespace {

/// The type of a shape, containers apart: whether there is a gap function depends on it alone.
std::size_t kind_of(const Shape& shape) {
  const auto* sphere = std::get_if<Sphere>(&shape.geometry);
  const auto* cylinder = std::get_if<Cylinder>(&shape.geometry);
  const bool inside = (sphere != nullptr && sphere->inside) || (cylinder != nullptr && cylinder->inside);
  return 2 * shape.geometry.index() + (inside ? 1 : 0);
}

/// Two shapes, by their numbers, that may touch and that `wanted` says yes to, which depends on their kinds alone.
template <class Wanted>
std::optional<std::pair<int, int>> find_pair(const System& system, Wanted&& wanted) {
  const ContactFilter filter(system);
  // By kind and by what the filter has against them as a whole: among those that are left each is kept from few.
  std::map<std::pair<std::size_t, std::vector<char>>, std::vector<int>> kinds;
  for (int i = 0; i < static_cast<int>(system.shapes().size()); ++i) {
    const ShapeFeatures& shape = system.shapes()[i];
    kinds[{kind_of(system.bodies()[shape.body].shapes[shape.shape]), filter.rules_of(i)}].push_back(i);
  }
  for (const auto& [one_kind, one] : kinds) {
    for (const auto& [other_kind, other] : kinds) {
      if (!filter.rules_allow(one.front(), other.front())) continue;
      if (!wanted(system.shapes()[one.front()], system.shapes()[other.front()])) continue;
      for (const int i : one) {
        const auto allowed = std::find_if(other.begin(), other.end(), [&](int j) { return filter.allows(i, j); });
        if (allowed != other.end()) return std::pair(i, *allowed);
      }
    }
  }
  return {};
}

}  // namespace

void SystemBuilder::detect_contacts(const ContactDetectionOptions& options) {
  const std::string owner = options.by_laws_only ? "laws" : "contact_default";
  check(options.law, owner);
  check_corrections(options.envelope, options.correction_speed, owner);
  system_.detection_ = options;
  // Two points never touch, and need no gap function.
  const auto is_point = [&](const ShapeFeatures& s) { return s.is_round && s.surface < 0; };
  const auto can_touch = [&](const ShapeFeatures& a, const ShapeFeatures& b) {
    const auto number = [&](const ShapeFeatures& s) { return static_cast<int>(&s - system_.shapes().data()); };
    return (is_point(a) && is_point(b)) || !balls_on(a, b).empty() || !balls_on(b, a).empty() ||
           system_.meet_in_manifold(number(a), number(b));
  };
  sort_into_classes();
  const auto cannot = [&](const ShapeFeatures& a, const ShapeFeatures& b) { return !can_touch(a, b); };
  if (const auto missing = find_pair(system_, cannot)) {
    const auto describe_shape = [&](int i) {
      const ShapeFeatures& shape = system_.shapes()[i];
      const Body& body = system_.bodies()[shape.body];
      return describe(body, body.shapes[shape.shape]);
    };
    throw InputError(fmt::format("no gap function between {} and {}; {}; except = [[..]] keeps shapes apart",
                                 describe_shape(missing->first), describe_shape(missing->second), kAvailablePairs));
  }
  if (!find_pair(system_, [](const ShapeFeatures&, const ShapeFeatures&) { return true; })) {
    system_.detection_.reset();  // nothing may touch, so schemes that take named contacts alone take this system, too
    system_.detected_.assign(1, {});
    return;
  }
  const auto n_shapes = static_cast<double>(system_.shapes_.size());
  if (!(n_shapes * n_shapes * static_cast<double>(system_.numbers_a_pair()) < 0x1p63)) {
    throw InputError(owner + ": too many shapes with too many corners to number their contacts");
  }
}

int SystemBuilder::add_detected(const ContactPairOptions& options) {
  std::vector<ContactPair>& detected = system_.detected_;
  const auto is_same = [&](const ContactPair& p) {
    return p.options.law == options.law && p.options.envelope == options.envelope &&
           p.options.correction_speed == options.correction_speed;
  };
  const auto found = std::ranges::find_if(detected, is_same);
  if (found != detected.end()) return static_cast<int>(found - detected.begin());
  ContactPair& pair = detected.emplace_back();
  pair.options = options;
  set_rows(pair);
  return static_cast<int>(detected.size()) - 1;
}

int SystemBuilder::add_force(Force force) {
  const int index = static_cast<int>(system_.forces_.size());
  const auto refuse = [&force](const std::string& why) {
    throw InputError(fmt::format("force '{}': {}", force.name, why));
  };
  const auto attach = [&](int body, double parameter) {
    if (!(parameter >= 0.0 && parameter <= 1.0)) refuse("the parameter on a beam must be in [0, 1]");
    return system_.attach(body, parameter);
  };
  const auto add_spring = [&](const Spring& spring) {
    force.first = attach(spring.first, spring.parameter_first);
    force.second = attach(spring.second, spring.parameter_second);
    if (!(spring.stiffness >= 0.0 && spring.damping >= 0.0 && spring.rest >= 0.0)) {
      refuse("stiffness, damping and rest must not be negative");
    }
  };
  const auto add_load = [&](Load& load) {
    force.second = attach(load.body, load.parameter);
    for (int i = 0; i < 6; ++i) {
      if (!load.component(i).depends_on_state()) continue;
      load.component(i).differentiate();
      system_.state_forces_.push_back({index, -1, i});
    }
  };
  const auto add_dry_friction = [&](const DryFriction& friction) {
    force.first = attach(friction.first, friction.parameter_first);
    force.second = attach(friction.second, friction.parameter_second);
    if (!(friction.bound >= 0.0)) refuse("the bound must not be negative");
    const int dim = friction.axis ? 1 : system_.dimension();
    system_.dry_frictions_.push_back({index, -1, dim, false, friction.bound, 0.0, force.first, force.second, 0});
  };
  std::visit(Overloaded{add_spring, add_load, add_dry_friction}, force.law);
  system_.forces_.push_back(std::move(force));
  return index;
}

void SystemBuilder::set_joint_force(int joint, StateExpression force) {
  STICKSLIP_ASSERT(system_.joints_[joint].options.force);
  force.differentiate();
  system_.joints_[joint].options.force = std::move(force);
}

System SystemBuilder::build() {
  const auto n_joints = static_cast<int>(system_.joints_.size());
  for (int j = 0; j < n_joints; ++j) {
    if (system_.joints_[j].options.armature > 0.0) add_rotor(j);
  }
  for (const int j : system_.driven_joints_) {
    const std::optional<StateExpression>& force = system_.joints_[j].options.force;
    if (force && force->depends_on_state()) system_.state_forces_.push_back({-1, j, 0});
  }
  for (Joint& joint : system_.joints_) {
    if (!joint.spatial || joint.n_coordinates == joint.n_free_lengths) continue;
    joint.turns_offset = system_.n_q_ + system_.n_turns_;
    system_.n_turns_ += joint.n_coordinates - joint.n_free_lengths;
  }
  system_.n_q_ += system_.n_turns_;
  if (!system_.has_diagonal_mass_) {
    for (const Body& body : system_.bodies_) {
      system_.mass_.push_back(mass_block(body));
      system_.inverse_mass_.push_back(inverse_mass_block(body));
    }
  }
  return std::move(system_);
}

}  // namespace stickslip
