// SPDX-License-Identifier: BSD-3-Clause
// Sound results are found sound, and what is changed in them is found.
#include "stickslip/verify/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/constraints/envelope.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_run.h"

namespace stickslip {
namespace {

using test::TemporaryFolder;
using test::write_run;

/// A box that slides and stops and a ball that bounces into it, on a floor, on named contacts in the plane.
const std::string kPlanar = R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.3, step = 1e-3}
scheme = {type = "SCHEME"}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.box]
type = "planar"
density = 100
position = [0, 0.25]
velocity = [1, 0]
shapes.box = {type = "box", size = [1, 0.5]}
[bodies.ball]
type = "planar"
mass = 2
inertia = 0.01
position = [-1.5, 0.2]
velocity = [3, 0]
shapes.ball = {type = "sphere", radius = 0.2}
[[contacts]]
between = ["floor", "box"]
friction = 0.3
[[contacts]]
between = ["floor", "ball"]
friction = 0.2
)";

/// Balls and boxes that fall onto each other, detected, in space, beside a pendulum with a spring.
const std::string kSpatial = R"(
stickslip = 1
time = {end = 0.25, step = 1e-3}
scheme = {type = "SCHEME"}
contact_default = {friction = 0.4, except = [["bob", "floor"]]}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[bodies.box]
density = 500
position = [0, 0, 0.1]
shapes.box = {type = "box", size = [0.4, 0.3, 0.2]}
[bodies.ball]
density = 800
position = [0.05, 0, 0.31]
velocity = [0.2, 0.1, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.bob]
density = 300
position = [0.9, 0, 1]
angular_velocity = [0, 3, 1]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.wall]
type = "fixed"
[joints.pivot]
type = "spherical"
between = ["wall", "bob"]
at = [0.9, 0, 1.5]
[forces.spring]
type = "spring"
between = ["wall", "bob"]
at_a = [0.5, 0, 1]
stiffness = 40
damping = 0.5
rest = 0.3
)";

/// An arm that leans on the floor and slides, and one that hangs: bodies with joints alone.
const std::string kJointed = R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.3, step = 1e-3}
scheme = {type = "SCHEME"}
[bodies.wall]
type = "fixed"
shapes.floor = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.slider]
type = "planar"
mass = 1
inertia = 0.02
position = [0, 0.5]
velocity = [0.3, 0]
[bodies.arm]
type = "planar"
mass = 2
inertia = 0.1
position = [0.3, 0.25]
angle = -0.6947
velocity = [0.3, 0]
shapes.tip = {type = "sphere", radius = 0.01, position = [0.3747, 0]}
[joints.guide]
type = "prismatic"
between = ["wall", "slider"]
at = [0, 0.5]
axis = [1, 0]
[joints.pivot]
type = "revolute"
between = ["slider", "arm"]
at = [0, 0.5]
[[contacts]]
between = ["wall", "arm"]
friction = 0.3
)";

const std::string kAllSchemes[] = {"moreau",     "ccp",         "stewart-trinkle", "generalized-alpha",
                                   "relaxation", "event-driven"};

std::string with_scheme(std::string scene, const std::string& scheme) {
  const std::string word = "SCHEME";
  scene.replace(scene.find(word), word.size(), scheme);
  return scene;
}

TEST(Verify, SoundResultsAreSoundUnderAllSchemes) {
  const TemporaryFolder folder;
  for (const std::string& scheme : kAllSchemes) {
    for (const std::string& scene : {kPlanar, kSpatial, kJointed}) {
      if (scheme == "event-driven" && scene == kSpatial) continue;  // it detects no contacts
      write_run(folder / "r.h5", with_scheme(scene, scheme));
      const Verification found = verify_result(folder / "r.h5");
      EXPECT_EQ(found.n_false, 0) << scheme << "\n" << describe(found);
      EXPECT_TRUE(found.limits.empty());
    }
  }
}

TEST(Verify, MomentumHoldsToRoundOffWhereImpulsesAreKnown) {
  const TemporaryFolder folder;
  for (const std::string scheme : {"moreau", "ccp", "stewart-trinkle"}) {
    write_run(folder / "r.h5", with_scheme(kSpatial, scheme));
    const Verification found = verify_result(folder / "r.h5");
    EXPECT_LE(found.momentum, 1e-12) << scheme;
    EXPECT_LE(found.cone, 1e-12) << scheme;
    EXPECT_TRUE(found.not_checked.empty());
  }
}

