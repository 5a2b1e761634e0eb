// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/stiffness.h"
#include "stickslip/geometry/polyline.h"
#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/joint_frames.h"
#include "stickslip/scene/redundant_joints.h"
#include "stickslip/scene/start_problem.h"
#include "stickslip/stepping/relaxation/explicit_forces.h"

namespace stickslip {
namespace {

using BodyPair = std::pair<int, int>;  // indices into System::bodies(), the lower one first

/// Bodies that joints connect. What cannot move connects nothing: two robots on one floor are two mechanisms.
class Mechanisms {
 public:
  /// `jointed` has the pairs of bodies with a joint between them.
  Mechanisms(const System& system, const std::map<BodyPair, int>& jointed)
      : system_(system), sets_(system.bodies().size()) {
    for (const auto& [bodies, joint] : jointed) {
      if (moves(bodies.first) && moves(bodies.second)) sets_.join(bodies.first, bodies.second);
    }
    for (const auto& [bodies, joint] : jointed) {
      if (moves(bodies.first) != moves(bodies.second)) carried_.insert(fixed_and_mechanism(bodies));
    }
  }

  bool connect(const BodyPair& bodies) {
    if (moves(bodies.first) && moves(bodies.second)) return sets_.find(bodies.first) == sets_.find(bodies.second);
    return moves(bodies.first) != moves(bodies.second) && carried_.contains(fixed_and_mechanism(bodies));
  }

 private:
  bool moves(int body) const { return system_.bodies()[body].n_u > 0; }
  std::pair<int, int> fixed_and_mechanism(const BodyPair& bodies) {
    const auto [a, b] = bodies;
    return moves(a) ? std::pair{b, sets_.find(a)} : std::pair{a, sets_.find(b)};
  }

  const System& system_;
  DisjointSets sets_;                      // of bodies that move
  std::set<std::pair<int, int>> carried_;  // a fixed body, and a mechanism that hangs on it
};

/// Warns of what is allowed and yet probably a mistake.
class Warnings {
 public:
  Warnings(const Scene& scene, const BuiltScene& built, const StopToken& stop)
      : scene_(scene), built_(built), stop_(stop) {}

  std::vector<std::string> collect() {
    using Kind = void (Warnings::*)();
    for (const Kind kind : {&Warnings::warn_of_stillness, &Warnings::warn_of_lonely_bodies, &Warnings::warn_of_overlaps,
                            &Warnings::warn_of_overlaps_found, &Warnings::warn_of_misfits, &Warnings::warn_of_joints,
                            &Warnings::warn_of_redundancy, &Warnings::warn_of_quaternions, &Warnings::warn_of_output,
                            &Warnings::warn_of_sinking, &Warnings::warn_of_step_control, &Warnings::warn_of_stiffness,
                            &Warnings::warn_of_speed, &Warnings::warn_of_domain}) {
      n_of_kind_ = 0;
      (this->*kind)();
      if (n_of_kind_ > kMostOfKind) warnings_.push_back(fmt::format("and {} more like it", n_of_kind_ - kMostOfKind));
    }
    return std::move(warnings_);
  }

 private:
  void warn(const std::string& path, const std::string& text) {
    if (++n_of_kind_ > kMostOfKind) return;
    warnings_.push_back(InputError(scene_.places.find(path), path, "", text).what());
  }

  void warn_of_stillness() {
    if (built_.system->n_u() == 0) warn("bodies", "nothing in this scene can move");
  }

  /// Expressions of a speed v do not see a parameter of that name.
  void warn_of_speed() {
    if (!scene_.parameters.contains("v")) return;
    const auto look = [&](const std::string& path, const ContactLaw& law) {
      if (law.friction_of_speed) warn(path + ".friction", "v is the slip speed here, not the parameter v");
    };
    for (const SceneContact& contact : scene_.contacts) look("contacts." + contact.name, contact.law);
    for (std::size_t i = 0; i < scene_.laws.size(); ++i) look(fmt::format("laws[{}]", i), scene_.laws[i].law);
    if (scene_.contact_default) look("contact_default", scene_.contact_default->law);
  }

