// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/gallery.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"

namespace stickslip {
namespace {

struct Known {
  std::string_view name;
  Gallery (*make)();
};

constexpr std::array kGalleries = {Known{"capobianco", make_capobianco_gallery}};

/// Half a unit of the last digit of a number in decimal notation without an exponent.
double half_last_digit(std::string_view printed) {
  const std::size_t point = printed.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : printed.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(decimals));
}

double parse_number(std::string_view printed) {
  double value = 0.0;
  [[maybe_unused]] const auto [end, error] = std::from_chars(printed.data(), printed.data() + printed.size(), value);
  STICKSLIP_ASSERT(error == std::errc() && end == printed.data() + printed.size());
  return value;
}

}  // namespace

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::published:
      return "published";
    case Origin::analytic:
      return "analytic";
    case Origin::reference:
      return "reference";
  }
  return "";
}

bool Comparison::agrees() const {
  // The last bit of a number that is printed with few digits decides nothing.
  constexpr double kRoundOff = 1e-12;  // [-]
  return std::abs(difference()) <= tolerance + kRoundOff * std::abs(value);
}

void BenchmarkPage::add(std::string quantity, std::string unit, Origin origin, double value, double tolerance,
                        double ours, std::string reason) {
  comparisons.push_back({std::move(quantity), std::move(unit), origin, fmt::format("{}", value), value, tolerance, ours,
                         std::move(reason)});
}

void BenchmarkPage::published(std::string quantity, std::string unit, std::string expected, double ours,
                              std::string reason) {
  const double value = parse_number(expected);
  add(std::move(quantity), std::move(unit), Origin::published, value, half_last_digit(expected), ours,
      std::move(reason));
  comparisons.back().expected = std::move(expected);
}

void BenchmarkPage::stated(std::string quantity, std::string unit, double value, double tolerance, double ours,
                           std::string reason) {
  add(std::move(quantity), std::move(unit), Origin::published, value, tolerance, ours, std::move(reason));
}

void BenchmarkPage::observed(const std::string& behaviour, bool seen) {
  add(behaviour + " (1: it does)", "", Origin::published, 1.0, 0.0, seen ? 1.0 : 0.0, "");
}

void BenchmarkPage::analytic(std::string quantity, std::string unit, double value, double tolerance, double ours,
                             std::string reason) {
  add(std::move(quantity), std::move(unit), Origin::analytic, value, tolerance, ours, std::move(reason));
  comparisons.back().expected = fmt::format("{:.9g}", value);
}

void BenchmarkPage::reference(std::string quantity, std::string unit, double value, double tolerance, double ours,
                              std::string reason) {
  add(std::move(quantity), std::move(unit), Origin::reference, value, tolerance, ours, std::move(reason));
}

std::vector<std::string_view> gallery_names() {
  std::vector<std::string_view> names;
  names.reserve(kGalleries.size());
  for (const Known& known : kGalleries) names.push_back(known.name);
  return names;
}

Gallery make_gallery(std::string_view name) {
  for (const Known& known : kGalleries) {
    if (known.name == name) return known.make();
  }
  const std::vector<std::string_view> names = gallery_names();
  const std::string nearest = nearest_name(name, names);
  throw InputError({}, "gallery", std::string(name),
                   fmt::format("one of {}{}", fmt::join(names, ", "),
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace stickslip
