// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/time_course.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace stickslip::event_driven {
namespace {

/// A mass under a load along x.
std::unique_ptr<System> make_pushed(const std::string& force) {
  SystemBuilder builder(true, Vector3::Zero());
  Body mass;
  mass.name = "mass";
  mass.type = BodyType::point;
  mass.mass = 1.0;
  Load load;
  load.body = builder.add_body(mass);
  load.force[0] = Expression::parse(force);
  builder.add_force({.name = "push", .law = load});
  return std::make_unique<System>(builder.build());
}

TEST(TimeCourse, BoundsStepsByWhatIsPrescribed) {
  struct Case {
    const char* force;
    double t, least, most;  // [s] from where; of the bound of a step of 1 s
  };
  for (const Case& c : {Case{"3", 0.0, 1.0, 1.0},                                 // nothing depends on time
                        Case{"3*t-t^2", 0.0, 1.0, 1.0},                           // a parabola
                        Case{"sin(2*pi*t)", 0.0, 0.25, 0.5},                      // less than half a period
                        Case{"8*sin(2*pi*20*t)", 0.0, 0.0125, 0.025},             // steps of 1 s are twenty periods
                        Case{"8*sin(2*pi*1000*t)", 0.0, 0.00012, 0.0005},         // as dense as looks
                        Case{"(t>0.461)*(t<0.479)*8", 0.0, 0.25, 0.461},          // up to the pulse
                        Case{"(t>0.461)*(t<0.479)*8", 0.4605, 0.00005, 0.00101},  // at it
                        Case{"(t>0.461)*(t<0.479)*8", 0.48, 1.0, 1.0}}) {         // behind it
    const std::unique_ptr<System> system = make_pushed(c.force);
    const double h = TimeCourse(*system).bound(c.t, Vector::Zero(system->n_q() + system->n_u()), 1.0);
    EXPECT_GE(h, c.least) << c.force << ' ' << c.t;
    EXPECT_LE(h, c.most) << c.force << ' ' << c.t;
  }
}

TEST(TimeCourse, KnowsHowFastBodiesAreTurned) {
  SystemBuilder builder(true, Vector3::Zero());
  Body paddle;
  paddle.name = "paddle";
  paddle.type = BodyType::moving;
  paddle.motion.emplace();
  paddle.motion->angle = Expression::parse("-5*t^2");
  builder.add_body(paddle);
  const System system = builder.build();
  EXPECT_DOUBLE_EQ(TimeCourse(system).calc_angular_speed(0.3), 3.0);
}

}  // namespace
}  // namespace stickslip::event_driven
