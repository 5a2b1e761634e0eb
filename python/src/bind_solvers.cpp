// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <optional>

#include "convert.h"
#include "interrupts.h"
#include "shared.h"
#include "stickslip/base/build_info.h"
#include "stickslip/cone/one_step_problem.h"
#include "stickslip/io/problem_file.h"
#include "stickslip/sim/solve_problem.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip::python {
namespace {

using Problem = OneStepProblem;

void check_finite(const double* numbers, py::ssize_t n, const char* name) {
  if (!ConstVectorView(numbers, n).allFinite()) throw py::value_error(std::string(name) + ": finite numbers");
}

/// W (n, n), an array or a matrix of scipy.sparse.
SparseMatrix to_sparse(const py::object& W, Eigen::Index n) {
  SparseMatrix result(n, n);
  const auto wrong = [n] { return py::value_error(fmt::format("W: an array of shape ({}, {})", n, n)); };
  if (py::hasattr(W, "tocsr")) {
    const py::object rows = W.attr("tocsr")();
    const auto shape = py::cast<std::pair<Eigen::Index, Eigen::Index>>(rows.attr("shape"));
    if (shape.first != n || shape.second != n) throw wrong();
    const auto data = py::cast<Array>(rows.attr("data"));
    const auto columns =
        py::cast<py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>>(rows.attr("indices"));
    const auto first =
        py::cast<py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>>(rows.attr("indptr"));
    check_finite(data.data(), data.size(), "W");
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(static_cast<std::size_t>(data.size()));
    for (Eigen::Index i = 0; i < n; ++i) {
      for (std::int64_t k = first.at(i); k < first.at(i + 1); ++k) {
        entries.emplace_back(static_cast<int>(i), static_cast<int>(columns.at(k)), data.at(k));
      }
    }
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
  }
  const auto dense = Array::ensure(W);
  if (!dense) throw py::value_error("an array of numbers was expected");
  if (dense.ndim() != 2 || dense.shape(0) != n || dense.shape(1) != n) throw wrong();
  check_finite(dense.data(), dense.size(), "W");
  return ConstRowMatrixView(dense.data(), n, n).sparseView();
}

std::shared_ptr<Problem> make_problem(const py::object& W, const py::object& b, const py::object& mu,
                                      const py::object& dim) {
  LocalForm form;
  form.q = to_vector(b, -1, "b");
  const Eigen::Index n = form.q.size();
  const auto coefficients = Array::ensure(mu);
  if (!coefficients) throw py::value_error("an array of numbers was expected");
  if (!dim.is_none()) {
    form.dim = py::cast<int>(dim);
  } else if (coefficients.ndim() == 1 && coefficients.size() > 0 && n % coefficients.size() == 0) {
    form.dim = static_cast<int>(n / coefficients.size());
  }
  if (form.dim != 2 && form.dim != 3) throw py::value_error("dim: 2 or 3 rows a contact");
  if (n % form.dim != 0) throw py::value_error(fmt::format("b: {} rows for each contact", form.dim));
  const Eigen::Index n_contacts = n / form.dim;
  if (coefficients.ndim() == 0) {
    form.mu = Vector::Constant(n_contacts, *coefficients.data());
  } else {
    form.mu = to_vector(mu, static_cast<int>(n_contacts), "mu");
  }
  check_finite(form.q.data(), n, "b");
  check_finite(form.mu.data(), n_contacts, "mu");
  if ((form.mu.array() < 0.0).any()) throw py::value_error("mu: at least 0");
  form.w = to_sparse(W, n);
  form.v.resize(n, 0);
  form.r.resize(0, 0);
  return std::make_shared<Problem>(make_one_step_problem(std::move(form)));
}

py::dict solve(const Problem& problem, const std::string& solver, const py::object& law, double tolerance,
               const py::object& max_iterations, const std::string& forces, const py::object& p0) {
  SolverOptions options = make_solver_options(solver);
  std::atomic<bool> stop = false;
  std::visit(
      [&](auto& o) {
        o.tolerance = tolerance;
        if (!max_iterations.is_none()) o.max_iterations = py::cast<int>(max_iterations);
        o.check();
        o.stop = &stop;
      },
      options);
  if (forces != "any" && forces != "least-norm") throw InputError({}, "forces", forces, "any or least-norm");
  const Problem* stated = &problem;
  std::optional<Problem> changed;
  if (!law.is_none()) {
    const auto name = py::cast<std::string>(law);
    if (name != "coulomb" && name != "associated") throw InputError({}, "law", name, "coulomb or associated");
    const FrictionLaw wanted = name == "coulomb" ? FrictionLaw::coulomb : FrictionLaw::associated;
    if (wanted != problem.cones.law) {
      stated = &changed.emplace(problem);
      changed->cones.law = wanted;
    }
  }
  Vector first_guess;
  if (!p0.is_none()) {
    first_guess = to_vector(p0, stated->cones.size(), "p0");
    check_finite(first_guess.data(), first_guess.size(), "p0");
  }
  ConeSolution solution;
  ProblemReport report;
  try {
    const InterruptFlag flag(stop);
    const WithoutLock without;
    report = solve_problem(*stated, "", options, forces == "any" ? ForceChoice::any : ForceChoice::least_norm, solution,
                           {first_guess.data(), static_cast<std::size_t>(first_guess.size())});
  } catch (const Interrupted&) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    throw std::runtime_error("interrupted");
  }
  using namespace py::literals;
  return py::dict("p"_a = to_array(solution.p.data(), static_cast<py::ssize_t>(solution.p.size())),
                  "u"_a = to_array(solution.u.data(), static_cast<py::ssize_t>(solution.u.size())),
                  "status"_a = report.status, "iterations"_a = report.iterations, "residual"_a = report.residual,
                  "relative_residual"_a = report.relative_residual, "missed"_a = report.missed,
                  "method"_a = report.method, "message"_a = report.message);
}

template <class Names>
py::tuple to_tuple(const Names& names) {
  py::list list;
  for (const std::string_view name : names) list.append(py::str(std::string(name)));
  return py::tuple(list);
}

}  // namespace

void bind_solvers(py::module_& module) {
  py::class_<Problem, std::shared_ptr<Problem>> made(module, "Problem", py::is_final());
  made.def_property_readonly("size", [](const Problem& problem) { return problem.cones.size(); })
      .def_property_readonly("contacts", &Problem::n_contacts)
      .def("solve", solve, py::arg("solver"), py::arg("law"), py::arg("tolerance"), py::arg("max_iterations"),
           py::arg("forces"), py::arg("p0"));
  seal(made);
  module.def("make_problem", make_problem, py::arg("W"), py::arg("b"), py::arg("mu"), py::arg("dim"));
  module.def("load_problem",
             [](const py::object& path) { return std::make_shared<Problem>(read_problem(path_of(path))); });
  module.def(
      "solvers", [] { return to_tuple(solver_names()); }, "Names of the contact solvers, the default first.");
  module.def(
      "schemes",
      [] {
        std::vector<std::string_view> names;
        for (const SchemeOptions& scheme : all_schemes()) names.push_back(scheme_traits(scheme).name);
        return to_tuple(names);
      },
      "Names of the schemes.");
  module.attr("__version__") = std::string(version());
  module.attr("__commit__") = std::string(commit());
}

}  // namespace stickslip::python
