// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
using Arguments = std::span<const Series>;

template <class Operation>
Series row_by_row(const Series& a, const Series& b, Operation&& operation) {
  if (!a.is_number && !b.is_number && a.size() != b.size()) {
    throw SeriesError(fmt::format("columns of {} and {} rows do not go together", a.size(), b.size()));
  }
  const Series& shape = a.is_number ? b : a;
  Series result = shape;
  if (!shape.is_number && shape.times == nullptr) {
    result.times = b.times;
    result.step = b.step;
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.values[i] = operation(a.values[a.is_number ? 0 : i], b.values[b.is_number ? 0 : i]);
  }
  return result;
}

template <class Operation>
Series each(Arguments a, Operation&& operation) {
  Series result = a[0];
  for (double& x : result.values) x = operation(x);
  return result;
}

template <double (*function)(double)>
Series apply_to_each(Arguments a) {
  return each(a, function);
}

double sign_of(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}

Series least_of(Arguments a) {
  return row_by_row(a[0], a[1], [](double x, double y) { return std::min(x, y); });
}
Series most_of(Arguments a) {
  return row_by_row(a[0], a[1], [](double x, double y) { return std::max(x, y); });
}
Series angle_of(Arguments a) {
  return row_by_row(a[0], a[1], [](double y, double x) { return std::atan2(y, x); });
}
Series length_of(Arguments a) {
  return row_by_row(a[0], a[1], [](double x, double y) { return std::hypot(x, y); });
}

// --- a number of a column; NaN of none, and where a row is NaN

template <class Join>
Series reduce(Arguments a, double start, Join&& join) {
  double result = a[0].values.empty() ? kNothing : start;
  for (const double x : a[0].values) {
    if (std::isnan(x)) return Series::of_number(kNothing);
    result = join(result, x);
  }
  return Series::of_number(result);
}

double number_of(const Series& a) {
  if (!a.is_number) throw SeriesError("this takes a number, not a column");
  return a.values[0];
}

Series find_largest(Arguments a) {
  return reduce(a, -std::numeric_limits<double>::infinity(), [](double m, double x) { return std::max(m, x); });
}
Series find_smallest(Arguments a) {
  return reduce(a, std::numeric_limits<double>::infinity(), [](double m, double x) { return std::min(m, x); });
}
Series add_up(Arguments a) {
  return reduce(a, 0.0, [](double sum, double x) { return sum + x; });
}
Series calc_mean(Arguments a) {
  return Series::of_number(add_up(a).values[0] / static_cast<double>(a[0].size()));
}
Series count_rows(Arguments a) {
  return Series::of_number(static_cast<double>(a[0].size()));
}
Series count_true(Arguments a) {
  const auto n = std::ranges::count_if(a[0].values, [](double x) { return x != 0.0; });
  return Series::of_number(static_cast<double>(n));
}

void check_same_size(const Series& a, const Series& b) {
  if (a.size() != b.size()) {
    throw SeriesError(fmt::format("columns of {} and {} rows do not go together", a.size(), b.size()));
  }
}

/// The value in the k-th row, from 1, in which a condition holds.
double pick(const Series& of, const Series* condition, double k) {
  if (condition != nullptr) check_same_size(of, *condition);
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (condition != nullptr && condition->values[i] == 0.0) continue;
    if (--k == 0.0) return of.values[i];
  }
  return kNothing;
}

Series find_first(Arguments a) {
  return Series::of_number(pick(a[0], a.size() > 1 ? &a[1] : nullptr, 1.0));
}
Series find_nth(Arguments a) {
  return Series::of_number(pick(a[0], &a[1], number_of(a[2])));
}
Series find_last(Arguments a) {
  if (a.size() > 1) check_same_size(a[0], a[1]);
  for (std::size_t i = a[0].size(); i-- > 0;) {
    if (a.size() == 1 || a[1].values[i] != 0.0) return Series::of_number(a[0].values[i]);
  }
  return Series::of_number(kNothing);
}

/// The value in the row of an instant; NaN where there is none within a thousandth of a step.
Series find_at(Arguments a) {
  constexpr double kNear = 1e-3;  // [-] of the step: instants are products of it, t is typed in
  if (a[0].times == nullptr) throw SeriesError("at() needs a column whose rows are instants of a run");
  const std::vector<double>& times = *a[0].times;
  const double t = number_of(a[1]);
  const double slack = kNear * a[0].step;
  const auto near = std::lower_bound(times.begin(), times.end(), t - slack);
  if (near == times.end() || !(std::abs(*near - t) <= slack)) return Series::of_number(kNothing);
  return Series::of_number(a[0].values[static_cast<std::size_t>(near - times.begin())]);
}

