// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stickslip/scene/document.h"

namespace stickslip {

/// The `source` of a gallery.toml. Throws InputError.
std::string load_gallery_source(const std::filesystem::path& path);

/// The entries that an array of tables stands for: one with `each = {key = [..], ...}` is as many as these arrays have
/// elements, in whose texts "{key}" is the element. Throws InputError where they differ in length.
struct EachEntry {
  TomlValue table;  // without `each`
  std::map<std::string, std::string> given;
};
std::vector<EachEntry> expand_each(const Document& document, const TomlValue& entry, const std::string& path);

}  // namespace stickslip
