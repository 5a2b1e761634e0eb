// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "stickslip/scene/scene.h"

namespace stickslip {

/// What drives a joint, as TOML: an expression or a number, bounds [low, high], a signal, a servo.
std::string text_of(const TimeFunction& value);
std::string text_of(const std::array<double, 2>& bounds);
std::string text_of(const SceneSignal& signal);
std::string text_of(const SceneServo& servo);

}  // namespace stickslip
