// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip::test {

inline constexpr double kGravity = 9.81;  // [m/s^2] what scenes have by default

/// A shipped scene, stepped by hand.
struct SceneRun {
  Scene scene;
  BuiltScene built;
  State state;
  StepReport report;

  explicit SceneRun(Scene s) : scene(std::move(s)), built(build(scene)), state(built.initial) {
    built.stepper->initialize(state, report);
  }

  /// One step of the scene's length; t is start + n h as a product.
  Status step() {
    const double h = scene.time.step;
    return built.stepper->step(state, h, scene.time.start + static_cast<double>(state.step + 1) * h, report);
  }

  /// Steps to the scene's end and calls on_step(*this) after each; throws when a step is not ok.
  template <class OnStep>
  void run(OnStep&& on_step) {
    const auto n = std::lround((scene.time.end - scene.time.start) / scene.time.step);
    while (state.step < n) {
      if (step() != Status::ok) {
        throw std::runtime_error(scene.name + ": step " + std::to_string(state.step) + " is not ok: " + report.message);
      }
      on_step(*this);
    }
  }
  void run() {
    run([](const SceneRun&) {});
  }
};

/// `name` below scenes/, without .toml.
inline SceneRun open_scene(const std::string& name, std::vector<std::string> overrides = {}) {
  LoadOptions options;
  options.overrides = std::move(overrides);
  return SceneRun(load_scene(std::string(STICKSLIP_SCENES_DIR) + "/" + name + ".toml", options));
}

inline SceneRun scene_from_text(const std::string& text) {
  return SceneRun(parse_scene(text, "test.toml"));
}

/// A table of numbers from tests/data: lines with # and one heading line are skipped.
inline std::vector<std::vector<double>> read_table(const std::string& name) {
  std::ifstream file(std::string(STICKSLIP_TEST_DATA_DIR) + "/" + name);
  if (!file) throw std::runtime_error("cannot read tests/data/" + name);
  std::vector<std::vector<double>> rows;
  std::string line;
  bool heading = true;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (heading) {
      heading = false;
      continue;
    }
    std::istringstream in(line);
    std::string cell;
    rows.emplace_back();
    while (std::getline(in, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

}  // namespace stickslip::test
