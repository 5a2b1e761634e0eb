// SPDX-License-Identifier: BSD-3-Clause
// Each pair of shapes, in both places and both orders, on a body that is fixed, moves as prescribed or is free, named
// or detected, in the plane and in space, under each scheme: two bodies meet along a line, and where they end is known
// in closed form. A cell is right, or it is refused by name before the first step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {
namespace {

// Coordinates of the rig: x and y across, z up, along which the bodies meet; in the plane x and z. The rig is turned
// and moved in the world, so that nothing lies at an origin or along an axis.

enum class Holds { nothing, sphere, cylinder };  // what is inside; a cylinder lies along x

struct Ball {
  Vector3 center;  // (3) [m] in the body
  double radius;   // [m]
};

/// A shape of a body, what of it is met from above and from below, and what of it touches the wall of a container.
struct Form {
  std::string name;
  std::string text;         // of the scene
  double top = 0.0;         // [m] above the body's origin
  double bottom = 0.0;      // [m] below it
  std::vector<Ball> balls;  // of bounded shapes: the convex hull of these is the shape
  Holds holds = Holds::nothing;
  bool is_plane = false;
  bool has_extent = true;  // not a point
  bool is_round = false;   // sphere or point
  bool is_curved = false;  // solid cylinder or ellipsoid
};

constexpr double kOff = 0.03;       // [m] of each shape from its body's origin, along the line
constexpr double kContainer = 0.5;  // [m] radius

std::string vector_text(bool planar, const Vector3& x) {
  return planar ? fmt::format("[{}, {}]", x(0), x(2)) : fmt::format("[{}, {}, {}]", x(0), x(1), x(2));
}

Form sphere(bool planar) {
  constexpr double kRadius = 0.1;
  const Vector3 c(0, 0, kOff);
  return {"sphere",
          fmt::format("type = \"sphere\", radius = {}, position = {}", kRadius, vector_text(planar, c)),
          kOff + kRadius,
          kRadius - kOff,
          {{c, kRadius}},
          Holds::nothing,
          false,
          true,
          true};
}

Form point(bool planar) {
  const Vector3 c(0, 0, kOff);
  return {"point",    fmt::format("type = \"point\", position = {}", vector_text(planar, c)),
          kOff,       -kOff,
          {{c, 0.0}}, Holds::nothing,
          false,      false,
          true};
}

Form box(bool planar) {
  const Vector3 half(0.11, 0.08, 0.05);
  Form form = {"box",
               fmt::format("type = \"box\", size = {}, position = {}", vector_text(planar, 2.0 * half),
                           vector_text(planar, {0, 0, kOff})),
               kOff + half(2),
               half(2) - kOff,
               {}};
  for (int k = 0; k < 8; ++k) {
    const Vector3 sign((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1);
    const Vector3 corner = Vector3(0, 0, kOff) + half.cwiseProduct(sign);
    form.balls.push_back({planar ? Vector3(corner(0), 0, corner(2)) : corner, 0.0});
  }
  return form;
}

/// Of a pyramid, or a triangle, what is left below a cut: faces above and below.
Form hull(bool planar) {
  constexpr double kHalf = 0.06;
  Form form = {"convex", "type = \"convex\", points = [", kHalf + kOff, kHalf - kOff, {}};
  for (int k = 0; k < 8; ++k) {
    const double width = (k & 4) != 0 ? 0.06 : 0.1;
    const Vector3 corner((k & 1) != 0 ? width : -width, (k & 2) != 0 ? width : -width,
                         kOff + ((k & 4) != 0 ? kHalf : -kHalf));
    if (planar && (k & 2) != 0) continue;
    form.balls.push_back({planar ? Vector3(corner(0), 0, corner(2)) : corner, 0.0});
    form.text += (k > 0 ? ", " : "") + vector_text(planar, corner);
  }
  form.text += "]";
  return form;
}

/// Along x, or along y as the upper one, so that two of them cross.
Form capsule(bool upper) {
  constexpr double kRadius = 0.07;
  constexpr double kHalf = 0.08;
  const Vector3 along = upper ? Vector3::UnitY() : Vector3::UnitX();
  const Vector3 c(0, 0, kOff);
  return {"capsule",
          fmt::format("type = \"capsule\", radius = {}, length = {}, position = [0, 0, {}], "
                      "rotation = {{axis = {}, angle = \"=pi/2\"}}",
                      kRadius, 2.0 * kHalf, kOff, upper ? "[1, 0, 0]" : "[0, 1, 0]"),
          kOff + kRadius,
          kRadius - kOff,
          {{c + kHalf * along, kRadius}, {c - kHalf * along, kRadius}}};
}

/// Lying along x, so that it stands on both rims.
Form cylinder() {
  constexpr double kRadius = 0.07;
  return {"cylinder",
          fmt::format("type = \"cylinder\", radius = {}, length = 0.2, position = [0, 0, {}], "
                      "rotation = {{axis = [0, 1, 0], angle = \"=pi/2\"}}",
                      kRadius, kOff),
          kOff + kRadius,
          kRadius - kOff,
          {{Vector3(0, 0, kOff), kRadius}},
          Holds::nothing,
          false,
          true,
          false,
          true};
}

Form ellipsoid() {
  constexpr double kHeight = 0.05;
  return {"ellipsoid",
          fmt::format("type = \"ellipsoid\", radii = [0.1, 0.15, {}], position = [0, 0, {}]", kHeight, kOff),
          kOff + kHeight,
          kHeight - kOff,
          {{Vector3(0, 0, kOff), kHeight}},
          Holds::nothing,
          false,
          true,
          false,
          true};
}

/// Flat, on bodies that are fixed or moving: always the lower one.
Form height_field() {
  return {"height-field",
          fmt::format("type = \"height-field\", size = [2.1, 1.9], height = \"{}\", cells = [5, 4]", kOff),
          kOff,
          -kOff,
          {},
          Holds::nothing,
          true};
}

/// The ground, of collinear segments; as the upper one it runs from right to left.
Form polyline(bool upper) {
  std::string points;
  for (int k = 0; k <= 5; ++k)
    points += fmt::format("{}[{}, {}]", k > 0 ? ", " : "", (upper ? 1 : -1) * (1.1 - 0.4 * k), kOff);
  return {"polyline", "type = \"polyline\", points = [" + points + "]", kOff, -kOff, {}, Holds::nothing, true};
}

Form half_space(bool planar, bool upper) {
  const Vector3 normal(0, 0, upper ? -1 : 1);
  return {
      "half-space", fmt::format("type = \"half-space\", normal = {}, offset = {}", vector_text(planar, normal), kOff),
      kOff,         kOff,
      {},           Holds::nothing,
      true};
}

Form sphere_around(bool planar) {
  return {"sphere inside",
          fmt::format("type = \"sphere\", radius = {}, inside = true, position = {}", kContainer,
                      vector_text(planar, {0, 0, kOff})),
          0.0,
          0.0,
          {},
          Holds::sphere};
}

Form cylinder_around(bool planar) {
  const std::string text = fmt::format("type = \"cylinder\", radius = {}, inside = true, position = {}", kContainer,
                                       vector_text(planar, {0, 0, kOff}));
  // In the plane its axis is the third direction, and it is a circle.
  return {"cylinder inside",
          text + (planar ? "" : ", rotation = {axis = [0, 1, 0], angle = \"=pi/2\"}"),
          0.0,
          0.0,
          {},
          planar ? Holds::sphere : Holds::cylinder};
}

std::vector<Form> make_forms(bool planar, bool upper) {
  std::vector<Form> forms = {sphere(planar), point(planar), box(planar), hull(planar)};
  if (!planar) {
    for (const Form& form : {capsule(upper), cylinder(), ellipsoid()}) forms.push_back(form);
    if (!upper) forms.push_back(height_field());
  } else {
    forms.push_back(polyline(upper));
  }
  for (const Form& form : {half_space(planar, upper), sphere_around(planar), cylinder_around(planar)})
    forms.push_back(form);
  return forms;
}

/// How far a shape inside is from the wall, its body's origin being `up` above that of the container. [m]
double gap_inside(const Form& container, const Form& inside, double up) {
  double gap = std::numeric_limits<double>::infinity();
  for (const Ball& ball : inside.balls) {
    Vector3 arm = ball.center + Vector3(0, 0, up - kOff);
    if (container.holds == Holds::cylinder) arm(0) = 0.0;
    gap = std::min(gap, kContainer - ball.radius - arm.norm());
  }
  return gap;
}

/// The gap, the upper body's origin being `up` above the lower one's. [m]
double closed_form_gap(const Form& lower, const Form& upper, double up) {
  if (lower.holds != Holds::nothing) return gap_inside(lower, upper, up);
  if (upper.holds != Holds::nothing) return gap_inside(upper, lower, -up);
  return up - upper.bottom - lower.top;
}

/// Where the gap has this value; it grows with `up` from 0 on, and inside containers between -kContainer and 0.
double solve_gap(const Form& lower, const Form& upper, double gap) {
  const bool inside = lower.holds != Holds::nothing || upper.holds != Holds::nothing;
  double low = inside ? -2.0 * kContainer : -1.0;
  double high = inside ? 0.0 : 1.0;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (closed_form_gap(lower, upper, middle) < gap ? low : high) = middle;
  }
  return low;
}

enum class Kind { fixed, moving, free };
constexpr std::array kKinds = {Kind::fixed, Kind::moving, Kind::free};
constexpr std::array<const char*, 3> kKindNames = {"fixed", "moving", "free"};
constexpr std::array kMatrixSchemes = {"moreau",     "ccp",         "stewart-trinkle", "generalized-alpha",
                                       "relaxation", "event-driven"};

struct Cell {
  Form lower, upper;
  bool planar = false;
  bool upper_first = false;  // the order of `between`, and of the bodies
  bool detected = false;
  Kind kind = Kind::fixed;  // of the lower body
  std::string scheme;

