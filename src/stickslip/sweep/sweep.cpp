// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/io/new_file.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/toml_text.h"
#include "stickslip/sim/make_sensors.h"
#include "stickslip/sim/output_plan.h"
#include "stickslip/sim/step_sequence.h"
#include "stickslip/stepping/limit_monitor.h"
#include "stickslip/sweep/observer.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// A number as the value of a key: whole numbers as integers, which some keys want.
std::string assignment_of(const SweepColumn& column, double value) {
  constexpr double kMost = 0x1p53;  // [-] doubles beyond skip whole numbers
  const bool is_whole = value == std::floor(value) && std::abs(value) <= kMost;
  return column.key + "=" + (is_whole ? fmt::format("{}", static_cast<std::int64_t>(value)) : write_toml_number(value));
}

/// As errors name it.
std::string override_name(const std::string& assignment) {
  return "--set " + assignment;
}

/// What `stickslip run` says of a run that ended with this status.
std::string describe_inexact(std::int64_t inexact, std::int64_t steps, double first,
                             const std::vector<LimitEntry>& limits) {
  std::string text;
  if (inexact > 0) {
    text = fmt::format("{} of {} steps stayed above the tolerance, the first at t = {:.6g} s", inexact, steps, first);
  }
  if (!limits.empty()) text += (text.empty() ? "" : "; ") + describe(limits.front());
  return text;
}

std::vector<QuantityObserver> make_observers(const SweepPlan& plan, const System& system, const Scene& scene,
                                             const Sensors& sensors) {
  std::vector<QuantityObserver> observers;
  observers.reserve(plan.quantities.size());
  for (const SweepQuantity& quantity : plan.quantities) {
    observers.emplace_back(plan, quantity, system, scene.parameters, sensors);
  }
  return observers;
}

}  // namespace

ParameterSweep::ParameterSweep(SweepPlan plan, const LoadOptions& options, const std::optional<SceneText>& scene)
    : plan_(std::move(plan)) {
  LoadOptions as_written = options;
  as_written.overrides.clear();
  const fs::path path = scene ? fs::path(scene->file) : plan_.document.folder(plan_.scene_mark) / plan_.scene;
  std::error_code error;
  if (!scene && !fs::exists(path, error)) {
    throw InputError(plan_.document.place(plan_.scene_mark), "scene", quote_toml(plan_.scene),
                     fmt::format("cannot be opened: {}", std::generic_category().message(ENOENT)));
  }
  document_ = scene ? parse_document(scene->text, scene->file, as_written) : load_document(path, as_written);
  scene_text_ = write_document(document_);
  scene_.name = default_scene_name(path);
  check();
  scene_ = make_portable(document_, scene_.name);
}

ParameterSweep::ParameterSweep(const std::string& plan, const PortableScene& scene)
    : plan_(parse_plan(plan, "plan")), scene_(scene) {
  LoadOptions options;
  options.max_bytes = std::numeric_limits<std::size_t>::max();
  if (!scene_.files.empty()) folder_ = make_temporary_folder("stickslip-sweep");
  for (const auto& [name, bytes] : scene_.files) write_text(folder_ / name, bytes);
  document_ = parse_document(scene_.text, (folder_ / "scene.toml").string(), options);
}

ParameterSweep::~ParameterSweep() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

/// Reads and builds the scene with what is set in all rows, then tries each key.
void ParameterSweep::check() {
  std::vector<std::string> assignments;
  for (const SweepPlan::Setting& setting : plan_.set) assignments.push_back(setting.assignment);
  try {
    apply_overrides(document_, assignments);
    const Scene scene = read_scene(document_, scene_.name);
    const BuiltScene built = build(scene);
    make_observers(plan_, *built.system, scene, Sensors(*built.system, make_sensors(scene, *built.system)));
  } catch (const InputError& error) {
    for (const SweepPlan::Setting& setting : plan_.set) {
      if (error.place().file != override_name(setting.assignment)) continue;
      throw InputError(plan_.document.place(setting.mark), "set." + quote_toml_key(setting.key), error.value(),
                       error.allowed());
    }
    throw;
  }
  const std::vector<double> first = plan_.values(0);
  for (std::size_t c = 0; c < first.size(); ++c) check_column(plan_.columns[c], first[c]);
}