  /// The domain does not mind bodies of joints and forces.
  void warn_of_domain() {
    if (!scene_.domain || scene_.domain->outside == Outside::keep) return;
    const std::vector<char> tied = find_tied(scene_);
    for (std::size_t i = 0; i < tied.size(); ++i) {
      if (tied[i] == 0 || built_.system->bodies()[i].n_u == 0) continue;
      warn("domain.outside",
           fmt::format("'{}' may leave the domain: it is of a joint or a force", scene_.bodies[i].name));
    }
  }

  // Contacts are only those that the scene names, or else all.
  void warn_of_lonely_bodies() {
    if (scene_.detects_contacts()) return;
    std::set<std::string> named;
    for (const ContactPair& pair : built_.system->contacts()) {
      for (const int body : {pair.options.first, pair.options.second}) {
        named.insert(built_.system->bodies()[body].name);
      }
    }
    const auto is_solid = [](const SceneShape& shape) { return !shape.contact.visual; };
    for (const SceneBody& body : scene_.bodies) {
      stop_.check();
      if (std::any_of(body.shapes.begin(), body.shapes.end(), is_solid) && !named.contains(body.name)) {
        warn("bodies." + body.name, "it has shapes, but no contact names it: it will pass through everything");
      }
    }
  }

  void warn_of_overlaps() {
    const System& system = *built_.system;
    for (const ContactPair& pair : system.contacts()) {
      stop_.check();
      double gap = 0.0;
      for (int k = pair.first_point; k < pair.first_point + pair.n_points; ++k) {
        if (system.contact_points()[k].frozen != nullptr) continue;  // what touches there is to be found
        gap = std::min(gap, system.calc_gap(k, built_.initial.t, built_.initial.q));
      }
      if (!(gap < -kOverlap)) continue;
      const ContactPoint& point = system.contact_points()[pair.first_point];
      if (point.joint < 0) {
        warn("contacts." + pair.options.name, fmt::format("the bodies overlap by {:.6g} m at the start", -gap));
      } else {
        warn(fmt::format("joints.{}.limits", system.joints()[point.joint].options.name),
             fmt::format("the coordinate is beyond them by {:.6g} {} at the start", -gap,
                         system.turns(point) ? "rad" : "m"));
      }
    }
  }

