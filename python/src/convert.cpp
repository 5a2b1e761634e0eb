// SPDX-License-Identifier: BSD-3-Clause
#include "convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <variant>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/robots/convert_model.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/read_scene.h"

namespace stickslip::python {
namespace {

/// Of a scene, of whatever origin. [bytes]
constexpr std::size_t kMaxSceneBytes = std::size_t{256} << 20;

std::string join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

/// "key.path=value" each.
std::vector<std::string> overrides_of(const py::object& set) {
  std::vector<std::string> overrides;
  if (set.is_none()) return overrides;
  if (!py::isinstance<py::dict>(set)) throw py::type_error("set: a dictionary of key paths and values");
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(set)) {
    if (!py::isinstance<py::str>(key)) throw py::type_error("set: key paths are texts");
    const auto path = py::cast<std::string>(key);
    overrides.push_back(path + "=" + write_toml_value(to_toml_value(value, path)));
  }
  return overrides;
}

ConvertedScene to_scene(ConvertedModel model) {
  return {std::move(model.scene), std::move(model.files), std::move(model.lines)};
}

/// Reads the document that a dictionary is; `file` says where files are that it names.
Document make_document(const py::dict& tables, const std::string& file) {
  Document document;
  document.texts.push_back(file);
  document.root = to_toml_value(tables, "");
  document.reads_files = true;
  return document;
}

py::object attribute_or(const py::object& object, const char* name, py::object otherwise) {
  return py::hasattr(object, name) ? object.attr(name) : std::move(otherwise);
}

RobotOptions make_robot_options(bool strict, const py::object& package, const py::object& base, const py::object& key,
                                bool balance_inertia) {
  RobotOptions options;
  options.strict = strict;
  options.balance_inertia = balance_inertia;
  if (is_path(package)) {
    options.packages.emplace_back(path_of(package));
  } else if (!package.is_none()) {
    for (const py::handle folder : package) options.packages.emplace_back(path_of(folder));
  }
  if (!base.is_none()) options.base = py::cast<std::string>(base);
  if (!key.is_none()) options.key = py::cast<std::string>(key);
  if (!options.base.empty() && options.base != "fixed" && options.base != "free") {
    throw InputError({}, "base", options.base, "fixed or free");
  }
  return options;
}

}  // namespace

LoadOptions make_load_options(std::vector<std::string> overrides) {
  LoadOptions options;
  options.overrides = std::move(overrides);
  options.max_bytes = kMaxSceneBytes;
  options.convert = [](const std::filesystem::path& file) {
    RobotOptions robot;
    robot.scene_folder = file.parent_path();
    return to_scene(convert_model(file, robot));
  };
  return options;
}

TomlValue to_toml_value(const py::handle& object, const std::string& path, int depth) {
  const auto refuse = [&path, &object](const char* allowed) {
    throw InputError({}, path, py::cast<std::string>(py::str(py::type::handle_of(object).attr("__name__"))), allowed);
  };
  constexpr const char* kKnown = "a number, a text, true or false, a list or a table of these";
  if (depth > kMaxTomlNesting)
    throw InputError({}, path, "", fmt::format("at most {} levels of tables and lists", kMaxTomlNesting));
  TomlValue value;
  PyObject* p = object.ptr();
  if (PyBool_Check(p)) {
    value.content = p == Py_True;
  } else if (PyFloat_Check(p)) {
    value.content = PyFloat_AS_DOUBLE(p);
  } else if (PyLong_Check(p)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow != 0) refuse("an integer of 64 bits");
    value.content = static_cast<std::int64_t>(number);
  } else if (PyUnicode_Check(p)) {
    value.content = py::cast<std::string>(object);
  } else if (PyDict_Check(p)) {
    TomlValue::Table table;
    for (const auto& [key, element] : py::reinterpret_borrow<py::dict>(object)) {
      if (!py::isinstance<py::str>(key)) refuse("texts for the keys of tables");
      const auto name = py::cast<std::string>(key);
      table.push_back({name, Mark{}, to_toml_value(element, join(path, name), depth + 1)});
    }
    value.content = std::move(table);
  } else if (PyList_Check(p) || PyTuple_Check(p)) {
    TomlValue::Array array;
    for (const py::handle element : object) array.push_back(to_toml_value(element, path, depth + 1));
    value.content = std::move(array);
  } else if (py::hasattr(object, "tolist")) {  // numpy's arrays and numbers
    return to_toml_value(object.attr("tolist")(), path, depth + 1);
  } else if (py::hasattr(object, "__fspath__")) {
    value.content = path_of(object);
  } else {
    refuse(kKnown);
  }
  return value;
}

py::object from_toml_value(const TomlValue& value) {
  struct Make {
    py::object operator()(bool x) const { return py::bool_(x); }
    py::object operator()(std::int64_t x) const { return py::int_(x); }
    py::object operator()(double x) const { return py::float_(x); }
    py::object operator()(const std::string& x) const { return py::str(x); }
    py::object operator()(const TomlValue::Date&) const { return py::none(); }  // which no key takes
    py::object operator()(const TomlValue::Array& x) const {
      py::list list;
      for (const TomlValue& element : x) list.append(from_toml_value(element));
      return list;
    }
    py::object operator()(const TomlValue::Table& x) const {
      py::dict dict;
      for (const TomlEntry& entry : x) dict[py::str(entry.key)] = from_toml_value(entry.value);
      return dict;
    }
  };
  return std::visit(Make{}, value.content);
}

bool is_path(const py::handle& scene) {
  return py::isinstance<py::str>(scene) || py::hasattr(scene, "__fspath__");
}

