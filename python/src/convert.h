// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/scene/document.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/scene.h"

namespace stickslip::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Python's numbers, texts, lists and dictionaries, numpy's too, as a TOML value, and back. Throws InputError, `path`
/// its key, on what TOML does not have.
TomlValue to_toml_value(const py::handle& object, const std::string& path, int depth = 0);
py::object from_toml_value(const TomlValue& value);

/// A scene and what it is read from: a path, a dictionary or a stickslip.Scene.
struct PythonScene {
  Scene scene;
  bool endless = false;
};
/// Reads a scene with the options of the command: names of scheme and solver, step, end, and `set`, a dictionary of
/// key paths. Throws InputError.
PythonScene read_python_scene(const py::object& scene, const py::object& scheme, const py::object& solver,
                              const py::object& step, const py::object& end, const py::object& set);
/// Whether errors of the scene have places in a file.
bool is_path(const py::handle& scene);
std::string path_of(const py::handle& path);

/// How scenes are read from files, and models in URDF and MJCF without options.
LoadOptions make_load_options(std::vector<std::string> overrides = {});

/// The tables of a scene as written, of a file or of a text; of a model's file also its warnings, and the bytes of
/// files that only the scene has, by name.
py::tuple load_tables(const py::object& path, const py::object& set, bool strict, const py::object& package,
                      const py::object& base, const py::object& key, bool balance_inertia);
py::object parse_tables(const std::string& text, const std::string& file, const py::object& set);

/// A vector (n) of numbers of Python's; throws ValueError, which names it, where the shape is another. n < 0: any.
Vector to_vector(const py::handle& object, int n, const char* name);
/// A vector (3), of which z may be left out in a planar scene; with `is_torque` a number there.
Vector3 to_vector3(const py::handle& object, bool planar, const char* name, bool is_torque = false);

Array to_array(const double* numbers, py::ssize_t n);
inline Array to_array(const Vector& v) {
  return to_array(v.data(), v.size());
}
inline Array to_array(const Vector3& v) {
  return to_array(v.data(), 3);
}
inline Array to_array(const Vector4& v) {
  return to_array(v.data(), 4);
}
Array to_array(const Matrix& m);

/// Throws KeyError with the nearest of the known names.
[[noreturn]] void throw_unknown_name(const std::string& what, const std::string& name,
                                     const std::vector<std::string>& known);

/// Runs what may throw InputError about a dictionary: its places are those of no file.
template <class F>
auto without_places(bool is_file, F&& f) {
  if (is_file) return f();
  try {
    return f();
  } catch (const InputError& error) {
    const bool is_override = error.place().file.starts_with("--set");
    throw InputError(is_override || error.place().line > 0 ? error.place() : SourcePlace{}, error.key(), error.value(),
                     error.allowed());
  }
}

}  // namespace stickslip::python
