// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/fclib_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
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
    throw InputError({file_.name()}, path_.substr(1) + "/" + name, value, allowed);
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

}  // namespace

OneStepProblem read_fclib(const Hdf5File& file) {
  if (file.has("/fclib_local")) return make_one_step_problem(read_local({file, "/fclib_local"}));
  if (file.has("/fclib_global")) return make_one_step_problem(read_global({file, "/fclib_global"}), file.name());
  throw InputError({file.name()}, "", "", "holds no one-step problem: fclib_local or fclib_global is needed");
}

OneStepProblem read_fclib(const std::filesystem::path& path) {
  return read_fclib(Hdf5File::open(path));
}

}  // namespace stickslip
