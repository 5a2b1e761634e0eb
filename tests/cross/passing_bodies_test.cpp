// SPDX-License-Identifier: BSD-3-Clause
// Bodies that move about as far as they are large in a step: those that pass each other do so untouched, and those that
// meet are stopped. Directions in which two shapes are apart all the way are known from their supports alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

enum class Kind { sphere, box, capsule };

struct Form {
  Kind kind = Kind::sphere;
  Eigen::Vector3d half = Eigen::Vector3d::Zero();  // (3) [m] of a box; of a capsule (half its length, 0, 0)
  double radius = 0.0;                             // [m]
  Eigen::Quaterniond turned = Eigen::Quaterniond::Identity();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();  // (3) [rad/s] body frame

  double inner() const {
    if (kind != Kind::box) return radius;
    return half(2) > 0.0 ? half.minCoeff() : half.head<2>().minCoeff();
  }
  double outer() const { return half.norm() + radius; }
  /// How far it reaches in a direction, whatever way it turns.
  double calc_support(const Eigen::Vector3d& n) const {
    if (spin.norm() > 0.0) return outer();
    return (turned.inverse() * n).cwiseAbs().dot(half) + radius;
  }
  std::string shape(bool planar) const {
    if (kind == Kind::sphere) return fmt::format("{{type = \"sphere\", radius = {:.17g}}}", radius);
    if (kind == Kind::capsule) {
      return fmt::format("{{type = \"capsule\", radius = {:.17g}, length = {:.17g}, {}}}", radius, 2.0 * half(0),
                         "rotation = {axis = [0, 1, 0], angle = \"=pi/2\"}");
    }
    if (planar) return fmt::format("{{type = \"box\", size = [{:.17g}, {:.17g}]}}", 2.0 * half(0), 2.0 * half(1));
    return fmt::format("{{type = \"box\", size = [{:.17g}, {:.17g}, {:.17g}]}}", 2.0 * half(0), 2.0 * half(1),
                       2.0 * half(2));
  }
};

std::string list(const Eigen::Vector3d& v, bool planar) {
  return planar ? fmt::format("[{:.17g}, {:.17g}]", v(0), v(1))
                : fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v(0), v(1), v(2));
}

class Encounters {
 public:
  Encounters(unsigned seed, bool planar) : random_(seed), planar_(planar) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  Eigen::Vector3d direction() {
    std::normal_distribution<double> normal;
    Eigen::Vector3d n;
    for (int i = 0; i < 3; ++i) n(i) = i == 2 && planar_ ? 0.0 : normal(random_);
    return n.normalized();
  }

  Kind kind() {
    constexpr std::array kKinds = {Kind::sphere, Kind::box, Kind::capsule};
    return kKinds[random_() % (planar_ ? 2 : 3)];  // no capsules in a plane
  }

  Form form(Kind kind, double size) {
    Form form;
    form.kind = kind;
    if (kind == Kind::sphere) form.radius = 0.5 * size;
    if (kind == Kind::capsule) {
      form.radius = size * uniform(0.15, 0.3);
      form.half(0) = 0.5 * size - form.radius;
    }
    if (kind == Kind::box) {
      for (int i = 0; i < (planar_ ? 2 : 3); ++i) form.half(i) = size * uniform(0.2, 0.5);
    }
    const Eigen::Vector3d axis = planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : direction();
    form.turned = Eigen::AngleAxisd(uniform(-3.0, 3.0), axis);
    return form;
  }

  /// Two bodies on their ways, which pass each other, by a hundredth of the smaller one's size at least, or meet.
  std::string scene(const char* scheme, bool passes) {
    const double size = std::pow(10.0, uniform(-2.0, 0.0));
    Form a = form(kind(), size * uniform(1.0, 3.0));
    Form b = form(kind(), size);
    const double smaller = 2.0 * std::min(a.outer(), b.outer());
    const double step = 1e-2;
    double speed = smaller / 2.0 * uniform(0.6, 1.5) / step;
    const bool is_fixed = random_() % 2 == 0;
    if (random_() % 3 == 0) {
      const Eigen::Vector3d axis = planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : direction();
      b.spin = axis * uniform(0.05, 0.4) / step;
    }
    const Eigen::Vector3d along = direction();
    Eigen::Vector3d across = direction();
    across -= along * along.dot(across);
    across.normalize();
    const double beside = passes ? a.calc_support(across) + b.calc_support(across) + smaller * uniform(0.012, 0.2)
                                 : uniform(0.0, 0.6) * (a.inner() + b.inner());
    // What comes past the other's middle within a step overlaps on its far side, from where it leaves: Moreau's scheme,
    // which looks at one instant of a step, misses it.
    if (!passes && scheme == std::string_view("moreau")) {
      speed = std::min(speed, 0.95 * std::sqrt(std::pow(a.inner() + b.inner(), 2) - beside * beside) / step);
    }
    const double ahead = a.outer() + b.outer() + speed * step * uniform(0.5, 3.0);
    const double share = is_fixed ? 1.0 : uniform(0.2, 0.8);
    const Eigen::Vector3d at = across * beside - along * ahead;
    const double restitution = random_() % 3 == 0 ? 0.5 : 0.0;
    std::string text = fmt::format(
        "stickslip = 1\ngravity = {}\ntime = {{end = 0.1, step = {}}}\nscheme = {{type = \"{}\"}}\n"
        "contact_default = {{friction = 0.3, restitution = {{normal = {}}}}}\n",
        list(Eigen::Vector3d::Zero(), planar_), step, scheme, restitution);
    text += add("a", a, Eigen::Vector3d::Zero(), -along * speed * (1.0 - share), is_fixed);
    text += add("b", b, at, along * speed * share, false);
    return text;
  }

