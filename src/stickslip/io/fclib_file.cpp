// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/fclib_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {
namespace {

using Entry = Eigen::Triplet<double>;

/// One group of a file, whose parts are named relative to it.
class Group {
 public:
  Group(const Hdf5File& file, std::string path) : file_(file), path_(std::move(path)) {}

  bool has(const std::string& name) const { return file_.has(path_ + "/" + name); }
  Group group(const std::string& name) const { return {file_, path_ + "/" + name}; }

  [[noreturn]] void fail(const std::string& name, const std::string& value, const std::string& allowed) const {
    throw InputError({file_.name()}, path_ + "/" + name, value, allowed);
  }

  /// A single integer of at least `least`.
  std::int64_t integer(const std::string& name, std::int64_t least) const {
    const std::vector<std::int64_t> values = integers(name);
    if (values.size() != 1) fail(name, fmt::format("{} numbers", values.size()), "one is needed");
    if (values[0] < least || values[0] > std::numeric_limits<int>::max()) {
      fail(name, fmt::format("{}", values[0]), fmt::format("an integer >= {} is needed", least));
    }
    return values[0];
  }
  std::vector<std::int64_t> integers(const std::string& name) const { return file_.read_integers(path_ + "/" + name); }

  /// Finite numbers.
  Vector vector(const std::string& name) const {
    const std::vector<double> values = file_.read_numbers(path_ + "/" + name);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!std::isfinite(values[k])) {
        fail(name, fmt::format("number {} is {}", k, values[k]), "finite numbers are needed");
      }
    }
    return ConstVectorView(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  Vector vector(const std::string& name, Eigen::Index size) const {
    Vector values = vector(name);
    if (values.size() != size) fail(name, fmt::format("{} numbers", values.size()), fmt::format("{} are needed", size));
    return values;
  }

  SparseMatrix matrix(const std::string& name, Eigen::Index rows, Eigen::Index columns) const;

 private:
  /// begin[k] ... begin[k + 1] - 1 are the entries of line k: checked against n lines and so many entries at most.
  std::vector<std::int64_t> line_starts(std::int64_t n, std::int64_t most) const {
    std::vector<std::int64_t> begin = integers("p");
    if (static_cast<std::int64_t>(begin.size()) != n + 1) {
      fail("p", fmt::format("{} numbers", begin.size()), fmt::format("{} are needed", n + 1));
    }
    for (std::int64_t k = 0; k <= n; ++k) {
      if (begin[k] < (k == 0 ? 0 : begin[k - 1]) || begin[k] > most || (k == 0 && begin[k] != 0)) {
        fail("p", fmt::format("number {} is {}", k, begin[k]), fmt::format("rising numbers from 0 to {}", most));
      }
    }
    return begin;
  }
  int index(const std::string& name, const std::vector<std::int64_t>& values, std::int64_t k, Eigen::Index size) const {
    if (values[k] < 0 || values[k] >= size) {
      fail(name, fmt::format("number {} is {}", k, values[k]), fmt::format("0 to {} is needed", size - 1));
    }
    return static_cast<int>(values[k]);
  }

  const Hdf5File& file_;
  std::string path_;
};

SparseMatrix Group::matrix(const std::string& name, Eigen::Index rows, Eigen::Index columns) const {
  const Group g = group(name);
  const auto check_shape = [&](const std::string& size, Eigen::Index needed) {
    if (const std::int64_t found = g.integer(size, 0); found != needed) {
      g.fail(size, fmt::format("{}", found), fmt::format("{} is needed, as the vectors have it", needed));
    }
  };
  check_shape("m", rows);
  check_shape("n", columns);
  const std::int64_t nz = g.integer("nz", -2);
  const Vector x = g.vector("x");
  const std::vector<std::int64_t> i = g.integers("i");
  const auto n_values = static_cast<std::int64_t>(std::min<std::size_t>(x.size(), i.size()));
  std::vector<Entry> entries;
  if (nz >= 0) {
    const std::vector<std::int64_t> p = g.integers("p");
    if (nz > n_values || nz > static_cast<std::int64_t>(p.size())) {
      g.fail("nz", fmt::format("{}", nz), fmt::format("x, i and p have {} entries", n_values));
    }
    entries.reserve(static_cast<std::size_t>(nz));
    for (std::int64_t k = 0; k < nz; ++k) {
      entries.emplace_back(g.index("i", i, k, rows), g.index("p", p, k, columns), x[k]);
    }
  } else {
    const bool by_rows = nz == -2;
    const Eigen::Index lines = by_rows ? rows : columns;
    const std::vector<std::int64_t> begin = g.line_starts(lines, n_values);
    entries.reserve(static_cast<std::size_t>(begin.back()));
    for (Eigen::Index line = 0; line < lines; ++line) {
      for (std::int64_t k = begin[line]; k < begin[line + 1]; ++k) {
        const int other = g.index("i", i, k, by_rows ? columns : rows);
        const int this_line = static_cast<int>(line);
        entries.emplace_back(by_rows ? this_line : other, by_rows ? other : this_line, x[k]);
      }
    }
  }
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// spacedim, and mu, which says how many contacts there are.
template <typename Form>
void read_contacts(const Group& group, Form& form) {
  form.dim = static_cast<int>(group.integer("spacedim", 2));
  if (form.dim > 3) group.fail("spacedim", fmt::format("{}", form.dim), "2 or 3 is needed");
  const Group vectors = group.group("vectors");
  form.mu = vectors.vector("mu");
  for (Eigen::Index k = 0; k < form.mu.size(); ++k) {
    if (form.mu[k] < 0.0) {
      vectors.fail("mu", fmt::format("number {} is {}", k, form.mu[k]), "friction >= 0 is needed");
    }
  }
}

LocalForm read_local(const Group& group) {
  LocalForm form;
  read_contacts(group, form);
  const Group vectors = group.group("vectors");
  const Eigen::Index n = form.dim * form.mu.size();
  form.q = vectors.vector("q", n);
  form.w = group.matrix("W", n, n);
  form.s = vectors.has("s") ? vectors.vector("s") : Vector();
  const Eigen::Index m = form.s.size();
  form.v = m > 0 ? group.matrix("V", n, m) : SparseMatrix(n, 0);
  form.r = m > 0 ? group.matrix("R", m, m) : SparseMatrix(0, 0);
  return form;
}

GlobalForm read_global(const Group& group) {
  GlobalForm form;
  read_contacts(group, form);
  const Group vectors = group.group("vectors");
  const Eigen::Index n = form.dim * form.mu.size();
  form.w = vectors.vector("w", n);
  form.f = vectors.vector("f");
  const Eigen::Index n_v = form.f.size();
  form.m = group.matrix("M", n_v, n_v);
  form.h = group.matrix("H", n_v, n);
  form.b = vectors.has("b") ? vectors.vector("b") : Vector();
  const Eigen::Index m = form.b.size();
  form.g = m > 0 ? group.matrix("G", n_v, m) : SparseMatrix(n_v, 0);
  return form;
}

/// Friction block k of the group stickslip_cones.
struct BlockColumns {
  explicit BlockColumns(const Group& group)
      : dim(group.integers("block_dim")),
        facets(group.integers("block_facets")),
        mu(group.vector("block_mu", static_cast<Eigen::Index>(dim.size()))),
        orientation(group.vector("block_orientation", static_cast<Eigen::Index>(dim.size()))) {
    if (facets.size() != dim.size()) group.fail("block_facets", "", "as many as block_dim are needed");
  }
  FrictionBlock block(const Group& group, std::size_t k) const {
    if (dim[k] < 1 || dim[k] > kMaxFrictionDim) group.fail("block_dim", fmt::format("{}", dim[k]), "1 to 3 is needed");
    if (!(mu[k] >= 0.0)) group.fail("block_mu", fmt::format("{}", mu[k]), "friction >= 0 is needed");
    if (facets[k] != 0 && (facets[k] < 3 || facets[k] > kMostFacets || dim[k] != 2)) {
      group.fail("block_facets", fmt::format("{}", facets[k]), "0, or 3 and more of a block of dimension 2");
    }
    return {static_cast<int>(dim[k]), mu[k], static_cast<int>(facets[k]), orientation[k]};
  }
  static constexpr std::int64_t kMostFacets = 1'000'000;  // [-] more are a circle to round-off

  std::vector<std::int64_t> dim;
  std::vector<std::int64_t> facets;
  Vector mu;
  Vector orientation;
};

/// The rows of the balls of friction, by their first row: those that can be stretched.
std::map<std::int64_t, int> list_balls(const ConeProblem& cones) {
  std::map<std::int64_t, int> dims;
  for (const Cone& cone : cones.cones) {
    int row = cone.offset + 1;
    for (const FrictionBlock& block : cones.friction(cone)) {
      if (block.facets == 0) dims.emplace(row, block.dim);
      row += block.dim;
    }
    if (cone.kind == ConeKind::ball) dims.emplace(cone.offset, cone.dim);
  }
  return dims;
}

void read_stretches(const Group& group, ConeProblem& cones) {
  if (!group.has("stretch_row")) return;
  const std::vector<std::int64_t> rows = group.integers("stretch_row");
  const std::vector<std::int64_t> dims = group.integers("stretch_dim");
  const Vector tau = group.vector("stretch_tau", static_cast<Eigen::Index>(rows.size()));
  const Vector along = group.vector("stretch_along");
  if (dims.size() != rows.size()) group.fail("stretch_dim", "", "as many as stretch_row are needed");
  const std::map<std::int64_t, int> balls = list_balls(cones);
  constexpr double kLength = 1e-9;  // [-] directions are of length one
  Eigen::Index at = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto ball = balls.find(rows[k]);
    const bool is_next = k == 0 || rows[k] > rows[k - 1];
    if (ball == balls.end() || ball->second != dims[k] || dims[k] < 2 || dims[k] > kMaxFrictionDim || !is_next) {
      group.fail("stretch_row", fmt::format("{}", rows[k]),
                 "the first rows of balls of friction of dimension 2 and 3 are needed, ascending");
    }
    if (!(tau[static_cast<Eigen::Index>(k)] >= 0.0)) group.fail("stretch_tau", fmt::format("number {}", k), ">= 0");
    Stretch s{static_cast<int>(rows[k]), static_cast<int>(dims[k]), tau[static_cast<Eigen::Index>(k)], {}};
    if (at + s.dim > along.size() || std::abs(along.segment(at, s.dim).norm() - 1.0) > kLength) {
      group.fail("stretch_along", fmt::format("number {}", k), "a direction of length one is needed");
    }
    std::copy_n(along.data() + at, s.dim, s.along.begin());
    at += s.dim;
    cones.stretches.push_back(s);
  }
}

OneStepProblem read_cones(const Group& group) {
  const std::vector<std::int64_t> kinds = group.integers("kind");
  const std::vector<std::int64_t> dims = group.integers("dim");
  const std::vector<std::int64_t> n_blocks = group.integers("n_blocks");
  const Vector radius = group.vector("radius", static_cast<Eigen::Index>(kinds.size()));
  if (dims.size() != kinds.size() || n_blocks.size() != kinds.size()) {
    group.fail("dim", "", "as many as in kind and n_blocks are needed");
  }
  const BlockColumns columns(group);
  ConeProblem cones;
  std::vector<FrictionBlock> blocks;
  std::size_t next_block = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    int dim = static_cast<int>(std::clamp<std::int64_t>(dims[i], 0, kMaxConeDim + 1));
    if (kinds[i] == static_cast<int>(ConeKind::contact)) {
      blocks.clear();
      dim = 1;
      for (std::int64_t k = 0; k < n_blocks[i] && next_block < columns.dim.size() && dim <= kMaxConeDim; ++k) {
        blocks.push_back(columns.block(group, next_block++));
        dim += blocks.back().dim;
      }
    }
    if (dim < 1 || dim > kMaxConeDim || dim != dims[i]) {
      group.fail("dim", fmt::format("cone {}: {}", i, dims[i]), "does not agree with the cone");
    }
    if (kinds[i] == static_cast<int>(ConeKind::contact)) {
      cones.add_contact(blocks);
    } else if (kinds[i] == static_cast<int>(ConeKind::ball) && radius[i] >= 0.0) {
      cones.add_ball(dim, radius[i]);
    } else if (kinds[i] == static_cast<int>(ConeKind::free)) {
      cones.add_free(dim);
    } else {
      group.fail("kind", fmt::format("cone {}: {}", i, kinds[i]), "0 contact, 1 ball (of radius >= 0) or 2 free");
    }
  }
  const Vector b = group.group("vectors").vector("b", cones.size());
  std::copy_n(b.data(), b.size(), cones.b.begin());
  read_stretches(group, cones);
  ConeForm form{group.matrix("W", cones.size(), cones.size())};
  return make_one_step_problem(std::move(form), std::move(cones));
}