std::string path_of(const py::handle& path) {
  return py::cast<std::string>(py::module_::import("os").attr("fsdecode")(path));
}

PythonScene read_python_scene(const py::object& scene, const py::object& scheme, const py::object& solver,
                              const py::object& step, const py::object& end, const py::object& set) {
  std::vector<std::string> overrides = overrides_of(set);
  PythonScene result;
  const auto add = [&overrides](const char* key, const py::object& value) {
    if (!value.is_none()) overrides.push_back(std::string(key) + "=" + write_toml_value(to_toml_value(value, key)));
  };
  add("scheme.type", scheme);
  add("solver.type", solver);
  add("time.step", step);
  if (py::isinstance<py::float_>(end) && std::isinf(py::cast<double>(end)) && py::cast<double>(end) > 0.0) {
    result.endless = true;
  } else {
    add("time.end", end);
  }
  if (is_path(scene)) {
    const std::string path = path_of(scene);
    py::gil_scoped_release release;
    result.scene = load_scene(path, make_load_options(std::move(overrides)));
    return result;
  }
  if (!py::isinstance<py::dict>(scene)) throw py::type_error("a scene is a path, a dictionary or a stickslip.Scene");
  const auto file = py::cast<std::string>(attribute_or(scene, "_file", py::str("scene.toml")));
  const auto tables = py::reinterpret_borrow<py::dict>(
      attribute_or(scene, "_tables", py::none()).is_none() ? scene : py::object(scene.attr("_tables")()));
  without_places(false, [&] {
    Document document = make_document(tables, file);
    for (const auto& [name, bytes] : py::dict(attribute_or(scene, "_files", py::dict()))) {
      document.files.emplace(py::cast<std::string>(name), py::cast<std::string>(bytes));
    }
    if (find_value(*document.root.table(), "stickslip") == nullptr) {
      document.root.table()->insert(document.root.table()->begin(),
                                    {"stickslip", Mark{}, TomlValue{std::int64_t{1}, Mark{}}});
    }
    apply_overrides(document, overrides);
    result.scene = read_scene(document, default_scene_name(file));
  });
  return result;
}

py::tuple load_tables(const py::object& path, const py::object& set, bool strict, const py::object& package,
                      const py::object& base, const py::object& key, bool balance_inertia) {
  const std::string file = path_of(path);
  const RobotOptions robot = make_robot_options(strict, package, base, key, balance_inertia);
  if (robot != RobotOptions{} && std::filesystem::exists(file) && !is_model(file)) {
    throw InputError({file, 0, 0}, "", "", "a model in URDF or MJCF, of which options are given");
  }
  std::vector<std::string> warnings;
  LoadOptions load = make_load_options(overrides_of(set));
  load.convert = [&](const std::filesystem::path& of_model) {
    RobotOptions options = robot;
    options.scene_folder = of_model.parent_path();
    ConvertedModel model = convert_model(of_model, options);
    warnings = model.warnings;
    return to_scene(std::move(model));
  };
  const Document document = load_document(file, load);
  read_scene(document, default_scene_name(file));  // for its errors, while places are known
  py::list told;
  for (const std::string& warning : warnings) told.append(warning);
  py::dict files;
  for (const auto& [name, bytes] : document.files) files[py::str(name)] = py::bytes(bytes);
  return py::make_tuple(from_toml_value(document.root), told, files);
}

py::object parse_tables(const std::string& text, const std::string& file, const py::object& set) {
  const Document document = parse_document(text, file, make_load_options(overrides_of(set)));
  read_scene(document, default_scene_name(file));
  return from_toml_value(document.root);
}

Vector to_vector(const py::handle& object, int n, const char* name) {
  const auto array = Array::ensure(object);
  if (!array) throw py::value_error("an array of numbers was expected");
  if (array.ndim() != 1 || (n >= 0 && array.shape(0) != n)) {
    throw py::value_error(fmt::format("{}: an array of shape ({})", name, n >= 0 ? std::to_string(n) : "n"));
  }
  return ConstVectorView(array.data(), array.shape(0));
}

Vector3 to_vector3(const py::handle& object, bool planar, const char* name, bool is_torque) {
  const auto array = Array::ensure(object);
  if (!array) throw py::value_error("an array of numbers was expected");
  if (is_torque && array.ndim() == 0) {
    const double torque = *array.data();
    if (planar || torque == 0.0) return {0.0, 0.0, torque};
  }
  const bool fits = array.ndim() == 1 && (array.shape(0) == 3 || (planar && !is_torque && array.shape(0) == 2));
  if (!fits) {
    throw py::value_error(fmt::format("{}: an array of shape (3){}", name,
                                      !planar     ? ""
                                      : is_torque ? ", or in the plane a number"
                                                  : ", or in the plane (2)"));
  }
  Vector3 v = Vector3::Zero();
  std::copy_n(array.data(), array.shape(0), v.data());
  return v;
}

Array to_array(const double* numbers, py::ssize_t n) {
  Array array(n);
  if (n > 0) std::memcpy(array.mutable_data(), numbers, static_cast<std::size_t>(n) * sizeof(double));
  return array;
}

Array to_array(const Matrix& m) {
  Array array({m.rows(), m.cols()});
  RowMatrixView(array.mutable_data(), m.rows(), m.cols()) = m;
  return array;
}

void throw_unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, std::vector<std::string_view>(known.begin(), known.end()));
  const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  throw py::key_error(fmt::format("no {} '{}'{}", what, name, hint));
}

}  // namespace stickslip::python
