// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/run_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

RunData::RunData(const std::filesystem::path& result) : result_(result) {
  time_ = read("/time");
  steps_ = result_.read_steps(0, result_.steps());
  STICKSLIP_ASSERT(!steps_.empty());
  if (steps_.back().status == static_cast<int>(Status::failed)) steps_.pop_back();
}

std::vector<double> RunData::read(const std::string& path, int column) const {
  const RowMatrix values = result_.file().has(path) ? result_.read(path) : read_item(path);
  STICKSLIP_ASSERT(column < values.cols());
  std::vector<double> one(static_cast<std::size_t>(values.rows()));
  for (Eigen::Index i = 0; i < values.rows(); ++i) one[static_cast<std::size_t>(i)] = values(i, column);
  return one;
}

/// "/contacts/main/gap": the quantity is behind the last '/', names of contact points may have one, too.
RowMatrix RunData::read_item(const std::string& path) const {
  const std::size_t name = path.find('/', 1), quantity = path.rfind('/');
  STICKSLIP_ASSERT(name != std::string::npos && name < quantity);
  return result_.read_item(path.substr(1, name - 1), path.substr(name + 1, quantity - name - 1),
                           path.substr(quantity + 1));
}

std::vector<double> RunData::calc_energy() const {
  std::vector<double> energy;
  for (const StepRow& row : steps_) energy.push_back(row.kinetic_energy + row.potential_energy);
  return energy;
}

std::int64_t RunData::max_iterations() const {
  std::int64_t most = 0;
  for (const StepRow& row : steps()) most = std::max(most, row.iterations);
  return most;
}

double RunData::mean_iterations() const {
  if (steps().empty()) return kNone;
  double sum = 0.0;
  for (const StepRow& row : steps()) sum += static_cast<double>(row.iterations);
  return sum / static_cast<double>(steps().size());
}

std::size_t RunData::row_at(double t) const {
  const auto next = std::lower_bound(time_.begin(), time_.end(), t);
  const auto near = [&](auto row) {
    constexpr double kNear = 1e-3;  // [-] of the step: instants are products of it, t is typed in
    return row != time_.end() && !steps().empty() && std::abs(*row - t) <= kNear * steps().front().step;
  };
  if (near(next)) return static_cast<std::size_t>(next - time_.begin());
  if (next != time_.begin() && near(next - 1)) return static_cast<std::size_t>(next - 1 - time_.begin());
  return rows();
}

double RunData::at(const std::vector<double>& column, double t) const {
  return value_of_row(column, row_at(t));
}

double RunData::first_time(const std::function<bool(std::size_t)>& condition) const {
  for (std::size_t i = 0; i < rows(); ++i) {
    if (condition(i)) return time_[i];
  }
  return kNone;
}

std::vector<std::size_t> find_switches(const std::vector<bool>& closed) {
  std::vector<std::size_t> switches;
  for (std::size_t i = 1; i < closed.size(); ++i) {
    if (closed[i] != closed[i - 1]) switches.push_back(i);
  }
  return switches;
}

std::vector<bool> find_closed(const RunData& run, const std::string& contact) {
  std::vector<bool> closed;
  for (const double status : run.read("/contacts/" + contact + "/status")) closed.push_back(status > 0.0);
  return closed;
}

double largest(const std::vector<double>& values) {
  return values.empty() ? kNone : *std::max_element(values.begin(), values.end());
}

double largest_magnitude(const std::vector<double>& values) {
  double most = values.empty() ? kNone : 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

double largest_rise(const std::vector<double>& values) {
  double most = kNone;
  for (std::size_t i = 1; i < values.size(); ++i) most = std::fmax(most, values[i] - values[i - 1]);
  return most;
}

double value_of_row(const std::vector<double>& column, std::size_t row) {
  return row < column.size() ? column[row] : kNone;
}

std::vector<double> scaled(double factor, std::vector<double> values) {
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace stickslip