OneStepProblem read_form(const Hdf5File& file) {
  if (file.has("/fclib_local")) return make_one_step_problem(read_local({file, "/fclib_local"}));
  if (file.has("/fclib_global")) return make_one_step_problem(read_global({file, "/fclib_global"}), file.name());
  if (file.has("/stickslip_cones")) return read_cones({file, "/stickslip_cones"});
  throw InputError({file.name()}, "", "", "holds no one-step problem: fclib_local or fclib_global is needed");
}

FrictionLaw read_law(const Hdf5File& file) {
  if (!file.has_attribute("/", kLawAttribute)) return FrictionLaw::coulomb;
  const std::string name = file.read_text("/", kLawAttribute);
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    if (name == law_name(law)) return law;
  }
  throw InputError({file.name()}, kLawAttribute, name, "coulomb or associated is needed");
}

/// The floor of residuals where the file has it, else 0. [m/s]
double read_floor(const Hdf5File& file) {
  if (!file.has(kFloorDataset)) return 0.0;
  const std::vector<double> values = file.read_numbers(kFloorDataset);
  if (values.size() == 1 && values[0] > 0.0 && std::isfinite(values[0])) return values[0];
  throw InputError({file.name()}, kFloorDataset, "", "one number > 0 is needed");
}

}  // namespace

std::string_view law_name(FrictionLaw law) {
  return law == FrictionLaw::coulomb ? "coulomb" : "associated";
}

OneStepProblem read_fclib(const Hdf5File& file) {
  const FrictionLaw law = read_law(file);
  const double floor = read_floor(file);
  OneStepProblem problem = read_form(file);
  problem.cones.law = law;
  problem.cones.floor = floor;
  return problem;
}

OneStepProblem read_fclib(const std::filesystem::path& path) {
  return read_fclib(Hdf5File::open(path));
}

}  // namespace stickslip
