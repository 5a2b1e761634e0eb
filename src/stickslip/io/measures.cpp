// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/io/output_columns.h"

namespace stickslip {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// Columns in the order of the file.
enum MeasureColumn : int {
  kBodies,
  kKineticEnergy,
  kCoordination,
  kForceMean,
  kForceMax,
  kForceDeviation,
  kFabric,
  kStress,
  kCrossed,
  kCrossedMass,
  kFlow
};

std::vector<Column> make_measure_columns(std::int64_t n) {
  const auto column = [](const char* name, std::vector<std::int64_t> row, const char* unit, const char* meaning) {
    return Column{std::string("/measures/") + name, Hdf5Type::float64, std::move(row), unit, meaning};
  };
  return {column("bodies", {n}, "1", "bodies with their centre in the box"),
          column("kinetic_energy", {n}, "J", "of these bodies"),
          column("coordination", {n}, "1", "how many bodies each of these touches, on average"),
          column("force_mean", {n}, "N", "of the normal forces of contact points in the box, means over the step"),
          column("force_max", {n}, "N", "the largest of these"),
          column("force_deviation", {n}, "N", "their standard deviation, over their number"),
          column("fabric", {n, 3, 3}, "1", "mean of n n^T of these points"),
          column("stress", {n, 3, 3}, "Pa, N/m", "sum over these bodies of arm times force, over the box; tension > 0"),
          column("crossed", {n}, "1", "bodies that went through the plane less those that came back, since the start"),
          column("crossed_mass", {n}, "kg", "their mass"),
          column("flow", {n}, "kg/s", "mass that crossed since the row before, over the time since then")};
}

/// Makes the group and its names in the file, which is given back.
Hdf5File& begin_measures(Hdf5File& file, const std::vector<MeasureOptions>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const MeasureOptions& measure : options) names.push_back(measure.name);
  file.create_group("/measures");
  file.write_fixed("/measures/name", names);
  file.describe("/measures/name", "1", "of the measure with the same index");
  return file;
}

bool is_within(const std::optional<std::array<Vector3, 2>>& box, const Vector3& x, int dim) {
  if (!box) return true;
  return (x - (*box)[0]).head(dim).minCoeff() >= 0.0 && ((*box)[1] - x).head(dim).minCoeff() >= 0.0;
}

/// On the second body, in the world; a mean over the step.
Vector3 mean_force(const ContactReport& contact, double step) {
  return world_force(contact, contact.percussion) / step;
}

void measure_forces(const std::vector<double>& forces, Measure& m) {
  m.force_mean = m.force_max = m.force_deviation = kUndefined;
  if (forces.empty()) return;
  const auto n = static_cast<double>(forces.size());
  double sum = 0.0;
  for (const double force : forces) sum += force;
  m.force_mean = sum / n;
  m.force_max = *std::max_element(forces.begin(), forces.end());
  double squares = 0.0;
  for (const double force : forces) squares += (force - m.force_mean) * (force - m.force_mean);
  m.force_deviation = std::sqrt(squares / n);
}

}  // namespace