// --- a column of a column

/// The row k before or, where k < 0, behind; NaN where there is none.
Series shift(const Series& a, int k) {
  Series result = a;
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    result.values[static_cast<std::size_t>(i)] =
        i - k >= 0 && i - k < n ? a.values[static_cast<std::size_t>(i - k)] : kNothing;
  }
  return result;
}
Series take_previous(Arguments a) {
  return shift(a[0], 1);
}
Series take_next(Arguments a) {
  return shift(a[0], -1);
}

/// What each row adds to the one before; 0 in the first.
Series take_difference(Arguments a) {
  Series result = a[0];
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    result.values[i] = i == 0 ? 0.0 : a[0].values[i] - a[0].values[i - 1];
  }
  return result;
}

/// 1 in rows that satisfy a condition of themselves and the row before, which the first has none of.
template <class Condition>
Series mark(const Series& a, Condition&& condition) {
  Series result = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    result.values[i] = i > 0 && condition(a.values[i - 1], a.values[i]) ? 1.0 : 0.0;
  }
  return result;
}
Series mark_rises(Arguments a) {
  return mark(a[0], [](double before, double now) { return before == 0.0 && now != 0.0; });
}
Series mark_falls(Arguments a) {
  return mark(a[0], [](double before, double now) { return before != 0.0 && now == 0.0; });
}

/// 1 in rows in which what went up or down turns or stays.
Series mark_turns(Arguments a) {
  Series result = a[0];
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const bool inside = i > 0 && i + 1 < a[0].size();
    const double before = inside ? a[0].values[i] - a[0].values[i - 1] : 0.0;
    const double behind = inside ? a[0].values[i + 1] - a[0].values[i] : 0.0;
    result.values[i] = before != 0.0 && before * behind <= 0.0 ? 1.0 : 0.0;
  }
  return result;
}

/// 1 from the first row on that is not 0.
Series mark_since(Arguments a) {
  Series result = a[0];
  bool seen = false;
  for (double& x : result.values) {
    seen = seen || x != 0.0;
    x = seen ? 1.0 : 0.0;
  }
  return result;
}

template <class Keep>
Series keep_rows(const Series& a, Keep&& keep) {
  Series result = Series{{}, false, nullptr, a.step};
  std::vector<double> times;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!keep(i)) continue;
    result.values.push_back(a.values[i]);
    if (a.times != nullptr) times.push_back((*a.times)[i]);
  }
  if (a.times != nullptr) result.times = std::make_shared<const std::vector<double>>(std::move(times));
  return result;
}
Series take_every(Arguments a) {
  const double k = number_of(a[1]);
  if (!(k >= 1.0)) throw SeriesError("every() takes a number of rows from 1 on");
  return keep_rows(a[0], [&](std::size_t i) { return i % static_cast<std::size_t>(k) == 0; });
}
Series select_rows(Arguments a) {
  check_same_size(a[0], a[1]);
  return keep_rows(a[0], [&](std::size_t i) { return a[1].values[i] != 0.0; });
}

/// Between the rows of (x, y) on straight lines, at every row of the third; NaN beyond the ends.
Series interpolate(Arguments a) {
  check_same_size(a[0], a[1]);
  Series result = a[2];
  const std::vector<double>& x = a[0].values;
  const std::vector<double>& y = a[1].values;
  for (double& value : result.values) {
    const auto right = std::lower_bound(x.begin(), x.end(), value);
    const auto i = static_cast<std::size_t>(right - x.begin());
    if (right == x.end() || (i == 0 && *right != value)) {
      value = kNothing;
    } else if (*right == value) {
      value = y[i];
    } else {
      value = y[i - 1] + (y[i] - y[i - 1]) * (value - x[i - 1]) / (x[i] - x[i - 1]);
    }
  }
  return result;
}

Series make_list(Arguments a) {
  Series result;
  for (const Series& one : a) result.values.insert(result.values.end(), one.values.begin(), one.values.end());
  return result;
}

/// The order at which errors fall from step to step: of the second row on, log(e_i-1 / e_i) / log(h_i-1 / h_i).
Series calc_order(Arguments a) {
  check_same_size(a[0], a[1]);
  Series result;
  for (std::size_t i = 1; i < a[0].size(); ++i) {
    result.values.push_back(std::log(std::abs(a[1].values[i - 1] / a[1].values[i])) /
                            std::log(std::abs(a[0].values[i - 1] / a[0].values[i])));
  }
  return result;
}

