// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/scene/build.h"

namespace stickslip {

/// What build() makes, without solver and stepper: the system and its state at the start. Throws InputError as build()
/// does, and Interrupted.
BuiltScene build_start(const Scene& scene, StopToken stop = {});

}  // namespace stickslip
