// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stickslip/base/build_info.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/fclib_file.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/new_file.h"

namespace stickslip {
namespace {

/// Writes the parts of one group.
class GroupWriter {
 public:
  GroupWriter(Hdf5File& file, std::string path) : file_(file), path_(std::move(path)) { file_.create_group(path_); }

  GroupWriter group(const std::string& name) { return {file_, path_ + "/" + name}; }
  void integer(const std::string& name, std::int64_t value) { integers(name, {&value, 1}); }
  void integers(const std::string& name, std::span<const std::int64_t> values) {
    dataset(name, Hdf5Type::int32, values.size()).write(0, values);
  }
  void numbers(const std::string& name, std::span<const double> values) {
    dataset(name, Hdf5Type::float64, values.size()).write(0, values);
  }
  void vector(const std::string& name, const Vector& values) {
    numbers(name, {values.data(), static_cast<std::size_t>(values.size())});
  }

  void matrix(const std::string& name, const SparseMatrix& matrix) {
    GroupWriter g = group(name);
    std::vector<std::int64_t> starts = {0};
    std::vector<std::int64_t> columns;
    std::vector<double> values;
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      for (SparseMatrix::InnerIterator entry(matrix, row); entry; ++entry) {
        columns.push_back(entry.col());
        values.push_back(entry.value());
      }
      starts.push_back(static_cast<std::int64_t>(values.size()));
    }
    g.integer("m", matrix.rows());
    g.integer("n", matrix.cols());
    g.integer("nz", -2);
    g.integer("nzmax", static_cast<std::int64_t>(values.size()));
    g.integers("p", starts);
    g.integers("i", columns);
    g.numbers("x", values);
  }

 private:
  Hdf5Dataset dataset(const std::string& name, Hdf5Type type, std::size_t size) {
    Hdf5DatasetOptions options;
    options.type = type;
    options.chunk_rows = std::max<std::int64_t>(static_cast<std::int64_t>(size), 1);
    return file_.create_dataset(path_ + "/" + name, options);
  }

  Hdf5File& file_;
  std::string path_;
};

void write_form(Hdf5File& file, const LocalForm& form, const ConeProblem& /*cones*/) {
  GroupWriter group(file, "/fclib_local");
  group.integer("spacedim", form.dim);
  group.matrix("W", form.w);
  GroupWriter vectors = group.group("vectors");
  vectors.vector("mu", form.mu);
  vectors.vector("q", form.q);
  if (form.s.size() == 0) return;
  group.matrix("V", form.v);
  group.matrix("R", form.r);
  vectors.vector("s", form.s);
}

void write_form(Hdf5File& file, const GlobalForm& form, const ConeProblem& /*cones*/) {
  GroupWriter group(file, "/fclib_global");
  group.integer("spacedim", form.dim);
  group.matrix("M", form.m);
  group.matrix("H", form.h);
  GroupWriter vectors = group.group("vectors");
  vectors.vector("mu", form.mu);
  vectors.vector("f", form.f);
  vectors.vector("w", form.w);
  if (form.b.size() == 0) return;
  group.matrix("G", form.g);
  vectors.vector("b", form.b);
}

void write_form(Hdf5File& file, const ConeForm& form, const ConeProblem& cones) {
  GroupWriter group(file, "/stickslip_cones");
  group.matrix("W", form.w);
  GroupWriter vectors = group.group("vectors");
  vectors.numbers("b", cones.b);
  std::vector<std::int64_t> kinds;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> n_blocks;
  std::vector<double> radii;
  for (const Cone& cone : cones.cones) {
    kinds.push_back(static_cast<std::int64_t>(cone.kind));
    dims.push_back(cone.dim);
    n_blocks.push_back(cone.n_blocks);
    radii.push_back(cone.radius);
  }
  std::vector<std::int64_t> block_dims;
  std::vector<std::int64_t> facets;
  std::vector<double> mu;
  std::vector<double> orientations;
  for (const Cone& cone : cones.cones) {
    for (const FrictionBlock& block : cones.friction(cone)) {
      block_dims.push_back(block.dim);
      facets.push_back(block.facets);
      mu.push_back(block.mu);
      orientations.push_back(block.orientation);
    }
  }
  group.integers("kind", kinds);
  group.integers("dim", dims);
  group.integers("n_blocks", n_blocks);
  group.numbers("radius", radii);
  group.integers("block_dim", block_dims);
  group.integers("block_facets", facets);
  group.numbers("block_mu", mu);
  group.numbers("block_orientation", orientations);
  if (cones.stretches.empty()) return;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> stretch_dims;
  std::vector<double> tau;
  std::vector<double> along;
  for (const Stretch& s : cones.stretches) {
    rows.push_back(s.row);
    stretch_dims.push_back(s.dim);
    tau.push_back(s.tau);
    along.insert(along.end(), s.along.begin(), s.along.begin() + s.dim);
  }
  group.integers("stretch_row", rows);
  group.integers("stretch_dim", stretch_dims);
  group.numbers("stretch_tau", tau);
  group.numbers("stretch_along", along);
}

void write_form(Hdf5File& /*file*/, const LcpForm& /*form*/, const ConeProblem& /*cones*/) {
  throw InputError("an LCP is written as text");
}

void write_solution(Hdf5File& file, const OneStepProblem& problem, const ConeSolution& solution) {
  GroupWriter group(file, "/solution");
  // Bilateral rows, which follow the contacts, go apart; those of a cone form stay where they are.
  std::size_t n = solution.p.size();
  if (const auto* local = std::get_if<LocalForm>(&problem.form)) n = static_cast<std::size_t>(local->q.size());
  if (const auto* global = std::get_if<GlobalForm>(&problem.form)) n = static_cast<std::size_t>(global->w.size());
  group.numbers("r", std::span(solution.p).first(n));
  group.numbers("u", std::span(solution.u).first(n));
  if (n < solution.p.size()) group.numbers("l", std::span(solution.p).subspan(n));
  if (std::holds_alternative<GlobalForm>(problem.form)) {
    group.vector("v", calc_generalized_velocity(problem, solution.p));
  }
}

}  // namespace

void write_fclib(const std::filesystem::path& path, const OneStepProblem& problem, const ConeSolution* solution) {
  NewFile new_file(path, BeforePublish::named);  // the library opens no file without a name
  Hdf5File file = Hdf5File::create(new_file.temporary_path(), path);
  file.write_attribute("/", "stickslip", version());
  file.write_attribute("/", kLawAttribute, law_name(problem.cones.law));
  if (problem.cones.floor > 0.0) {
    file.create_dataset(kFloorDataset, {}).write(0, std::span<const double>(&problem.cones.floor, 1));
  }
  std::visit([&](const auto& form) { write_form(file, form, problem.cones); }, problem.form);
  if (solution != nullptr) write_solution(file, problem, *solution);
  file.close();
  new_file.publish();
}

}  // namespace stickslip
