// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>

#include "convert.h"
#include "interrupts.h"
#include "shared.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/step_sink.h"
#include "stickslip/report/report.h"
#include "stickslip/report/vtk_export.h"
#include "stickslip/sim/analyze.h"
#include "stickslip/sim/rollout.h"
#include "stickslip/sim/run.h"
#include "stickslip/sim/run_expression.h"
#include "stickslip/sim/step_problems.h"

namespace stickslip::python {
namespace {

namespace fs = std::filesystem;

/// Under the interpreter's lock, in a thread that gave it back.
class WithLock {
 public:
  WithLock() : state_(PyGILState_Ensure()) {}
  ~WithLock() { PyGILState_Release(state_); }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;

 private:
  PyGILState_STATE state_;
};

/// The simulation that a controller of `run` sees: it can be read and given inputs during the controller's call.
class Watched {
 public:
  Watched(py::object control, const Scene& scene, std::atomic<bool>& stop)
      : control_(std::move(control)), scene_(scene), stop_(stop) {}

  void call(const System& system, const State& state, Inputs& inputs) {
    const WithLock lock;
    if (!shared_) {
      shared_ = std::make_shared<Shared>(scene_, system);
      shared_->list_names();
      simulation_ = make_simulation(shared_);
    }
    shared_->busy = false;
    shared_->simulation.show(state);
    try {
      control_(simulation_);
      inputs = shared_->simulation.state().inputs;
    } catch (py::error_already_set& error) {
      raised_.emplace(std::move(error));
      stop_.store(true);  // the result is closed as where somebody interrupts the run
    }
    shared_->busy = true;
  }
  void take(const StepReport& report, std::int64_t step) {
    if (shared_) shared_->simulation.show(report, step);
  }
  /// Under the interpreter's lock.
  void end() {
    if (!shared_) return;
    shared_->simulation.end();
    shared_->busy = false;
  }
  void rethrow() {
    if (raised_) throw py::error_already_set(std::move(*raised_));
  }

 private:
  py::object control_;
  const Scene& scene_;
  std::atomic<bool>& stop_;
  SharedPtr shared_;
  py::object simulation_;
  std::optional<py::error_already_set> raised_;
};

/// Hands the controller's view what each step reports.
class ReportSink final : public StepSink {
 public:
  explicit ReportSink(Watched& watched) : watched_(watched) {}
  void begin(const State& state, const StepReport& report) override { watched_.take(report, state.step); }
  void begin(const Trajectory&, const Checkpoint&, const StopToken&) override {}
  void publish() override {}
  void record(const State& state, const StepReport& report, bool /*is_row*/) override {
    watched_.take(report, state.step);
  }
  void flush() override {}
  void checkpoint(const Checkpoint&, std::span<const LimitEntry>) override {}
  void finish(const RunEnd&) override {}