constexpr int kAny = 1000;

constexpr std::array kSeriesFunctions = {
    SeriesFunction{"sin", 1, 1, apply_to_each<std::sin>},
    SeriesFunction{"cos", 1, 1, apply_to_each<std::cos>},
    SeriesFunction{"tan", 1, 1, apply_to_each<std::tan>},
    SeriesFunction{"asin", 1, 1, apply_to_each<std::asin>},
    SeriesFunction{"acos", 1, 1, apply_to_each<std::acos>},
    SeriesFunction{"atan", 1, 1, apply_to_each<std::atan>},
    SeriesFunction{"acosh", 1, 1, apply_to_each<std::acosh>},
    SeriesFunction{"exp", 1, 1, apply_to_each<std::exp>},
    SeriesFunction{"log", 1, 1, apply_to_each<std::log>},
    SeriesFunction{"log2", 1, 1, apply_to_each<std::log2>},
    SeriesFunction{"sqrt", 1, 1, apply_to_each<std::sqrt>},
    SeriesFunction{"abs", 1, 1, apply_to_each<std::abs>},
    SeriesFunction{"sign", 1, 1, apply_to_each<sign_of>},
    SeriesFunction{"min", 2, 2, least_of},
    SeriesFunction{"max", 2, 2, most_of},
    SeriesFunction{"atan2", 2, 2, angle_of},
    SeriesFunction{"hypot", 2, 2, length_of},
    SeriesFunction{"largest", 1, 1, find_largest},
    SeriesFunction{"smallest", 1, 1, find_smallest},
    SeriesFunction{"sum", 1, 1, add_up},
    SeriesFunction{"mean", 1, 1, calc_mean},
    SeriesFunction{"rows", 1, 1, count_rows},
    SeriesFunction{"count", 1, 1, count_true},
    SeriesFunction{"first", 1, 2, find_first},
    SeriesFunction{"last", 1, 2, find_last},
    SeriesFunction{"nth", 3, 3, find_nth},
    SeriesFunction{"at", 2, 2, find_at},
    SeriesFunction{"previous", 1, 1, take_previous},
    SeriesFunction{"next", 1, 1, take_next},
    SeriesFunction{"difference", 1, 1, take_difference},
    SeriesFunction{"rises", 1, 1, mark_rises},
    SeriesFunction{"falls", 1, 1, mark_falls},
    SeriesFunction{"turns", 1, 1, mark_turns},
    SeriesFunction{"since", 1, 1, mark_since},
    SeriesFunction{"every", 2, 2, take_every},
    SeriesFunction{"select", 2, 2, select_rows},
    SeriesFunction{"interpolate", 3, 3, interpolate},
    SeriesFunction{"list", 1, kAny, make_list},
    SeriesFunction{"order", 2, 2, calc_order},
};

}  // namespace

std::span<const SeriesFunction> series_functions() {
  return kSeriesFunctions;
}

const SeriesFunction* find_series_function(std::string_view name) {
  const auto found = std::ranges::find(kSeriesFunctions, name, &SeriesFunction::name);
  return found == kSeriesFunctions.end() ? nullptr : &*found;
}

Series operate(std::string_view symbol, const Series& left, const Series& right) {
  const auto with = [&](auto&& operation) { return row_by_row(left, right, operation); };
  const auto truth = [](bool holds) { return holds ? 1.0 : 0.0; };
  if (symbol == "+") return with([](double x, double y) { return x + y; });
  if (symbol == "-") return with([](double x, double y) { return x - y; });
  if (symbol == "*") return with([](double x, double y) { return x * y; });
  if (symbol == "/") return with([](double x, double y) { return x / y; });
  if (symbol == "^") return with([](double x, double y) { return std::pow(x, y); });
  if (symbol == "<") return with([&](double x, double y) { return truth(x < y); });
  if (symbol == "<=") return with([&](double x, double y) { return truth(x <= y); });
  if (symbol == ">") return with([&](double x, double y) { return truth(x > y); });
  if (symbol == ">=") return with([&](double x, double y) { return truth(x >= y); });
  if (symbol == "==") return with([&](double x, double y) { return truth(x == y); });
  STICKSLIP_ASSERT(symbol == "!=");
  return with([&](double x, double y) { return truth(x != y); });
}

}  // namespace stickslip
