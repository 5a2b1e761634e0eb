// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace stickslip {

/// Throws InputError, with the place, where a text is not UTF-8 or holds a NUL byte (a binary file), nests
/// keys and brackets deeper than kMaxTomlNesting, closes a bracket that is not open, or has other than
/// ASCII outside strings and comments. Everything else is
/// left to the parser, whose recursion and assumptions this guards.
void check_toml_text(std::string_view text, const std::string& text_name);

/// Bytes of the UTF-8 sequence at the start of `text`, 0 where there is none: truncated, overlong, a
/// surrogate or beyond U+10FFFF.
int utf8_sequence_length(std::string_view text);

/// Whether a text holds a control character: C0, DEL or C1. The text must be UTF-8.
bool has_control_character(std::string_view text);

/// The shortest text that reads back as the same double, as a TOML float.
std::string write_toml_number(double value);

/// A text as a TOML basic string, quotes included.
std::string quote_toml(std::string_view text);

/// A key as TOML writes it: bare where it can be.
std::string quote_toml_key(std::string_view key);

}  // namespace stickslip
