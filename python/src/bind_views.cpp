// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>

#include "convert.h"
#include "shared.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/model/site.h"
#include "stickslip/scene/make_site.h"

namespace stickslip::python {
namespace {

int index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct BodyView {
  SharedPtr shared;
  int index;
  static const std::vector<std::string>& names(const Shared& shared) { return shared.body_names; }
  static int find(Shared& shared, const std::string& name) { return shared.read().system().find_body(name); }
  Simulation& read() const { return shared->read(); }
  /// NaN where the body takes no part, as in results.
  Pose pose() const {
    const Simulation& s = read();
    if (!s.system().is_present(index)) return {Vector3::Constant(kUnknown), Matrix3::Constant(kUnknown)};
    return s.system().calc_pose(index, s.state().t, s.state().q);
  }
  Twist twist() const {
    const Simulation& s = read();
    if (!s.system().is_present(index)) return {Vector3::Constant(kUnknown), Vector3::Constant(kUnknown)};
    return s.system().calc_twist(index, s.state().t, s.state().q, s.state().u);
  }
};

struct JointView {
  SharedPtr shared;
  int index;
  static const std::vector<std::string>& names(const Shared& shared) { return shared.joint_names; }
  static int find(Shared& shared, const std::string& name) { return shared.read().system().find_joint(name); }
  Simulation& read() const { return shared->read(); }
  const JointReport& report() const { return read().report().joints[static_cast<std::size_t>(index)]; }
};

struct SiteView {
  SharedPtr shared;
  int index;
  static const std::vector<std::string>& names(const Shared& shared) { return shared.site_names; }
  static int find(Shared& shared, const std::string& name) { return index_of(shared.site_names, name); }
  Site site() const {
    const Simulation& s = shared->read();
    return make_site(s.scene().sites[static_cast<std::size_t>(index)], s.system());
  }
  BodyMotion motion() const {
    const Simulation& s = shared->read();
    return calc_site_motion(s.system(), site(), s.state().t, s.state().q, s.state().u);
  }
};

struct SensorView {
  SharedPtr shared;
  int index;
  static const std::vector<std::string>& names(const Shared& shared) { return shared.sensor_names; }
  static int find(Shared& shared, const std::string& name) { return index_of(shared.sensor_names, name); }
};

/// Bodies, joints, sites or sensors by name; their views are made once.
template <class View>
struct Views {
  SharedPtr shared;
  const char* what;
  py::dict known;  // name: view