 private:
  Watched& watched_;
};

std::optional<fs::path> optional_path(const py::object& path) {
  if (path.is_none()) return std::nullopt;
  return path_of(path);
}

/// Refuses to write over what is no result, as the command does.
void check_outputs(const RunOptions& options, const py::object& scene, bool force) {
  std::error_code error;
  if (is_path(scene)) {
    for (const fs::path& file : {options.output, options.csv.value_or("")}) {
      if (fs::equivalent(file, path_of(scene), error)) throw InputError({file.string()}, "", "", "is the scene itself");
    }
  }
  if (options.csv && options.csv->lexically_normal() == options.output.lexically_normal()) {
    throw InputError({options.csv->string()}, "", "", "cannot be both the result and the CSV");
  }
  if (force) return;
  const bool goes_on = options.resume && fs::equivalent(options.output, *options.resume, error);
  if (!goes_on) check_replaceable(options.output, MayReplace::results);
  if (options.csv) check_replaceable(*options.csv, MayReplace::nothing);
  StepProblems::check_replaceable(options.output);
}

py::dict to_dict(const LimitEntry& entry) {
  using namespace py::literals;
  return py::dict("what"_a = limit_name(entry.what), "name"_a = entry.name, "first_time"_a = entry.first_time,
                  "first_step"_a = entry.first_step, "count"_a = entry.count, "worst"_a = entry.worst,
                  "limit"_a = entry.limit);
}

py::dict run_scene(const py::object& scene, const py::object& output, const py::object& control,
                   const py::object& resume, bool force, const py::object& scheme, const py::object& solver,
                   const py::object& step, const py::object& end, const py::object& set, const py::object& csv,
                   const py::object& vtk, const py::object& checkpoint_every, const py::object& problems_every,
                   std::int64_t problems_failed) {
  PythonScene read = read_python_scene(scene, scheme, solver, step, end, set);
  if (read.endless) throw InputError({}, "time.end", "inf", "a finite time: a result has an end");
  std::atomic<bool> stop = false;
  RunOptions options;
  options.output = path_of(output);
  options.csv = optional_path(csv);
  const std::optional<fs::path> frames = optional_path(vtk);
  options.resume = optional_path(resume);
  if (!checkpoint_every.is_none()) {
    options.checkpoint_every = py::cast<double>(checkpoint_every);
    if (!(*options.checkpoint_every > 0.0)) throw py::value_error("checkpoint_every: above 0 s");
  }
  if (!problems_every.is_none()) {
    options.problems_every = py::cast<std::int64_t>(problems_every);
    if (*options.problems_every < 1) throw py::value_error("problems_every: at least 1");
  }
  if (problems_failed < 0) throw py::value_error("problems_failed: at least 0");
  options.problems_failed = problems_failed;
  check_outputs(options, scene, force);
  if (frames) check_vtk_folder(*frames, force);
  options.stop = &stop;
  Watched watched(control, read.scene, stop);
  if (!control.is_none()) {
    options.control = [&watched](const System& system, const State& state, Inputs& inputs) {
      watched.call(system, state, inputs);
    };
    options.make_sink = [&watched](const System&, const State&, const ResultHeader&) {
      return std::make_unique<ReportSink>(watched);
    };
  }
  RunResult result;
  without_places(is_path(scene), [&] {
    const InterruptFlag flag(stop);
    try {
      const WithoutLock without;
      result = run(read.scene, options);
      if (frames && result.outcome != Outcome::interrupted) export_vtk(options.output, *frames, &stop);
    } catch (const Interrupted&) {  // the result is whole, frames are not
      result.outcome = Outcome::interrupted;
    } catch (...) {
      watched.end();
      throw;
    }
  });
  watched.end();
  watched.rethrow();
  if (result.outcome == Outcome::interrupted && PyErr_CheckSignals() != 0) throw py::error_already_set();
  using namespace py::literals;
  py::list limits, problems;
  for (const LimitEntry& entry : result.summary.limits) limits.append(to_dict(entry));
  for (const fs::path& problem : result.problems) problems.append(problem.string());
  return py::dict("outcome"_a = outcome_name(result.outcome), "status"_a = exit_status(result.outcome),
                  "time"_a = result.time, "message"_a = result.message, "limits"_a = limits, "problems"_a = problems);
}

// --- rollouts

bool is_list(const py::object& object) {
  return py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object);
}

/// N of what is given for each run; 1 fits all.
void count(int& n_runs, std::size_t given, const char* what) {
  const int n = static_cast<int>(given);
  if (n == 1 || n == n_runs) return;
  if (n_runs != 1 || n == 0) {
    throw py::value_error(std::string(what) + ": " + std::to_string(n) + " for " + std::to_string(n_runs) + " runs");
  }
  n_runs = n;
}

void add_simulation(const py::object& object, RolloutOptions& options) {
  if (py::isinstance<PySimulation>(object)) {
    const Simulation& simulation = py::cast<PySimulation&>(object).get()->read();
    options.scenes.push_back(std::make_shared<const Scene>(simulation.scene()));
    options.endless.push_back(simulation.is_endless());
    options.states.emplace_back(simulation.save());
    return;
  }
  const py::none none;
  PythonScene read = read_python_scene(object, none, none, none, none, none);
  options.scenes.push_back(std::make_shared<const Scene>(std::move(read.scene)));
  options.endless.push_back(false);
  options.states.emplace_back();
}

void take_joints(const std::vector<std::string>& joints, RolloutOptions& options) {
  options.joints = joints;
  for (const auto& scene : options.scenes) {
    std::vector<std::string> known;
    for (const SceneJoint& joint : scene->joints) known.push_back(joint.name);
    for (const std::string& name : joints) {
      if (std::ranges::find(known, name) == known.end()) throw_unknown_name("joint", name, known);
    }
  }
}

void take_controls(const py::object& controls, RolloutOptions& options) {
  if (controls.is_none()) {
    if (!options.joints.empty()) throw py::value_error("joints: whose efforts are `controls`");
    return;
  }
  const auto array = Array::ensure(controls);
  if (!array) throw py::value_error("an array of numbers was expected");
  const auto m = static_cast<py::ssize_t>(options.joints.size());
  if (array.ndim() != 3 || array.shape(2) != m || m == 0) {
    throw py::value_error("controls: an array of shape (N, T, m), m the number of `joints`");
  }
  count(options.n_runs, static_cast<std::size_t>(array.shape(0)), "controls");
  options.shares_controls = array.shape(0) == 1;
  options.n_controls = array.shape(1);
  options.controls.assign(array.data(), array.data() + array.size());
}

/// Rows (T, n) of one run, NaN where there is none.
void copy_rows(const std::vector<double>& rows, std::size_t n_steps, std::size_t n, double* out) {
  const std::size_t size = std::min(rows.size(), n_steps * n);
  std::copy_n(rows.data(), size, out);
  std::fill(out + size, out + n_steps * n, std::numeric_limits<double>::quiet_NaN());
}

py::object gather(const std::vector<RolloutRun>& runs, std::size_t n_steps, int RolloutRun::*n,
                  std::vector<double> RolloutRun::*rows) {
  const bool is_same = std::ranges::all_of(runs, [&](const RolloutRun& run) { return run.*n == runs.front().*n; });
  const auto T = static_cast<py::ssize_t>(n_steps);
  if (is_same) {
    const py::ssize_t size = runs.front().*n;
    Array all({static_cast<py::ssize_t>(runs.size()), T, size});
    double* out = all.mutable_data();
    for (const RolloutRun& run : runs) {
      copy_rows(run.*rows, n_steps, static_cast<std::size_t>(size), out);
      out += T * size;
    }
    return all;
  }
  py::list all;
  for (const RolloutRun& run : runs) {
    Array one({T, static_cast<py::ssize_t>(run.*n)});
    copy_rows(run.*rows, n_steps, static_cast<std::size_t>(run.*n), one.mutable_data());
    all.append(one);
  }
  return all;
}

py::dict rollout(const py::object& simulations, const py::object& n_steps, const py::object& controls,
                 const std::vector<std::string>& joints, const py::object& states, int n_threads) {
  RolloutOptions options;
  options.n_runs = 1;
  if (is_list(simulations)) {
    for (const py::handle one : simulations) add_simulation(py::reinterpret_borrow<py::object>(one), options);
  } else {
    add_simulation(simulations, options);
  }
  count(options.n_runs, options.scenes.size(), "simulations");
  if (!states.is_none()) {
    options.states.clear();
    if (is_list(states)) {
      for (const py::handle one : states) options.states.emplace_back(py::cast<SavedState>(one));
    } else {
      options.states.emplace_back(py::cast<SavedState>(states));
    }
    count(options.n_runs, options.states.size(), "states");
  }
  take_joints(joints, options);
  take_controls(controls, options);
  if (!n_steps.is_none()) {
    options.n_steps = py::cast<std::int64_t>(n_steps);
    if (*options.n_steps < 0) throw py::value_error("n_steps: at least 0");
  } else if (!controls.is_none()) {
    options.n_steps = options.n_controls;
  } else if (std::ranges::find(options.endless, true) != options.endless.end()) {
    throw py::value_error("n_steps: needed, as a simulation has no end");
  }
  if (n_threads < 0) throw py::value_error("n_threads: at least 0");
  options.n_threads = n_threads;

  std::vector<RolloutRun> runs;
  std::atomic<bool> stop = false;
  try {
    const InterruptFlag flag(stop);
    const WithoutLock without;
    runs = roll_out(options, stop);
  } catch (const Interrupted&) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    throw std::runtime_error("interrupted");
  }
  std::size_t most = 0;
  for (const RolloutRun& run : runs) most = std::max(most, run.status.size());
  const std::size_t T = options.n_steps ? static_cast<std::size_t>(*options.n_steps) : most;
  const auto N = static_cast<py::ssize_t>(runs.size());
  Array time({N, static_cast<py::ssize_t>(T)});
  py::array_t<std::int64_t> status({N, static_cast<py::ssize_t>(T)});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RolloutRun& run = runs[i];
    copy_rows(run.time, T, 1, time.mutable_data() + i * T);
    std::int64_t* out = std::copy(run.status.begin(), run.status.end(), status.mutable_data() + i * T);
    const bool has_failed = !run.status.empty() && run.status.back() == static_cast<int>(Status::failed);
    std::fill(out, status.mutable_data() + (i + 1) * T, has_failed ? 2 : -1);
  }
  using namespace py::literals;
  return py::dict("time"_a = time, "status"_a = status, "q"_a = gather(runs, T, &RolloutRun::n_q, &RolloutRun::q),
                  "u"_a = gather(runs, T, &RolloutRun::n_u, &RolloutRun::u));
}

