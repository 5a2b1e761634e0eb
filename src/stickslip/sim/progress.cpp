// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace stickslip {
namespace {

constexpr int kLeastBar = 7;     // [-] columns, brackets included: a shorter one says nothing
constexpr int kWidestBar = 22;   // [-]
constexpr int kLeastTitle = 8;   // [-]
constexpr int kLeastWidth = 40;  // [-] of lines with a title and a bar
constexpr const char* kGap = "  ";

/// Columns of a text in UTF-8 of characters that take one each.
int count_columns(std::string_view text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// The first `columns` of a text; the last of them says where something is missing.
std::string cut(std::string_view text, int columns) {
  if (count_columns(text) <= columns) return std::string(text);
  std::size_t end = 0;
  for (int seen = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++seen == columns) break;
  }
  return std::string(text.substr(0, end)) + "~";
}

/// Three digits: 12, 1.23k, 123k, 4.56M.
std::string describe_count(double count) {
  constexpr std::array<const char*, 4> kUnits = {"", "k", "M", "G"};
  if (!std::isfinite(count)) return "?";
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) count /= 1000.0;
  return fmt::format("{:.3g}{}", count, kUnits[unit]);
}

std::string describe_pace(double steps_per_second) {
  if (steps_per_second > 0.0 && steps_per_second < 0.1) return describe_count(1.0 / steps_per_second) + " s/step";
  return describe_count(steps_per_second) + " steps/s";
}

std::string describe_duration(double seconds) {
  constexpr double kMinute = 60.0;
  constexpr double kHour = 60.0 * kMinute;
  constexpr double kDay = 24.0 * kHour;
  if (!(seconds < 1e4 * kDay)) return "?";
  const auto s = std::lround(seconds);
  if (seconds < kMinute) return fmt::format("{} s", s);
  if (seconds < kHour) return fmt::format("{}:{:02} min", s / 60, s % 60);
  if (seconds < 2.0 * kDay) return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
  return fmt::format("{:.0f} days", seconds / kDay);
}

struct Field {
  std::string text;
  int dispensable;  // the first to go where there is no room; 0: never
};

std::vector<Field> make_fields(const Progress& p) {
  return {{fmt::format("{:3.0f} %", 100.0 * p.share), 0},
          {fmt::format("t = {:.4g} s", p.time), 2},
          {describe_pace(p.steps_per_second), 5},
          {describe_count(p.contacts) + (p.contacts == 1 ? " contact" : " contacts"), 4},
          {fmt::format("residual {:.0e}", p.worst_residual), 3},
          {describe_duration(p.seconds_left) + " left", 1}};
}

int count_columns(const std::vector<Field>& fields) {
  int columns = -static_cast<int>(std::string_view(kGap).size());
  for (const Field& field : fields)
    columns += count_columns(field.text) + static_cast<int>(std::string_view(kGap).size());
  return columns;
}

std::string join(const std::vector<Field>& fields) {
  std::string line;
  for (const Field& field : fields) {
    if (!line.empty()) line += kGap;
    line += field.text;
  }
  return line;
}

std::vector<Field> fit_fields(const Progress& progress, int width) {
  std::vector<Field> fields = make_fields(progress);
  while (count_columns(fields) > width) {
    fields.erase(std::ranges::max_element(fields, {}, &Field::dispensable));
  }
  return fields;
}

std::string make_bar(double share, int width) {
  const int inside = width - 2;
  const int full = std::clamp(static_cast<int>(share * inside), 0, inside);
  return '[' + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(inside - full), '.') + ']';
}

}  // namespace

void RecentRate::update(double now, double value) {
  const double seconds = now - now_;
  if (!(seconds > 0.0)) return;
  const double kept = std::exp(-seconds / kMemory);
  grown_ = kept * grown_ + (value - value_);
  seconds_ = kept * seconds_ + seconds;
  now_ = now;
  value_ = value;
}

std::string describe(const Progress& progress, std::string_view title, int width) {
  if (width < kLeastWidth) return join(fit_fields(progress, width));
  const int gap = title.empty() ? 0 : static_cast<int>(std::string_view(kGap).size());
  // The title gives way to the figures, but not altogether.
  const int least = std::min(count_columns(title), kLeastTitle);
  const std::vector<Field> fields = fit_fields(progress, width - least - gap);
  const std::string start = cut(title, width - count_columns(fields) - gap);
  return start + (title.empty() ? "" : kGap) + join(fields);
}

std::string describe_with_bar(const Progress& progress, std::string_view title, int width) {
  if (width < kLeastWidth) return join(fit_fields(progress, width));
  const int gap = title.empty() ? 0 : static_cast<int>(std::string_view(kGap).size());
  const int least = std::min(count_columns(title), kLeastTitle);
  const std::vector<Field> fields = fit_fields(progress, width - least - gap - kLeastBar - 1);
  const int room = width - count_columns(fields) - gap - 1;
  const std::string start = cut(title, std::max(least, room - kWidestBar));
  const std::string bar = make_bar(progress.share, std::min(kWidestBar, room - count_columns(start)));
  return start + (title.empty() ? "" : kGap) + bar + ' ' + join(fields);
}

}  // namespace stickslip