TEST(Verify, MomentumOfJointedBodiesIsCheckedWhereImpulsesAreKnown) {
  const TemporaryFolder folder;
  for (const std::string scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha"}) {
    write_run(folder / "r.h5", with_scheme(kJointed, scheme));
    const Verification found = verify_result(folder / "r.h5");
    EXPECT_EQ(found.n_false, 0) << scheme << "\n" << describe(found);
    EXPECT_TRUE(found.not_checked.empty()) << scheme << "\n" << describe(found);
  }
}

/// The bound on what iterations leave is the scheme's, whether accelerations are in the file or not.
TEST(Verify, ResultsWithoutAccelerationsAreSound) {
  const TemporaryFolder folder;
  for (const std::string& scene : {kPlanar, kSpatial, kJointed}) {
    write_run(folder / "r.h5", with_scheme(scene, "generalized-alpha"), -1, {}, 1,
              {"q", "u", "bodies", "contacts", "contact_sets", "joints"});
    const Verification found = verify_result(folder / "r.h5");
    EXPECT_EQ(found.n_false, 0) << describe(found);
    EXPECT_LT(found.momentum, 1e-12) << describe(found);
  }
}

/// An impact within a row takes away nearly all of the slip by which its friction goes.
TEST(Verify, FrictionOfTheSlipWithinARowIsSound) {
  const TemporaryFolder folder;
  write_run(folder / "r.h5", R"(
stickslip = 1
gravity = [5, -10]
time = {end = 0.1, step = 0.1}
scheme = {type = "event-driven"}
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1]}}
bodies.ball = {type = "planar", mass = 1, inertia = 1e6, position = [0, 0.1405], shapes.ball = {type = "sphere", radius = 0.1}}
[[contacts]]
between = ["floor", "ball"]
friction = "v"
)");
  const Verification found = verify_result(folder / "r.h5");
  EXPECT_EQ(found.n_false, 0) << describe(found);
}

/// What attracts is no impulse of forces that a result knows.
TEST(Verify, BodiesThatAttractEachOtherAreSound) {
  const TemporaryFolder folder;
  for (const std::string& scheme : kAllSchemes) {
    std::string scene = with_scheme(kPlanar, scheme);
    const std::string friction = "friction = 0.2";
    scene.replace(scene.find(friction), friction.size(), friction + "\nadhesion = 5\nadhesion_range = 0.1");
    write_run(folder / "r.h5", scene);
    const Verification found = verify_result(folder / "r.h5");
    EXPECT_EQ(found.n_false, 0) << scheme << "\n" << describe(found);
  }
}

/// A box that falls on a corner and rocks to rest: impacts that accumulate are passed over, by percussions of no law.
TEST(Verify, ConesAreNotJudgedWhereImpactsArePassedOver) {
  const TemporaryFolder folder;
  std::string scene = with_scheme(kPlanar, "event-driven");
  const auto replace = [&](const std::string& from, const std::string& to) {
    scene.replace(scene.find(from), from.size(), to);
  };
  replace("position = [0, 0.25]", "position = [0, 0.4]\nangle = 0.2");
  replace("friction = 0.3", "friction = 0.3\nrestitution = {normal = 0.4}");
  replace("end = 0.3", "end = 0.8");
  write_run(folder / "r.h5", scene);
  const Verification found = verify_result(folder / "r.h5");
  EXPECT_EQ(found.n_false, 0) << describe(found);
  ASSERT_FALSE(found.not_checked.empty());
  EXPECT_NE(found.not_checked.front().find("accumulate"), std::string::npos) << found.not_checked.front();
}

/// Two rods on a hinge that fall onto the floor: together they have the momentum that the floor gives them.
const std::string kFreeChain = R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.3, step = 1e-3}
scheme = {type = "SCHEME"}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.left]
type = "planar"
mass = 1
inertia = 0.02
position = [-0.2, 0.25]
angle = -0.3
shapes.tip = {type = "sphere", radius = 0.02, position = [0.2, 0]}
[bodies.right]
type = "planar"
mass = 2
inertia = 0.1
position = [0.2, 0.25]
angle = 0.3
velocity = [0.2, 0]
[joints.hinge]
type = "revolute"
between = ["left", "right"]
at = [0, 0.19]
spring = {stiffness = 5, damping = 0.1}
[[contacts]]
between = ["floor", "left"]
friction = 0.3
)";

