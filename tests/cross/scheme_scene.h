// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip::test {

/// A planar scene under the generalized-alpha scheme, written part by part.
class SchemeScene {
 public:
  struct Options {
    double end = 1.0, step = 1e-3;  // [s]
    double tolerance = 1e-11;       // [-]
    double gravity = 9.81;          // [m/s^2] downward
  };

  explicit SchemeScene(const Options& options) {
    text_.precision(17);
    text_ << "stickslip = 1\nscheme = {type = \"generalized-alpha\", tolerance = " << options.tolerance
          << "}\ngravity = [0, " << -options.gravity << "]\ntime = {end = " << options.end
          << ", step = " << options.step << "}\n";
  }

  /// A ball around the origin of a planar body at (x, y). `more`: further keys of the body.
  SchemeScene& add_ball(const std::string& name, double mass, double inertia, double radius, double x, double y,
                        const std::string& more = "") {
    text_ << "[bodies." << name << "]\ntype = \"planar\"\nmass = " << mass << "\ninertia = " << inertia
          << "\nposition = [" << x << ", " << y << "]\n"
          << more << "shapes.hull = {type = \"sphere\", radius = " << radius << "}\n";
    return *this;
  }

  /// y <= 0.
  SchemeScene& add_floor() {
    return add("[bodies.floor]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 1], offset = 0}\n");
  }

  /// A round room of radius 1 m around (x, y).
  SchemeScene& add_room(double x, double y) {
    text_ << "[bodies.room]\ntype = \"fixed\"\nposition = [" << x << ", " << y
          << "]\nshapes.wall = {type = \"sphere\", radius = 1, inside = true}\n";
    return *this;
  }

  SchemeScene& add_contact(const std::string& first, const std::string& second, double friction,
                           const std::string& more = "") {
    text_ << "[[contacts]]\nname = \"" << first << "-" << second << "\"\nbetween = [\"" << first << "\", \"" << second
          << "\"]\nfriction = " << friction << "\n"
          << more;
    return *this;
  }

  SchemeScene& add(const std::string& text) {
    text_ << text;
    return *this;
  }

  SceneRun open() const { return scene_from_text(text_.str()); }

 private:
  std::ostringstream text_;
};

}  // namespace stickslip::test