  // Pairs whose points vary, and pairs where what touches depends on where the bodies are; of detected contacts those
  // between bodies that joints connect, which hold them there, and of the others the worst alone: a heap placed
  // carelessly overlaps in many places.
  void warn_of_overlaps_found() {
    const System& system = *built_.system;
    ContactFinder contacts(system, stop_);
    BodySnapshot start(system);
    start.take(built_.initial.t, built_.initial.q, nullptr);
    contacts.find_touching(start);
    const ContactPoint* worst = nullptr;
    double least = -kOverlap;
    std::vector<double> least_of_pair(system.contacts().size(), -kOverlap);
    const std::map<BodyPair, int> jointed = find_jointed();
    Mechanisms mechanisms(system, jointed);
    std::map<int, double> least_of_joint;
    std::map<BodyPair, double> least_of_connected;
    for (const ContactPoint& point : contacts.points()) {
      if (point.pair != kDetected && point.frozen == nullptr) continue;
      const double gap = system.calc_gap(point, built_.initial.t, built_.initial.q);
      if (point.pair != kDetected) {
        least_of_pair[point.pair] = std::min(least_of_pair[point.pair], gap);
      } else if (const auto joint = jointed.find(bodies_of(point)); joint != jointed.end()) {
        if (gap < -kOverlap) least_of_joint[joint->second] = std::min(least_of_joint[joint->second], gap);
      } else if (gap < -kOverlap && mechanisms.connect(bodies_of(point))) {
        double& least_of_both = least_of_connected[bodies_of(point)];
        least_of_both = std::min(least_of_both, gap);
      } else if (gap < least) {
        least = gap;
        worst = &point;
      }
    }
    for (std::size_t i = 0; i < least_of_pair.size(); ++i) {
      if (least_of_pair[i] == -kOverlap) continue;
      warn("contacts." + system.contacts()[i].options.name,
           fmt::format("the bodies overlap by {:.6g} m at the start", -least_of_pair[i]));
    }
    for (const auto& [index, gap] : least_of_joint) {
      const JointOptions& joint = system.joints()[index].options;
      const std::string& first = system.bodies()[joint.first].name;
      const std::string& second = system.bodies()[joint.second].name;
      warn("joints." + joint.name,
           fmt::format("its bodies '{0}' and '{1}' overlap by {2:.6g} m at the start, where the joint holds them: "
                       "contact_default.except = [[\"{0}\", \"{1}\"]] lets them pass through each other",
                       first, second, -gap));
    }
    for (const auto& [bodies, gap] : least_of_connected) {
      warn("contact_default",
           fmt::format("the bodies '{0}' and '{1}', which joints connect over others, overlap by {2:.6g} m at the "
                       "start: except = [[\"{0}\", \"{1}\"]] lets them pass through each other",
                       system.bodies()[bodies.first].name, system.bodies()[bodies.second].name, -gap));
    }
    if (worst == nullptr) return;
    warn("contact_default", fmt::format("the bodies '{}' and '{}' overlap by {:.6g} m at the start",
                                        system.bodies()[system.side(*worst, Side::first).body].name,
                                        system.bodies()[system.side(*worst, Side::second).body].name, -least));
  }

  static std::string path_of(const Joint& joint) {
    return (joint.options.type == JointType::coupling ? "couplings." : "joints.") + joint.options.name;
  }

  /// The first joint between two bodies.
  std::map<BodyPair, int> find_jointed() const {
    std::map<BodyPair, int> joints;
    for (const Joint& joint : built_.system->joints()) {
      const auto index = static_cast<int>(&joint - built_.system->joints().data());
      if (joint.is_coupling()) continue;
      joints.emplace(std::minmax(joint.options.first, joint.options.second), index);
    }
    return joints;
  }

  BodyPair bodies_of(const ContactPoint& point) const {
    return std::minmax(built_.system->side(point, Side::first).body, built_.system->side(point, Side::second).body);
  }

  // A scheme starts from what the scene says, and removes what violates a joint in its first step.
  void warn_of_joints() {
    constexpr double kPosition = 1e-9;  // [m, rad] as for overlaps
    constexpr double kVelocity = 1e-6;  // [m/s, rad/s] velocities are typed with a few digits
    const System& system = *built_.system;
    const State& start = built_.initial;
    JointVector g;
    JointVector gamma;
    for (std::size_t i = 0; i < system.shown_joints().size(); ++i) {
      stop_.check();
      const Joint& joint = system.joints()[i];
      const std::string path = path_of(joint);
      system.calc_joint_position(static_cast<int>(i), start.t, start.q, g);
      system.calc_joint_velocity(static_cast<int>(i), start.t, start.q, start.u, gamma);
      const int n_angles = joint.n_angle_rows;
      const auto report = [&](const JointVector& rows, double allowed, const char* unit, const char* what) {
        const double length = rows.head(joint.dim - n_angles).norm();
        const double angle = rows.tail(n_angles).norm();
        if (length > allowed) warn(path, fmt::format("{} violate it by {:.6g} m{}", what, length, unit));
        if (angle > allowed) warn(path, fmt::format("{} violate it by {:.6g} rad{}", what, angle, unit));
      };
      report(g, kPosition, "", "the positions at the start");
      report(gamma, kVelocity, "/s", "the velocities at the start");
    }
  }

