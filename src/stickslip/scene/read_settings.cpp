// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "stickslip/scene/output_fields.h"
#include "stickslip/scene/read_scene.h"
#include "stickslip/stepping/sundials_integrator.h"

namespace stickslip {
namespace {

/// Steps of a run: beyond it, the number of a step times its length has no exact meaning in a double, nor a run an end.
constexpr double kMaxSteps = 1e12;

void read_time(ReadContext& context, const TableReader& scene) {
  const TableReader reader(context, scene.require("time", "{end = ..., step = ...}"), "time");
  reader.allow({"start", "end", "step", "tolerance", "min_step", "max_step"});
  SceneTime& time = context.scene.time;
  time.start = reader.number_or("start", kAnyNumber, "s", 0.0);
  time.end = reader.number("end", kAnyNumber, "s");
  const TomlValue& step = reader.require("step", "a number > 0 [s] or \"auto\"");
  time.automatic = step.string() != nullptr && *step.string() == "auto";
  if (step.string() != nullptr && !time.automatic && !step.string()->starts_with('=')) {
    reader.fail("step", "a number > 0 [s] or \"auto\"");
  }
  time.step = time.automatic ? 0.0 : reader.number("step", kPositive, "s");
  if (!(time.end > time.start)) reader.fail("end", fmt::format("more than start, {} [s]", time.start));
  // Read for a fixed step too, so that a command line can set one for a scene of automatic steps.
  constexpr Range kBelowOne = {.least = 0.0, .most = 1.0, .without_least = true, .text = "a number > 0, below 1"};
  time.control.tolerance = reader.number_or("tolerance", kBelowOne, "", time.control.tolerance);
  if (time.control.tolerance == 1.0) reader.fail("tolerance", kBelowOne.text);
  time.control.min_step = reader.optional_number("min_step", kPositive, "s");
  time.control.max_step = reader.optional_number("max_step", kPositive, "s");
  if (time.control.min_step && time.control.max_step && *time.control.min_step > *time.control.max_step) {
    reader.fail("min_step", fmt::format("at most max_step, {} [s]", *time.control.max_step));
  }
  if (time.automatic) return;
  if (!((time.end - time.start) / time.step <= kMaxSteps)) {
    reader.fail("step", fmt::format("a step [s] that gives at most {:g} steps from start to end", kMaxSteps));
  }
}

/// The number of a table's keys is small and their meaning one: a type and its options.
struct SchemeReader {
  std::string_view type;
  SchemeOptions (*read)(const TableReader&);
};

ForceChoice read_forces(const TableReader& reader) {
  constexpr std::array<std::string_view, 2> kForces = {"any", "least-norm"};
  const bool any = !reader.has("forces") || reader.choice("forces", kForces, {}) == kForces[0];
  return any ? ForceChoice::any : ForceChoice::least_norm;
}

Projection read_projection(const TableReader& reader) {
  const TomlValue* value = reader.find("projection");
  if (value == nullptr || (value->string() != nullptr && *value->string() == "auto")) return Projection::automatic;
  const auto* on = std::get_if<bool>(&value->content);
  if (on == nullptr) reader.fail("projection", "true, false or \"auto\"");
  return *on ? Projection::on : Projection::off;
}

SchemeOptions read_moreau(const TableReader& reader) {
  reader.allow({"type", "theta", "activation", "projection", "forces"}, {"law"});
  MoreauOptions options;
  options.theta = reader.number_or("theta", kUnitInterval, "", options.theta);
  options.activation = reader.number_or("activation", kAnyNumber, "m", options.activation);
  options.projection = read_projection(reader);
  options.forces = read_forces(reader);
  return options;
}

SchemeOptions read_ccp(const TableReader& reader) {
  reader.allow({"type", "law", "projection", "stabilisation", "correction_speed", "envelope", "forces"});
  CcpOptions options;
  if (reader.has("law")) {
    constexpr std::array<std::string_view, 2> kLaws = {"coulomb", "associated"};
    options.law = reader.choice("law", kLaws, {}) == kLaws[0] ? FrictionLaw::coulomb : FrictionLaw::associated;
  }
  options.projection = read_projection(reader);
  options.stabilisation = reader.boolean_or("stabilisation", options.stabilisation);
  options.correction_speed = reader.number_or("correction_speed", kCorrectionSpeeds, "m/s", options.correction_speed);
  const TomlValue* envelope = reader.find("envelope");
  const bool automatic = envelope != nullptr && envelope->string() != nullptr && *envelope->string() == "auto";
  if (!automatic) options.envelope = reader.optional_number("envelope", kNotNegative, "m");
  options.forces = read_forces(reader);
  return options;
}

SchemeOptions read_stewart_trinkle(const TableReader& reader) {
  reader.allow({"type", "facets", "orientation", "projection", "correction_speed", "forces"}, {"law"});
  StewartTrinkleOptions options;
  options.facets = reader.integer_or("facets", 0, options.facets);
  if (options.facets == 1 || options.facets == 2) reader.fail("facets", "0 for the round cone, or at least 3");
  options.orientation = reader.number_or("orientation", kAnyNumber, "rad", options.orientation);
  options.projection = read_projection(reader);
  options.correction_speed = reader.number_or("correction_speed", kCorrectionSpeeds, "m/s", options.correction_speed);
  options.forces = read_forces(reader);
  return options;
}

SchemeOptions read_generalized_alpha(const TableReader& reader) {
  reader.allow({"type", "rho_inf", "tolerance", "r", "strategy", "friction", "forces"}, {"law"});
  GeneralizedAlphaOptions options;
  options.rho_inf = reader.number_or("rho_inf", kUnitInterval, "", options.rho_inf);
  options.tolerance = reader.number_or("tolerance", kPositive, "", options.tolerance);
  const TomlValue* r = reader.find("r");
  const bool by_diagonal = r != nullptr && r->string() != nullptr && *r->string() == "auto";
  if (!by_diagonal) options.r = reader.optional_number("r", kPositive, "kg");
  if (reader.has("strategy")) {
    constexpr std::array<std::string_view, 2> kStrategies = {"newton", "fixed-point"};
    const bool newton = reader.choice("strategy", kStrategies, {}) == kStrategies[0];
    options.strategy = newton ? GeneralizedAlphaStrategy::newton : GeneralizedAlphaStrategy::fixed_point;
  }
  if (reader.has("friction")) {
    constexpr std::array<std::string_view, 2> kFrictions = {"published", "second-order"};
    const bool published = reader.choice("friction", kFrictions, {}) == kFrictions[0];
    options.friction = published ? GeneralizedAlphaFriction::published : GeneralizedAlphaFriction::second_order;
  }
  options.contact_forces = read_forces(reader);
  return options;
}

constexpr Range kRelativeTolerances = {.least = 1e-14, .most = 1e-3, .text = "a number from 1e-14 to 1e-3"};
constexpr Range kAbsoluteTolerances = {
    .least = 0.0, .most = 1e-3, .without_least = true, .text = "a number > 0, at most 1e-3"};

template <class Integrator>
Integrator read_integrator(const TableReader& reader, std::span<const std::string_view> names) {
  const std::string name = reader.choice("integrator", names, {});
  return static_cast<Integrator>(std::ranges::find(names, name) - names.begin());
}

/// Last of all, so that what else is wrong is said everywhere.
void check_sundials(const TableReader& reader, bool needed, const std::string& available) {
  if (needed && !has_sundials()) reader.fail("integrator", available + kWithoutSundials);
}

SchemeOptions read_relaxation_scheme(const TableReader& reader) {
  reader.allow({"type", "delta", "zeta", "inclusion", "facets", "orientation", "integrator", "relative_tolerance",
                "absolute_tolerance", "gate", "form", "model", "stiffness", "damping", "forces"});
  RelaxationOptions options;
  if (reader.has("form")) {
    constexpr std::array<std::string_view, 2> kForms = {"ode", "implicit"};
    const bool implicit = reader.choice("form", kForms, {}) == kForms[1];
    options.form = implicit ? RelaxationForm::implicit : RelaxationForm::ode;
  }
  for (const std::string_view key :
       {"delta", "zeta", "integrator", "relative_tolerance", "absolute_tolerance", "gate"}) {
    if (options.form != RelaxationForm::implicit || !reader.has(key)) continue;
    reader.fail(key, "no such key with form = \"implicit\": delta is the step there, zeta 1/2, and nothing is gated");
  }
  if (reader.has("model")) {
    constexpr std::array<std::string_view, 2> kModels = {"baumgarte", "penalty"};
    const bool penalty = reader.choice("model", kModels, {}) == kModels[1];
    options.model = penalty ? RelaxationModel::penalty : RelaxationModel::baumgarte;
  }
  if (options.model == RelaxationModel::penalty) {
    for (const std::string_view key : {"form", "inclusion", "facets", "orientation"}) {
      if (reader.has(key)) reader.fail(key, "no such key with model = \"penalty\", whose forces are those of springs");
    }
    options.stiffness = reader.number("stiffness", kPositive, "N/m");
    options.damping = reader.number("damping", kPositive, "N s/m");
  }
  for (const std::string_view key : {"stiffness", "damping"}) {
    if (options.model == RelaxationModel::penalty || !reader.has(key)) continue;
    reader.fail(key, "no such key but with model = \"penalty\"");
  }
  options.delta = reader.number_or("delta", kPositive, "s", options.delta);
  options.zeta = reader.number_or("zeta", kNotNegative, "", options.zeta);
  if (reader.has("inclusion")) {
    const std::string inclusion = reader.choice("inclusion", kInclusionNames, {});
    const auto found = std::ranges::find(kInclusionNames, inclusion);
    options.inclusion = static_cast<RelaxationInclusion>(found - kInclusionNames.begin());
  }
  options.facets = reader.integer_or("facets", 3, options.facets);
  options.orientation = reader.number_or("orientation", kAnyNumber, "rad", options.orientation);
  if (reader.has("integrator")) {
    options.integrator = read_integrator<RelaxationIntegrator>(reader, kRelaxationIntegratorNames);
  }
  for (const std::string_view key : {"relative_tolerance", "absolute_tolerance"}) {
    if (options.controls_errors() || !reader.has(key)) continue;
    reader.fail(key, "no such key but with an integrator of SUNDIALS: arkode-explicit, arkode-implicit or cvode");
  }
  options.relative_tolerance =
      reader.number_or("relative_tolerance", kRelativeTolerances, "", options.relative_tolerance);
  options.absolute_tolerance =
      reader.number_or("absolute_tolerance", kAbsoluteTolerances, "", options.absolute_tolerance);
  options.gate = reader.boolean_or("gate", options.gate);
  options.forces = read_forces(reader);
  check_sundials(reader, options.controls_errors(), "rk4 or symplectic-euler");
  return options;
}

SchemeOptions read_event_driven(const TableReader& reader) {
  reader.allow({"type", "facets", "orientation", "integrator", "relative_tolerance", "absolute_tolerance", "max_step",
                "zeno", "zeno_time"},
               {"law"});
  EventDrivenOptions options;
  options.facets = reader.integer_or("facets", 0, options.facets);
  if (options.facets == 1 || options.facets == 2) reader.fail("facets", "0 for the round cone, or at least 3");
  options.orientation = reader.number_or("orientation", kAnyNumber, "rad", options.orientation);
  if (reader.has("integrator")) {
    options.integrator = read_integrator<EventIntegrator>(reader, kEventIntegratorNames);
  }
  options.relative_tolerance =
      reader.number_or("relative_tolerance", kRelativeTolerances, "", options.relative_tolerance);
  options.absolute_tolerance =
      reader.number_or("absolute_tolerance", kAbsoluteTolerances, "", options.absolute_tolerance);
  options.max_step = reader.number_or("max_step", kNotNegative, "s", options.max_step);
  if (reader.has("zeno")) {
    constexpr std::array<std::string_view, 2> kRules = {"cross", "stop"};
    options.zeno = reader.choice("zeno", kRules, {}) == kRules[0] ? ZenoRule::cross : ZenoRule::stop;
  }
  options.zeno_time = reader.number_or("zeno_time", kPositive, "s", options.zeno_time);
  check_sundials(reader, options.integrator != EventIntegrator::dormand_prince, "dormand-prince");
  return options;
}

constexpr std::array kSchemes = {SchemeReader{MoreauOptions::kTraits.name, read_moreau},
                                 SchemeReader{CcpOptions::kTraits.name, read_ccp},
                                 SchemeReader{StewartTrinkleOptions::kTraits.name, read_stewart_trinkle},
                                 SchemeReader{GeneralizedAlphaOptions::kTraits.name, read_generalized_alpha},
                                 SchemeReader{RelaxationOptions::kTraits.name, read_relaxation_scheme},
                                 SchemeReader{EventDrivenOptions::kTraits.name, read_event_driven}};

/// The keys of solvers beside those of all, by kind.
void read_solver_keys(const TableReader& reader, StopOptions&) {
  reader.allow({"type", "tolerance", "max_iterations"});
}
void read_solver_keys(const TableReader& reader, FacetOptions& options) {
  reader.allow({"type", "tolerance", "max_iterations", "facets"});
  options.facets = reader.integer_or("facets", 3, options.facets);
}
void read_relaxation(const TableReader& reader, double& relaxation) {
  constexpr Range kBelowTwo = {
      .least = 0.0, .most = 2.0, .without_least = true, .without_most = true, .text = "a number above 0 and below 2"};
  reader.allow({"type", "tolerance", "max_iterations", "relaxation"});
  relaxation = reader.number_or("relaxation", kBelowTwo, "", relaxation);
}
void read_solver_keys(const TableReader& reader, NsgsOptions& options) {
  read_relaxation(reader, options.relaxation);
}
void read_solver_keys(const TableReader& reader, PgsOptions& options) {
  read_relaxation(reader, options.relaxation);
}

bool has_automatic_tolerance(const TableReader& solver) {
  const TomlValue* tolerance = solver.find("tolerance");
  return tolerance != nullptr && tolerance->string() != nullptr && *tolerance->string() == "auto";
}

void read_solver(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("solver");
  if (value == nullptr) return;
  const TableReader reader(context, *value, "solver");
  const std::string type =
      reader.has("type") ? reader.choice("type", solver_names(), {}) : std::string(solver_names().front());
  context.scene.solver = make_solver_options(type);
  std::visit([&](auto& options) { read_solver_keys(reader, options); }, context.scene.solver);
  StopOptions& options = stop_options(context.scene.solver);
  if (!has_automatic_tolerance(reader)) {
    options.tolerance = reader.number_or("tolerance", kPositive, "", options.tolerance);
  }
  options.max_iterations = reader.integer_or("max_iterations", 1, options.max_iterations);
}

/// Of a scene that names none, by what was measured (docs/schemes.md).
std::string_view default_scheme(const TableReader& scene) {
  if (scene.has("contact_default") || scene.has("laws")) return CcpOptions::kTraits.name;
  return scene.has("joints") ? GeneralizedAlphaOptions::kTraits.name : MoreauOptions::kTraits.name;
}

void read_scheme(ReadContext& context, const TableReader& scene) {
  const std::string_view otherwise = default_scheme(scene);
  const TomlValue nothing{TomlValue::Table{}, {}};
  const TomlValue* value = scene.find("scheme");
  if (value == nullptr) context.notes_places = false;
  const TableReader reader(context, value == nullptr ? nothing : *value, "scheme");
  context.notes_places = true;
  std::vector<std::string_view> types;
  types.reserve(kSchemes.size());
  for (const SchemeReader& each : kSchemes) types.push_back(each.type);
  const std::string type = reader.has("type") ? reader.choice("type", types, {}) : std::string(otherwise);
  for (const SchemeReader& each : kSchemes) {
    if (each.type == type) context.scene.scheme = each.read(reader);
  }
}

void read_output(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("output");
  if (value == nullptr) return;
  const TableReader reader(context, *value, "output");
  reader.allow({"every", "precision", "fields"});
  context.scene.output.every = reader.optional_number("every", kPositive, "s");
  const SceneTime& time = context.scene.time;
  if (time.automatic && context.scene.output.every &&
      !((time.end - time.start) / *context.scene.output.every <= kMaxSteps)) {
    reader.fail("every", fmt::format("an interval [s] that gives at most {:g} rows from start to end", kMaxSteps));
  }
  if (reader.has("fields")) context.scene.output.fields = reader.names("fields", kOutputFields);
  if (reader.has("precision")) {
    constexpr std::array<std::string_view, 2> kPrecisions = {"double", "single"};
    context.scene.output.single_precision = reader.choice("precision", kPrecisions, {}) == "single";
  }
}

void read_limits(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("limits");
  if (value == nullptr) return;
  constexpr Range kShare = {.least = 0.0, .infinite = true, .text = "a number >= 0, or inf for no limit"};
  const TableReader reader(context, *value, "limits");
  reader.allow({"penetration", "drift", "energy", "contact_energy", "on_passing"});
  LimitOptions& limits = context.scene.limits;
  limits.penetration = reader.number_or("penetration", kShare, "", limits.penetration);
  limits.drift = reader.number_or("drift", kShare, "", limits.drift);
  limits.energy = reader.number_or("energy", kShare, "", limits.energy);
  limits.contact_energy = reader.number_or("contact_energy", kShare, "", limits.contact_energy);
  if (reader.has("on_passing")) {
    constexpr std::array<std::string_view, 2> kActions = {"warn", "stop"};
    limits.stop = reader.choice("on_passing", kActions, {}) == "stop";
  }
}

void read_domain(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("domain");
  if (value == nullptr) return;
  const TableReader reader(context, *value, "domain");
  reader.allow({"box", "outside"});
  SceneDomain domain;
  domain.box = reader.box("box");
  constexpr std::array<std::string_view, 3> kOutside = {"remove", "error", "keep"};
  reader.require("outside", join_choices(kOutside));
  const std::string outside = reader.choice("outside", kOutside, {});
  domain.outside = outside == "remove" ? Outside::remove : outside == "error" ? Outside::error : Outside::keep;
  context.scene.domain = domain;
}

}  // namespace

void read_settings(ReadContext& context, const TableReader& scene) {
  read_time(context, scene);
  read_scheme(context, scene);
  if (context.scene.time.automatic && !scheme_traits(context.scene.scheme).automatic_steps) {
    const TableReader time(context, scene.require("time", ""), "time");
    time.fail("step", fmt::format("a number > 0 [s]: the scheme {} has no automatic steps, generalized-alpha has",
                                  scheme_traits(context.scene.scheme).name));
  }
  if (const auto* relaxation = std::get_if<RelaxationOptions>(&context.scene.scheme)) {
    const TableReader time(context, scene.require("time", ""), "time");
    const double longest = relaxation->longest_step();
    if (context.scene.time.step > longest) {
      time.fail("step", fmt::format("at most {:.3g} [s] with scheme.delta = {:g}, scheme.zeta = {:g} and this "
                                    "scheme.integrator, which is not stable with longer ones",
                                    longest, relaxation->delta, relaxation->zeta));
    }
  }
  read_solver(context, scene);
  read_output(context, scene);
  read_limits(context, scene);
  read_domain(context, scene);
}

void set_default_tolerance(ReadContext& context, const TableReader& scene) {
  const TomlValue* solver = scene.find("solver");
  const bool is_given = solver != nullptr && TableReader(context, *solver, "solver").has("tolerance") &&
                        !has_automatic_tolerance(TableReader(context, *solver, "solver"));
  if (!is_given) context.scene.eases_tolerance = may_ease_tolerance(context.scene);
}

}  // namespace stickslip
