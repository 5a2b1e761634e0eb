// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "stickslip/base/json.h"
#include "stickslip/base/visible_text.h"
#include "stickslip/verify/verify.h"

namespace stickslip {
namespace {

std::string describe_claim(const FalseClaim& claim) {
  return fmt::format("t = {:.6g} s: {}{}{}: claimed {:.6g}{}{}, found {:.6g}", claim.time, claim.what,
                     claim.who.empty() ? "" : " of ", claim.who, claim.claimed, claim.unit.empty() ? "" : " ",
                     claim.unit, claim.found);
}

}  // namespace

std::string describe(const Verification& v) {
  std::string text = fmt::format("{}: {} rows: {}", visible_text(v.file), v.rows, v.ok() ? "no false claim" : "");
  if (v.n_false > 0) text += fmt::format("{} false claims", v.n_false);
  if (v.n_false == 0 && !v.limits.empty()) text += "no false claim, but limits were passed";
  text += fmt::format("\n  penetration  {:.3g} m found, {:.3g} m claimed", v.penetration.found, v.penetration.claimed);
  if (v.penetration.found > 0.0) {
    text += fmt::format(", at t = {:.6g} s, {}", v.penetration.time, v.penetration.bodies);
  }
  text += fmt::format("\n  cones        {:.3g} of the largest percussion off", v.cone);
  text += fmt::format("\n  momentum     {:.3g} of the largest percussion off", v.momentum);
  text += fmt::format("\n  energies     {:.3g} J off", std::abs(v.energy.found - v.energy.claimed));
  if (v.n_false > 0) {
    text += fmt::format("\n  first: {}\n  worst: {}", describe_claim(v.first), describe_claim(v.worst));
  }
  for (const std::string& limit : v.limits) text += "\n  limit passed: " + limit;
  for (const std::string& lack : v.not_checked) text += "\n  not checked: " + lack;
  return text;
}

std::string to_json(const Verification& v) {
  const auto number = [](double x) { return to_json(x); };
  return fmt::format(
      "{{\"file\": {}, \"ok\": {}, \"rows\": {}, \"penetration\": {{\"claimed\": {}, \"found\": {}, \"time\": {}, "
      "\"bodies\": {}}}, \"cone\": {{\"found\": {}}}, \"momentum\": {{\"found\": {}}}, \"energy\": {{\"claimed\": {}, "
      "\"found\": {}}}}}",
      to_json(v.file), v.ok(), v.rows, number(v.penetration.claimed), number(v.penetration.found),
      number(v.penetration.time), to_json(v.penetration.bodies), number(v.cone), number(v.momentum),
      number(v.energy.claimed), number(v.energy.found));
}

}  // namespace stickslip
