// SPDX-License-Identifier: BSD-3-Clause
// What is called at each step: types of Python's own interface, as pybind11's take longer to call than a small step.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <structmember.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <optional>

#include "convert.h"
#include "interrupts.h"
#include "shared.h"

namespace stickslip::python {
namespace {

using Clock = std::chrono::steady_clock;

/// A step that takes longer listens to Ctrl-C from the next on. [wall-clock]
constexpr Clock::duration kSlow = std::chrono::milliseconds(1);
/// Single steps between two that are timed: the clock takes a fair part of a small step. [-]
constexpr std::int64_t kTimeEvery = 64;

/// stickslip.Step: a step, copied. Its contacts while the simulation is still where it ended.
struct StepObject {
  PyObject head;
  StepRow row;
  std::string message;
  SharedPtr shared;
  std::uint64_t generation;
  PyObject* contacts;  // null: not asked for yet
};

/// stickslip.Run: the lazy iterator of Simulation.run().
enum class RaiseOn { never, failed, inexact };
struct RunObject {
  PyObject head;
  SharedPtr shared;
  double until;  // [s]
  RaiseOn raise_on;
  bool is_over;
};

PyTypeObject* step_type = nullptr;
PyTypeObject* run_type = nullptr;
std::array<PyObject*, 3> statuses = {};  // members of stickslip.Status

/// What C++ throws as what Python does, null returned.
template <class F>
PyObject* guarded(F&& f) {
  try {
    return f();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "a number was expected");
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyObject* make_step(const SharedPtr& shared) {
  auto* step = PyObject_New(StepObject, step_type);
  if (step == nullptr) throw py::error_already_set();
  const Simulation& simulation = shared->simulation;
  new (&step->row) StepRow(simulation.last_row());
  new (&step->message) std::string(simulation.last_message());
  new (&step->shared) SharedPtr(shared);
  step->generation = simulation.generation();
  step->contacts = nullptr;
  return &step->head;
}

void drop_step(PyObject* self) {
  auto* step = reinterpret_cast<StepObject*>(self);
  step->message.~basic_string();
  step->shared.~SharedPtr();
  Py_XDECREF(step->contacts);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* status_of(PyObject* self, void*) {
  PyObject* status = statuses[static_cast<std::size_t>(reinterpret_cast<StepObject*>(self)->row.status)];
  Py_INCREF(status);
  return status;
}

PyObject* message_of(PyObject* self, void*) {
  const std::string& message = reinterpret_cast<StepObject*>(self)->message;
  return PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace");
}

PyObject* contacts_of(PyObject* self, void*) {
  auto* step = reinterpret_cast<StepObject*>(self);
  return guarded([&] {
    if (step->contacts == nullptr) {
      if (step->shared->read().generation() != step->generation) {
        throw std::runtime_error("the simulation has moved on since this step: ask for its contacts before");
      }
      step->contacts = make_contacts(step->shared).release().ptr();
    }
    Py_INCREF(step->contacts);
    return step->contacts;
  });
}

PyObject* describe_step(PyObject* self) {
  constexpr std::array<const char*, 3> kNames = {"ok", "inexact", "failed"};
  const StepRow& row = reinterpret_cast<StepObject*>(self)->row;
  return PyUnicode_FromString(
      fmt::format("<stickslip.Step to t = {:.9g} s: {}>", row.t, kNames[static_cast<std::size_t>(row.status)]).c_str());
}

/// Makes a step in a simulation that has more, and returns whether it may go on. Throws Interrupted.
bool make_one(Simulation& simulation) {
  return simulation.step() != Status::failed && !simulation.done();
}

/// Makes steps until `go_on` says no, the end or a failed one. Throws what Ctrl-C makes of itself, after a whole step.
template <class GoOn>
void advance(Shared& shared, GoOn&& go_on) {
  Simulation& simulation = shared.simulation;
  const Moving moving(shared);
  if (simulation.done()) throw std::runtime_error("the simulation is at its end");
  bool goes = true;
  while (goes) {
    bool interrupted = false;
    {
      const InterruptFlag flag(simulation.interrupt());
      const WithoutLock without;
      const Clock::time_point before = Clock::now();
      std::int64_t n = 0;
      try {
        while (goes && !interrupted) {
          goes = make_one(simulation) && go_on();
          ++n;
          interrupted = simulation.interrupt().load(std::memory_order_relaxed);
        }
      } catch (const Interrupted&) {
        interrupted = true;
      }
      shared.slow = Clock::now() - before > kSlow * std::max<std::int64_t>(n, 1);
    }
    if (interrupted && PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

/// One step. Between calls the interpreter itself looks after Ctrl-C.
void advance_once(Shared& shared) {
  if (shared.slow || shared.simulation.generation() % kTimeEvery == 0) return advance(shared, [] { return false; });
  Simulation& simulation = shared.simulation;
  const Moving moving(shared);
  if (simulation.done()) throw std::runtime_error("the simulation is at its end");
  const WithoutLock without;
  simulation.step();  // nobody raises its flag meanwhile
}

const SharedPtr& simulation_of(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  void* value = instance->get_value_and_holder().value_ptr();
  if (value == nullptr) throw py::type_error("Simulation.__init__() was not called");
  return static_cast<PySimulation*>(value)->get();
}

/// The value of the only argument, by position or by its name; null: not given.
PyObject* only_argument(PyObject* const* values, Py_ssize_t n, PyObject* names, const char* name) {
  const Py_ssize_t n_names = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  if (n + n_names == 0) return nullptr;
  const bool is_known = n_names == 0 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), name) == 0;
  if (n + n_names > 1 || !is_known) throw py::type_error(fmt::format("takes one argument, {}", name));
  return values[0];
}

PyObject* step(PyObject* self, PyObject* const* values, Py_ssize_t n_values, PyObject* names) {
  return guarded([&] {
    std::int64_t n = 1;
    if (PyObject* given = only_argument(values, n_values, names, "n")) n = py::cast<std::int64_t>(py::handle(given));
    if (n < 1) throw py::value_error("n: at least 1 step");
    const SharedPtr& shared = simulation_of(self);
    if (n == 1) {
      advance_once(*shared);
    } else {
      advance(*shared, [&n] { return --n > 0; });
    }
    return make_step(shared);
  });
}

/// Whether the instant `until` is reached.
bool is_reached(const Simulation& simulation, double until) {
  constexpr double kSameTime = 1e-6;  // [-] of a step
  const double last = simulation.last_row().step;
  const double length = last > 0.0 ? last : simulation.scene().time.step;
  return simulation.state().t >= until - kSameTime * length;
}

double to_time(const py::handle& until) {
  const auto time = py::cast<double>(until);
  if (std::isnan(time)) throw py::value_error("until: a time [s]");
  return time;
}

PyObject* advance_until(PyObject* self, PyObject* const* values, Py_ssize_t n_values, PyObject* names) {
  return guarded([&] {
    PyObject* given = only_argument(values, n_values, names, "until");
    if (given == nullptr) throw py::type_error("advance() lacks until");
    const double until = to_time(given);
    const SharedPtr& shared = simulation_of(self);
    const Simulation& simulation = shared->read();
    if (simulation.done() || !is_reached(simulation, until)) {
      advance(*shared, [&] { return !is_reached(simulation, until); });
    }
    return make_step(shared);
  });
}

RaiseOn to_raise_on(const py::object& raise_on) {
  if (raise_on.is_none()) return RaiseOn::never;
  const auto word = py::cast<std::string>(raise_on);
  if (word == "failed") return RaiseOn::failed;
  if (word == "inexact") return RaiseOn::inexact;
  throw py::value_error("raise_on: 'failed', 'inexact' or None");
}

py::object make_run(const PySimulation& self, const py::object& until, const py::object& raise_on) {
  const double time = until.is_none() ? std::numeric_limits<double>::infinity() : to_time(until);
  const RaiseOn raises = to_raise_on(raise_on);
  self.get()->read();
  auto* run = PyObject_New(RunObject, run_type);
  if (run == nullptr) throw py::error_already_set();
  new (&run->shared) SharedPtr(self.get());
  run->until = time;
  run->raise_on = raises;
  run->is_over = false;
  return py::reinterpret_steal<py::object>(&run->head);
}

void drop_run(PyObject* self) {
  reinterpret_cast<RunObject*>(self)->shared.~SharedPtr();
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

[[noreturn]] void throw_step_error(const py::object& step) {
  const auto* made = reinterpret_cast<StepObject*>(step.ptr());
  const std::string what =
      fmt::format("the step to t = {:.9g} s {}{}{}", made->row.t, made->row.status == 2 ? "failed" : "is inexact",
                  made->message.empty() ? "" : ": ", made->message);
  const py::object type = py::module_::import("stickslip._errors").attr("StepError");
  const py::object error = type(what);
  error.attr("step") = step;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

PyObject* next_step(PyObject* self) {
  auto* run = reinterpret_cast<RunObject*>(self);
  return guarded([&]() -> PyObject* {
    const Simulation& simulation = run->shared->read();
    if (run->is_over || simulation.done() || is_reached(simulation, run->until)) return nullptr;  // the end
    advance_once(*run->shared);
    PyObject* made = make_step(run->shared);
    const std::int64_t status = simulation.last_row().status;
    if (status == 0) return made;
    run->is_over = status == static_cast<int>(Status::failed);
    const bool raises = run->is_over ? run->raise_on != RaiseOn::never : run->raise_on == RaiseOn::inexact;
    if (raises) throw_step_error(py::reinterpret_steal<py::object>(made));
    return made;
  });
}

/// The columns of /steps as members, which Python reads without a call.
std::vector<PyMemberDef>& step_members() {
  static std::vector<std::string> texts;
  static std::vector<PyMemberDef> members;
  if (!members.empty()) return members;
  texts.reserve(2 * step_columns().size());
  const StepRow row;
  const auto* begin = reinterpret_cast<const char*>(&row);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  constexpr std::size_t kRow = offsetof(StepObject, row);
#pragma GCC diagnostic pop
  for (const StepColumn& column : step_columns()) {
    const std::string_view name = column.name;
    if (name == "status") continue;
    const auto offset = static_cast<Py_ssize_t>(
        kRow +
        std::visit([&](auto member) { return reinterpret_cast<const char*>(&(row.*member)) - begin; }, column.member));
    const int type = std::holds_alternative<double StepRow::*>(column.member) ? T_DOUBLE : T_INT;
    const std::string& text =
        texts.emplace_back(fmt::format("[{}] {}", column.unit[0] == '1' ? "-" : column.unit, column.meaning));
    members.push_back({name == "contacts" ? "closed_contacts" : column.name, type, offset, READONLY, text.c_str()});
  }
  members.push_back({nullptr, 0, 0, 0, nullptr});
  return members;
}

PyTypeObject* make_type(PyType_Spec& spec) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  return reinterpret_cast<PyTypeObject*>(type);
}

void make_types() {
  static std::array<PyGetSetDef, 4> step_properties = {
      {{"status", status_of, nullptr, "stickslip.Status: ok 0, inexact 1, failed 2", nullptr},
       {"message", message_of, nullptr, "what went wrong, where something did", nullptr},
       {"contacts", contacts_of, nullptr, "stickslip.Contacts; to be asked for before the simulation moves on",
        nullptr},
       {nullptr, nullptr, nullptr, nullptr, nullptr}}};
  static std::array<PyType_Slot, 6> step_slots = {
      {{Py_tp_dealloc, reinterpret_cast<void*>(drop_step)},
       {Py_tp_repr, reinterpret_cast<void*>(describe_step)},
       {Py_tp_doc, const_cast<char*>("One step, copied: the columns of /steps, and its message.")},
       {Py_tp_members, step_members().data()},
       {Py_tp_getset, step_properties.data()},
       {0, nullptr}}};
  static std::array<PyType_Slot, 5> run_slots = {{{Py_tp_dealloc, reinterpret_cast<void*>(drop_run)},
                                                  {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                                  {Py_tp_iternext, reinterpret_cast<void*>(next_step)},
                                                  {Py_tp_doc, const_cast<char*>("The steps of a run, one by one.")},
                                                  {0, nullptr}}};
  constexpr unsigned kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  static PyType_Spec step_spec = {"stickslip.Step", sizeof(StepObject), 0, kFlags, step_slots.data()};
  static PyType_Spec run_spec = {"stickslip.Run", sizeof(RunObject), 0, kFlags, run_slots.data()};
  step_type = make_type(step_spec);
  run_type = make_type(run_spec);
}

void add_method(const py::object& owner, PyMethodDef& method) {
  PyObject* made = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(owner.ptr()), &method);
  if (made == nullptr) throw py::error_already_set();
  py::setattr(owner, method.ml_name, py::reinterpret_steal<py::object>(made));
}

}  // namespace

void bind_steps(py::module_& module, const py::object& simulation_class) {
  const py::object status = py::module_::import("stickslip._errors").attr("Status");
  for (std::size_t k = 0; k < statuses.size(); ++k) statuses[k] = status(k).release().ptr();
  make_types();
  module.add_object("Step", reinterpret_cast<PyObject*>(step_type));
  module.add_object("Run", reinterpret_cast<PyObject*>(run_type));
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static PyMethodDef step_method = {"step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(step)), kCall,
                                    "step($self, /, n=1)\n--\n\nMakes n steps, fewer at the end or after a failed one, "
                                    "and returns the last. RuntimeError at "
                                    "the end."};
  static PyMethodDef advance_method = {
      "advance", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(advance_until)), kCall,
      "advance($self, /, until)\n--\n\nMoves to `until` [s] as run() does, without a loop, and returns the last step."};
  add_method(simulation_class, step_method);
  add_method(simulation_class, advance_method);
  py::setattr(simulation_class, "run",
              py::cpp_function(
                  make_run, py::name("run"), py::is_method(simulation_class), py::arg("until") = py::none(),
                  py::arg("raise_on") = py::none(),
                  "Iterates over steps, each made when it is asked for, to the first that ends at `until` [s], the "
                  "end or a failed one. raise_on: 'failed' or 'inexact' (which raises for failed ones, too): "
                  "StepError."));
}

}  // namespace stickslip::python
