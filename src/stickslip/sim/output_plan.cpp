// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/output_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/result_writer.h"
#include "stickslip/sim/recorder.h"
#include "stickslip/sim/step_sequence.h"

namespace stickslip {
namespace {

/// Automatic steps that a run may well take. [-]
constexpr double kAutomaticSteps = 1e4;

/// Contacts of a body in a heap: spheres that are at rest on each other have three, boxes and hulls some more points.
/// [-]
constexpr double kContactsOfABody = 3.0;
/// The size that a result may come to is told where it is this multiple of that with the contacts of the start. [-]
constexpr double kWorthSaying = 1.1;

/// Detected contacts at the start.
double count_contacts(const BuiltScene& built) {
  ContactFinder finder(*built.system);
  if (!finder.detects()) return 0.0;
  BodySnapshot start(*built.system);
  start.take(built.initial.t, built.initial.q, nullptr);
  finder.find_touching(start);
  return static_cast<double>(finder.points().size()) - finder.n_named();
}

double count_contacts_of_heap(const System& system) {
  if (!system.detection()) return 0.0;
  const auto moves = [](const Body& body) { return body.n_u > 0 && !body.shapes.empty(); };
  const auto moving = std::ranges::count_if(system.bodies(), moves);
  return moving > 1 ? kContactsOfABody * static_cast<double>(moving) : 0.0;
}

/// 1, 2, 5, 10, 20, 50, ...: the first that is at least x.
double round_up(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(x, 1.0))));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= x) return digit * power;
  }
  return 10.0 * power;
}

}  // namespace

OutputPlan plan_output(const Scene& scene, const BuiltScene& built) {
  OutputPlan plan;
  plan.output = scene.output;
  ResultHeader header = make_result_header(scene, built, StepSequence(scene, *built.stepper));
  const double contacts = count_contacts(built);
  const double most_contacts = std::max(contacts, count_contacts_of_heap(*built.system));
  const double row_bytes = estimate_row_bytes(*built.system, header.output, most_contacts);
  const double duration = scene.time.end - scene.time.start;
  const double most_rows = std::max(kDefaultResultBytes / row_bytes, 1.0);
  const double steps = scene.time.automatic ? kAutomaticSteps : static_cast<double>(header.expected_steps);
  if (!scene.output.every && steps > most_rows) {
    plan.output.every = scene.time.automatic ? duration / most_rows : scene.time.step * round_up(steps / most_rows);
    plan.is_chosen = true;
  }
  Scene planned;  // of it what counts steps
  planned.time = scene.time;
  planned.output = plan.output;
  const StepSequence sequence(planned, *built.stepper);
  header.expected_rows = sequence.expected_rows();
  const bool is_known = !scene.time.automatic || plan.output.every.has_value();
  plan.rows = is_known ? header.expected_rows : 0;
  if (scene.time.automatic) {
    header.expected_steps = static_cast<std::int64_t>(kAutomaticSteps);
    if (!is_known) header.expected_rows = header.expected_steps;
  }
  plan.bytes = estimate_result_bytes(*built.system, built.initial, header, contacts);
  plan.most_bytes = estimate_result_bytes(*built.system, built.initial, header, most_contacts);
  return plan;
}

std::string describe(const OutputPlan& plan) {
  std::string text = plan.output.every ? fmt::format("every {:.6g} s{}", *plan.output.every,
                                                     plan.is_chosen ? " (chosen by the size of the result)" : "")
                                       : std::string("every step");
  text += plan.rows > 0
              ? fmt::format(", {} rows, about {}", plan.rows, describe_bytes(plan.bytes))
              : fmt::format(", about {} for {:g} automatic steps", describe_bytes(plan.bytes), kAutomaticSteps);
  if (plan.most_bytes > kWorthSaying * plan.bytes) {
    text += fmt::format(", up to {} as contacts become many", describe_bytes(plan.most_bytes));
  }
  return text;
}

}  // namespace stickslip