  void warn_of_misfits() {
    for (const StartMisfit& misfit : built_.misfits) {
      if (misfit.length <= kNoMisfit && misfit.angle <= kNoMisfit) continue;
      const JointOptions& joint = built_.system->joints()[misfit.joint].options;
      warn("joints." + joint.name,
           joint.type == JointType::distance
               ? fmt::format("its points miss its length by {:.6g} m at the start: the bodies are moved so that all "
                             "joints hold",
                             misfit.length)
               : fmt::format("its frames miss each other by {:.6g} m and {:.6g} rad at the start: the bodies are "
                             "moved so that all joints hold",
                             misfit.length, misfit.angle));
    }
  }

  void warn_of_redundancy() {
    const System& system = *built_.system;
    const std::vector<int> redundant = count_redundant_rows(system, built_.initial);
    for (std::size_t j = 0; j < system.shown_joints().size(); ++j) {
      const Joint& joint = system.joints()[j];
      if (redundant[j] == 0) continue;
      warn(path_of(joint),
           fmt::format("{} of its {} constraints say at the start what the joints before it say: motion is determined, "
                       "single reactions are not",
                       redundant[j], joint.dim));
    }
  }

  void warn_of_quaternions() {
    constexpr double kRounded = 1e-3;  // [-] a quaternion typed with few digits is off by less
    for (const SceneBody& body : scene_.bodies) {
      const auto* quaternion = std::get_if<Quaternion>(&body.orientation);
      if (quaternion == nullptr || std::abs(quaternion->wxyz.norm() - 1.0) < kRounded) continue;
      warn(fmt::format("bodies.{}.quaternion", body.name),
           fmt::format("its length is {:.6g}: it is scaled to 1", quaternion->wxyz.norm()));
    }
  }

  void warn_of_output() {
    if (!scene_.output.every || scene_.time.automatic) return;
    constexpr double kWhole = 1e-6;  // [-] as near to a whole number of steps as decimal numbers come
    const double steps = *scene_.output.every / scene_.time.step;
    if (std::abs(steps - std::max(1.0, std::round(steps))) > kWhole * steps) {
      warn("output.every", fmt::format("not a multiple of the step, {} s: it is rounded to one", scene_.time.step));
    }
  }

  /// Heaps are solved loosely, and percussions alone then let bodies sink into each other.
  void warn_of_sinking() {
    const auto* moreau = std::get_if<MoreauOptions>(&scene_.scheme);
    if (moreau == nullptr || !scene_.detects_contacts() || is_on(moreau->projection, *built_.system)) return;
    warn("scheme.projection",
         "without it bodies that rest on each other overlap a little more in each step: spheres of .1 m in a heap by "
         ".3 mm after 200 steps of 1 ms");
  }

  void warn_of_step_control() {
    const SceneTime& time = scene_.time;
    if (!time.automatic) {
      if (time.control != StepControlOptions{}) {
        warn("time", "tolerance, min_step and max_step have no effect with a fixed step");
      }
      return;
    }
    // Estimates are differences of accelerations, which are solved for to the scheme's tolerance.
    constexpr double kNoise = 10.0;  // [-]
    const auto* scheme = std::get_if<GeneralizedAlphaOptions>(&scene_.scheme);
    if (scheme != nullptr && time.control.tolerance < kNoise * scheme->tolerance) {
      warn("time.tolerance",
           fmt::format("less than {:g} times the scheme's tolerance, {:g}: errors cannot be estimated "
                       "so finely",
                       kNoise, scheme->tolerance));
    }
  }

  void warn_of_stiffness() {
    const System& system = *built_.system;
    const double h = scene_.time.step;
    std::optional<UnstableForce> force;
    if (const auto* relaxation = std::get_if<RelaxationOptions>(&scene_.scheme)) {
      force = find_unstable_force(system, built_.initial.t, built_.initial.q, built_.initial.u, h,
                                  most_explicit(*relaxation));
    } else if (!built_.stepper->knows_accelerations()) {  // schemes on velocities
      force = find_unstable_tension(system, built_.initial.t, built_.initial.q, h);
    }
    if (force) warn(force->path, force->text);
  }

