// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {

struct XmlAttribute {
  std::string name;
  std::string value;
  int line = 0;
};

/// An element of a model's file with the place where it stands. Texts between elements are kept for their blanks alone:
/// neither format has any.
struct XmlElement {
  std::string name;
  std::shared_ptr<const std::string> file;  // as messages show it
  int line = 0;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  const XmlAttribute* find(std::string_view attribute) const;
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  /// The first child of that name, or nothing.
  const XmlElement* child(std::string_view of_name) const;
  SourcePlace place() const { return {*file, line, 0}; }
  SourcePlace place(const XmlAttribute& attribute) const { return {*file, attribute.line, 0}; }
  /// Throws InputError "file:line: WHAT: text" with WHAT this element, or an attribute of it.
  [[noreturn]] void fail(const std::string& text) const;
  [[noreturn]] void fail(std::string_view attribute, const std::string& text) const;
};

// Bounds on what is read.
inline constexpr std::size_t kMaxXmlBytes = std::size_t{16} << 20;  // [bytes] of a model and all that it includes
inline constexpr int kMaxXmlDepth = 100;                            // [-] elements in one another
inline constexpr int kMaxXmlFiles = 256;                            // [-] includes
inline constexpr int kMaxXmlIncludeDepth = 16;                      // [-] includes in one another

/// Whether bytes are XML's rather than a scene's: whether the first that is no blank is '<'.
bool looks_like_xml(std::string_view bytes);

/// Reads a file's text; throws InputError at `place`, where `key` names the file, where it cannot.
std::string read_model_file(const std::filesystem::path& path, const SourcePlace& place, std::size_t max_bytes,
                            const std::string& key = "");

/// The root of a model's text. `read` gives the text of an <include file="...">, whose root's children take its place;
/// without it includes are refused. Throws InputError: no XML, not UTF-8, two roots, an attribute twice, too large.
struct XmlOptions {
  bool has_includes = false;
  std::filesystem::path folder;  // of the main file, where includes are looked up
  bool reads_files = true;
};
XmlElement parse_xml(std::string_view text, const std::string& file, const XmlOptions& options);

}  // namespace stickslip
