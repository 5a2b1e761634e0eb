// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "stickslip/scene/build.h"
#include "stickslip/stepping/contact_finder.h"

namespace stickslip {
namespace {

/// Warns of what is allowed and yet probably a mistake.
class Warnings {
 public:
  Warnings(const Scene& scene, const BuiltScene& built) : scene_(scene), built_(built) {}

  std::vector<std::string> collect() {
    warn_of_stillness();
    warn_of_lonely_bodies();
    warn_of_overlaps();
    warn_of_detected_overlaps();
    warn_of_quaternions();
    warn_of_output();
    return std::move(warnings_);
  }

 private:
  void warn(const std::string& path, const std::string& text) {
    warnings_.push_back(InputError(scene_.places.find(path), path, "", text).what());
  }

  void warn_of_stillness() {
    if (built_.system->n_u() == 0) warn("bodies", "nothing in this scene can move");
  }

  // Contacts are only those that the scene names, or else all.
  void warn_of_lonely_bodies() {
    if (scene_.contact_default) return;
    std::set<std::string> named;
    for (const SceneContact& contact : scene_.contacts) {
      named.insert(contact.between[0].body);
      named.insert(contact.between[1].body);
    }
    for (const SceneBody& body : scene_.bodies) {
      if (!body.shapes.empty() && !named.contains(body.name)) {
        warn("bodies." + body.name, "it has shapes, but no contact names it: it will pass through everything");
      }
    }
  }

  void warn_of_overlaps() {
    const System& system = *built_.system;
    for (const ContactPair& pair : system.contacts()) {
      double gap = 0.0;
      for (int k = pair.first_point; k < pair.first_point + pair.n_points; ++k) {
        gap = std::min(gap, system.calc_gap(k, built_.initial.t, built_.initial.q));
      }
      if (gap < -kOverlap) {
        warn("contacts." + pair.options.name, fmt::format("the bodies overlap by {:.6g} m at the start", -gap));
      }
    }
  }

  // Of detected contacts the worst alone: a heap placed carelessly overlaps in many places.
  void warn_of_detected_overlaps() {
    const System& system = *built_.system;
    ContactFinder contacts(system);
    contacts.find_touching(built_.initial.t, built_.initial.q);
    const ContactPoint* worst = nullptr;
    double least = -kOverlap;
    for (const ContactPoint& point : std::span(contacts.points()).subspan(contacts.n_named())) {
      const double gap = system.calc_gap(point, built_.initial.t, built_.initial.q);
      if (gap < least) {
        least = gap;
        worst = &point;
      }
    }
    if (worst == nullptr) return;
    warn("contact_default",
         fmt::format("the bodies '{}' and '{}' overlap by {:.6g} m at the start",
                     system.bodies()[worst->first.body].name, system.bodies()[worst->second.body].name, -least));
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
    if (!scene_.output.every) return;
    constexpr double kWhole = 1e-6;  // [-] as near to a whole number of steps as decimal numbers come
    const double steps = *scene_.output.every / scene_.time.step;
    if (std::abs(steps - std::max(1.0, std::round(steps))) > kWhole * steps) {
      warn("output.every", fmt::format("not a multiple of the step, {} s: it is rounded to one", scene_.time.step));
    }
  }

  // Positions in files are rounded to a few digits: what overlaps by less than a nanometre touches.
  static constexpr double kOverlap = 1e-9;  // [m]

  const Scene& scene_;
  const BuiltScene& built_;
  std::vector<std::string> warnings_;
};

int count_points(const System& system) {
  return static_cast<int>(system.contact_points().size());
}

std::string summarize(const Scene& scene, const BuiltScene& built) {
  const System& system = *built.system;
  const auto moving =
      std::count_if(system.bodies().begin(), system.bodies().end(), [](const auto& b) { return b.n_u > 0; });
  const double steps = std::ceil((scene.time.end - scene.time.start) / scene.time.step * (1.0 - 1e-12));
  std::string text = fmt::format("{}: {} scene\n", scene.name, scene.planar ? "planar" : "spatial");
  text += fmt::format("  bodies    {} ({} can move), {} coordinates, {} velocities\n", system.bodies().size(), moving,
                      system.n_q(), system.n_u());
  text += fmt::format("  contacts  {} named, {} points{}\n", system.contacts().size(), count_points(system),
                      system.detection() ? "; all others are detected" : "");
  text += fmt::format("  forces    {}\n", system.forces().size());
  text += fmt::format("  time      {} to {} s, step {} s, {:.0f} steps\n", scene.time.start, scene.time.end,
                      scene.time.step, steps);
  text += fmt::format("  scheme    {}, solver {}\n", built.stepper->name(), built.solver->name());
  return text;
}

}  // namespace

SceneCheck check_scene(const Scene& scene) {
  const BuiltScene built = build(scene);
  return {Warnings(scene, built).collect(), summarize(scene, built)};
}

}  // namespace stickslip