/// Throws InputError where the scene has no such key. A value that the key does not take is for its row to say.
void ParameterSweep::check_column(const SweepColumn& column, double value) const {
  const std::string path = "parameters." + column.name + (column.has_key ? ".key" : "");
  const auto refuse = [&](const std::string& allowed) {
    throw InputError(plan_.document.place(column.mark), path, column.has_key ? quote_toml(column.key) : "", allowed);
  };
  constexpr std::string_view kParameters = "parameters.";
  const bool is_parameter =
      column.key.starts_with(kParameters) && column.key.find('.', kParameters.size()) == std::string::npos;
  if (is_parameter) {
    const std::string_view name = std::string_view(column.key).substr(kParameters.size());
    std::vector<std::string_view> known;
    const TomlValue* parameters = find_value(*document_.root.table(), "parameters");
    if (parameters != nullptr && parameters->table() != nullptr) {
      for (const TomlEntry& entry : *parameters->table()) known.push_back(entry.key);
    }
    if (std::ranges::find(known, name) == known.end()) {
      const std::string nearest = nearest_name(name, known);
      refuse(fmt::format("the scene has no parameter '{}'{}", name,
                         nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    }
  }
  const std::string assignment = assignment_of(column, value);
  try {
    Document document = document_;
    apply_overrides(document, {assignment});
    read_scene(document, scene_.name);
  } catch (const InputError& error) {
    // What says nothing of the value says it of the key.
    if (error.place().file == override_name(assignment) && error.value().empty()) refuse(error.allowed());
  }
}

std::vector<std::string> ParameterSweep::assignments_of(std::span<const double> values) const {
  std::vector<std::string> assignments;
  for (std::size_t c = 0; c < values.size(); ++c) assignments.push_back(assignment_of(plan_.columns[c], values[c]));
  return assignments;
}

SweepRow ParameterSweep::run(std::span<const double> values, const StopToken& stop) const {
  constexpr int kInternalError = 1, kBadInput = 2;  // exit statuses of the program
  SweepRow row;
  row.quantities.assign(static_cast<std::size_t>(plan_.width()), std::numeric_limits<double>::quiet_NaN());
  try {
    simulate(values, stop, row);
  } catch (const InputError& error) {
    row.status = kBadInput;
    row.message = InputError({}, error.key(), error.value(), error.allowed()).what();  // wherever the scene lies
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // of this machine, not of the row
  } catch (const std::exception& error) {
    row.status = kInternalError;
    row.message = error.what();
  }
  return row;
}

/// The steps that `stickslip run` makes, judged as there.
void ParameterSweep::simulate(std::span<const double> values, const StopToken& stop, SweepRow& out) const {
  constexpr int kDone = 0, kStepFailed = 3, kInexact = 4;
  Document document = document_;
  apply_overrides(document, assignments_of(values));
  Scene scene = read_scene(document, scene_.name);
  BuiltScene built = build(scene, {}, stop);
  if (scene.time.automatic) scene.output = plan_output(scene, built).output;  // whose instants steps of any length meet
  StepSequence steps(scene, *built.stepper);
  Sensors sensors(*built.system, make_sensors(scene, *built.system));
  std::vector<QuantityObserver> observers = make_observers(plan_, *built.system, scene, sensors);
  std::vector<double> readings;
  if (std::ranges::any_of(observers, &QuantityObserver::reads_sensors)) {
    readings.resize(static_cast<std::size_t>(sensors.offsets().back()));
  }
  State state = built.initial;
  StepReport report;
  built.stepper->initialize(state, report);
  steps.begin(state);
  LimitMonitor limits(*built.system, scene.limits, state, report);
  StepRow row = make_step_row(report);
  if (!readings.empty()) sensors.read(state, report, true, readings);
  for (QuantityObserver& observer : observers) observer.take(state, row, readings);
  std::int64_t inexact = 0;
  double first_inexact = 0.0;
  bool has_failed = false;
  while (out.status < 0 && !steps.at_end(state)) {
    stop.check();
    if (!readings.empty()) sensors.begin_step(state);
    const Status status = steps.step(state, report);
    if (status == Status::failed) {
      has_failed = true;
      out.status = kStepFailed;
      out.message = fmt::format("the step from t = {:.9g} s failed: {}", state.t, report.message);
      break;
    }
    row = make_step_row(report);
    ++out.steps;
    if (status == Status::inexact && inexact++ == 0) first_inexact = row.t;
    if (!readings.empty()) sensors.read(state, report, false, readings);
    for (QuantityObserver& observer : observers) observer.take(state, row, readings);
    if (limits.examine(state, report) && scene.limits.stop) {
      out.status = kStepFailed;
      out.message = describe_first(limits.first_passed());
    }
  }
  if (out.status < 0) {
    const std::vector<LimitEntry> passed = limits.entries_of_ended();
    out.status = inexact > 0 || !passed.empty() ? kInexact : kDone;
    out.message = describe_inexact(inexact, out.steps, first_inexact, passed);
  }
  std::span<double> left(out.quantities);
  for (std::size_t k = 0; k < observers.size(); ++k) {
    const auto width = static_cast<std::size_t>(plan_.quantities[k].width());
    observers[k].finish(state, row, readings, has_failed, left.first(width));
    left = left.subspan(width);
  }
}

}  // namespace stickslip
