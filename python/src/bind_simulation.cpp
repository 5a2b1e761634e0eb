// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "convert.h"
#include "shared.h"

namespace stickslip::python {
namespace {

/// A view of numbers of a simulation, which it keeps alive.
py::object make_view(const SharedPtr& shared, const Vector& numbers) {
  const py::capsule keeper(new SharedPtr(shared), [](void* p) { delete static_cast<SharedPtr*>(p); });
  Array view(numbers.size(), numbers.data(), keeper);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

py::object view_of(py::object PySimulation::*member, PySimulation& self, const Vector& numbers) {
  if (!(self.*member)) self.*member = make_view(self.get(), numbers);
  return self.*member;
}

std::optional<Vector> optional_vector(const py::object& object, int n, const char* name) {
  if (object.is_none()) return std::nullopt;
  return to_vector(object, n, name);
}

void reset(PySimulation& self, const py::object& q, const py::object& u) {
  Simulation& simulation = self.get()->read();
  const std::optional<Vector> given_q = optional_vector(q, simulation.system().n_body_q(), "q");
  const std::optional<Vector> given_u = optional_vector(u, simulation.system().n_u(), "u");
  const Moving moving(*self.get());
  simulation.reset(given_q ? &*given_q : nullptr, given_u ? &*given_u : nullptr);
}

py::bytes to_python_bytes(const SavedState& state) {
  const std::vector<std::byte> bytes = state.to_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SavedState from_python_bytes(const py::bytes& bytes) {
  const std::string_view text = bytes;
  return SavedState::from_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

void bind_state(py::module_& module) {
  py::class_<SavedState> state(
      module, "State", "A simulation at an instant, copied: restore() goes on from it to the bit.", py::is_final());
  state
      .def_property_readonly(
          "time", [](const SavedState& s) { return s.state.t; }, "[s]")
      .def_property_readonly(
          "q", [](const SavedState& s) { return to_array(s.state.q.data(), s.n_body_q); }, "(n_q) as a row of /q")
      .def_property_readonly(
          "u", [](const SavedState& s) { return to_array(s.state.u); }, "(n_u) as a row of /u")
      .def("copy", [](const SavedState& s) { return s; })
      .def("__copy__", [](const SavedState& s) { return s; })
      .def("__deepcopy__", [](const SavedState& s, const py::dict&) { return s; })
      .def("__bytes__", to_python_bytes)
      .def_static("from_bytes", from_python_bytes, py::arg("bytes"), "The state that bytes(state) was made of.")
      .def("__eq__", [](const SavedState& a, const SavedState& b) { return a.to_bytes() == b.to_bytes(); })
      .def("__eq__", [](const SavedState&, const py::object&) { return false; })
      .def("__repr__", [](const SavedState& s) { return fmt::format("<stickslip.State at t = {:.9g} s>", s.state.t); })
      .def("__reduce__", [](const py::object& self) {
        return py::make_tuple(py::module_::import("stickslip._runs").attr("state_from_bytes"),
                              py::make_tuple(self.attr("__bytes__")()));
      });
  seal(state);
}

/// The inputs of a simulation by name.
struct NamedInputs {
  SharedPtr shared;

  Simulation& read() const { return shared->read(); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const NamedInput& input : read().system().inputs()) all.push_back(input.name);
    return all;
  }
  int find(const std::string& name) const {
    const std::vector<NamedInput>& all = read().system().inputs();
    const auto found = std::ranges::find(all, name, &NamedInput::name);
    if (found == all.end()) throw_unknown_name("input", name, names());
    return static_cast<int>(found - all.begin());
  }
};

void bind_named_inputs(py::module_& module) {
  py::class_<NamedInputs> inputs(module, "Inputs", "What servos and forces of joints follow, by name.", py::is_final());
  inputs.def("__len__", [](const NamedInputs& self) { return self.names().size(); })
      .def("__iter__", [](const NamedInputs& self) { return py::iter(py::cast(self.names())); })
      .def("__contains__",
           [](const NamedInputs& self, const std::string& name) {
             const std::vector<std::string> all = self.names();
             return std::ranges::find(all, name) != all.end();
           })
      .def("keys", &NamedInputs::names)
      .def("__getitem__",
           [](const NamedInputs& self, const std::string& name) {
             const Simulation& s = self.read();
             return s.state().inputs.named(s.system(), self.find(name), s.state().t, s.state().q, s.state().u);
           })
      .def("__setitem__", [](const NamedInputs& self, const std::string& name, double value) {
        if (!std::isfinite(value)) throw py::value_error("an input is a finite number");
        Simulation& s = self.read();
        s.inputs().set_named(s.system(), self.find(name), value);
      });
  seal(inputs);
}

}  // namespace

py::object make_bodies_of(PySimulation& self) {
  if (!self.bodies) self.bodies = make_bodies(self.get());
  return self.bodies;
}

py::object make_simulation(const SharedPtr& shared) {
  return py::cast(PySimulation(shared));
}

void bind_simulation(py::module_& module) {
  bind_state(module);
  bind_named_inputs(module);
  py::class_<PySimulation> simulation(
      module, "Simulation",
      "A scene that is moved step by step, on the grid of steps that stickslip.run() has, and to the same bits.");
  simulation.def(py::init([](const py::object& scene, const py::object& scheme, const py::object& solver,
                             const py::object& step, const py::object& end, const py::object& set) {
                   PythonScene read = read_python_scene(scene, scheme, solver, step, end, set);
                   SharedPtr shared = without_places(
                       is_path(scene), [&] { return std::make_shared<Shared>(std::move(read.scene), read.endless); });
                   shared->list_names();
                   return PySimulation(std::move(shared));
                 }),
                 py::arg("scene"), py::kw_only(), py::arg("scheme") = py::none(), py::arg("solver") = py::none(),
                 py::arg("step") = py::none(), py::arg("end") = py::none(), py::arg("set") = py::none(),
                 "Builds a scene: a path, a dictionary or a stickslip.Scene. scheme, solver: names; step [s] or "
                 "'auto'; end [s], inf: "
                 "none; set: {'key.path': value}, as --set. Raises InputError.");
  simulation
      .def_property_readonly(
          "time", [](const PySimulation& s) { return s.get()->read().state().t; }, "[s]")
      .def_property_readonly(
          "steps", [](const PySimulation& s) { return s.get()->read().state().step; }, "[-] steps done since the start")
      .def_property_readonly(
          "end",
          [](const PySimulation& s) {
            const Simulation& x = s.get()->read();
            return x.is_endless() ? std::numeric_limits<double>::infinity() : x.scene().time.end;
          },
          "[s] inf: none")
      .def_property_readonly(
          "done", [](const PySimulation& s) { return s.get()->read().done(); }, "whether the end is reached")
      .def_property_readonly(
          "q", [](PySimulation& s) { return view_of(&PySimulation::q, s, s.get()->simulation.shown_q()); },
          "(n_q) coordinates, as a row of /q: a view that follows the simulation, read-only")
      .def_property_readonly(
          "u", [](PySimulation& s) { return view_of(&PySimulation::u, s, s.get()->simulation.shown_u()); },
          "(n_u) velocities, as a row of /u: a view that follows the simulation, read-only")
      .def_property_readonly(
          "a", [](PySimulation& s) { return view_of(&PySimulation::a, s, s.get()->simulation.shown_a()); },
          "(n_u) accelerations, as a row of /a, NaN where unknown: a view that follows the simulation, read-only")
      .def_property_readonly(
          "state", [](const PySimulation& s) { return s.get()->read().save(); }, "stickslip.State: a copy")
      .def(
          "restore",
          [](const PySimulation& s, const SavedState& state) {
            const Moving moving(*s.get());
            s.get()->simulation.restore(state);
          },
          py::arg("state"),
          "Goes on from a state of the same bodies, joints, contacts and scheme, with its inputs. Contact forces and "
          "reactions are NaN until the next step. InputError for other states.")
      .def("reset", reset, py::arg("q") = py::none(), py::arg("u") = py::none(),
           "Back to the start, or to these coordinates (n_q) and velocities (n_u) at its time. No inputs.")
      .def_property_readonly("bodies", make_bodies_of, "stickslip.Bodies")
      .def_property_readonly(
          "joints",
          [](PySimulation& s) {
            if (!s.joints) s.joints = make_joints(s.get());
            return s.joints;
          },
          "stickslip.Joints")
      .def_property_readonly(
          "sites",
          [](PySimulation& s) {
            if (!s.sites) s.sites = make_sites(s.get());
            return s.sites;
          },
          "stickslip.Sites")
      .def_property_readonly(
          "sensors",
          [](PySimulation& s) {
            if (!s.sensors) s.sensors = make_sensors(s.get());
            return s.sensors;
          },
          "stickslip.Sensors")
      .def_property_readonly(
          "contacts",
          [](PySimulation& s) {
            const std::uint64_t now = s.get()->read().generation();
            if (!s.contacts || s.contacts_generation != now) {
              s.contacts = make_contacts(s.get());
              s.contacts_generation = now;
            }
            return s.contacts;
          },
          "stickslip.Contacts of the last step")
      .def_property_readonly(
          "inputs", [](const PySimulation& s) { return NamedInputs{s.get()}; },
          "stickslip.Inputs: those of the scene by name. What is set holds until it is changed; it is clamped to the "
          "input's range")
      .def(
          "clear_inputs", [](const PySimulation& s) { s.get()->read().inputs().clear(); },
          "Takes away all forces and efforts that were put in; inputs by name have the values of the scene again.")
      .def(
          "mass_matrix", [](const PySimulation& s) { return to_array(s.get()->read().calc_mass_matrix()); },
          "(n_u, n_u) [kg, kg m^2]")
      .def(
          "jacobian",
          [](const PySimulation& s, const std::string& body, const py::object& at) {
            const Simulation& x = s.get()->read();
            const int index = x.system().find_body(body);
            if (index < 0) throw_unknown_name("body", body, s.get()->body_names);
            return to_array(x.calc_jacobian(index, to_vector3(at, x.system().planar(), "at")));
          },
          py::arg("body"), py::arg("at") = py::make_tuple(0.0, 0.0, 0.0),
          "(6, n_u) J: J u is the velocity (3) [m/s] of the point `at` (3) [m] (body frame, from the centre of mass) "
          "and the "
          "angular velocity (3) [rad/s] of a body, both in the world frame, beside what prescribed motions add.")
      .def(
          "inverse_dynamics",
          [](const PySimulation& s, const py::object& a) {
            const Simulation& x = s.get()->read();
            return to_array(x.calc_inverse_dynamics(to_vector(a, x.system().n_u(), "a")));
          },
          py::arg("a"),
          "(n_u) [N, N m] M a - h(t, q, u) for accelerations a (n_u); h has gravity, springs, loads and gyroscopic "
          "terms, "
          "not inputs, contacts and constraints.")
      .def_property_readonly(
          "scene",
          [](const PySimulation& s) {
            return py::module_::import("stickslip._scenes").attr("parse")(to_toml(s.get()->read().scene()));
          },
          "stickslip.Scene, as run")
      .def_property_readonly(
          "scheme", [](const PySimulation& s) { return scheme_traits(s.get()->simulation.scene().scheme).name; },
          "its name")
      .def_property_readonly(
          "solver", [](const PySimulation& s) { return solver_name(s.get()->simulation.scene().solver); }, "its name")
      .def("__repr__", [](const PySimulation& s) {
        const Simulation& x = s.get()->read();
        return fmt::format("<stickslip.Simulation '{}' ({}) at t = {:.9g} s>", x.scene().name,
                           scheme_traits(x.scene().scheme).name, x.state().t);
      });
  bind_steps(module, simulation);
}

}  // namespace stickslip::python
