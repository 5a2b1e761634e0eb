// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace stickslip {

/// Opens /dev/null for what of stdin, stdout and stderr is closed at the start: a file opened later would take its
/// number, and messages would be written into that file.
void open_standard_streams();

/// Writes to stdout or stderr as much as can be, control characters made visible. A stream that takes nothing (a full
/// disk, a terminal that is gone) ends no work: flush_output() tells at the end.
void write_output(std::string_view text);
void write_error(std::string_view text);

/// From now on nothing is written to stdout and stderr: another process says the same.
void keep_silent();
/// What was not written to stderr since then is written after all.
void break_silence();

/// To stdout byte for byte, for other programs to read; on a terminal as write_output() does.
void write_output_exactly(std::string_view text);

/// Whether a file's name leads to stdout, as /dev/stdout does: what is written there stays alone.
bool is_standard_output(const std::string& file);

/// Whether stdout took all that was written to it.
bool flush_output();

/// Formatted, to stdout and to stderr.
template <class... Arguments>
void print_output(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_output(fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_error(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace stickslip
