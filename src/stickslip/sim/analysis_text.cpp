// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/json.h"
#include "stickslip/sim/analyze.h"

namespace stickslip {
namespace {

std::string_view kind_name(ContactState kind) {
  constexpr std::array<std::string_view, 3> kNames = {"open", "stick", "slip"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_list(const Vector& values) {
  return to_json(std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
}

std::string to_list(const std::vector<Vector>& all) {
  std::string json = "[";
  for (const Vector& values : all) json += (json.size() > 1 ? ", " : "") + to_list(values);
  return json + "]";
}

std::string to_number(const std::optional<double>& value) {
  return value ? to_json(*value) : "null";
}

struct AnalysisWords {
  std::string_view force, motion, rates, unit, residual_unit;
};

AnalysisWords words_of(AnalysisLevel level) {
  if (level == AnalysisLevel::step) return {"percussion", "velocity", "relative_velocity", "N s", "m/s"};
  return {"force", "acceleration", "relative_acceleration", "N", "m/s^2"};
}

}  // namespace

std::string_view level_name(AnalysisLevel level) {
  constexpr std::array<std::string_view, 3> kNames = {"step", "acceleration", "relaxation"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string describe_kinds(const AnalyzedSolution& solution) {
  std::string text;
  for (const ContactState kind : solution.kinds) text.append(text.empty() ? "" : ", ").append(kind_name(kind));
  return text;
}

std::string to_json(const Analysis& analysis) {
  const AnalysisWords words = words_of(analysis.level);
  std::string parameters;
  for (const auto& [name, value] : analysis.parameters) {
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", to_json(name), to_json(value));
  }
  std::string contacts;
  for (const std::string& name : analysis.contacts) contacts += (contacts.empty() ? "" : ", ") + to_json(name);
  std::string remarks;
  for (const std::string& remark : analysis.remarks) remarks += (remarks.empty() ? "" : ", ") + to_json(remark);
  std::string solutions;
  for (const AnalyzedSolution& solution : analysis.solutions) {
    std::string kinds;
    for (const ContactState kind : solution.kinds) {
      kinds += (kinds.empty() ? "" : ", ") + to_json(kind_name(kind));
    }
    solutions += fmt::format(
        "{}\n    {{\"kinds\": [{}], \"{}\": {}, \"{}\": {}, \"{}\": {}, \"residual\": {}, \"unique_forces\": {}}}",
        solutions.empty() ? "" : ",", kinds, words.force, to_list(solution.forces), words.motion,
        to_list(solution.motion), words.rates, to_list(solution.rates), to_json(solution.residual),
        solution.unique_forces);
  }
  return fmt::format(
      "{{\"level\": \"{}\", \"state\": {{\"time\": {}, \"q\": {}, \"u\": {}, \"parameters\": {{{}}}}}, \"contacts\": "
      "[{}], \"G_A\": {}, \"G_B\": {}, \"exists\": {}, \"unique\": {}, \"complete\": {}, \"remarks\": [{}],\n"
      "   \"solutions\": [{}]}}",
      level_name(analysis.level), to_json(analysis.time), to_list(analysis.q), to_list(analysis.u), parameters,
      contacts, to_number(analysis.G_A), to_number(analysis.G_B), analysis.exists(), analysis.is_unique(),
      analysis.complete, remarks, solutions);
}

std::string to_text(const Analysis& analysis) {
  const AnalysisWords words = words_of(analysis.level);
  std::string text;
  const auto count = analysis.solutions.size();
  const std::string_view all = analysis.complete ? "" : " at least (not shown to be all)";
  text += fmt::format("{} solution{}{}: {}\n", count, count == 1 ? "" : "s", all,
                      analysis.is_unique() ? "exists and is unique"
                      : analysis.exists()  ? (count > 1 ? "exists, not unique" : "exists")
                      : analysis.complete  ? "does not exist"
                                           : "none was found");
  if (analysis.G_A && analysis.G_B) {
    text += fmt::format("one contact slides: G_A = {:.9g} m/s^2, G_B = {:.9g} 1/kg\n", *analysis.G_A, *analysis.G_B);
  }
  for (const std::string& remark : analysis.remarks) text += remark + "\n";
  std::size_t width = 7;
  for (const std::string& name : analysis.contacts) width = std::max(width, name.size());
  for (std::size_t k = 0; k < count; ++k) {
    const AnalyzedSolution& solution = analysis.solutions[k];
    std::string motion;
    for (const double x : solution.motion) motion += fmt::format("{}{:.9g}", motion.empty() ? "" : ", ", x);
    text += fmt::format("\n{}  {} ({})  residual {:.1e} {}{}\n", k + 1, words.motion, motion, solution.residual,
                        words.residual_unit, solution.unique_forces ? "" : "  forces are not determined");
    for (std::size_t i = 0; i < analysis.contacts.size(); ++i) {
      std::string force;
      for (const double x : solution.forces[i]) force += fmt::format("{}{:.9g}", force.empty() ? "" : ", ", x);
      text += fmt::format("   {:<{}}  {:<5}  {} ({}) {}\n", analysis.contacts[i], width, kind_name(solution.kinds[i]),
                          words.force, force, words.unit);
    }
  }
  return text;
}

}  // namespace stickslip
