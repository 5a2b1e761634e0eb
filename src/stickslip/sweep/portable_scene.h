// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "stickslip/scene/document.h"

namespace stickslip {

/// The tables of a document as the text of one file, which reads back as the same: a line for each entry.
std::string write_document(const Document& document);

/// A scene as written, with its includes, in one text, and the files of numbers that it names: what another machine
/// reads it from.
struct PortableScene {
  std::string name;                          // of a scene that says none
  std::string text;                          // names the files as they are called below
  std::map<std::string, std::string> files;  // name, bytes

  /// Of the files. [-]
  std::uint64_t checksum() const;
};

/// Throws InputError where a file that the scene names cannot be read.
PortableScene make_portable(Document document, const std::string& name);

}  // namespace stickslip