Measure calc_measure(const System& system, const MeasureOptions& options, const State& state, const StepReport& report,
                     bool has_forces) {
  const int dim = system.dimension();
  const std::size_t n_bodies = system.shown_bodies().size();
  Measure m;
  std::vector<Vector3> centres(n_bodies, Vector3::Zero());
  std::vector<char> is_in(n_bodies, 0);
  for (std::size_t i = 0; i < n_bodies; ++i) {
    if (options.has_body[i] == 0) continue;
    const Body& body = system.bodies()[i];
    const auto index = static_cast<int>(i);
    centres[i] = system.calc_pose(index, state.t, state.q).p_WB;
    if (options.plane && body.n_u > 0) {
      const bool is_beyond = options.plane->normal.dot(centres[i] - options.plane->point) > 0.0;
      const double side = (is_beyond ? 1.0 : 0.0) - (options.starts_beyond[i] != 0 ? 1.0 : 0.0);
      m.crossed += side;
      m.crossed_mass += side * body.mass;
    }
    if (!system.is_present(index) || !is_within(options.box, centres[i], dim)) continue;
    is_in[i] = 1;
    m.bodies += 1.0;
    if (body.n_u == 0) continue;
    const auto u = state.u.segment(body.u_offset, body.n_u);
    m.kinetic_energy += 0.5 * u.dot(system.mass(index) * u);
  }

  std::vector<std::pair<int, int>> touching;  // bodies in the box, and what each touches
  std::vector<double> forces;
  double n_points = 0.0;
  for (const ContactReport& c : report.contacts) {
    if (c.status == ContactStatus::open || is_stop(system, c)) continue;
    const std::array<int, 2> bodies = {c.body_a, c.body_b};
    const Vector3 force = has_forces ? mean_force(c, report.step) : Vector3::Constant(kUndefined);
    for (int k = 0; k < 2; ++k) {
      if (is_in[bodies[k]] == 0) continue;
      touching.emplace_back(bodies[k], bodies[1 - k]);
      const double sign = k == 1 ? 1.0 : -1.0;
      m.stress += (c.position - centres[bodies[k]]) * (sign * force).transpose();
    }
    const bool of_group = options.has_body[c.body_a] != 0 || options.has_body[c.body_b] != 0;
    if (!of_group || !is_within(options.box, c.position, dim)) continue;
    n_points += 1.0;
    m.fabric += c.normal * c.normal.transpose();
    if (has_forces) forces.push_back(c.percussion[0] / report.step);
  }
  std::sort(touching.begin(), touching.end());
  touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
  m.coordination = m.bodies > 0.0 ? static_cast<double>(touching.size()) / m.bodies : kUndefined;
  measure_forces(forces, m);
  m.fabric = n_points > 0.0 ? Matrix3(m.fabric / n_points) : Matrix3::Constant(kUndefined);
  if (options.box && has_forces) {
    m.stress /= ((*options.box)[1] - (*options.box)[0]).head(dim).prod();
  } else {
    m.stress.setConstant(kUndefined);
  }
  if (!options.plane) m.crossed = m.crossed_mass = kUndefined;
  return m;
}

MeasuresTable::MeasuresTable(Hdf5File& file, const System& system, std::vector<MeasureOptions> options,
                             std::int64_t expected_rows)
    : system_(system),
      options_(std::move(options)),
      table_(begin_measures(file, options_), make_measure_columns(static_cast<std::int64_t>(options_.size())),
             expected_rows),
      mass_before_(options_.size(), 0.0) {
}

void MeasuresTable::record(const State& state, const StepReport& report) {
  const bool is_first = table_.rows() == 0;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const Measure m = calc_measure(system_, options_[i], state, report, !is_first);
    const auto put = [&](int column, double value) { table_.reals(column)[i] = value; };
    put(kBodies, m.bodies);
    put(kKineticEnergy, m.kinetic_energy);
    put(kCoordination, m.coordination);
    put(kForceMean, m.force_mean);
    put(kForceMax, m.force_max);
    put(kForceDeviation, m.force_deviation);
    put(kCrossed, m.crossed);
    put(kCrossedMass, m.crossed_mass);
    put(kFlow, is_first ? kUndefined : (m.crossed_mass - mass_before_[i]) / (state.t - t_before_));
    // Row by row, as matrices are in the file.
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(table_.reals(kFabric) + 9 * i) = m.fabric;
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(table_.reals(kStress) + 9 * i) = m.stress;
    mass_before_[i] = m.crossed_mass;
  }
  t_before_ = state.t;
  table_.end_row();
}

void MeasuresTable::copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums,
                              const StopToken& stop) {
  table_.copy_rows(from, rows, sums, stop);
  if (rows == 0) return;
  read_rows(from.open_dataset("/measures/crossed_mass"), rows - 1, rows, sums, std::span(mass_before_));
  read_rows(from.open_dataset("/time"), rows - 1, rows, sums, std::span(&t_before_, 1));
}

}  // namespace stickslip