  // A mistake in a fill repeats itself for each of its bodies: so many lines of one kind tell enough.
  static constexpr int kMostOfKind = 20;  // [-]

  // Positions in files are rounded to a few digits: what overlaps by less than a nanometre touches.
  static constexpr double kOverlap = 1e-9;  // [m]

  const Scene& scene_;
  const BuiltScene& built_;
  StopToken stop_;
  int n_of_kind_ = 0;  // [-] warnings of the kind that is looked for
  std::vector<std::string> warnings_;
};

/// One line a joint.
std::string describe_joints(const System& system) {
  constexpr std::size_t kMost = 24;  // [-] lines
  const std::span<const Joint> joints = system.shown_joints();
  std::string text = fmt::format("  joints    {}\n", joints.size());
  for (std::size_t j = 0; j < std::min(kMost, joints.size()); ++j) {
    const Joint& joint = joints[j];
    const JointOptions& o = joint.options;
    const auto name = [&](int k) -> const std::string& { return system.joints()[k].options.name; };
    if (o.type == JointType::coupling) {
      text += fmt::format("    {}: coupling, ", o.name);
      for (const JointTerm& term : o.terms) {
        text += fmt::format("{}{:.6g} {}", &term == o.terms.data() ? "" : " + ", term.coefficient, name(term.joint));
      }
      text += " stays, 1 constraint\n";
      continue;
    }
    text += fmt::format("    {}: {}, {} to {}, {} constraint{}", o.name, joint_type_name(o.type),
                        system.bodies()[o.first].name, system.bodies()[o.second].name, joint.dim,
                        joint.dim == 1 ? "" : "s");
    if (o.type == JointType::gear) {
      text +=
          fmt::format(", {} : {} = {:.6g}", name(o.terms[1].joint), name(o.terms[0].joint), -o.terms[0].coefficient);
    }
    if (o.motion) text += ", motion";
    if (o.spring) text += ", spring";
    if (o.force || !o.forces.empty()) text += ", force";
    if (!o.servos.empty()) text += o.servos.size() == 1 ? ", servo" : fmt::format(", {} servos", o.servos.size());
    if (o.armature > 0.0) text += ", armature";
    if (o.effort_limit) text += fmt::format(", effort in [{:.6g}, {:.6g}]", o.effort_limit->low, o.effort_limit->high);
    if (o.friction > 0.0 || o.friction_torque > 0.0 || o.friction_of_load > 0.0) text += ", friction";
    if (o.limits) text += ", limits";
    text += '\n';
  }
  if (joints.size() > kMost) text += fmt::format("    and {} more\n", joints.size() - kMost);
  return text;
}

int count_points(const System& system) {
  return static_cast<int>(system.contact_points().size());
}

std::string describe(const SceneTime& time) {
  if (time.automatic) {
    return fmt::format("{} to {} s, automatic steps, tolerance {}", time.start, time.end, time.control.tolerance);
  }
  const double steps = std::ceil((time.end - time.start) / time.step * (1.0 - 1e-12));
  return fmt::format("{} to {} s, step {} s, {:.0f} steps", time.start, time.end, time.step, steps);
}

/// Mechanisms whose contacts are named have another default than those whose contacts are found.
const char* describe_choice(const Scene& scene) {
  const bool is_default_of_named = std::holds_alternative<GeneralizedAlphaOptions>(scene.scheme) &&
                                   !scene.detects_contacts() && !scene.contacts.empty() && !scene.joints.empty();
  if (!is_default_of_named) return "";
  return "            the default with joints and named contacts; with [contact_default] it is ccp, whose steps may "
         "cost "
         "a thirtieth: see `stickslip compare`\n";
}

/// What the solver's tolerance is, and what it means at the start.
std::string describe_tolerance(const Scene& scene, const BuiltScene& built) {
  const auto start = find_start_problem(scene, built);
  if (!start) return fmt::format("tolerance {:g}", stop_options(scene.solver).tolerance);
  const std::string grows = scene.eases_tolerance ? ", more with more contacts" : "";
  if (start->contacts == 0) return fmt::format("tolerance {:g} at the start{}", start->tolerance, grows);
  return fmt::format("tolerance {:.3g} at the start, {:.3g} m/s in all {} contacts together{}", start->tolerance,
                     start->tolerance * start->given, start->contacts, grows);
}

std::string describe_line(const Body& body, const Shape& shape, const Polyline& line) {
  const char* runs = calc_clockwise_area(*line.points) > 0.0 ? "closed, clockwise" : "closed, counter-clockwise";
  const std::string repeated = line.n_repeated > 0 ? fmt::format(", {} repeated points left out", line.n_repeated) : "";
  return fmt::format("  polyline {}/{}: {} segments, {}{}\n", body.name, shape.name, count_segments(line),
                     line.closed ? runs : "open", repeated);
}

std::string describe_meshes(const System& system) {
  std::string text;
  for (const Body& body : system.bodies()) {
    for (const Shape& shape : body.shapes) {
      if (const auto* line = std::get_if<Polyline>(&shape.geometry)) text += describe_line(body, shape, *line);
      const auto* mesh = std::get_if<Mesh>(&shape.geometry);
      if (mesh == nullptr) continue;
      const TriangleMesh& surface = *mesh->surface;
      if (mesh->field) {
        const auto height = [](const Vector3& a, const Vector3& b) { return a(2) < b(2); };
        const auto [low, high] = std::minmax_element(surface.vertices.begin(), surface.vertices.end(), height);
        text += fmt::format("  height-field {}/{}: {} x {} cells, heights {:g} to {:g} m\n", body.name, shape.name,
                            mesh->field->cells[0], mesh->field->cells[1], (*low)(2), (*high)(2));
        continue;
      }
      text += fmt::format("  mesh {}/{}: {} triangles, {}", body.name, shape.name, surface.triangles.size(),
                          surface.is_closed() ? "closed" : fmt::format("open, {} border edges", surface.n_border));
      if (surface.n_degenerate > 0) text += fmt::format(", {} degenerate left out", surface.n_degenerate);
      text += "\n";
    }
  }
  return text;
}

/// All but the tolerance, which is the last.
std::string summarize(const Scene& scene, const BuiltScene& built) {
  const System& system = *built.system;
  const auto moving = std::ranges::count_if(system.shown_bodies(), [](const Body& body) { return body.n_u > 0; });
  std::string text = fmt::format("{}: {} scene\n", scene.name, scene.planar ? "planar" : "spatial");
  text += fmt::format("  bodies    {} ({} can move), {} coordinates, {} velocities\n", system.shown_bodies().size(),
                      moving, system.n_body_q(), system.n_u());
  text += describe_meshes(system);
  text += fmt::format("  contacts  {} named, {} points{}\n", system.contacts().size(), count_points(system),
                      system.detection() ? "; all others are detected" : "");
  text += describe_joints(system);
  text += fmt::format("  forces    {}\n", system.forces().size());
  text += fmt::format("  time      {}\n", describe(scene.time));
  text += fmt::format("  scheme    {}, solver {}, ", built.stepper->name(), built.solver->name());
  return text;
}

}  // namespace

SceneCheck check_scene(Scene scene) {
  BuiltScene built = build(scene);
  return check_scene(std::move(scene), std::move(built));
}

SceneCheck check_scene(Scene scene, BuiltScene built) {
  SceneCheck check{find_warnings(scene, built), summarize(scene, built)};
  scene.drop_bodies();
  built.stepper.reset();
  check.summary += fmt::format("{}\n{}", describe_tolerance(scene, built), describe_choice(scene));
  return check;
}

std::vector<std::string> find_warnings(const Scene& scene, const BuiltScene& built, const StopToken& stop) {
  return Warnings(scene, built, stop).collect();
}

}  // namespace stickslip