  const std::vector<std::string>& names() const { return View::names(*shared); }
  py::object at(const py::handle& name) const {
    if (PyObject* view = PyDict_GetItemWithError(known.ptr(), name.ptr()))
      return py::reinterpret_borrow<py::object>(view);
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (py::isinstance<py::int_>(name)) {
      const auto n = static_cast<py::ssize_t>(names().size());
      const auto k = py::cast<py::ssize_t>(name);
      if (k < -n || k >= n) throw py::index_error(std::string(what) + " index out of range");
      return at(py::str(names()[static_cast<std::size_t>(k < 0 ? k + n : k)]));
    }
    const auto text = py::cast<std::string>(name);
    const int index = View::find(*shared, text);
    if (index < 0) throw_unknown_name(what, text, names());
    py::object view = py::cast(View{shared, index});
    known[name] = view;
    return view;
  }
  py::list list(bool with_names, bool with_views) const {
    py::list all;
    for (const std::string& name : names()) {
      const py::str key(name);
      if (with_names && with_views) {
        all.append(py::make_tuple(key, at(key)));
      } else {
        all.append(with_names ? py::object(key) : at(key));
      }
    }
    return all;
  }
};

template <class View>
void bind_container(py::module_& module, const char* name, const char* meaning) {
  using All = Views<View>;
  py::class_<All> all(module, name, meaning, py::is_final());
  seal(all);
  all.def("__len__", [](const All& self) { return self.names().size(); })
      .def("__getitem__", [](const All& self, const py::object& key) { return self.at(key); })
      .def("__contains__",
           [](const All& self, const std::string& key) {
             return std::ranges::find(self.names(), key) != self.names().end();
           })
      .def("__iter__", [](const All& self) { return py::iter(self.list(true, false)); })
      .def("keys", [](const All& self) { return self.list(true, false); })
      .def("values", [](const All& self) { return self.list(false, true); })
      .def("items", [](const All& self) { return self.list(true, true); })
      .def_property_readonly("names", &All::names, "names, in the order of the result's");
}

void apply_force(const BodyView& self, const py::object& force, const py::object& at, const py::object& torque,
                 const std::string& frame) {
  Simulation& s = self.read();
  const bool planar = s.system().planar();
  if (frame != "world" && frame != "body") throw py::value_error("frame: 'world' or 'body'");
  BodyInput input;
  input.body = self.index;
  input.force = to_vector3(force, planar, "force");
  input.torque = to_vector3(torque, planar, "torque", true);
  input.at = to_vector3(at, planar, "at");
  input.body_frame = frame == "body";
  s.inputs().set(s.system(), input);
}

void clear_inputs(const BodyView& self) {
  Inputs& inputs = self.read().inputs();
  std::vector<BodyInput> kept = inputs.bodies();
  std::erase_if(kept, [&self](const BodyInput& input) { return input.body == self.index; });
  inputs.assign(std::move(kept), inputs.joints(), inputs.named());
}

double effort(const JointView& self) {
  for (const JointInput& input : self.read().state().inputs.joints()) {
    if (input.joint == self.index) return input.effort;
  }
  return 0.0;
}

template <bool kRates>
Array coordinates(const JointView& self) {
  const Simulation& s = self.read();
  const int n = s.system().joints()[self.index].n_coordinates;
  Vector values(n);
  for (int c = 0; c < n; ++c) {
    if (kRates) {
      values(c) = s.system().calc_joint_coordinate(self.index, c, s.state().t, s.state().q, s.state().u).rate;
    } else {
      values(c) = s.system().calc_joint_coordinate(self.index, c, s.state().t, s.state().q);
    }
  }
  return to_array(values);
}

void bind_body(py::module_& module) {
  py::class_<BodyView> body_class(module, "Body", "A body of a simulation, at the instant where that is.",
                                  py::is_final());
  seal(body_class);
  body_class.def_property_readonly("name", [](const BodyView& self) { return self.shared->body_names[self.index]; })
      .def_readonly("index", &BodyView::index, "index in /bodies/name")
      .def_property_readonly(
          "mass",
          [](const BodyView& self) {
            const Body& body = self.read().system().bodies()[self.index];
            return body.n_u > 0 ? body.mass : std::numeric_limits<double>::quiet_NaN();
          },
          "[kg]; NaN where it cannot move, or moves as prescribed")
      .def_property_readonly(
          "position", [](const BodyView& self) { return to_array(self.pose().p_WB); },
          "(3) [m] of the centre of mass, world frame")
      .def_property_readonly(
          "orientation",
          [](const BodyView& self) {
            const Simulation& s = self.read();
            if (!s.system().is_present(self.index)) return to_array(Vector4(Vector4::Constant(kUnknown)));
            return to_array(calc_body_orientation(s.system().bodies()[self.index], self.pose(), s.state().q));
          },
          "(4) [-] quaternion w, x, y, z from body to world frame")
      .def_property_readonly(
          "velocity", [](const BodyView& self) { return to_array(self.twist().v_WB); },
          "(3) [m/s] of the centre of mass, world frame")
      .def_property_readonly(
          "angular_velocity",
          [](const BodyView& self) {
            const Simulation& s = self.read();
            const Body& body = s.system().bodies()[self.index];
            if (body.type == BodyType::rigid) return to_array(Vector3(s.shown_u().segment<3>(body.u_offset + 3)));
            return to_array(Vector3(self.pose().R_WB.transpose() * self.twist().w_WB));
          },
          "(3) [rad/s] body frame")
      .def_property_readonly(
          "contacts", [](const BodyView& self) { return make_contacts(self.shared, self.index); },
          "the contact points of the last step that are on it")
      .def_property_readonly(
          "contact_force", [](const BodyView& self) { return to_array(self.read().calc_contact_force(self.index)); },
          "(3) [N] sum of the forces of contacts on it, world frame")
      .def(
          "imu",
          [](const BodyView& self, const py::object& at) {
            const Simulation& s = self.read();
            const Simulation::Imu imu = s.calc_imu(self.index, to_vector3(at, s.system().planar(), "at"));
            return py::make_tuple(to_array(imu.acceleration), to_array(imu.angular_velocity));
          },
          py::arg("at") = py::make_tuple(0.0, 0.0, 0.0),
          "Proper acceleration (3) [m/s^2], which is less gravity, and angular velocity (3) [rad/s] of the point `at` "
          "(3) "
          "[m], all in the body frame; the mean of the last step where the scheme has no accelerations.")
      .def("apply_force", apply_force, py::arg("force"), py::arg("at") = py::make_tuple(0.0, 0.0, 0.0),
           py::arg("torque") = 0.0, py::arg("frame") = "world",
           "Puts a force (3) [N] on the point `at` (3) [m] (body frame, from the centre of mass) and a torque (3) [N "
           "m], in "
           "the plane (2) and a number, until it is changed. frame: 'world', or 'body' with which they turn. What was "
           "set "
           "at the same point in the same frame is replaced, else they add up.")
      .def("clear_inputs", clear_inputs, "Takes away what apply_force() put on this body.")
      .def("__repr__",
           [](const BodyView& self) { return "<stickslip.Body '" + self.shared->body_names[self.index] + "'>"; });
}

void bind_joint(py::module_& module) {
  py::class_<JointView> joint_class(module, "Joint", "A joint of a simulation, at the instant where that is.",
                                    py::is_final());
  seal(joint_class);
  joint_class.def_property_readonly("name", [](const JointView& self) { return self.shared->joint_names[self.index]; })
      .def_readonly("index", &JointView::index, "index in /joints/name")
      .def_property_readonly(
          "coordinate",
          [](const JointView& self) {
            const Simulation& s = self.read();
            return s.system().calc_joint_coordinate(self.index, s.state().t, s.state().q);
          },
          "[rad, m] of the second body relative to the first, the first one of several; NaN where there is none")
      .def_property_readonly(
          "rate",
          [](const JointView& self) {
            const Simulation& s = self.read();
            return s.system().calc_joint_coordinate(self.index, s.state().t, s.state().q, s.state().u).rate;
          },
          "[rad/s, m/s]")
      .def_property_readonly("coordinates", coordinates<false>, "(k) [rad, m] all that the joint leaves free")
      .def_property_readonly("rates", coordinates<true>, "(k) [rad/s, m/s]")
      .def_property(
          "effort", effort,
          [](const JointView& self, double value) {
            Simulation& s = self.read();
            s.inputs().set_effort(s.system(), self.index, value);
          },
          "[N, N m] input in the free direction, on the second body; the first gets the opposite. Until it is changed.")
      .def_property_readonly(
          "reaction_force", [](const JointView& self) { return to_array(self.report().reaction_force); },
          "(3) [N] all that the joint does to the second body, world frame")
      .def_property_readonly(
          "reaction_torque", [](const JointView& self) { return to_array(self.report().reaction_torque); },
          "(3) [N m] likewise, about the joint's point on the second body")
      .def_property_readonly(
          "drift",
          [](const JointView& self) {
            const JointReport& report = self.report();
            const double drift[] = {report.drift_position, report.drift_angle};
            return to_array(drift, 2);
          },
          "(2) [m], [rad] by how much the joint is violated")
      .def("__repr__",
           [](const JointView& self) { return "<stickslip.Joint '" + self.shared->joint_names[self.index] + "'>"; });
}

void bind_site(py::module_& module) {
  py::class_<SiteView> site_class(module, "Site", "A frame on a body of a simulation, at the instant where that is.",
                                  py::is_final());
  seal(site_class);
  site_class.def_property_readonly("name", [](const SiteView& self) { return self.shared->site_names[self.index]; })
      .def_property_readonly(
          "body", [](const SiteView& self) { return self.shared->body_names[self.site().body]; }, "the body's name")
      .def_property_readonly(
          "position", [](const SiteView& self) { return to_array(Vector3(self.motion().p)); },
          "(3) [m] of its origin, world frame")
      .def_property_readonly(
          "orientation",
          [](const SiteView& self) {
            const Simulation& s = self.shared->read();
            return to_array(calc_site_quaternion(s.system(), self.site(), s.state().t, s.state().q));
          },
          "(4) [-] quaternion w, x, y, z from site to world frame")
      .def_property_readonly(
          "velocity", [](const SiteView& self) { return to_array(Vector3(self.motion().v)); },
          "(3) [m/s] of its origin, world frame")
      .def_property_readonly(
          "angular_velocity", [](const SiteView& self) { return to_array(Vector3(self.motion().w)); },
          "(3) [rad/s] world frame")
      .def_property_readonly(
          "jacobian",
          [](const SiteView& self) {
            const Simulation& s = self.shared->read();
            return to_array(calc_site_jacobian(s.system(), self.site(), s.state().t, s.state().q));
          },
          "(6, n_u) velocity [m/s] of its origin and angular velocity [rad/s], world frame, are jacobian u")
      .def("__repr__",
           [](const SiteView& self) { return "<stickslip.Site '" + self.shared->site_names[self.index] + "'>"; });
}

void bind_sensor(py::module_& module) {
  py::class_<SensorView> sensor_class(module, "Sensor", "A sensor of a simulation, at the instant where that is.",
                                      py::is_final());
  seal(sensor_class);
  sensor_class
      .def_property_readonly("name", [](const SensorView& self) { return self.shared->sensor_names[self.index]; })
      .def_property_readonly(
          "type",
          [](const SensorView& self) {
            const SceneSensor& sensor = self.shared->read().scene().sensors[static_cast<std::size_t>(self.index)];
            return std::string(sensor_type_name(sensor.type));
          },
          "'pose', 'velocity', 'imu', 'joint', 'contact', 'range' or 'wrench'")
      .def_property_readonly(
          "value", [](const SensorView& self) { return to_array(self.shared->read().calc_sensor(self.index)); },
          "(k) what it reads, as in /sensors/value of a result; NaN where that needs a step and none was made")
      .def("__repr__",
           [](const SensorView& self) { return "<stickslip.Sensor '" + self.shared->sensor_names[self.index] + "'>"; });
}

}  // namespace

void Shared::list_names() {
  const System& system = simulation.system();
  for (const Body& body : system.shown_bodies()) body_names.push_back(body.name);
  for (const Joint& joint : system.shown_joints()) joint_names.push_back(joint.options.name);
  for (const SceneSite& site : simulation.scene().sites) site_names.push_back(site.name);
  for (const SceneSensor& sensor : simulation.scene().sensors) sensor_names.push_back(sensor.name);
  for (std::size_t k = 0; k < system.contact_points().size(); ++k) {
    contact_names.push_back(contact_name(system, static_cast<int>(k)));
  }
}

void bind_views(py::module_& module) {
  bind_body(module);
  bind_joint(module);
  bind_site(module);
  bind_sensor(module);
  bind_container<SiteView>(module, "Sites", "The sites of a simulation by name or index, in the order of the scene.");
  bind_container<SensorView>(module, "Sensors",
                             "The sensors of a simulation by name or index, in the order of /sensors/name.");
  bind_container<BodyView>(module, "Bodies",
                           "The bodies of a simulation by name or index, in the order of /bodies/name.");
  bind_container<JointView>(module, "Joints",
                            "The joints of a simulation by name or index, in the order of /joints/name.");
}

py::object make_bodies(const SharedPtr& shared) {
  return py::cast(Views<BodyView>{shared, "body", py::dict()});
}

py::object make_joints(const SharedPtr& shared) {
  return py::cast(Views<JointView>{shared, "joint", py::dict()});
}

py::object make_sites(const SharedPtr& shared) {
  return py::cast(Views<SiteView>{shared, "site", py::dict()});
}

py::object make_sensors(const SharedPtr& shared) {
  return py::cast(Views<SensorView>{shared, "sensor", py::dict()});
}

}  // namespace stickslip::python
