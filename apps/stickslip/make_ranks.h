// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>

#include "stickslip/base/ranks.h"

namespace stickslip {

/// What connects the ranks of this program, as `--version` names it; empty: nothing does.
std::string_view transport_name();
/// The processes that were started together, this one among them; null without a transport. Called once.
std::unique_ptr<Ranks> make_ranks(int& argc, char**& argv);

}  // namespace stickslip
