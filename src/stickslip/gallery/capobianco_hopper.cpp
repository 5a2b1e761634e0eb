// SPDX-License-Identifier: BSD-3-Clause
// The guided hopper with a flexible leg: section 10.5. The scene's coordinates are those of the body (x, y, phi), of
// the thigh (the same) and the shank's control points; the paper keeps only y and the control points.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/gallery/capobianco.h"

namespace stickslip::capobianco {
namespace {

constexpr double kHopperFriction = 0.2;  // [-]
constexpr double kHopperGravity = 9.81;  // [m/s^2]
constexpr double kBody = 3.0;            // [kg]
constexpr double kThigh = 1.56;          // [kg]
constexpr double kShank = 0.142;         // [kg] 0.71 kg/m, 0.2 m
constexpr int kBodyY = 1;                // column of q, u and a
constexpr int kThighY = 4;
constexpr int kShankFirst = 6;
constexpr int kFootX = 12;             // of the last control point
constexpr double kReferenceEnd = 0.4;  // [s] until which the reference gives sums

/// The shank's strain energy: what is left of the potential energy without gravity. The integrals of the four quadratic
/// B-splines on the knots 0 0 0 1/2 1 1 1 are 1/6, 1/3, 1/3, 1/6.
std::vector<double> calc_strain_energy(const RunData& run) {
  std::vector<double> energy;
  for (const StepRow& row : run.steps()) energy.push_back(row.potential_energy);
  const auto subtract = [&](double mass, int column) {
    const std::vector<double> y = run.read("/q", column);
    for (std::size_t i = 0; i < energy.size() && i + 1 < y.size(); ++i) energy[i] -= mass * kHopperGravity * y[i + 1];
  };
  subtract(kBody, kBodyY);
  subtract(kThigh, kThighY);
  constexpr std::array kShare = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  for (int k = 0; k < 4; ++k) subtract(kShank * kShare[k], kShankFirst + 2 * k + 1);
  return energy;
}

void compare_motion(const RunData& run, BenchmarkPage& page) {
  constexpr double kDigits = 1e-6;  // [m] the reference's
  struct Place {
    double t, value;  // [s, m]
  };
  const std::vector<double> y = run.read("/q", kBodyY);
  const std::vector<double> foot = run.read("/q", kFootX);
  for (const Place& p : {Place{0.1, 0.263539}, Place{0.2, 0.287374}, Place{0.3, 0.394623}, Place{0.4, 0.399878}}) {
    page.reference(fmt::format("y({})", p.t), "m", p.value, kDigits, run.at(y, p.t));
  }
  for (const Place& p : {Place{0.2, 0.003032}, Place{0.3, -0.000993}, Place{0.4, -0.002238}}) {
    page.reference(fmt::format("x({}) of the foot", p.t), "m", p.value, kDigits, run.at(foot, p.t));
  }
}

void compare_start(const RunData& run, BenchmarkPage& page) {
  constexpr double kDigits = 1e-7;
  page.reference("a_y(0)", "m/s^2", -9.30391792, kDigits, run.read("/a", kBodyY).front());
  constexpr std::array kA = {-1.65366809, -12.16815507, 2.23255514, -10.87918876,
                             -1.49746617, -8.89493864,  0.68747567, -10.25468673};  // [m/s^2] control points
  for (int k = 0; k < 8; ++k) {
    page.reference(fmt::format("a_{}{}(0)", k % 2 == 0 ? "x" : "y", k / 2 + 1), "m/s^2", kA[k], 1e-6,
                   run.read("/a", kShankFirst + k).front(),
                   "the beam's axial stiffness makes 1e-16 of its length 1e-7 m/s^2");
  }
  // The reference's constraint is thigh minus shank: its force on the shank is -lambda.
  page.reference("lambda_g1(0)", "N", -0.01192766, kDigits, -run.read("/joints/knee/reaction_force", 0).front());
  page.reference("lambda_g2(0)", "N", 0.07362929, kDigits, -run.read("/joints/knee/reaction_force", 1).front());
  page.reference("lambda_g3(0)", "N m", 0.00186887, kDigits, run.read("/joints/knee/reaction_torque", 2).front());
}

void compare_contact(const RunData& run, const std::vector<double>& percussion_n,
                     const std::vector<double>& percussion_f, BenchmarkPage& page) {
  // Contact as the reference counts it: a gap of at most 1e-7 m.
  std::vector<bool> touches;
  for (const double gap : run.read("/contacts/foot/gap")) touches.push_back(gap <= 1e-7);
  const std::vector<std::size_t> switches = find_switches(touches);
  constexpr std::array kSwitches = {0.12625, 0.12635, 0.12645, 0.1276, 0.1304, 0.1808, 0.1822, 0.18225};  // [s]
  for (std::size_t i = 0; i < kSwitches.size(); ++i) {
    page.reference(fmt::format("time of switch {}, it {}", i + 1, i % 2 == 0 ? "closes" : "opens"), "s", kSwitches[i],
                   2.5e-5, i < switches.size() ? run.time()[switches[i]] : NAN);
  }
  page.reference("switches to t = 2, by percussion", "", 42.0, 0.0,
                 static_cast<double>(find_switches(find_closed(run, "foot")).size()));
  double sum_n = 0.0;
  double sum_f = 0.0;
  std::size_t peak = 0;
  double impulse = 0.0;
  double force = 0.0;
  double slip = 0.0;  // [N s] by how much |P_F| exceeds mu P_N
  const std::vector<double> impulses = run.read("/contacts/foot/normal_impulse");
  const std::vector<double> forces = run.read("/contacts/foot/normal_force");
  for (std::size_t i = 0; i < run.rows(); ++i) {
    slip = std::max(slip, std::abs(percussion_f[i]) - kHopperFriction * percussion_n[i]);
    if (run.time()[i] > kReferenceEnd + 1e-9) continue;
    sum_n += percussion_n[i];
    sum_f += percussion_f[i];
    if (percussion_n[i] > percussion_n[peak]) peak = i;
    impulse = std::max(impulse, impulses[i]);
    force = std::max(force, forces[i]);
  }
  page.stated("largest excess of |P_F| over mu P_N", "N s", 0.0, 1e-12, slip);
  constexpr double kRelative = 1e-4;  // [-]
  page.reference("sum of P_N to t = 0.4", "N s", 16.576955, kRelative * 16.576955, sum_n);
  page.reference("sum of P_F to t = 0.4", "N s", 0.243366, kRelative * 0.243366, sum_f);
  page.reference("largest P_N to t = 0.4", "N s", 0.0470392, kRelative * 0.0470392, percussion_n[peak]);
  page.reference("its time", "s", 0.1304, 2.5e-5, run.time()[peak]);
  page.reference("largest Lambda_N to t = 0.4", "N s", 0.024545, kRelative * 0.024545, impulse);
  page.reference("largest lambda_N to t = 0.4", "N", 817.67, kRelative * 817.67, force);
}

void evaluate_hopper(std::span<const RunData> runs, BenchmarkPage& page) {
  const RunData& run = runs[0];
  const std::vector<double> percussion_n = run.read("/contacts/foot/normal_percussion");
  const std::vector<double> percussion_f = run.read("/contacts/foot/friction_percussion");
  page.figures.push_back({"figure_6",
                          "percussions: P_F between -mu P_N and mu P_N",
                          {{"t", "s", run.time()},
                           {"P_F", "N s", percussion_f},
                           {"mu_P_N", "N s", scaled(kHopperFriction, percussion_n)},
                           {"minus_mu_P_N", "N s", scaled(-kHopperFriction, percussion_n)}}});
  compare_iterations(run, nullptr, "5", "1.23",
                     "accelerations and forces go on linearly from the last two steps, so that a step starts nearer",
                     "", page);
  compare_fallbacks(run, "", page);
  compare_constraints(run, "", page);
  compare_motion(run, page);
  compare_contact(run, percussion_n, percussion_f, page);
  const std::vector<double> strain = calc_strain_energy(run);
  double most_strain = 0.0;
  for (std::size_t i = 0; i < strain.size(); ++i) {
    // The reference looked at every tenth step.
    if ((i + 1) % 10 == 0 && run.steps()[i].time <= kReferenceEnd + 1e-9)
      most_strain = std::max(most_strain, strain[i]);
  }
  page.reference("largest strain energy of the shank to t = 0.4, at every tenth step", "J", 6.659, 5e-4, most_strain);
  page.reference("steps to t = 2", "", 40000.0, 0.0, static_cast<double>(run.steps().size()));
  compare_start(run, page);
}

}  // namespace

Benchmark make_hopper() {
  GalleryRun run = make_run("hopper", "dense reference 1900 to 3000");
  return {"10.5 Guided hopper", {std::move(run)}, evaluate_hopper};
}

}  // namespace stickslip::capobianco
