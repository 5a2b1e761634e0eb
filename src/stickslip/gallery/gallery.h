// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/gallery/study.h"

// A gallery is a paper whose studies are run again: the data of its figures, and its numbers beside ours. It is a
// folder with a file a study, and gallery.toml, which says what it is.

namespace stickslip {

struct Gallery {
  std::string name;            // of its folder
  std::string source;          // [Key] of docs/references.bib, and what it is
  std::vector<Study> studies;  // in order of their files' names
};

/// The galleries below a folder, in order of name; none where there is no such folder.
std::vector<std::string> gallery_names(const std::filesystem::path& folder);
/// Throws InputError: of an unknown one with the nearest known name, of a file's mistake with its place.
Gallery load_gallery(const std::filesystem::path& folder, std::string_view name);

}  // namespace stickslip
