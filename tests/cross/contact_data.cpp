// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cross/contact_data.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace stickslip::test {
namespace {

constexpr int kBodySize = 6;

std::ifstream open(const std::string& name) {
  std::ifstream file(std::string(STICKSLIP_TEST_DATA_DIR) + "/contact/" + name);
  if (!file) throw std::runtime_error("cannot read " + name);
  return file;
}

void skip_line(std::istream& in) {
  in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
}

std::vector<double> read_numbers(std::istream& in, std::size_t n) {
  std::vector<double> values(n);
  for (double& value : values) in >> value;
  if (!in) throw std::runtime_error("too few numbers");
  return values;
}

/// Rows of the whole J^T: entry (k, row) of [D G].
double get_entry(const ContactSystem& s, int k, int row) {
  const int n_d = 3 * s.n_contacts();
  return row < n_d ? s.d[static_cast<std::size_t>(k) * n_d + row]
                   : s.g[static_cast<std::size_t>(k) * s.n_rows() + row - n_d];
}

void add_cones(const ContactSystem& s, FrictionLaw law, ConeProblem& problem) {
  problem.law = law;
  for (int i = 0; i < s.n_contacts(); ++i) {
    const FrictionBlock block{2, s.mu[i], 0, 0.0};
    problem.add_contact({&block, 1});
  }
  for (int i = 0; i < s.n_rows() / 3; ++i) problem.add_free(3);
  for (int row = 0; row < problem.size(); ++row) {
    for (int k = 0; k < s.n_v(); ++k) problem.b[row] += get_entry(s, k, row) * s.v_free[k];
  }
  for (int i = 0; i < s.n_contacts(); ++i) problem.b[3 * i] += s.gap_rate[i];
  for (int i = 0; i < s.n_rows(); ++i) problem.b[3 * s.n_contacts() + i] += s.offset[i];
}

}  // namespace

std::vector<OneContactCase> read_one_contact_cases() {
  std::ifstream file = open("one_contact.txt");
  skip_line(file);
  std::vector<OneContactCase> cases(static_cast<std::size_t>(read_numbers(file, 1)[0]));
  for (OneContactCase& c : cases) {
    c.mu = read_numbers(file, 1)[0];
    c.w = read_numbers(file, 9);
    c.b = read_numbers(file, 3);
    c.p_associated = read_numbers(file, 3);
    c.p_coulomb.resize(static_cast<std::size_t>(read_numbers(file, 1)[0]));
    for (auto& p : c.p_coulomb) {
      std::string kind;
      file >> kind;
      p = read_numbers(file, 3);
    }
  }
  return cases;
}

ContactSystem read_random_system(int number) {
  std::ifstream file = open(fmt::format("random/rand_{:02}.txt", number));
  ContactSystem s;
  int n_contacts = 0;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string key;
    in >> key;
    const auto read_all = [&in] {
      std::vector<double> values;
      for (double value = 0.0; in >> value;) values.push_back(value);
      return values;
    };
    if (key == "Minv") s.inverse_mass = read_all();
    if (key == "vfree") s.v_free = read_all();
    if (key == "phih") s.gap_rate = read_all();
    if (key == "v_ccp") s.v_associated = read_all();
    if (key == "v_ncp") s.v_coulomb = read_all();
    if (key == "mu") {
      s.mu = read_all();
      n_contacts = s.n_contacts();
    }
    if (key == "Dnnz") {
      s.d.assign(static_cast<std::size_t>(s.n_v()) * 3 * n_contacts, 0.0);
      for (int count = static_cast<int>(read_all()[0]); count > 0; --count) {
        const auto triplet = read_numbers(file, 3);
        s.d[static_cast<std::size_t>(triplet[0]) * 3 * n_contacts + static_cast<std::size_t>(triplet[1])] = triplet[2];
      }
    }
  }
  return s;
}

std::vector<ContactSystem> read_bilateral_systems() {
  std::ifstream file = open("associated_bilateral.txt");
  skip_line(file);
  std::vector<ContactSystem> systems(static_cast<std::size_t>(read_numbers(file, 1)[0]));
  for (ContactSystem& s : systems) {
    const auto sizes = read_numbers(file, 3);
    const auto n_v = static_cast<std::size_t>(sizes[0]);
    const auto n_contacts = static_cast<std::size_t>(sizes[1]);
    const auto n_rows = static_cast<std::size_t>(sizes[2]);
    s.inverse_mass = read_numbers(file, n_v);
    s.v_free = read_numbers(file, n_v);
    s.gap_rate = read_numbers(file, n_contacts);
    s.offset = read_numbers(file, n_rows);
    s.mu = read_numbers(file, n_contacts);
    s.d = read_numbers(file, n_v * 3 * n_contacts);
    s.g = read_numbers(file, n_v * n_rows);
    s.v_associated = read_numbers(file, n_v);
  }
  return systems;
}

ConeProblem make_factored_problem(const ContactSystem& s, FrictionLaw law) {
  ConeProblem problem;
  add_cones(s, law, problem);
  FactoredDelassus w;
  for (int k = 0; k < s.n_v(); k += kBodySize) {
    w.add_body(ConstVectorView(s.inverse_mass.data() + k, kBodySize).asDiagonal().toDenseMatrix());
  }
  for (const Cone& cone : problem.cones) {
    w.begin_row(cone.dim);
    for (int body = 0; body < w.n_bodies(); ++body) {
      bool touched = false;
      for (int k = 0; k < kBodySize; ++k) {
        for (int r = 0; r < cone.dim; ++r) touched |= get_entry(s, body * kBodySize + k, cone.offset + r) != 0.0;
      }
      if (!touched) continue;
      RowMatrixView block = w.add_block(body);
      for (int k = 0; k < kBodySize; ++k) {
        for (int r = 0; r < cone.dim; ++r) block(r, k) = get_entry(s, body * kBodySize + k, cone.offset + r);
      }
    }
  }
  problem.delassus = w;
  return problem;
}

ConeProblem make_stored_problem(const ContactSystem& s, FrictionLaw law) {
  ConeProblem problem;
  add_cones(s, law, problem);
  StoredDelassus w;
  for (const Cone& row : problem.cones) {
    std::vector<int> columns;
    std::vector<int> dims;
    std::vector<double> values;
    for (int j = 0; j < problem.n_cones(); ++j) {
      const Cone& column = problem.cones[j];
      std::vector<double> block;
      bool coupled = false;
      for (int r = 0; r < row.dim; ++r) {
        for (int c = 0; c < column.dim; ++c) {
          double sum = 0.0;
          for (int k = 0; k < s.n_v(); ++k) {
            sum += get_entry(s, k, row.offset + r) * s.inverse_mass[k] * get_entry(s, k, column.offset + c);
          }
          coupled |= sum != 0.0;
          block.push_back(sum);
        }
      }
      if (!coupled) continue;
      columns.push_back(j);
      dims.push_back(column.dim);
      values.insert(values.end(), block.begin(), block.end());
    }
    w.add_row(columns, dims, row.dim, values);
  }
  problem.delassus = w;
  return problem;
}

std::vector<double> calc_velocity(const ContactSystem& s, const std::vector<double>& p) {
  std::vector<double> v = s.v_free;
  for (int k = 0; k < s.n_v(); ++k) {
    for (std::size_t row = 0; row < p.size(); ++row) {
      v[k] += s.inverse_mass[k] * get_entry(s, k, static_cast<int>(row)) * p[row];
    }
  }
  return v;
}

}  // namespace stickslip::test
