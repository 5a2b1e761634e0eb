// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/sim/simulation.h"

namespace stickslip::python {

namespace py = pybind11;

/// A simulation with what its views share. All but stepping is done under the interpreter's lock, which guards `busy`.
struct Shared {
  template <class... Arguments>
  explicit Shared(Arguments&&... arguments) : simulation(std::forward<Arguments>(arguments)...) {}

  Simulation simulation;
  bool busy = false;  // some thread moves it
  bool slow = true;   // the last step took so long that Ctrl-C should not wait for its end
  std::vector<std::string> body_names, joint_names, site_names, sensor_names;
  std::vector<std::string> contact_names;  // of the points of named pairs

  /// To be read: nobody moves it, and there is something to read. Throws RuntimeError.
  Simulation& read() {
    if (busy) throw std::runtime_error("another thread moves this simulation");
    if (!simulation.has_system()) throw std::runtime_error("the run that this simulation was of is over");
    return simulation;
  }
  /// Takes the names of the system.
  void list_names();
};
using SharedPtr = std::shared_ptr<Shared>;

/// Somebody moves a simulation. Made and destroyed under the interpreter's lock. Throws RuntimeError.
class Moving {
 public:
  explicit Moving(Shared& shared) : shared_(shared) {
    if (shared.read().is_view()) throw std::runtime_error("a run moves this simulation: only its inputs can be set");
    shared.busy = true;
  }
  ~Moving() { shared_.busy = false; }
  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;

 private:
  Shared& shared_;
};

/// Without the interpreter's lock.
class WithoutLock {
 public:
  WithoutLock() : thread_(PyEval_SaveThread()) {}
  ~WithoutLock() { PyEval_RestoreThread(thread_); }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* thread_;
};

/// Memory of zeros: pybind11 makes an object whose __init__ Python leaves out, without a constructor.
struct ZeroedMemory {
  static void* operator new(std::size_t size) {
    void* memory = ::operator new(size);
    std::memset(memory, 0, size);
    return memory;
  }
  static void* operator new(std::size_t, void* memory) noexcept { return memory; }
  static void operator delete(void* memory) noexcept { ::operator delete(memory); }
};

/// Python makes no objects of a class by itself, nor subclasses.
inline void seal(const py::object& type) {
  reinterpret_cast<PyTypeObject*>(type.ptr())->tp_new = nullptr;
}

/// stickslip.Simulation: a simulation, and the views that were asked for.
struct PySimulation : ZeroedMemory {
  explicit PySimulation(SharedPtr simulation) : shared(std::move(simulation)) {}
  /// Throws TypeError where __init__ was not called.
  const SharedPtr& get() const {
    if (!shared) throw py::type_error("Simulation.__init__() was not called");
    return shared;
  }

  SharedPtr shared;
  py::object q, u, a, bodies, joints, sites, sensors, contacts;
  std::uint64_t contacts_generation = 0;
};

/// A stickslip.Simulation of this.
py::object make_simulation(const SharedPtr& shared);
/// Its bodies and joints by name. (stickslip.Bodies, stickslip.Joints)
py::object make_bodies(const SharedPtr& shared);
py::object make_joints(const SharedPtr& shared);
py::object make_sites(const SharedPtr& shared);
py::object make_sensors(const SharedPtr& shared);
/// The contacts of the last step, all or those of a body. (stickslip.Contacts)
py::object make_contacts(const SharedPtr& shared, int body = -1);

void bind_simulation(py::module_& module);
/// What moves a simulation, and stickslip.Step.
void bind_steps(py::module_& module, const py::object& simulation_class);
void bind_views(py::module_& module);
void bind_contacts(py::module_& module);
void bind_runs(py::module_& module);
void bind_solvers(py::module_& module);

}  // namespace stickslip::python
