// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace stickslip {

/// Whether a file is a result, of whatever format and however it ended. Answers within milliseconds, whatever the
/// bytes.
bool is_result(const std::filesystem::path& path);

/// Whether a file is a one-step problem in FCLIB's format, as this program leaves them.
bool is_problem(const std::filesystem::path& path);

/// Files of the user that may be overwritten without --force.
enum class MayReplace { results, problems, nothing };

/// Refuses to overwrite an existing file, except those that `replace` allows. Throws InputError, which names --force.
void check_replaceable(const std::filesystem::path& path, MayReplace replace);

/// Refuses to begin a file of `bytes` bytes if the disk has less space. Throws WriteError, which says both.
void check_room(const std::filesystem::path& path, double bytes);

/// ": needs 1.2 MB more, and 34 kB are free on its disk", the end of a message.
std::string describe_shortage(const std::filesystem::path& path, double bytes);

/// "1.2 MB": for people.
std::string describe_bytes(double bytes);

}  // namespace stickslip
