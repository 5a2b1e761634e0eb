// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace stickslip {

/// Whether a line feed ends a line of the text, or is part of a name as any other control character.
enum class LineFeeds { kept, shown };

/// A text (UTF-8) whose control characters (C0, DEL and C1) stand as \x1b: a terminal obeys none of them. A tab stays.
std::string visible_text(std::string_view text, LineFeeds line_feeds = LineFeeds::shown);

}  // namespace stickslip
