// SPDX-License-Identifier: BSD-3-Clause
// The ball on the plane, in the corner and in the cylinder: sections 10.1 to 10.3.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "stickslip/gallery/capobianco.h"

namespace stickslip::capobianco {
namespace {

constexpr double kMass = 1.0;      // [kg]
constexpr double kRadius = 0.1;    // [m]
constexpr double kGravity = 9.81;  // [m/s^2]
constexpr double kFriction = 0.2;  // [-] in section 10.1
constexpr double kDrop = 0.9;      // [m] y(0) - R
constexpr double kStep = 2e-3;     // [s] in section 10.1
constexpr const char* kFloor = "/contacts/ball-floor/";

// Trajectories and forces of the reference are solved to 1e-9 and printed with so many digits.
constexpr double kSixDigits = 1e-6;

/// Impacts as a result shows them: rows in which a contact closes.
std::vector<std::size_t> find_impacts(const RunData& run, const std::string& contact) {
  const std::vector<bool> closed = find_closed(run, contact);
  std::vector<std::size_t> impacts = find_switches(closed);
  std::erase_if(impacts, [&](std::size_t row) { return !closed[row]; });
  return impacts;
}

double first_impact(const std::vector<std::size_t>& impacts, const std::vector<double>& column) {
  return impacts.empty() ? NAN : column[impacts[0]];
}

// Why times of impacts differ by some steps.
constexpr const char* kTie =
    "the second flight lasts 215 steps to the last bit: round-off decides in which of two steps it ends, and later "
    "flights start from there";
// An impact is seen at the end of its step, with the percussion of gravity over the step in it.
constexpr const char* kGrid = "impacts are at the ends of steps: within 2 g dt";

void compare_bounces(const RunData& run, const RunData& loose, BenchmarkPage& page) {
  const std::vector<bool> closed = find_closed(run, "ball-floor");
  const std::vector<std::size_t> impacts = find_impacts(run, "ball-floor");
  const std::vector<double> impulse = run.read(std::string(kFloor) + "normal_impulse");
  const std::vector<double> percussion = run.read(std::string(kFloor) + "normal_percussion");
  page.figures.push_back({"figure_1",
                          "omega = 0, e_N = 0.5: the ball bounces until it rests",
                          {{"t", "s", run.time()},
                           {"y", "m", run.read("/q", 1)},
                           {"g_N", "m", run.read(std::string(kFloor) + "gap")},
                           {"P_N", "N s", percussion}}});
  constexpr double e = 0.5;
  const double zeno = std::sqrt(2.0 * kDrop / kGravity) * (1.0 + e) / (1.0 - e);
  const auto last_open = std::find(closed.rbegin(), closed.rend(), false);
  const auto open_rows = static_cast<std::size_t>(std::distance(last_open, closed.rend()));
  const double last_open_time = open_rows > 0 ? run.time()[open_rows - 1] : NAN;
  page.stated("e_N = 0.5: flights after the accumulation point", "", 0.0, 0.0,
              static_cast<double>(std::ranges::count_if(impacts, [&](std::size_t i) { return run.time()[i] > zeno; })));
  page.analytic("e_N = 0.5: accumulation point, ours the last instant in flight", "s", zeno, 1.5e-2, last_open_time,
                "flights shorter than some steps are not resolved");
  page.analytic("e_N = 0.5: energy in the end, m g R", "J", kMass * kGravity * kRadius, 1e-9, run.calc_energy().back());
  page.stated("e_N = 0.5: largest increase of energy in a step", "J", 0.0, 1e-12, largest_rise(run.calc_energy()));
  const auto working = std::ranges::count_if(loose.steps(), [](const StepRow& row) { return row.iterations > 0; });
  page.reference("e_N = 0.5: steps with Newton iterations, at a tolerance of 1e-6", "", 36.0, 0.0,
                 static_cast<double>(working), "the tolerance is not in the same units");
  page.reference("e_N = 0.5: Lambda_N of the first impact", "N s", 6.30674, 1e-8, first_impact(impacts, impulse));
  page.reference("e_N = 0.5: P_N of the first impact", "N s", 6.31764, 1e-8, first_impact(impacts, percussion));
  constexpr std::array kImpacts = {0.430, 0.860, 1.074, 1.180, 1.232, 1.258, 1.270, 1.276};  // [s]
  for (std::size_t i = 0; i < kImpacts.size(); ++i) {
    page.reference(fmt::format("e_N = 0.5: time of impact {}", i + 1), "s", kImpacts[i], 0.5 * kStep,
                   i < impacts.size() ? run.time()[impacts[i]] : NAN, kTie);
  }
  page.reference("e_N = 0.5: last instant in flight", "s", 1.274, 0.5 * kStep, last_open_time, kTie);
}

struct SpinCase {
  const char* name;
  const char* figure;
  const char* part;
  double omega;  // [rad/s]
};

void compare_spin(const RunData& run, const SpinCase& c, BenchmarkPage& page) {
  const std::string name = c.name;
  const std::vector<double> lambda_n = run.read(std::string(kFloor) + "normal_force");
  const std::vector<double> impulse_n = run.read(std::string(kFloor) + "normal_impulse");
  const std::vector<double> lambda_f = run.read(std::string(kFloor) + "friction_force");
  const std::vector<double> impulse_f = run.read(std::string(kFloor) + "friction_impulse");
  const std::vector<double> percussion_n = run.read(std::string(kFloor) + "normal_percussion");
  const std::vector<double> status = run.read(std::string(kFloor) + "status");
  const std::vector<double> u_x = run.read("/u", 0);
  const std::vector<double> u_y = run.read("/u", 1);
  const std::vector<double> u_phi = run.read("/u", 2);
  page.figures.push_back({c.figure,
                          fmt::format("omega = {}: friction forces (figure 2, {})", c.omega, c.part),
                          {{"t", "s", run.time()}, {"lambda_F", "N", lambda_f}, {"Lambda_F", "N s", impulse_f}}});
  const std::vector<std::size_t> impacts = find_impacts(run, "ball-floor");
  const std::size_t impact = impacts.empty() ? run.rows() : impacts[0];
  const double t_roll = run.first_time([&](std::size_t i) { return status[i] == 1.0; });
  double open_after = 0.0;   // rows in which it left the floor again
  double slip_speed = 0.0;   // [m/s] largest |gamma_F| while it rolls
  double lambda_roll = 0.0;  // [N] largest |lambda_F| while it rolls
  for (std::size_t i = impact; i < run.rows(); ++i) {
    if (status[i] == 0.0) open_after += 1.0;
    if (!(run.time()[i] >= t_roll)) continue;
    slip_speed = std::max(slip_speed, std::abs(u_x[i] + kRadius * u_phi[i]));
    lambda_roll = std::max(lambda_roll, std::abs(lambda_f[i]));
  }
  const double drop_speed = std::sqrt(2.0 * kGravity * kDrop);  // [m/s]
  const double rolling_u_x = -2.0 * kRadius * c.omega / 7.0;
  const std::size_t before = impact > 0 ? impact - 1 : run.rows();
  page.stated(name + "u_x before the impact", "m/s", 0.0, 1e-12, value_of_row(u_x, before));
  page.stated(name + "u_phi before the impact, omega", "rad/s", c.omega, 1e-12, value_of_row(u_phi, before));
  page.stated(name + "u_y after the impact", "m/s", 0.0, 1e-12, value_of_row(u_y, impact));
  page.analytic(name + "u_y before the impact, -sqrt(2 g (y(0) - R))", "m/s", -drop_speed, kGravity * kStep,
                value_of_row(u_y, before));
  page.published(name + "Lambda_N of the impact", "N s", "4.2", value_of_row(impulse_n, impact));
  page.analytic(name + "Lambda_N of the impact, m sqrt(2 g (y(0) - R))", "N s", kMass * drop_speed,
                2.0 * kGravity * kStep, value_of_row(impulse_n, impact), kGrid);
  page.published(name + "lambda_N after the impact, m g", "N", "9.81", value_of_row(lambda_n, impact + 1));
  page.stated(name + "instants off the floor after the impact", "", 0.0, 0.0, open_after);
  const bool slides = t_roll > value_of_row(run.time(), impact);
  if (slides) {
    page.published(name + "|Lambda_F| of the impact, mu Lambda_N", "N s", "0.84",
                   std::abs(value_of_row(impulse_f, impact)));
    page.published(name + "|lambda_F| while it slides, mu lambda_N", "N", "1.96",
                   std::abs(value_of_row(lambda_f, impact + 1)));
    page.analytic(name + "time of slip to stick, 2 R omega / (7 mu g)", "s",
                  2.0 * kRadius * c.omega / (7.0 * kFriction * kGravity), kStep, t_roll,
                  "sticking shows at the end of its step");
  } else {
    page.published(name + "Lambda_F of the impact, -2/7 m R omega", "N s", "-0.29", value_of_row(impulse_f, impact));
  }
  page.stated(name + "largest |lambda_F| while it rolls", "N", 0.0, 1e-9, lambda_roll);
  page.stated(name + "largest |gamma_F| while it rolls", "m/s", 0.0, 1e-9, slip_speed);
  page.analytic(name + "u_x in the end, -2/7 R omega", "m/s", rolling_u_x, 1e-9, u_x.back());
  page.analytic(name + "u_phi in the end, 2/7 omega", "rad/s", 2.0 * c.omega / 7.0, 1e-9, u_phi.back());
  page.reference(name + "first closed instant", "s", 0.430, 1e-9, value_of_row(run.time(), impact));
  page.reference(name + "Lambda_N of the impact, at this step", "N s", 4.2074, 1e-8, value_of_row(impulse_n, impact));
  page.reference(name + "P_N of the impact, at this step", "N s", 4.2183, 1e-8, value_of_row(percussion_n, impact));
  if (slides) {
    page.reference(name + "Lambda_F of the impact, at this step", "N s", -0.84148, 1e-8,
                   value_of_row(impulse_f, impact));
    page.reference(name + "lambda_F while it slides", "N", -1.962, 1e-8, value_of_row(lambda_f, impact + 1));
    page.reference(name + "first instant of stick", "s", 0.730, 1e-9, t_roll);
  } else {
    page.reference(name + "Lambda_F of the impact, at this step", "N s", -0.285714, kSixDigits,
                   value_of_row(impulse_f, impact));
  }
}

void evaluate_bouncing_ball(std::span<const RunData> runs, BenchmarkPage& page) {
  const std::string reason = "other start values; most steps are right as they start";
  compare_iterations(runs[0], &runs[3], "1", "0.01", reason, "e_N = 0.5: ", page);
  compare_iterations(runs[1], &runs[4], "1", "0.01", reason, "omega = 50: ", page);
  compare_iterations(runs[2], &runs[5], "1", "0.01", reason, "omega = 10: ", page);
  compare_fallbacks(runs[0], "e_N = 0.5: ", page);
  compare_fallbacks(runs[1], "omega = 50: ", page);
  compare_fallbacks(runs[2], "omega = 10: ", page);
  compare_bounces(runs[0], runs[3], page);
  compare_spin(runs[1], {"omega = 50: ", "figure_2_left", "left", 50.0}, page);
  compare_spin(runs[2], {"omega = 10: ", "figure_2_right", "right", 10.0}, page);
  compare_constraints(runs[0], ", e_N = 0.5", page);
  compare_constraints(runs[1], ", omega = 50", page);
  compare_constraints(runs[2], ", omega = 10", page);
}

void compare_rest_in_corner(const RunData& run, BenchmarkPage& page) {
  const std::vector<bool> right = find_closed(run, "right");
  const std::vector<bool> left = find_closed(run, "left");
  const double t_both = run.first_time([&](std::size_t i) { return right[i] && left[i]; });
  std::vector<double> passes;
  double first_fallback = NAN;
  for (const StepRow& row : run.steps()) {
    if (row.fallbacks == 0) continue;
    if (passes.empty()) first_fallback = row.time;
    passes.push_back(static_cast<double>(row.fallbacks));
  }
  double sum = 0.0;
  for (const double p : passes) sum += p;
  const std::string other =
      "another fallback: passes over one cone problem a level, solved by nonsmooth Gauss-Seidel, in place of the "
      "fixed-point iteration; and redundant contacts are handled within Newton's method";
  page.published("time from which both contacts are closed", "s", "1.36", t_both);
  page.published("steps that needed the fallback", "", "13", static_cast<double>(passes.size()), other);
  page.published("most iterations of the fallback in a step", "", "281", passes.empty() ? 0.0 : largest(passes), other);
  page.published("iterations of the fallback in such a step, mean", "", "44.3",
                 passes.empty() ? 0.0 : sum / static_cast<double>(passes.size()), other);
  page.reference("time from which both contacts are closed, at this step", "s", 1.3608, 0.5e-4, t_both);
  page.reference("first step that needs a fallback", "s", 1.3611, 0.5e-4, first_fallback,
                 "Newton's method handles the redundant contacts; it is the changes between open and closed, when the "
                 "last bounces die out, that it does not settle");
  // At rest the four forces are not determined; their sum is.
  const auto total = [&](int column) {
    return run.read("/contacts/right/force", column).back() + run.read("/contacts/left/force", column).back();
  };
  const double torque =
      kRadius * (run.read("/contacts/right/friction_force").back() + run.read("/contacts/left/friction_force").back());
  page.analytic("at rest: horizontal force of both contacts", "N", 0.0, 1e-8, total(0));
  page.analytic("at rest: vertical force of both contacts, m g", "N", kMass * kGravity, 1e-8, total(1));
  page.analytic("at rest: torque of both contacts", "N m", 0.0, 1e-8, torque);
  page.analytic("at rest: x", "m", 0.0, kSixDigits, run.read("/q", 0).back());
  page.analytic("at rest: y, R sqrt(2)", "m", kRadius * std::sqrt(2.0), kSixDigits, run.read("/q", 1).back());
  page.reference("at rest: phi", "rad", -11.5569721, 1e-4, run.read("/q", 2).back());
  for (int i = 0; i < 3; ++i) {
    page.stated(fmt::format("at rest: u_{}", i + 1), i < 2 ? "m/s" : "rad/s", 0.0, 1e-6, run.read("/u", i).back());
  }
}

struct CornerImpact {
  double time;     // [s]
  int contact;     // 1 right, 2 left
  double impulse;  // [N s]
};

void compare_corner_impacts(const RunData& run, BenchmarkPage& page) {
  std::vector<CornerImpact> impacts;
  for (const int contact : {1, 2}) {
    const std::string name = contact == 1 ? "right" : "left";
    const std::vector<double> impulse = run.read("/contacts/" + name + "/normal_impulse");
    for (const std::size_t row : find_impacts(run, name)) impacts.push_back({run.time()[row], contact, impulse[row]});
  }
  std::ranges::sort(impacts, {}, &CornerImpact::time);
  constexpr std::array kReference = {CornerImpact{0.2704, 2, 1.8753}, CornerImpact{0.5988, 1, 4.450},
                                     CornerImpact{0.8431, 2, 0.8472}, CornerImpact{1.0265, 1, 1.9522},
                                     CornerImpact{1.1337, 2, 0.3719}, CornerImpact{1.2142, 1, 0.8566},
                                     CornerImpact{1.2612, 2, 0.1630}, CornerImpact{1.2966, 1, 0.3758},
                                     CornerImpact{1.3172, 2, 0.0715}, CornerImpact{1.3328, 1, 0.1649}};
  for (std::size_t i = 0; i < kReference.size(); ++i) {
    const CornerImpact& r = kReference[i];
    const bool there = i < impacts.size() && impacts[i].contact == r.contact;
    page.reference(fmt::format("time of impact {}, on contact {}", i + 1, r.contact), "s", r.time, 0.5e-4,
                   there ? impacts[i].time : NAN);
    page.reference(fmt::format("Lambda_N of impact {}", i + 1), "N s", r.impulse, 1e-3,
                   there ? impacts[i].impulse : NAN);
  }
}

void evaluate_corner(std::span<const RunData> runs, BenchmarkPage& page) {
  const RunData& run = runs[0];
  page.figures.push_back({"figure_3",
                          "the gaps; contact 1 is the wall on the right, which has e_N = 0.5",
                          {{"t", "s", run.time()},
                           {"g_N1", "m", run.read("/contacts/right/gap")},
                           {"g_N2", "m", run.read("/contacts/left/gap")}}});
  compare_iterations(run, &runs[1], "7", "0.36",
                     "other start values, so that flight and sliding need few; the most are in steps in which Newton's "
                     "method was tried three times, with smaller r, before the fallback",
                     "", page);
  compare_rest_in_corner(run, page);
  compare_corner_impacts(run, page);
  compare_constraints(run, "", page);
}

/// log2 of how much nearer the values of three runs, each with half the step of the one before, come.
double observed_order(double coarse, double middle, double fine) {
  return std::log2(std::abs((coarse - middle) / (middle - fine)));
}

void compare_cylinder_orders(std::span<const RunData> runs, BenchmarkPage& page) {
  constexpr std::array kDamping = {"0", "0.5", "0.9"};
  constexpr double kSpread = 0.05;  // [-] what is left of higher orders at these steps
  for (std::size_t k = 0; k < kDamping.size(); ++k) {
    const auto order = [&](const std::string& dataset, int column) {
      std::array<double, 3> end = {};
      for (std::size_t i = 0; i < 3; ++i) end[i] = runs[3 * k + i].read(dataset, column).back();
      return observed_order(end[0], end[1], end[2]);
    };
    const std::string name = fmt::format("rolling with mu = 2, rho_inf = {}: order of ", kDamping[k]);
    page.stated(name + "q", "", 2.0, kSpread, order("/q", 0));
    page.stated(name + "u", "", 2.0, kSpread, order("/u", 0));
    page.stated(name + "lambda_N", "", 2.0, kSpread, order("/contacts/ball-cylinder/normal_force", 0));
  }
}

void evaluate_cylinder(std::span<const RunData> runs, BenchmarkPage& page) {
  const RunData& run = runs[0];
  const std::vector<double> x = run.read("/q", 0);
  const std::vector<double> y = run.read("/q", 1);
  page.figures.push_back({"figure_4",
                          "the path of S under the generalized-alpha and Moreau's scheme, dt = 1e-2 s both",
                          {{"t", "s", run.time()},
                           {"x", "m", x},
                           {"y", "m", y},
                           {"x_moreau", "m", runs[2].read("/q", 0)},
                           {"y_moreau", "m", runs[2].read("/q", 1)},
                           {"g_N", "m", run.read("/contacts/ball-cylinder/gap")},
                           {"g_N_moreau", "m", runs[2].read("/contacts/ball-cylinder/gap")}}});
  compare_iterations(run, &runs[1], "74", "0.37",
                     "a tighter tolerance; and the direction of sliding is that of the prox argument, without which "
                     "Newton's method cycles at the transition from stick to slip",
                     "", page);
  compare_fallbacks(run, "", page);
  compare_constraints(run, "", page);
  const std::vector<double> status = run.read("/contacts/ball-cylinder/status");
  page.reference("first transition from stick to slip", "s", 0.77, 5e-3,
                 run.first_time([&](std::size_t i) { return i > 0 && status[i] == 2.0 && status[i - 1] == 1.0; }));
  struct Place {
    double t, x, y;  // [s, m, m]
  };
  for (const Place& p : {Place{1.0, 0.821472, 0.632327}, Place{2.0, -0.626542, 0.353900},
                         Place{5.0, 0.151687, 0.112875}, Place{10.0, 0.327486, 0.161697}}) {
    page.reference(fmt::format("x({})", p.t), "m", p.x, kSixDigits, run.at(x, p.t));
    page.reference(fmt::format("y({})", p.t), "m", p.y, kSixDigits, run.at(y, p.t));
  }
  page.reference("phi(10)", "rad", -28.0207621, kSixDigits, run.at(run.read("/q", 2), 10.0));
  page.reference("energy in the end", "J", 1.59915, 1e-5, run.calc_energy().back());
  page.reference("largest increase of energy in a step", "J", 1.2e-4, 0.5e-5, largest_rise(run.calc_energy()));
  page.reference("x(10) at the step 1.25e-3", "m", 0.327201, kSixDigits, runs[6].read("/q", 0).back());
  page.reference("y(10) at the step 1.25e-3", "m", 0.161585, kSixDigits, runs[6].read("/q", 1).back());
  page.reference("phi(10) at the step 1.25e-3", "rad", -28.02731, 1e-5, runs[6].read("/q", 2).back());
  // The paper calls its penetration a big issue and gives no figure.
  constexpr std::array kPenetration = {0.0964, 0.0497, 0.0252, 0.0127};  // [m]
  constexpr std::array kSteps = {"1e-2", "5e-3", "2.5e-3", "1.25e-3"};
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    double deepest = 0.0;
    for (const StepRow& row : runs[2 + i].steps()) deepest = std::max(deepest, row.penetration);
    page.reference(fmt::format("Moreau's scheme: deepest penetration at the step {}", kSteps[i]), "m", kPenetration[i],
                   0.01 * kPenetration[i], deepest);
  }
  compare_cylinder_orders(runs.subspan(7), page);
}

}  // namespace