// --- expressions

/// An expression of the state of one simulation.
struct Observer : ZeroedMemory {
  Observer(SharedPtr simulation, RunExpression read) : shared(std::move(simulation)), expression(std::move(read)) {}
  SharedPtr shared;
  RunExpression expression;
  double value() const {
    if (!shared) throw py::type_error("StateExpression.__init__() was not called");
    Simulation& simulation = shared->read();
    if (!expression.reads_sensors()) return expression.value(simulation.state(), simulation.last_row(), {});
    const Vector& sensors = simulation.calc_sensors();
    return expression.value(simulation.state(), simulation.last_row(),
                            {sensors.data(), static_cast<std::size_t>(sensors.size())});
  }
};

Observer make_observer(const PySimulation& simulation, std::string text) {
  Simulation& s = simulation.get()->read();
  return {simulation.get(), RunExpression(std::move(text), s.system(), s.scene().parameters, s.sensors())};
}

// --- analyses and pages

std::string analyze_scene(const py::object& scene, const std::string& level, const py::object& time,
                          const py::object& result, double delta, double zeta, const py::object& set) {
  AnalysisOptions options;
  if (level == "step") {
    options.level = AnalysisLevel::step;
  } else if (level == "acceleration") {
    options.level = AnalysisLevel::acceleration;
  } else if (level == "relaxation") {
    options.level = AnalysisLevel::relaxation;
  } else {
    throw InputError({}, "level", level, "one of step, acceleration, relaxation");
  }
  options.delta = delta;
  options.damping = zeta;
  if (!time.is_none()) options.time = py::cast<double>(time);
  options.result = optional_path(result);
  std::atomic<bool> stop = false;
  options.stop = &stop;
  Scene read;
  if (py::isinstance<PySimulation>(scene)) {
    if (options.time || options.result || !set.is_none()) {
      throw py::value_error("time, result and set are of scenes: a simulation has its own state");
    }
    const Simulation& simulation = py::cast<PySimulation&>(scene).get()->read();
    read = simulation.scene();
    options.state = simulation.state();
  } else {
    const py::none none;
    read = read_python_scene(scene, none, none, none, none, set).scene;
  }
  const bool is_file = is_path(scene);
  try {
    return without_places(is_file, [&] {
      const InterruptFlag flag(stop);
      const WithoutLock without;
      return to_json(analyze(read, options));
    });
  } catch (const Interrupted&) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    throw std::runtime_error("interrupted");
  }
}

}  // namespace