TEST(Verify, MomentumOfFreeChainsIsCheckedUnderAllSchemes) {
  const TemporaryFolder folder;
  double most = 0.0;  // [N s]
  for (const std::string& scheme : kAllSchemes) {
    write_run(folder / "r.h5", with_scheme(kFreeChain, scheme));
    const Verification sound = verify_result(folder / "r.h5");
    EXPECT_EQ(sound.n_false, 0) << scheme << "\n" << describe(sound);
    EXPECT_TRUE(sound.not_checked.empty()) << scheme << "\n" << describe(sound);
    for (const int row : {50, 200}) {
      ASSERT_TRUE(write_run(folder / "r.h5", with_scheme(kFreeChain, scheme), row, [&](State&, StepReport& report) {
        double& percussion = report.contacts.front().percussion[0];
        most = std::max(most, percussion);
        percussion += 1e-3;
        return true;
      }));
      EXPECT_GT(verify_result(folder / "r.h5").momentum, 1e-3) << scheme << ", row " << row;
    }
  }
  EXPECT_GT(most, 0.005) << "the chain lands";
}

/// A disc that spins on the floor: its normal does not turn with it, so that a hundredth of a percussion is missed.
TEST(Verify, PercussionsOfWhatSpinsAreHeld) {
  const std::string scene = R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.1, step = 1e-3}
scheme = {type = "SCHEME"}
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1]}}
bodies.disc = {type = "planar", mass = 1, inertia = 0.004, position = [0, 0.1], angular_velocity = 50, shapes.s = {type = "sphere", radius = 0.1}}
contacts = [{between = ["floor", "disc"], friction = 0.2}]
)";
  const TemporaryFolder folder;
  for (const std::string scheme : {"event-driven", "relaxation"}) {
    write_run(folder / "r.h5", with_scheme(scene, scheme));
    const Verification sound = verify_result(folder / "r.h5");
    EXPECT_EQ(sound.n_false, 0) << scheme << describe(sound);
    ASSERT_TRUE(write_run(folder / "r.h5", with_scheme(scene, scheme), 50, [](State&, StepReport& report) {
      report.contacts.front().percussion[0] *= 1.01;
      return report.contacts.front().percussion[0] > 0.0;
    }));
    EXPECT_GT(verify_result(folder / "r.h5").n_false, 0) << scheme;
  }
}

/// Discs that hit each other and the walls several times in a step: normals of impacts are at neither end of it.
TEST(Verify, SeveralImpactsInAStepAreSound) {
  const TemporaryFolder folder;
  write_run(folder / "r.h5", R"(
stickslip = 1
gravity = [0, 0]
time = {end = 4, step = 0.5}
scheme = {type = "event-driven"}
bodies.walls = {type = "fixed", shapes = {a = {type = "half-space", normal = [1, 0], offset = -0.4}, b = {type = "half-space", normal = [-1, 0], offset = -0.4}}}
bodies.one = {type = "planar", mass = 1, inertia = 0.01, position = [0, 0], velocity = [2.3, 0.1], shapes.s = {type = "sphere", radius = 0.1}}
bodies.two = {type = "planar", mass = 1.5, inertia = 0.01, position = [0.05, 0.3], velocity = [-1, -0.4], shapes.s = {type = "sphere", radius = 0.1}}
contacts = [{between = ["walls", "one"], restitution = {normal = 1}}, {between = ["walls", "two"], restitution = {normal = 1}}, {between = ["one", "two"], restitution = {normal = 1}}]
)");
  const Verification found = verify_result(folder / "r.h5");
  EXPECT_EQ(found.n_false, 0) << describe(found);
}

