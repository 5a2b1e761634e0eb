// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

/// A ball (or corner, radius 0) that a shape offers to touch with.
struct BallFeature {
  Vector3 center;          // (3) [m] body frame
  double radius;           // [m]
  double parameter = 0.0;  // [-] on a beam: where
};

/// The surface that a shape offers to be touched on.
struct SurfaceFeature {
  GapKind kind;
  Vector3 center;  // (3) [m] body frame
  Vector3 axis;    // (3) [-] body frame
  double radius;   // [m]
};

/// The balls of a shape. `on_flat`: the other side is a half-space or a container, where a
/// polytope touches with its corners and a capsule with its ends.
struct BallsOf {
  bool planar;
  bool on_flat;

  std::vector<BallFeature> operator()(const Sphere& s) const {
    if (s.inside) return {};
    return {{Vector3::Zero(), s.radius}};
  }
  std::vector<BallFeature> operator()(const PointShape& p) const { return {{Vector3::Zero(), 0.0, p.at}}; }
  std::vector<BallFeature> operator()(const HalfSpace&) const { return {}; }
  std::vector<BallFeature> operator()(const Box& b) const {
    if (!on_flat) return {};
    std::vector<BallFeature> corners;
    const std::vector<double> levels = planar ? std::vector<double>{0.0} : std::vector<double>{-0.5, 0.5};
    for (const double z : levels) {  // the lower corners first
      for (const double x : {0.5, -0.5}) {
        for (const double y : {0.5, -0.5}) {
          corners.push_back({Vector3(x * b.size(0), y * b.size(1), z * b.size(2)), 0.0});
        }
      }
    }
    return corners;
  }
  std::vector<BallFeature> operator()(const Capsule& c) const {
    if (!on_flat) return {};
    return {{Vector3(0.0, 0.0, -0.5 * c.length), c.radius}, {Vector3(0.0, 0.0, 0.5 * c.length), c.radius}};
  }
  std::vector<BallFeature> operator()(const Cylinder&) const { return {}; }
  std::vector<BallFeature> operator()(const Convex& c) const {
    if (!on_flat) return {};
    std::vector<BallFeature> corners;
    for (const int k : make_convex_hull(c.points, planar).vertices) corners.push_back({c.points[k], 0.0});
    return corners;
  }
};

std::vector<BallFeature> balls_of(const Shape& shape, bool planar, bool on_flat) {
  std::vector<BallFeature> balls = std::visit(BallsOf{planar, on_flat}, shape.geometry);
  for (BallFeature& ball : balls) ball.center = shape.position + shape.rotation * ball.center;
  return balls;
}

std::optional<SurfaceFeature> surface_of(const Shape& shape) {
  if (const auto* plane = std::get_if<HalfSpace>(&shape.geometry)) {
    const Vector3 normal = shape.rotation * plane->normal;
    return SurfaceFeature{GapKind::half_space_ball, shape.position + plane->offset * normal, normal, 0.0};
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) {
    const GapKind kind = sphere->inside ? GapKind::container_sphere_ball : GapKind::ball_ball;
    return SurfaceFeature{kind, shape.position, Vector3::UnitZ(), sphere->radius};
  }
  if (const auto* tube = std::get_if<Cylinder>(&shape.geometry); tube != nullptr && tube->inside) {
    return SurfaceFeature{GapKind::container_cylinder_ball, shape.position, shape.rotation.col(2), tube->radius};
  }
  return std::nullopt;
}

/// The balls of `shape` that can touch `surface`.
std::vector<BallFeature> balls_on(const SurfaceFeature& surface, const Shape& shape, bool planar) {
  const bool on_flat = surface.kind != GapKind::ball_ball;
  return balls_of(shape, planar, on_flat);
}

std::string describe(const Body& body, const Shape& shape) {
  return fmt::format("{}/{} ({})", body.name, shape.name, shape_type_name(shape.geometry));
}

constexpr const char* kAvailablePairs =
    "available: sphere or point on sphere; sphere, point, box, capsule or convex on half-space or inside a sphere or "
    "cylinder with inside = true";

/// The shapes of a body that a contact means.
std::vector<const Shape*> shapes_meant(const Body& body, int shape) {
  std::vector<const Shape*> shapes;
  if (shape >= 0) {
    shapes.push_back(&body.shapes[shape]);
  } else {
    for (const Shape& s : body.shapes) shapes.push_back(&s);
  }
  return shapes;
}

void check_shape(const Body& body, const Shape& shape, bool planar) {
  const bool solid_cylinder =
      std::holds_alternative<Cylinder>(shape.geometry) && !std::get<Cylinder>(shape.geometry).inside;
  if (planar && (solid_cylinder || std::holds_alternative<Capsule>(shape.geometry))) {
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
    default:
      m = body.mass * Matrix::Identity(body.n_u, body.n_u);
  }
  return m;
}

/// M^-1 of one body, symmetric to the last bit.
Matrix inverse_mass_block(const Body& body) {
  Matrix inverse = Matrix::Zero(body.n_u, body.n_u);
  if (body.n_u == 0) return inverse;
  if (body.type == BodyType::rigid) {
    inverse.topLeftCorner<3, 3>() = Matrix3::Identity() / body.mass;
    const Matrix3 inverse_inertia = body.inertia.inverse();
    inverse.bottomRightCorner<3, 3>() = 0.5 * (inverse_inertia + inverse_inertia.transpose());
  } else if (body.type == BodyType::beam) {
    Matrix columns = Matrix::Identity(body.n_u, body.n_u);
    for (int j = 0; j < body.n_u; ++j) body.beam->solve_mass(columns.col(j).data(), columns.col(j).data());
    inverse = 0.5 * (columns + columns.transpose());
  } else {
    inverse.diagonal() = mass_block(body).diagonal().cwiseInverse();
  }
  return inverse;
}

}  // namespace

