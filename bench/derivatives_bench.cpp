// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds of the derivatives of one contact or joint, as implicit schemes evaluate them in each iteration.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <utility>

#include "stickslip/model/contact_rows.h"
#include "stickslip/model/joint_rows.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

struct Pairing {
  ShapeGeometry first, second;
  char first_body;  // as make_body
  bool planar = false;
};

void contact(benchmark::State& state, const Pairing& pairing) {
  SystemBuilder builder(pairing.planar, Vector3(0, -9.81, 0));
  const auto add = [&](char kind, const std::string& name, ShapeGeometry geometry) {
    Body body = test::make_body(kind, name, pairing.planar);
    Shape shape;
    shape.geometry = std::move(geometry);
    body.shapes.push_back(shape);
    return builder.add_body(body);
  };
  ContactPairOptions pair;
  pair.first = add(pairing.first_body, "first", pairing.first);
  pair.second = add(pairing.planar ? 'p' : 'r', "second", pairing.second);
  pair.law.friction = 0.3;
  builder.add_contact(pair);
  const System system = builder.build();
  std::mt19937 generator(1);
  const auto s = test::random_state(system, generator);
  ContactDerivatives derivatives;
  for (auto _ : state) {
    system.calc_contact_derivatives(0, s.t, s.q, s.u, s.a, ContactVector(0.7, -0.3, 0.4, 0.0, 0.0, 0.0), derivatives);
    benchmark::DoNotOptimize(derivatives.force_q.data());
  }
}

void distance_joint(benchmark::State& state) {
  SystemBuilder builder(false, Vector3(0, -9.81, 0));
  JointOptions joint;
  joint.type = JointType::distance;
  joint.length = 1.0;
  joint.first = builder.add_body(test::make_body('r', "first", false));
  joint.second = builder.add_body(test::make_body('r', "second", false));
  joint.on_first.at = Vector3(0.1, 0.2, 0.3);
  builder.add_joint(joint);
  const System system = builder.build();
  std::mt19937 generator(1);
  const auto s = test::random_state(system, generator);
  JointDerivatives derivatives;
  for (auto _ : state) {
    calc_joint_row_derivatives(system, 0, s.t, s.q, s.u, s.a, JointVector::Constant(1, 0.7), derivatives);
    benchmark::DoNotOptimize(derivatives.force_q.data());
  }
}

BENCHMARK_CAPTURE(contact, sphere_sphere, Pairing{Sphere{0.3, false}, Sphere{0.2, false}, 'r'});
BENCHMARK_CAPTURE(contact, sphere_moving_floor, Pairing{HalfSpace{Vector3::UnitZ(), 0.0}, Sphere{0.2, false}, 'm'});
BENCHMARK_CAPTURE(contact, sphere_on_fixed_floor, Pairing{HalfSpace{Vector3::UnitZ(), 0.0}, Sphere{0.2, false}, 'f'});
BENCHMARK_CAPTURE(contact, sphere_rigid_half_space, Pairing{HalfSpace{Vector3::UnitZ(), 0.0}, Sphere{0.2, false}, 'r'});
BENCHMARK_CAPTURE(contact, sphere_in_fixed_cylinder,
                  Pairing{Cylinder{3.0, std::nullopt, true}, Sphere{0.2, false}, 'f'});
BENCHMARK_CAPTURE(contact, sphere_in_rigid_cylinder,
                  Pairing{Cylinder{3.0, std::nullopt, true}, Sphere{0.2, false}, 'r'});
BENCHMARK_CAPTURE(contact, discs, Pairing{Sphere{0.3, false}, Sphere{0.2, false}, 'p', true});
BENCHMARK(distance_joint);

}  // namespace
}  // namespace stickslip
