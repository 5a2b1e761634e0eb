// SPDX-License-Identifier: BSD-3-Clause
#include "bind_sweep.h"

#include <pybind11/stl.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert.h"
#include "interrupts.h"
#include "shared.h"
#include "stickslip/base/input_error.h"
#include "stickslip/sweep/run_sweep.h"

namespace stickslip::python {
namespace {

using Integers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using SweepPtr = std::shared_ptr<ParameterSweep>;

/// A table and its sweep, which it refers to.
struct PyTable {
  PyTable(SweepPtr made, const std::optional<std::filesystem::path>& path, bool force)
      : sweep(std::move(made)), table(*sweep, path, force) {}
  SweepPtr sweep;
  SweepTable table;
};

SweepPtr load_sweep(const py::object& path) {
  const std::string file = path_of(path);
  const py::gil_scoped_release without;
  return std::make_shared<ParameterSweep>(load_plan(file), make_load_options());
}

/// Of a dictionary; text and file: of a scene that is a dictionary, too.
SweepPtr make_sweep(const py::dict& tables, const std::optional<std::string>& text, const std::string& file) {
  return without_places(false, [&] {
    Document document;
    document.texts.emplace_back();
    document.root = to_toml_value(tables, "");
    SweepPlan plan = read_plan(std::move(document));
    std::optional<SceneText> scene;
    if (text) scene = {*text, file};
    const py::gil_scoped_release without;
    return std::make_shared<ParameterSweep>(std::move(plan), make_load_options(), scene);
  });
}

/// Its plan, and the name, text and files of its scene.
py::tuple parts_of(const ParameterSweep& sweep) {
  py::dict files;
  for (const auto& [name, bytes] : sweep.scene().files) files[py::str(name)] = py::bytes(bytes);
  return py::make_tuple(sweep.plan().text, sweep.scene().name, sweep.scene().text, files);
}

SweepPtr sweep_of(const std::string& plan, const std::string& name, const std::string& scene,
                  const std::map<std::string, std::string>& files) {
  const py::gil_scoped_release without;
  return std::make_shared<ParameterSweep>(plan, PortableScene{name, scene, files});
}

/// (m, columns) of these rows.
Array values_of(const ParameterSweep& sweep, const Integers& rows) {
  const auto n = static_cast<py::ssize_t>(sweep.plan().columns.size());
  Array values({rows.size(), n});
  for (py::ssize_t i = 0; i < rows.size(); ++i) {
    if (rows.data()[i] < 0 || rows.data()[i] >= sweep.plan().rows()) throw py::value_error("rows of the table");
    const std::vector<double> row = sweep.plan().values(rows.data()[i]);
    std::copy(row.begin(), row.end(), values.mutable_data() + i * n);
  }
  return values;
}

/// Runs rows with these values (m, columns): status (m), steps (m), quantities (m, width), messages.
py::tuple run_rows(const ParameterSweep& sweep, const Array& values) {
  const std::size_t n = sweep.plan().columns.size();
  if (values.ndim() != 2 || static_cast<std::size_t>(values.shape(1)) != n) {
    throw py::value_error("values: an array of shape (m, columns)");
  }
  std::vector<SweepRow> rows(static_cast<std::size_t>(values.shape(0)));
  std::atomic<bool> stop = false;
  {
    const InterruptFlag flag(stop);
    const WithoutLock without;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = sweep.run({values.data() + i * n, n}, &stop);
  }
  const auto m = static_cast<py::ssize_t>(rows.size());
  const auto width = static_cast<py::ssize_t>(sweep.plan().width());
  Integers status(m), steps(m);
  Array quantities({m, width});
  py::list messages;
  for (py::ssize_t i = 0; i < m; ++i) {
    const SweepRow& row = rows[static_cast<std::size_t>(i)];
    status.mutable_data()[i] = row.status;
    steps.mutable_data()[i] = row.steps;
    std::copy(row.quantities.begin(), row.quantities.end(), quantities.mutable_data() + i * width);
    messages.append(row.message);
  }
  return py::make_tuple(status, steps, quantities, messages);
}

/// Writes what run_rows() returned of these rows.
void record_rows(PyTable& self, const Integers& rows, const Integers& status, const Integers& steps,
                 const Array& quantities, const std::vector<std::string>& messages) {
  const auto width = static_cast<py::ssize_t>(self.sweep->plan().width());
  const py::ssize_t n = rows.size();
  if (status.size() != n || steps.size() != n || quantities.size() != n * width ||
      static_cast<py::ssize_t>(messages.size()) != n) {
    throw py::value_error("what run_rows() returned of these rows");
  }
  for (py::ssize_t i = 0; i < n; ++i) {
    if (rows.data()[i] < 0 || rows.data()[i] >= self.table.rows() || status.data()[i] < 0) {
      throw py::value_error("rows of the table, with their status");
    }
    const double* first = quantities.data() + i * width;
    self.table.record(
        rows.data()[i],
        {status.data()[i], steps.data()[i], messages[static_cast<std::size_t>(i)], {first, first + width}});
  }
}

/// Runs what the table lacks on threads. Ctrl-C raises KeyboardInterrupt, the rows that are done stay.
void run_here(PyTable& self, int jobs) {
  std::atomic<bool> stop = false;
  bool is_whole = false;
  {
    const InterruptFlag flag(stop);
    const WithoutLock without;
    is_whole = run_sweep(*self.sweep, self.table, {.jobs = jobs, .stop = &stop});
  }
  if (is_whole) return;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  throw std::runtime_error("interrupted");
}

Array shaped(const std::vector<double>& numbers, std::int64_t rows, std::int64_t width, bool is_list) {
  Array array = is_list ? Array({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(width)})
                        : Array(static_cast<py::ssize_t>(rows));
  std::copy(numbers.begin(), numbers.end(), array.mutable_data());
  return array;
}

py::dict read_table(const PyTable& self) {
  using namespace py::literals;
  const SweepPlan& plan = self.sweep->plan();
  const std::int64_t n = self.table.rows();
  const auto integers = [](const std::vector<std::int64_t>& numbers) {
    return py::array_t<std::int64_t>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
  };
  py::dict parameters, quantities;
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    parameters[py::str(plan.columns[c].name)] = shaped(self.table.parameter(c), n, 1, false);
  }
  for (std::size_t k = 0; k < plan.quantities.size(); ++k) {
    const SweepQuantity& quantity = plan.quantities[k];
    quantities[py::str(quantity.name)] = shaped(self.table.quantity(k), n, quantity.width(), quantity.is_list);
  }
  return py::dict("parameters"_a = parameters, "quantities"_a = quantities, "status"_a = integers(self.table.status()),
                  "message"_a = self.table.messages(), "steps"_a = integers(self.table.steps()));
}

std::unique_ptr<PyTable> open_table(SweepPtr sweep, const py::object& output, bool force) {
  std::optional<std::filesystem::path> path;
  if (!output.is_none()) path = path_of(output);
  return std::make_unique<PyTable>(std::move(sweep), path, force);
}

}  // namespace

void bind_sweep(py::module_& module) {
  py::class_<ParameterSweep, std::shared_ptr<ParameterSweep>> sweep(module, "Sweep",
                                                                    "A plan with its scene: stickslip.sweep().");
  sweep.def("parts", parts_of, "What another machine makes it of: sweep_of(*parts).")
      .def("values", values_of)
      .def("run_rows", run_rows);
  seal(sweep);
  py::class_<PyTable> table(module, "SweepTable", "The table of a sweep under way.");
  table.def("pending", [](const PyTable& self) { return self.table.pending(); })
      .def("record", record_rows)
      .def("run", run_here)
      .def("read", read_table);
  seal(table);
  module.def("load_sweep", load_sweep);
  module.def("make_sweep", make_sweep);
  module.def("sweep_of", sweep_of);
  module.def("open_sweep_table", open_table);
}

}  // namespace stickslip::python