void bind_runs(py::module_& module) {
  const py::object simulation_class = module.attr("Simulation");
  module.def("run", run_scene, py::arg("scene"), py::arg("output"), py::arg("control"), py::arg("resume"),
             py::arg("force"), py::arg("scheme"), py::arg("solver"), py::arg("step"), py::arg("end"), py::arg("set"),
             py::arg("csv"), py::arg("vtk"), py::arg("checkpoint_every"), py::arg("problems_every"),
             py::arg("problems_failed"));
  module.def("rollout", rollout, py::arg("simulations"), py::arg("n_steps"), py::arg("controls"), py::arg("joints"),
             py::arg("states"), py::arg("n_threads"));
  module.def("analyze", analyze_scene, py::arg("scene"), py::arg("level"), py::arg("time"), py::arg("result"),
             py::arg("delta"), py::arg("zeta"), py::arg("set"));
  py::class_<Observer>(module, "StateExpression", "An expression of the state of a simulation.", py::is_final())
      .def(py::init(&make_observer), py::arg("simulation"), py::arg("text"))
      .def("value", &Observer::value, "Its value where the simulation is.");
  py::setattr(simulation_class, "evaluate",
              py::cpp_function(
                  [](const PySimulation& s, std::string text) { return make_observer(s, std::move(text)).value(); },
                  py::name("evaluate"), py::is_method(simulation_class), py::arg("expression"),
                  "The value of an expression of state, t, parameters and columns of /steps."));
  module.def("make_page", [](const py::object& result) { return make_report({fs::path(path_of(result))}); });
}

}  // namespace stickslip::python