 private:
  std::string add(const char* name, const Form& form, const Eigen::Vector3d& at, const Eigen::Vector3d& velocity,
                  bool is_fixed) const {
    std::string text =
        fmt::format("[bodies.{}]\nposition = {}\nshapes.s = {}\n", name, list(at, planar_), form.shape(planar_));
    if (planar_) {
      const double angle = 2.0 * std::atan2(form.turned.z(), form.turned.w());
      text += fmt::format("type = \"{}\"\nangle = {:.17g}\n", is_fixed ? "fixed" : "planar", angle);
    } else {
      text += fmt::format("quaternion = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n", form.turned.w(), form.turned.x(),
                          form.turned.y(), form.turned.z());
      if (is_fixed) text += "type = \"fixed\"\n";
    }
    if (is_fixed) return text;
    text += fmt::format("density = 1000\nvelocity = {}\n", list(velocity, planar_));
    if (form.spin.norm() > 0.0) {
      text += planar_ ? fmt::format("angular_velocity = {:.17g}\n", form.spin(2))
                      : fmt::format("angular_velocity = {}\n", list(form.spin, false));
    }
    return text;
  }

  std::mt19937 random_;
  bool planar_;
};

/// Whether the two acted on each other within the ten steps in which they pass.
bool touch(const std::string& text) {
  SceneRun run = test::scene_from_text(text);
  bool some = false;
  for (int i = 0; i < 10 && !some; ++i) {
    EXPECT_NE(run.step(), Status::failed) << run.report.message;
    for (const ContactReport& contact : run.report.contacts) some |= contact.percussion[0] > 0.0;
  }
  return some;
}

class PassingBodies : public testing::TestWithParam<const char*> {};

TEST_P(PassingBodies, AreNotHit) {
  constexpr int kPasses = 600;
  for (const bool planar : {false, true}) {
    Encounters encounters(planar ? 11 : 10, planar);
    int hits = 0;
    std::string first;
    for (int i = 0; i < kPasses; ++i) {
      const std::string text = encounters.scene(GetParam(), true);
      if (touch(text) && ++hits == 1) first = text;
    }
    EXPECT_EQ(hits, 0) << (planar ? "in the plane\n" : "in space\n") << first;
  }
}

TEST_P(PassingBodies, AreHitWhereTheyMeet) {
  constexpr int kHits = 600;
  for (const bool planar : {false, true}) {
    Encounters encounters(planar ? 21 : 20, planar);
    int missed = 0;
    std::string first;
    for (int i = 0; i < kHits; ++i) {
      const std::string text = encounters.scene(GetParam(), false);
      if (!touch(text) && ++missed == 1) first = text;
    }
    // Moreau's scheme looks halfway, where what it missed before may already leave on the far side.
    EXPECT_LE(missed, GetParam() == std::string("moreau") ? 1 : 0)
        << (planar ? "in the plane\n" : "in space\n") << first;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, PassingBodies,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha"),
                         [](const auto& scheme) {
                           std::string name = scheme.param;
                           std::erase(name, '-');
                           return name;
                         });

/// Of a ball that passes the edges of a box, where the nearest feature changes within steps, the named gap is the
/// distance at the end of each.
TEST(PassingBodies, NamedGapsAreThoseOfTheShapes) {
  const Eigen::Vector3d half(0.1, 0.08, 0.12);
  constexpr double kRadius = 0.05;
  for (const std::string scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "relaxation"}) {
    for (const double speed : {1.0, 5.0, 20.0}) {
      SceneRun run = test::scene_from_text(
          fmt::format("stickslip = 1\ngravity = [0, 0, 0]\ntime = {{end = {:.17g}, step = 1e-3}}\n"
                      "scheme = {{type = \"{}\"}}\n[bodies.box]\ntype = \"fixed\"\n"
                      "shapes.s = {{type = \"box\", size = [0.2, 0.16, 0.24]}}\n[bodies.ball]\ndensity = 900\n"
                      "position = [-0.2, 0.03, 0.17]\nvelocity = [{}, {}, {}]\n"
                      "shapes.s = {{type = \"sphere\", radius = 0.05}}\n[[contacts]]\nbetween = [\"box\", \"ball\"]\n",
                      0.4 / speed, scheme, speed, 0.3 * speed, 0.02 * speed));
      run.run([&](const SceneRun& r) {
        const Eigen::Vector3d ball = r.state.q.head<3>();
        const double distance = (ball.cwiseAbs() - half).cwiseMax(0.0).norm() - kRadius;
        ASSERT_FALSE(r.report.contacts.empty());
        EXPECT_NEAR(r.report.contacts[0].gap, distance, 1e-12) << scheme << ' ' << speed << ' ' << r.state.t;
      });
    }
  }
}

}  // namespace
}  // namespace stickslip