/// What dry friction has stopped keeps the round-off of what it moved with, under a scheme of iterations too.
TEST(Verify, WhatHasStoppedKeepsItsRoundOff) {
  const TemporaryFolder folder;
  for (const char* velocity : {"[0.5059644256269408, -0.6324555320336759, 0.8854377448471462]",
                               "[0.2529822128134704, -0.31622776601683795, 0.4427188724235731]"}) {
    write_run(folder / "r.h5", std::string(R"(stickslip = 1
gravity = [0, 0, 0]
time = {end = 0.6, step = 1e-3}
scheme = {type = "generalized-alpha"}
bodies.base = {type = "fixed"}
[bodies.b]
mass = 0.8
inertia = [0.05, 0.05, 0.06]
position = [0.2, -0.1, 0.3]
quaternion = [0.9321654325742351, 0.282699968416152, 0.22615997473292163, 0]
velocity = )") + velocity + R"(
[joints.j]
between = ["base", "b"]
type = "prismatic"
at = [0.2, -0.1, 0.3]
axis = [0.42163702135578396, -0.5270462766947299, 0.7378647873726218]
friction = 1.7
)");
    const Verification found = verify_result(folder / "r.h5");
    EXPECT_EQ(found.n_false, 0) << describe(found);
  }
}

/// A ball that falls, 20 cm above the floor, and is pushed by it all the same.
TEST(Verify, PercussionsAtADistanceAreFound) {
  const TemporaryFolder folder;
  for (const std::string& scheme : kAllSchemes) {
    if (scheme == "event-driven") continue;  // what acts between events may have parted
    std::string scene = with_scheme(kPlanar, scheme);
    const std::string place = "[-1.5, 0.2]";
    scene.replace(scene.find(place), place.size(), "[-1.5, 0.4]");
    const bool done = write_run(folder / "r.h5", scene, 50, [](State&, StepReport& report) {
      EXPECT_GT(report.contacts.back().gap, 0.1);
      report.contacts.back().percussion[0] = 0.01;
      return true;
    });
    ASSERT_TRUE(done);
    const Verification found = verify_result(folder / "r.h5");
    EXPECT_GT(found.n_false, 0) << scheme;
    EXPECT_EQ(found.first.what, "percussion at a distance") << scheme << "\n" << describe(found);
    EXPECT_EQ(found.first.who, "floor, ball");
  }
}

/// As in a step that is made in parts, the first of which parts the bodies.
TEST(Verify, WhatActedAndOpenedAgainIsInItsRow) {
  const BuiltScene built = build(parse_scene(with_scheme(kSpatial, "moreau"), "test.toml"));
  ContactReport contact;
  contact.contact = kDetected;
  contact.body_a = 0;
  contact.body_b = 3;
  contact.gap = 1e-3;
  Envelope envelope(*built.system);
  const auto count = [&](double percussion) {
    StepReport report;
    contact.percussion[0] = percussion;
    report.contacts = {contact};
    envelope.complete(built.initial, report);
    return report.contacts.size();
  };
  EXPECT_EQ(count(1.0), count(0.0) + 1);
}

/// What is changed in a row of a sound result. False where the row has nothing to change.
using Tamper = std::function<bool(State&, StepReport&)>;

/// The contact of a row with the largest percussion, or none.
ContactReport* find_loaded(StepReport& report) {
  ContactReport* loaded = nullptr;
  for (ContactReport& contact : report.contacts) {
    if (contact.percussion[0] > (loaded != nullptr ? loaded->percussion[0] : 0.0)) loaded = &contact;
  }
  return loaded;
}

const std::vector<std::pair<std::string, Tamper>> kTampers = {
    {"a pose moved into its neighbour",
     [](State& state, StepReport& report) {
       ContactReport* contact = find_loaded(report);
       if (contact == nullptr || contact->gap > 9e-7) return false;
       const int axis = contact->normal.size() == 3 && std::abs(contact->normal(1)) > 0.5 ? 1 : 2;
       if (contact->body_b == 1) state.q(axis) -= 1e-6;
       return contact->body_b == 1 && std::abs(contact->normal(axis)) > 0.99;
     }},
    {"a velocity",
     [](State& state, StepReport& report) {
       if (report.step <= 0.0) return false;
       state.u(0) += 1e-3;
       return true;
     }},
    {"a percussion",
     [](State&, StepReport& report) {
       ContactReport* contact = find_loaded(report);
       if (contact == nullptr) return false;
       for (double& p : contact->percussion) p *= 1.01;
       return true;
     }},
    {"friction",
     [](State&, StepReport& report) {
       ContactReport* contact = find_loaded(report);
       if (contact == nullptr) return false;
       contact->percussion[1] *= 3.0;
       contact->percussion[2] *= 3.0;
       return std::hypot(contact->percussion[1], contact->percussion[2]) > 1e-6 * contact->percussion[0];
     }},
    {"kinetic energy",
     [](State&, StepReport& report) {
       report.kinetic_energy *= 1.0 + 1e-6;
       return report.kinetic_energy > 1e-6;
     }},
    {"potential energy",
     [](State&, StepReport& report) {
       report.potential_energy *= 1.0 - 1e-6;
       return std::abs(report.potential_energy) > 1e-6;
     }},
    {"the penetration",
     [](State&, StepReport& report) {
       const bool overlaps = report.penetration > 1e-9;
       report.penetration = 0.0;
       return overlaps;
     }},
};

/// Whether all of what is changed in results of the scene under the scheme can be found: the event-driven scheme
/// detects no contacts, and of bodies with joints it and the relaxation write reactions at the end of a step alone.
bool is_whole(const std::string& scheme, const std::string& scene) {
  if (scheme == "event-driven") return scene == kPlanar;
  return scheme != "relaxation" || scene != kJointed;
}

TEST(Verify, TamperedResultsAreFound) {
  const TemporaryFolder folder;
  std::mt19937 random(52);
  int tried = 0;
  for (const std::string& scheme : kAllSchemes) {
    for (const std::string& scene : {kPlanar, kSpatial, kJointed}) {
      if (!is_whole(scheme, scene)) continue;
      for (const auto& [what, tamper] : kTampers) {
        const int row = std::uniform_int_distribution<int>(1, 240)(random);
        if (!write_run(folder / "r.h5", with_scheme(scene, scheme), row, tamper)) continue;
        ++tried;
        EXPECT_GT(verify_result(folder / "r.h5").n_false, 0) << what << " in row " << row << " under " << scheme;
      }
    }
  }
  EXPECT_GE(tried, 60);
}

/// 200 of them at least.
TEST(SlowVerify, TamperedResultsAreFound) {
  const TemporaryFolder folder;
  std::mt19937 random(53);
  int tried = 0;
  while (tried < 200) {
    for (const std::string& scheme : kAllSchemes) {
      for (const std::string& scene : {kPlanar, kSpatial, kJointed}) {
        if (!is_whole(scheme, scene)) continue;
        const auto& [what, tamper] =
            kTampers[std::uniform_int_distribution<std::size_t>(0, kTampers.size() - 1)(random)];
        const int row = std::uniform_int_distribution<int>(1, 240)(random);
        if (!write_run(folder / "r.h5", with_scheme(scene, scheme), row, tamper)) continue;
        ++tried;
        EXPECT_GT(verify_result(folder / "r.h5").n_false, 0) << what << " in row " << row << " under " << scheme;
      }
    }
  }
}

TEST(Verify, WhatAFileLacksIsNotChecked) {
  const TemporaryFolder folder;
  write_run(folder / "wide.h5", with_scheme(kPlanar, "moreau"), 0, {}, 10);
  const Verification wide = verify_result(folder / "wide.h5");
  EXPECT_EQ(wide.n_false, 0) << describe(wide);
  EXPECT_EQ(wide.not_checked.size(), 1u);
  write_run(folder / "few.h5", with_scheme(kPlanar, "moreau"), 0, {}, 1, {"bodies/position"});
  const Verification few = verify_result(folder / "few.h5");
  EXPECT_EQ(few.n_false, 0) << describe(few);
  EXPECT_GE(few.not_checked.size(), 3u);
}

TEST(Verify, WhatIsNoResultIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(verify_result(folder / "none.h5"), InputError);
}

TEST(Verify, JsonHasTheFiguresOfEachKind) {
  Verification v;
  v.file = "a.h5";
  v.rows = 3;
  v.penetration = {1e-3, 2e-3, 0.5, "floor, box"};
  v.n_false = 1;
  EXPECT_EQ(to_json(v),
            "{\"file\": \"a.h5\", \"ok\": false, \"rows\": 3, \"penetration\": {\"claimed\": 0.001, \"found\": 0.002, "
            "\"time\": 0.5, \"bodies\": \"floor, box\"}, \"cone\": {\"found\": 0}, \"momentum\": {\"found\": 0}, "
            "\"energy\": {\"claimed\": 0, \"found\": 0}}");
}

}  // namespace
}  // namespace stickslip