  std::string name() const {
    return fmt::format("{} on {} ({}), {}, {}, {}, {}", upper.name, lower.name, kKindNames[static_cast<int>(kind)],
                       upper_first ? "upper first" : "lower first", detected ? "detected" : "named",
                       planar ? "plane" : "space", scheme);
  }
};

bool can_touch(const Form& a, const Form& b) {
  if (!a.has_extent && !b.has_extent) return false;
  const auto is_known = [](const Form& form, const Form& other) {
    return (form.name != "cylinder" && form.name != "ellipsoid") || other.holds == Holds::nothing;
  };
  if (!is_known(a, b) || !is_known(b, a)) return false;
  return !a.balls.empty() || !b.balls.empty();
}

std::vector<Cell> make_cells() {
  std::vector<Cell> cells;
  for (const bool planar : {false, true}) {
    for (const Form& lower : make_forms(planar, false)) {
      for (const Form& upper : make_forms(planar, true)) {
        if (!can_touch(lower, upper)) continue;
        for (const Kind kind : kKinds) {
          if (lower.name == "height-field" && kind == Kind::free) continue;
          for (const bool upper_first : {false, true}) {
            for (const bool detected : {false, true}) {
              for (const char* scheme : kMatrixSchemes) {
                cells.push_back({lower, upper, planar, upper_first, detected, kind, scheme});
              }
            }
          }
        }
      }
    }
  }
  return cells;
}

/// Event-driven takes neither detected contacts nor those where what touches changes.
bool is_refused(const Cell& cell) {
  const bool is_bounded = !cell.lower.balls.empty() && !cell.upper.balls.empty();
  // What is a surface to a ball, or a ball, of a pair with one that is.
  const auto is_fixed = [](const Form& a, const Form& b) { return a.is_round && (b.is_round || b.is_curved); };
  const bool rims =
      (cell.lower.name == "cylinder" && cell.upper.is_plane) || (cell.upper.name == "cylinder" && cell.lower.is_plane);
  const auto is_surface = [](const Form& form) { return form.name == "height-field" || form.name == "polyline"; };
  const bool varies = is_surface(cell.lower) || is_surface(cell.upper) || rims ||
                      (is_bounded && !is_fixed(cell.lower, cell.upper) && !is_fixed(cell.upper, cell.lower));
  return cell.scheme == "event-driven" && (cell.detected || varies);
}

// The rig in the world.
const Vector3 kOrigin(0.3, -0.2, 0.5);  // (3) [m]
constexpr double kTurn = 0.7;           // [rad]
Matrix3 rig_axes(bool planar) {
  if (!planar) return Eigen::AngleAxisd(kTurn, Vector3(1, 2, 2) / 3.0).toRotationMatrix();
  Matrix3 axes;  // x, the direction out of the plane, and up
  axes << std::cos(kTurn), 0, -std::sin(kTurn), std::sin(kTurn), 0, std::cos(kTurn), 0, -1, 0;
  return axes;
}
std::string world_text(bool planar, const Vector3& x) {
  return planar ? fmt::format("[{}, {}]", x(0), x(1)) : fmt::format("[{}, {}, {}]", x(0), x(1), x(2));
}

constexpr double kStartGap = 1e-4;  // [m]
constexpr double kSpeed = 0.05;     // [m/s] of a lower body that is not fixed
constexpr double kLowerMass = 2.0;  // [kg]
constexpr double kUpperMass = 1.0;  // [kg]
constexpr double kEnd = 0.06;       // [s]
/// Falling from the start gap, or met with the speed of the lower body, bodies close at this speed at most.
const double kMeet = std::sqrt(2.0 * kGravity * kStartGap) + kSpeed;  // [m/s]

double step_of(const Cell& cell) {
  return cell.scheme == "relaxation" ? 1e-4 : 1e-3;
}

std::string scene_text(const Cell& cell, double start) {
  const Matrix3 axes = rig_axes(cell.planar);
  const Vector3 up = axes.col(2);
  const std::string turned = cell.planar ? fmt::format("angle = {}\n", kTurn) : [&] {
    const Eigen::Quaterniond e(axes);
    return fmt::format("quaternion = [{}, {}, {}, {}]\n", e.w(), e.x(), e.y(), e.z());
  }();
  const Vector3 gravity = cell.kind == Kind::free ? Vector3::Zero() : Vector3(-kGravity * up);
  const auto body = [&](const char* name, const std::string& type, const Form& form) {
    return fmt::format("[bodies.{}]\n{}{}shapes.s = {{{}}}\n", name, type, turned, form.text);
  };
  const auto free_body = [&](double mass, const Vector3& position, const Vector3& velocity) {
    return fmt::format("{}mass = {}\ninertia = {}\nposition = {}\nvelocity = {}\n",
                       cell.planar ? "type = \"planar\"\n" : "", mass,
                       cell.planar ? fmt::format("{}", 0.01 * mass)
                                   : fmt::format("[{}, {}, {}]", 0.01 * mass, 0.012 * mass, 0.014 * mass),
                       world_text(cell.planar, position), world_text(cell.planar, velocity));
  };
  std::string lower_type;
  switch (cell.kind) {
    case Kind::fixed:
      lower_type = "type = \"fixed\"\nposition = " + world_text(cell.planar, kOrigin) + "\n";
      break;
    case Kind::moving: {
      lower_type = "type = \"moving\"\nposition = [";
      for (int i = 0; i < (cell.planar ? 2 : 3); ++i)
        lower_type += fmt::format("{}\"{} + {}*t\"", i > 0 ? ", " : "", kOrigin(i), kSpeed * up(i));
      lower_type += "]\n";
      break;
    }
    case Kind::free:
      lower_type = free_body(kLowerMass, kOrigin, kSpeed * up);
      break;
  }
  const std::string lower = body("lower", lower_type, cell.lower);
  const std::string upper = body("upper", free_body(kUpperMass, kOrigin + start * up, Vector3::Zero()), cell.upper);
  return fmt::format("stickslip = 1\ngravity = {}\ntime = {{end = {}, step = {}}}\nscheme = {{type = \"{}\"}}\n",
                     world_text(cell.planar, gravity), kEnd, step_of(cell), cell.scheme) +
         (cell.upper_first ? upper + lower : lower + upper) +
         (cell.detected ? "[contact_default]\nfriction = 0.3\n"
                        : fmt::format("[[contacts]]\nname = \"meets\"\nbetween = [{}]\nfriction = 0.3\n",
                                      cell.upper_first ? "\"upper\", \"lower\"" : "\"lower\", \"upper\""));
}

/// Of a body, in the rig.
struct Place {
  Vector3 position = Vector3::Zero();  // (3) [m]
  Vector3 velocity = Vector3::Zero();  // (3) [m/s]
  double turned = 0.0;                 // [rad] from how it started
};

/// Read from q and u as the results name them, without the model.
Place place_of(const Cell& cell, const State& state, int n_before) {
  const Matrix3 axes = rig_axes(cell.planar);
  Place place;
  if (cell.planar) {
    const auto q = state.q.segment<3>(3 * n_before);
    const auto u = state.u.segment<3>(3 * n_before);
    place.position = axes.transpose() * (Vector3(q(0), q(1), kOrigin(2)) - kOrigin);
    place.velocity = axes.transpose() * Vector3(u(0), u(1), 0.0);
    place.turned = std::abs(q(2) - kTurn);
    return place;
  }
  const auto q = state.q.segment<7>(7 * n_before);
  place.position = axes.transpose() * (q.head<3>() - kOrigin);
  place.velocity = axes.transpose() * state.u.segment<3>(6 * n_before);
  const Eigen::Quaterniond turned = Eigen::Quaterniond(q(3), q(4), q(5), q(6)) * Eigen::Quaterniond(axes).conjugate();
  place.turned = 2.0 * turned.vec().norm();
  return place;
}

struct Places {
  Place lower, upper;
};

Places places_of(const Cell& cell, const State& state) {
  const bool is_free = cell.kind == Kind::free;
  Places places;
  places.upper = place_of(cell, state, is_free && !cell.upper_first ? 1 : 0);
  if (is_free) {
    places.lower = place_of(cell, state, cell.upper_first ? 1 : 0);
  } else if (cell.kind == Kind::moving) {
    places.lower.position = Vector3(0, 0, kSpeed * state.t);
    places.lower.velocity = Vector3(0, 0, kSpeed);
  }
  return places;
}

/// What is wrong at the end of a step, empty: nothing. `overlap`: how deep they may be [m]. Points that touch together
/// meet in one step or, by round-off, in two: meanwhile bodies turn, and move across by as much.
std::string find_fault(const Cell& cell, const Places& at, double overlap) {
  constexpr double kLeastArm = 0.05;  // [m] of corners
  const Vector3 apart = at.upper.position - at.lower.position;
  if (!apart.allFinite()) return "positions are not finite";
  if (apart.head<2>().norm() > overlap) return fmt::format("moved {} m across", apart.head<2>().norm());
  const double turned = std::max(at.upper.turned, at.lower.turned);
  if (!(turned <= overlap / kLeastArm)) return fmt::format("turned by {}", turned);
  const double gap = closed_form_gap(cell.lower, cell.upper, apart(2));
  if (gap < -overlap) return fmt::format("overlap of {} m", -gap);
  if (cell.kind == Kind::free) {
    const double momentum = kLowerMass * at.lower.velocity(2) + kUpperMass * at.upper.velocity(2);
    if (std::abs(momentum - kLowerMass * kSpeed) > 1e-12) return fmt::format("momentum {} N s", momentum);
  }
  return {};
}

/// What is wrong at the end of the run.
std::string find_final_fault(const Cell& cell, const Places& at, double rest) {
  const double speed = at.upper.velocity(2) - at.lower.velocity(2);
  const double gap = closed_form_gap(cell.lower, cell.upper, at.upper.position(2) - at.lower.position(2));
  if (cell.scheme == "relaxation" && cell.kind == Kind::free) {
    // m g'' = lambda, lambda = -m (2 g' / delta + g / delta^2) >= 0 from g = 0 on: g = -v t exp(-t / delta) until
    // t = 2 delta, where they part with exp(-2) of their speed.
    const double parting = kSpeed * std::exp(-2.0);
    return std::abs(speed - parting) <= 0.01 * kSpeed ? "" : fmt::format("parting at {} m/s, not {}", speed, parting);
  }
  // A contact that lets go, as where two ends of a body rock, falls for a step until it closes again.
  const double still = cell.kind == Kind::free ? 1e-6 : kGravity * step_of(cell);
  if (std::abs(speed) > still) return fmt::format("meeting ends at {} m/s", speed);
  if (std::abs(gap) > rest) return fmt::format("gap of {} m at rest", gap);
  return {};
}

enum class CellOutcome { right, refused, wrong };

CellOutcome run_cell(const Cell& cell, std::string& why) {
  const double start = solve_gap(cell.lower, cell.upper, kStartGap);
  const std::string text = scene_text(cell, start);
  std::optional<SceneRun> run;
  try {
    run.emplace(parse_scene(text, "cell.toml"));
  } catch (const InputError& error) {
    const bool is_named =
        error.place().line > 0 && error.place().column > 0 && error.place().file == "cell.toml" &&
        std::string_view(error.what()).find(cell.detected ? "detected" : "'meets'") != std::string_view::npos;
    why = error.what();
    return is_named ? CellOutcome::refused : CellOutcome::wrong;
  }
  // A step may close by what it did not foresee; in what is relaxed, by the depth at which they meet.
  const double overlap = kMeet * 1e-3;
  const double h = step_of(cell);
  const long n = std::lround(kEnd / h);
  for (long k = 0; k < n; ++k) {
    const Status status = run->step();
    if (status != Status::ok) {
      why = fmt::format("step {} is not ok: {}", k, run->report.message);
      return CellOutcome::wrong;
    }
    why = find_fault(cell, places_of(cell, run->state), overlap);
    if (!why.empty()) return why += fmt::format(" at t = {}", run->state.t), CellOutcome::wrong;
  }
  why = find_final_fault(cell, places_of(cell, run->state), overlap);
  return why.empty() ? CellOutcome::right : CellOutcome::wrong;
}

struct Counts {
  int right = 0, refused = 0, wrong = 0;
};

/// Each `stride`-th cell.
Counts run_cells(std::size_t stride) {
  const std::vector<Cell> cells = make_cells();
  Counts counts;
  for (std::size_t i = 0; i < cells.size(); i += stride) {
    std::string why;
    const CellOutcome outcome = run_cell(cells[i], why);
    EXPECT_NE(outcome, CellOutcome::wrong) << cells[i].name() << ": " << why;
    EXPECT_EQ(outcome == CellOutcome::refused, is_refused(cells[i])) << cells[i].name() << ": " << why;
    counts.right += outcome == CellOutcome::right ? 1 : 0;
    counts.refused += outcome == CellOutcome::refused ? 1 : 0;
    counts.wrong += outcome == CellOutcome::wrong ? 1 : 0;
  }
  return counts;
}

void record(const Counts& counts) {
  testing::Test::RecordProperty("right", counts.right);
  testing::Test::RecordProperty("refused", counts.refused);
  testing::Test::RecordProperty("wrong", counts.wrong);
}

/// Those in which a ball or a point that is fixed is named before the solid that meets it, and one where what touches
/// changes under a scheme that knows its contacts from the start: they were taken for half-spaces.
TEST(ContactMatrix, NamedPairsWithOneVaryingPointAreNoHalfSpaces) {
  int n = 0;
  for (const Cell& cell : make_cells()) {
    const bool is_one_point =
        !cell.lower.balls.empty() && !cell.upper.balls.empty() && cell.lower.is_round != cell.upper.is_round;
    if (cell.detected || !is_one_point || cell.kind != Kind::fixed) continue;
    if (cell.scheme != "generalized-alpha" && cell.scheme != "event-driven") continue;
    std::string why;
    EXPECT_EQ(run_cell(cell, why), is_refused(cell) ? CellOutcome::refused : CellOutcome::right)
        << cell.name() << ": " << why;
    ++n;
  }
  EXPECT_EQ(n, 112);
}

TEST(ContactMatrix, SampledCellsAreRightOrRefused) {
  constexpr std::size_t kStride = 61;  // prime to the numbers of schemes, kinds and orders
  const Counts counts = run_cells(kStride);
  EXPECT_GT(counts.right, 0);
  EXPECT_GT(counts.refused, 0);
  EXPECT_EQ(counts.wrong, 0);
  record(counts);
}

/// What touches at a named point is found anew where the step ends: a ball flies past an edge, below the face that was
/// nearest to it at the start. Likewise where the ball's body comes first, and for what is not a ball and a box.
TEST(NamedContacts, OfBallsArePastTheEdgeAtTheEndOfTheStep) {
  constexpr double kStep = 0.02;
  for (const bool ball_first : {false, true}) {
    for (const std::string solid : {"type = \"box\", size = [1, 1, 1]",
                                    "type = \"convex\", points = [[0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [-0.5, 0.5, 0.5], "
                                    "[-0.5, -0.5, 0.5], [0, 0, -3]]"}) {
      SceneRun run =
          scene_from_text(fmt::format(R"(stickslip = 1
gravity = [0, 0, 0]
time = {{end = 1, step = {}}}
scheme = {{type = "moreau"}}
[bodies.block]
type = "fixed"
shapes.s = {{{}}}
[bodies.ball]
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0.47, 0, 0.68]
velocity = [10, 0, -6]
shapes.s = {{type = "sphere", radius = 0.1}}
[[contacts]]
between = [{}]
)",
                                      kStep, solid, ball_first ? "\"ball\", \"block\"" : "\"block\", \"ball\""));
      ASSERT_EQ(run.step(), Status::ok);
      EXPECT_EQ(run.state.u.head<3>(), Vector3(10, 0, -6));
      EXPECT_NEAR(run.report.contacts[0].gap, std::hypot(0.17, 0.06) - 0.1, 1e-12);
      EXPECT_EQ(run.report.penetration, 0.0);
    }
  }
}

TEST(SlowContactMatrix, AllCellsAreRightOrRefused) {
  const Counts counts = run_cells(1);
  EXPECT_EQ(counts.right, 8440);
  EXPECT_EQ(counts.refused, 1184);
  EXPECT_EQ(counts.wrong, 0);
  record(counts);
}

}  // namespace
}  // namespace stickslip::test