Benchmark make_bouncing_ball() {
  const char* elsewhere = "authors' package 780 to 870 (Newton), 830 to 1516 (fixed point); dense reference 105 to 170";
  return {"10.1 Rotating bouncing ball",
          {make_run("bouncing_ball_zeno", elsewhere), make_run("bouncing_ball_slip", elsewhere),
           make_run("bouncing_ball_stick", elsewhere), make_loose_run("bouncing_ball_zeno"),
           make_loose_run("bouncing_ball_slip"), make_loose_run("bouncing_ball_stick")},
          evaluate_bouncing_ball};
}

Benchmark make_ball_in_corner() {
  return {"10.2 Ball in corner",
          {make_run("ball_in_corner", "authors' package does not converge; dense reference 110 to 140"),
           make_loose_run("ball_in_corner")},
          evaluate_corner};
}

Benchmark make_ball_in_cylinder() {
  const std::string scene = "papers/capobianco/ball_in_cylinder";
  Benchmark benchmark{"10.3 Ball in cylinder",
                      {make_run("ball_in_cylinder", "authors' package does not converge; dense reference 740 to 970"),
                       make_loose_run("ball_in_cylinder")},
                      evaluate_cylinder};
  for (const char* step : {"1e-2", "5e-3", "2.5e-3", "1.25e-3"}) {
    benchmark.runs.push_back({fmt::format("ball_in_cylinder_moreau_{}", step),
                              scene,
                              {"scheme.type=moreau", fmt::format("time.step={}", step)},
                              ""});
  }
  benchmark.runs.push_back({"ball_in_cylinder_1.25e-3", scene, {"time.step=1.25e-3"}, ""});
  // Where it rolls from 60 degrees on nothing is nonsmooth.
  for (const char* rho_inf : {"0.0", "0.5", "0.9"}) {
    for (const char* step : {"2.5e-3", "1.25e-3", "6.25e-4"}) {
      benchmark.runs.push_back(
          {fmt::format("rolling_rho_{}_step_{}", rho_inf, step),
           scene,
           {"contacts.ball-cylinder.friction=2", "bodies.ball.position=[\"=-0.9*sqrt(3)/2\", 0.55]", "time.end=1",
            fmt::format("scheme.rho_inf={}", rho_inf), fmt::format("time.step={}", step), "scheme.tolerance=1e-12"},
           ""});
    }
  }
  return benchmark;
}

}  // namespace stickslip::capobianco
