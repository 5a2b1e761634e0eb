// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <variant>

#include "stickslip/base/assert.h"
#include "stickslip/io/events_table.h"
#include "stickslip/io/lcp_text.h"

namespace stickslip {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::string_view, 3> kStates = {"open", "stick", "slip"};  // as ContactState

/// Which component: a whole number, 0 where nothing is said.
std::int64_t component_of(const std::string& part, std::int64_t n) {
  std::int64_t k = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), k);
  const bool is_whole = part.empty() || (error == std::errc() && end == part.data() + part.size());
  if (!is_whole || k < 0 || k >= n) throw SeriesError(fmt::format("[{}]: a component from 0 to {}", part, n - 1));
  return k;
}

std::shared_ptr<const std::vector<double>> share(std::vector<double> values) {
  return std::make_shared<const std::vector<double>>(std::move(values));
}

}  // namespace

RunData::RunData(const std::filesystem::path& result) : path_(result), result_(result) {
  steps_ = result_.read_steps(0, result_.steps());
  STICKSLIP_ASSERT(!steps_.empty());
  if (steps_.back().status == static_cast<int>(Status::failed)) steps_.pop_back();
  const RowMatrix time = result_.read("/time");
  time_ = share({time.data(), time.data() + time.size()});
  std::vector<double> ends;
  for (const StepRow& row : steps_) ends.push_back(row.time);
  step_time_ = share(std::move(ends));
}

Series RunData::read(const std::string& path, const std::string& part) const {
  if (path.starts_with("/steps/")) return read_steps(path.substr(7));
  if (path.starts_with("/events/")) return read_events(path.substr(8));
  if (path.starts_with("/lcp/")) return read_problem(path.substr(5));
  const RowMatrix values = read_dataset(path);
  const std::int64_t column = component_of(part, values.cols());
  Series series{{}, false, nullptr, steps_.size() > 1 ? steps_[1].step : 0.0};
  for (Eigen::Index i = 0; i < values.rows(); ++i) series.values.push_back(values(i, column));
  if (series.size() == time_->size()) series.times = time_;
  return series;
}

/// "/contacts/main/gap": the quantity is behind the last '/', names of contact points may have one, too.
RowMatrix RunData::read_dataset(const std::string& path) const {
  try {
    if (result_.file().has(path)) return result_.read(path);
    const std::size_t name = path.find('/', 1), quantity = path.rfind('/');
    if (name == std::string::npos || name >= quantity) throw SeriesError(fmt::format("the result has no {}", path));
    return result_.read_item(path.substr(1, name - 1), path.substr(name + 1, quantity - name - 1),
                             path.substr(quantity + 1));
  } catch (const InputError& error) {
    throw SeriesError(error.what());
  }
}

Series RunData::read_steps(const std::string& column) const {
  const auto columns = step_columns();
  const auto found = std::ranges::find_if(columns, [&](const StepColumn& c) { return c.name == column; });
  if (found == columns.end()) throw SeriesError(fmt::format("the result has no /steps/{}", column));
  Series series{{}, false, step_time_, steps_.size() > 1 ? steps_[1].step : 0.0};
  for (const StepRow& row : steps_) {
    series.values.push_back(
        std::visit([&](const auto member) { return static_cast<double>(row.*member); }, found->member));
  }
  return series;
}

Series RunData::read_events(const std::string& what) const {
  const std::size_t slash = what.find('/');
  const std::string kind = what.substr(0, slash);
  const std::string name = slash == std::string::npos ? "" : what.substr(slash + 1);
  Series series;
  for (const EventRow& event : stickslip::read_events(result_.file())) {
    if (event.what == kind && (name.empty() || event.name == name)) series.values.push_back(event.time);
  }
  return series;
}

Series RunData::read_problem(const std::string& which) const {
  const std::size_t slash = which.find('/');
  const std::string part = slash == std::string::npos ? "" : which.substr(slash + 1);
  int step = 0;
  const char* end = which.data() + std::min(slash, which.size());
  const auto [stop, code] = std::from_chars(which.data(), end, step);
  if (code != std::errc() || stop != end || (part != "F" && part != "f")) {
    throw SeriesError("the problem of a step is /lcp/STEP/F or /lcp/STEP/f");
  }
  LcpForm form;
  try {
    form = read_lcp(path_.parent_path() / fmt::format("{}-step-{:06}.txt", path_.stem().string(), step));
  } catch (const InputError& error) {
    throw SeriesError(error.what());
  }
  Series series;
  if (part == "f") {
    series.values.assign(form.q.data(), form.q.data() + form.q.size());
    return series;
  }
  const RowMatrix m = Matrix(form.m);
  series.values.assign(m.data(), m.data() + m.size());
  return series;
}

std::int64_t RunData::max_iterations() const {
  std::int64_t most = 0;
  for (const StepRow& row : steps_) most = std::max(most, row.iterations);
  return most;
}

double RunData::mean_iterations() const {
  if (steps_.size() < 2) return kNone;
  double sum = 0.0;
  for (std::size_t i = 1; i < steps_.size(); ++i) sum += static_cast<double>(steps_[i].iterations);
  return sum / static_cast<double>(steps_.size() - 1);
}

Series AnalysisData::read(const std::string& path, const std::string& part) const {
  const auto is_of_kind = [](const AnalyzedSolution& s, const std::string& kind) {
    return !s.kinds.empty() && kStates[static_cast<std::size_t>(s.kinds[0])] == kind;
  };
  const auto truth = [](bool holds) { return holds ? 1.0 : 0.0; };
  const auto calc = [&](const Analysis& state) -> double {
    if (path == "/solutions") return static_cast<double>(state.solutions.size());
    if (path == "/exists") return truth(state.exists());
    if (path == "/unique") return truth(state.is_unique());
    if (path == "/complete") return truth(state.complete);
    if (path == "/G_A") return state.G_A.value_or(kNone);
    if (path == "/G_B") return state.G_B.value_or(kNone);
    if (path == "/residual") {
      double worst = state.exists() ? 0.0 : kNone;
      for (const AnalyzedSolution& s : state.solutions) worst = std::max(worst, s.residual);
      return worst;
    }
    if (path == "/open" || path == "/stick" || path == "/slip") {
      return static_cast<double>(
          std::ranges::count_if(state.solutions, [&](const auto& s) { return is_of_kind(s, path.substr(1)); }));
    }
    if (path.starts_with("/parameters/")) {
      const auto found = state.parameters.find(path.substr(12));
      if (found != state.parameters.end()) return found->second;
    }
    if (path.starts_with("/forces/")) {
      for (const AnalyzedSolution& s : state.solutions) {
        if (!is_of_kind(s, path.substr(8))) continue;
        return s.forces[0](component_of(part, s.forces[0].size()));
      }
      return kNone;
    }
    throw SeriesError(fmt::format("an analysis has no {}", path));
  };
  Series series;
  for (const Analysis& state : states_) series.values.push_back(calc(state));
  return series;
}

}  // namespace stickslip
