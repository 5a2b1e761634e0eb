// SPDX-License-Identifier: BSD-3-Clause
// A seeded generator of whole scenes: a few bodies of every shape that fall onto, along or within supports, some of
// them jointed, over the ranges of numbers that users have.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace stickslip::test {

/// Scene number `seed`: planar or in space; one to four points, spheres, boxes, capsules and hulls on a half-space, in
/// a corner or a container, on a floor that swings; joints between some neighbours; mu in [0, 2], e_N in [0, 1], masses
/// 1 to 1e4, steps 1e-3 to 1e-2 s, 400 of them. All contacts are named. The same text on every machine.
class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed) {
    planar_ = chance(0.5);
    step_ = std::pow(10.0, uniform(-3.0, -2.0));
    text_.precision(17);
    text_ << "stickslip = 1\nname = \"random-" << seed << "\"\ngravity = " << vector(0.0, -9.81, 0.0)
          << "\ntime = {end = " << 400.0 * step_ << ", step = " << step_ << "}\n";
    add_supports();
    const int n = 1 + pick(4);
    heaviest_ = std::pow(10.0, chance(0.5) ? uniform(0.0, 1.0) : uniform(1.0, 4.0));
    for (int i = 0; i < n; ++i) add_body(i);
    for (int i = 0; i + 1 < n; ++i) {
      const bool jointed = chance(0.3);
      if (jointed) add_joint(i);
      if (!jointed) add_contact(name(i), name(i + 1), can_touch(i, i + 1));
    }
    for (int i = 0; i + 2 < n; ++i) add_contact(name(i), name(i + 2), can_touch(i, i + 2));
  }

  std::string text(const std::string& scheme) const { return text_.str() + "[scheme]\n" + scheme; }
  double step() const { return step_; }  // [s]

 private:
  struct Placed {
    double x, y;
    bool point, ball;
  };

  double uniform(double low, double high) {  // of the generator's bits: distributions differ between libraries
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  bool chance(double share) { return uniform(0.0, 1.0) < share; }
  int pick(int n) { return static_cast<int>(uniform(0.0, n)); }
  static std::string name(int i) { return "b" + std::to_string(i); }
  /// Balls with balls and points; other pairs have no gap function yet.
  bool can_touch(int i, int k) const {
    const Placed& a = placed_[i];
    const Placed& b = placed_[k];
    return (a.ball && (b.ball || b.point)) || (b.ball && a.point);
  }

  /// The vertical is y in both.
  std::string vector(double x, double y, double z) const {
    std::ostringstream out;
    out.precision(17);
    out << "[" << x << ", " << y;
    if (!planar_) out << ", " << z;
    out << "]";
    return out.str();
  }

  void add_half_space(const std::string& body, double angle, const std::string& more) {
    text_ << "[bodies." << body << "]\n"
          << more << "shapes.top = {type = \"half-space\", normal = " << vector(-std::sin(angle), std::cos(angle), 0.0)
          << ", offset = 0}\n";
    supports_.push_back(body);
  }

  void add_supports() {
    const int kind = pick(4);
    const double slope = uniform(-0.5, 0.5);  // [rad]
    if (kind == 0) add_half_space("floor", slope, "type = \"fixed\"\n");
    if (kind == 1) {  // a corner, open upward
      add_half_space("left", -uniform(0.2, 0.9), "type = \"fixed\"\n");
      add_half_space("right", uniform(0.2, 0.9), "type = \"fixed\"\n");
    }
    if (kind == 2) {
      std::ostringstream motion;
      motion.precision(17);
      motion << "type = \"moving\"\nposition = [\"" << uniform(0.0, 0.05) << "*sin(" << uniform(2.0, 20.0)
             << "*t)\", \"" << uniform(0.0, 0.02) << "*sin(" << uniform(2.0, 30.0) << "*t)\"" << (planar_ ? "" : ", 0")
             << "]\n";
      add_half_space("floor", chance(0.5) ? slope : 0.0, motion.str());
    }
    if (kind == 3) {
      text_ << "[bodies.room]\ntype = \"fixed\"\nposition = " << vector(0.0, 1.0, 0.0)
            << "\nshapes.wall = {type = \"sphere\", radius = 1.5, inside = true}\n";
      supports_.push_back("room");
    }
  }

  void add_body(int i) {
    const int kind = pick(5);
    const double size = uniform(0.05, 0.15);  // [m]
    const double x = 0.42 * (i % 2) - 0.2 + uniform(-0.02, 0.02);
    const double y = 0.55 + 0.45 * (i / 2) + uniform(0.0, 0.1);
    const double mass = i == 0 ? heaviest_ : std::pow(heaviest_, uniform(0.0, 1.0));
    const bool is_point = kind == 0;
    placed_.push_back({x, y, is_point, kind == 1});
    text_ << "[bodies." << name(i) << "]\ntype = \""
          << (is_point  ? "point"
              : planar_ ? "planar"
                        : "rigid")
          << "\"\nmass = " << mass << "\nposition = " << vector(x, y, planar_ ? 0.0 : uniform(-0.02, 0.02))
          << "\nvelocity = " << vector(uniform(-1.0, 1.0), uniform(-2.0, 0.5), uniform(-1.0, 1.0)) << "\n";
    if (!is_point) {
      const double inertia = 0.4 * mass * size * size;
      if (planar_) {
        text_ << "inertia = " << inertia << "\nangle = " << uniform(-3.0, 3.0)
              << "\nangular_velocity = " << uniform(-5.0, 5.0) << "\n";
      } else {
        text_ << "inertia = [" << inertia << ", " << inertia * uniform(0.8, 1.2) << ", " << inertia * uniform(0.8, 1.2)
              << "]\nrotation = {axis = [" << uniform(-1.0, 1.0) << ", " << uniform(-1.0, 1.0)
              << ", 1], angle = " << uniform(-3.0, 3.0) << "}\nangular_velocity = [" << uniform(-5.0, 5.0) << ", "
              << uniform(-5.0, 5.0) << ", " << uniform(-5.0, 5.0) << "]\n";
      }
    }
    text_ << "shapes.hull = " << shape(kind, size) << "\n";
    for (const std::string& support : supports_) add_contact(support, name(i), true);
  }

  std::string shape(int kind, double size) {
    std::ostringstream out;
    out.precision(17);
    switch (kind) {
      case 0:
        return "{type = \"point\"}";
      case 1:
        out << "{type = \"sphere\", radius = " << size << "}";
        return out.str();
      case 2:
        out << "{type = \"box\", size = " << vector(1.4 * size, size, 1.2 * size) << "}";
        return out.str();
      case 3:
        if (planar_) break;  // capsules are shapes in space
        out << "{type = \"capsule\", radius = " << 0.4 * size << ", length = " << size << "}";
        return out.str();
      default:
        break;
    }
    out << "{type = \"convex\", points = [";
    const int n = planar_ ? 3 + pick(3) : 5 + pick(4);
    for (int k = 0; k < n; ++k) {
      const double turn = 6.283185307179586 * (k + uniform(0.0, 0.5)) / n;
      const double z = planar_ ? 0.0 : uniform(-0.8, 0.8);
      const double r = size * std::sqrt(1.0 - z * z);
      out << (k > 0 ? ", " : "") << vector(r * std::cos(turn), r * std::sin(turn), size * z);
    }
    out << "]}";
    return out.str();
  }

  void add_contact(const std::string& first, const std::string& second, bool possible) {
    if (!possible) return;
    text_ << "[[contacts]]\nbetween = [\"" << first << "\", \"" << second
          << "\"]\nfriction = " << (chance(0.15) ? 0.0 : uniform(0.0, 2.0))
          << "\nrestitution = {normal = " << (chance(0.5) ? 0.0 : uniform(0.0, 1.0)) << "}\n";
  }

  /// Halfway between the two centres.
  void add_joint(int i) {
    const Placed& a = placed_[i];
    const Placed& b = placed_[i + 1];
    const bool points = chance(0.5) || !planar_ || a.point || b.point;  // a point does not turn
    text_ << "[joints.j" << i << "]\ntype = \"" << (points ? "distance" : "revolute") << "\"\nbetween = [\"" << name(i)
          << "\", \"" << name(i + 1) << "\"]\n";
    if (!points) text_ << "at = " << vector(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.0) << "\n";
    if (points) text_ << "at_a = " << vector(0.0, 0.0, 0.0) << "\nat_b = " << vector(0.0, 0.0, 0.0) << "\n";
  }

  std::mt19937_64 random_;
  std::ostringstream text_;
  bool planar_ = false;
  double step_ = 0.0, heaviest_ = 1.0;
  std::vector<std::string> supports_;
  std::vector<Placed> placed_;
};

}  // namespace stickslip::test
