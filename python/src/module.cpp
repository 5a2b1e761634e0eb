// SPDX-License-Identifier: BSD-3-Clause
// The module stickslip._stickslip: the library's classes and functions in Python.
#include <cerrno>
#include <cstring>

#include "bind_sweep.h"
#include "convert.h"
#include "interrupts.h"
#include "shared.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/write_error.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip::python {
namespace {

py::object errors() {
  return py::module_::import("stickslip._errors");
}

void set_input_error(const InputError& error) {
  const bool is_missing = error.allowed().find(std::strerror(ENOENT)) != std::string::npos;
  const py::object type = errors().attr(is_missing ? "MissingFile" : "InputError");
  const py::object made = type(error.what());
  const SourcePlace& place = error.place();
  const auto or_none = [](bool is_known, py::object value) { return is_known ? std::move(value) : py::none(); };
  made.attr("file") = or_none(!place.file.empty(), py::str(place.file));
  made.attr("line") = or_none(place.line > 0, py::int_(place.line));
  made.attr("column") = or_none(place.column > 0, py::int_(place.column));
  made.attr("key") = error.key();
  made.attr("value") = error.value();
  made.attr("allowed") = error.allowed();
  PyErr_SetObject(type.ptr(), made.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    set_input_error(error);
  } catch (const WriteError& error) {
    const py::object type = errors().attr("WriteError");
    PyErr_SetObject(type.ptr(), py::str(error.what()).ptr());
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

Scene read_alone(const py::object& scene) {
  const py::none none;
  return read_python_scene(scene, none, none, none, none, none).scene;
}

void bind_scenes(py::module_& module) {
  module.def("load_tables", load_tables, py::arg("path"), py::arg("set"), py::arg("strict"), py::arg("package"),
             py::arg("base"), py::arg("key"), py::arg("balance_inertia"));
  module.def("parse_tables", parse_tables, py::arg("text"), py::arg("file"), py::arg("set"));
  module.def("to_toml", [](const py::object& scene) { return to_toml(read_alone(scene)); });
  module.def("check", [](const py::object& scene) {
    const Scene read = read_alone(scene);
    return without_places(is_path(scene), [&] {
      py::list warnings;
      for (const std::string& warning : check_scene(read).warnings) warnings.append(warning);
      return warnings;
    });
  });
  module.def("write_value", [](const py::object& value, const std::string& path) {
    return write_toml_value(to_toml_value(value, path));
  });
  module.def("quote_key", [](const std::string& key) { return quote_toml_key(key); });
}

}  // namespace
}  // namespace stickslip::python

PYBIND11_MODULE(_stickslip, module) {
  using namespace stickslip::python;
  py::register_exception_translator(translate);
  remember_main_thread();
  bind_scenes(module);
  bind_solvers(module);
  bind_contacts(module);
  bind_views(module);
  bind_simulation(module);
  bind_runs(module);
  bind_sweep(module);
}