SystemBuilder::SystemBuilder(bool planar, const Vector3& gravity) {
  system_.planar_ = planar;
  system_.gravity_ = gravity;
  if (!gravity.allFinite()) throw InputError("gravity must be finite");
}

int SystemBuilder::add_body(Body body) {
  check_body(body, system_.planar_);
  if (system_.find_body(body.name) >= 0) throw InputError(fmt::format("body '{}': the name is taken", body.name));
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
  system_.mass_.push_back(mass_block(body));
  system_.inverse_mass_.push_back(inverse_mass_block(body));
  system_.bodies_.push_back(std::move(body));
  const int index = static_cast<int>(system_.bodies_.size()) - 1;
  system_.origins_.push_back(system_.attach(index));
  return index;
}

int SystemBuilder::add_contact(const ContactPairOptions& options) {
  const Body& first = system_.bodies_.at(options.first);
  const Body& second = system_.bodies_.at(options.second);
  const auto refuse = [&options](const std::string& why) {
    throw InputError(fmt::format("contact '{}': {}", options.name, why));
  };
  if (options.first == options.second) refuse("a body cannot touch itself");
  if (!(options.friction >= 0.0)) refuse("friction must not be negative");
  for (const double e : {options.restitution_normal, options.restitution_tangential}) {
    if (!(e >= 0.0 && e <= 1.0)) refuse("restitution must be in [0, 1]");
  }
  if (!(options.contensou_radius >= 0.0)) refuse("the Contensou radius must not be negative");
  if (system_.planar_ && options.contensou_radius > 0.0) refuse("drilling friction (contensou) needs a spatial scene");

  ContactPair pair;
  pair.options = options;
  pair.friction_dim = system_.planar_ ? 1 : (options.contensou_radius > 0.0 ? 3 : 2);
  pair.first_point = static_cast<int>(system_.points_.size());
  const int pair_index = static_cast<int>(system_.contacts_.size());
  const auto add_points = [&](const SurfaceFeature& surface, const std::vector<BallFeature>& balls, bool flipped) {
    for (const BallFeature& ball : balls) {
      ContactPoint point;
      point.pair = pair_index;
      point.index = pair.n_points++;
      point.id = (static_cast<std::uint64_t>(pair_index) << 32) | static_cast<std::uint64_t>(point.index);
      point.first = system_.attach(options.first, flipped ? ball.parameter : 0.0);
      point.second = system_.attach(options.second, flipped ? 0.0 : ball.parameter);
      point.kind = surface.kind;
      point.flipped = flipped;
      point.body_a = flipped ? options.second : options.first;
      point.body_b = flipped ? options.first : options.second;
      point.center_a = surface.center;
      point.axis_a = surface.axis;
      point.radius_a = surface.radius;
      point.center_b = ball.center;
      point.radius_b = ball.radius;
      system_.points_.push_back(point);
    }
  };
  const auto add_shapes = [&](const Shape& s1, const Shape& s2) {
    const std::optional<SurfaceFeature> surface1 = surface_of(s1);
    const std::optional<SurfaceFeature> surface2 = surface_of(s2);
    const std::vector<BallFeature> on1 =
        surface1 ? balls_on(*surface1, s2, system_.planar_) : std::vector<BallFeature>{};
    if (!on1.empty()) return add_points(*surface1, on1, false);
    const std::vector<BallFeature> on2 =
        surface2 ? balls_on(*surface2, s1, system_.planar_) : std::vector<BallFeature>{};
    if (!on2.empty()) return add_points(*surface2, on2, true);
    refuse(fmt::format("no gap function between {} and {}; {}", describe(first, s1), describe(second, s2),
                       kAvailablePairs));
  };
  for (const Shape* s1 : shapes_meant(first, options.first_shape)) {
    for (const Shape* s2 : shapes_meant(second, options.second_shape)) add_shapes(*s1, *s2);
  }
  if (pair.n_points == 0) {
    const Body& bare = first.shapes.empty() ? first : second;
    refuse(fmt::format("body '{}' has no shapes", bare.name));
  }
  system_.contacts_.push_back(std::move(pair));
  return pair_index;
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
  if (const auto* spring = std::get_if<Spring>(&force.law)) {
    force.first = attach(spring->first, spring->parameter_first);
    force.second = attach(spring->second, spring->parameter_second);
    if (!(spring->stiffness >= 0.0 && spring->damping >= 0.0 && spring->rest >= 0.0)) {
      refuse("stiffness, damping and rest must not be negative");
    }
  }
  if (const auto* load = std::get_if<Load>(&force.law)) force.second = attach(load->body, load->parameter);
  if (const auto* friction = std::get_if<DryFriction>(&force.law)) {
    force.first = attach(friction->first, friction->parameter_first);
    force.second = attach(friction->second, friction->parameter_second);
    if (!(friction->bound >= 0.0)) refuse("the bound must not be negative");
    system_.dry_frictions_.push_back(index);
  }
  system_.forces_.push_back(std::move(force));
  return index;
}

System SystemBuilder::build() {
  return std::move(system_);
}

}  // namespace stickslip
