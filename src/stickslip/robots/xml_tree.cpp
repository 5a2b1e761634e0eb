// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/xml_tree.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// Names of elements and attributes in messages, cut where a broken file has a very long one.
std::string shown(std::string_view name) {
  constexpr std::size_t kMost = 60;  // [bytes]
  return std::string(name.substr(0, kMost));
}

void check_text(std::string_view text, const std::string& file) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const int length = utf8_sequence_length(text.substr(i));
    const bool is_control =
        length == 1 && text[i] >= 0 && text[i] < ' ' && text[i] != '\n' && text[i] != '\r' && text[i] != '\t';
    if (length == 0 || is_control) throw InputError({file, line, 0}, "", "", "not a text in UTF-8");
    if (text[i] == '\n') ++line;
    i += static_cast<std::size_t>(length);
  }
}

/// An element in a text.
struct Cut {
  std::size_t begin = 0, end = 0;
  int line = 0;
};

/// The parser goes less than 100 elements deep: of a text that is deeper it reads the elements below this level apart.
constexpr int kCutDepth = kMaxXmlDepth / 2;
constexpr int kMostUncut = 90;

/// Refuses elements nested too deep before the parser, which recurses, sees them: comments and the like apart, each '<'
/// opens a level, "</" and "/>" close one. Gives those to be read apart.
std::vector<Cut> check_depth(std::string_view text, const std::string& file) {
  std::vector<Cut> cuts;
  int depth = 0;
  int deepest = 0;
  int line = 1;
  const auto skip = [&](std::size_t& i, std::string_view end) {
    const std::size_t found = std::min(text.find(end, i), text.size());
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                        text.begin() + static_cast<std::ptrdiff_t>(found), '\n'));
    i = std::min(found + end.size(), text.size());
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') ++line;
    if (text[i] != '<') {
      ++i;
      continue;
    }
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("<!--")) {
      skip(i, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      skip(i, "]]>");
    } else if (rest.starts_with("<?")) {
      skip(i, "?>");
    } else if (rest.starts_with("<!")) {
      skip(i, ">");
    } else if (rest.starts_with("</")) {
      skip(i, ">");
      if (depth-- == kCutDepth + 1) cuts.back().end = i;
    } else {
      if (++depth > kMaxXmlDepth) {
        throw InputError({file, line, 0}, "", "", fmt::format("elements are at most {} deep", kMaxXmlDepth));
      }
      deepest = std::max(deepest, depth);
      if (depth == kCutDepth + 1) cuts.push_back({i, text.size(), line});
      // To the end of the tag, quoted values apart.
      char quote = 0;
      for (++i; i < text.size() && (quote != 0 || text[i] != '>'); ++i) {
        if (text[i] == '\n') ++line;
        if (quote == 0 && (text[i] == '"' || text[i] == '\'')) {
          quote = text[i];
        } else if (text[i] == quote) {
          quote = 0;
        }
      }
      if (i < text.size() && text[i - 1] == '/' && depth-- == kCutDepth + 1) cuts.back().end = i + 1;
    }
  }
  if (deepest <= kMostUncut) cuts.clear();
  return cuts;
}

/// The text with an element in place of each that is cut out; lines stay.
std::string without(std::string_view text, const std::vector<Cut>& cuts) {
  std::string rest;
  std::size_t at = 0;
  for (const Cut& cut : cuts) {
    rest += text.substr(at, cut.begin - at);
    rest += "<cut/>";
    const std::string_view inside = text.substr(cut.begin, cut.end - cut.begin);
    rest.append(static_cast<std::size_t>(std::ranges::count(inside, '\n')), '\n');
    at = cut.end;
  }
  rest += text.substr(at);
  return rest;
}

class XmlReader {
 public:
  explicit XmlReader(const XmlOptions& options) : options_(options) {}

  XmlElement read(std::string_view text, const std::string& name) {
    bytes_ += text.size();
    const auto file = std::make_shared<const std::string>(name);
    if (bytes_ > kMaxXmlBytes) {
      throw InputError({name, 0, 0}, "", "", fmt::format("a model has at most {} MiB of XML", kMaxXmlBytes >> 20U));
    }
    check_text(text, name);
    const std::vector<Cut> cuts = check_depth(text, name);
    Source source = {file, 0, {}};
    if (cuts.empty()) return parse(text, source);
    std::vector<XmlElement> parts;
    for (const Cut& cut : cuts) {
      Source part = {file, cut.line - 1, {}};
      parts.push_back(parse(text.substr(cut.begin, cut.end - cut.begin), part));
    }
    source.parts = parts;
    return parse(without(text, cuts), source);
  }

 private:
  static std::string describe(tinyxml2::XMLError error) {
    switch (error) {
      case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
        return "not XML: an element is closed by another's name, or not at all";
      case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
        return "not XML: attributes read name=\"value\", each once";
      case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
        return "an XML file with a root element";
      default:
        return fmt::format("not XML ({})", tinyxml2::XMLDocument::ErrorIDToName(error));
    }
  }

  /// A text, and those of its elements that are not in it, in their order.
  struct Source {
    std::shared_ptr<const std::string> file;
    int lines_before = 0;
    std::span<XmlElement> parts;
    SourcePlace place(int line) const { return {*file, lines_before + line, 0}; }
  };

  XmlElement parse(std::string_view text, Source& source) {
    tinyxml2::XMLDocument document;
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
      throw InputError(source.place(std::max(document.ErrorLineNum(), 1)), "", "", describe(document.ErrorID()));
    }
    const tinyxml2::XMLElement* root = nullptr;
    for (const tinyxml2::XMLNode* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
      const SourcePlace place = source.place(node->GetLineNum());
      if (node->ToText() != nullptr) throw InputError(place, "", "", "a text outside of the root element");
      if (node->ToElement() == nullptr) continue;
      if (root != nullptr) throw InputError(place, shown(node->Value()), "", "one root element, not two");
      root = node->ToElement();
    }
    if (root == nullptr) throw InputError(source.place(1), "", "", "an XML file with a root element");
    return convert(*root, source, 1);
  }

  XmlElement convert(const tinyxml2::XMLElement& from, Source& source, int depth) {
    if (depth > kCutDepth && !source.parts.empty()) {
      XmlElement part = std::move(source.parts.front());
      source.parts = source.parts.subspan(1);
      return part;
    }
    XmlElement element;
    element.name = from.Name();
    element.file = source.file;
    element.line = source.lines_before + from.GetLineNum();
    for (const tinyxml2::XMLAttribute* a = from.FirstAttribute(); a != nullptr; a = a->Next()) {
      element.attributes.push_back({a->Name(), a->Value(), source.lines_before + a->GetLineNum()});
    }
    for (const tinyxml2::XMLElement* c = from.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      XmlElement child = convert(*c, source, depth + 1);
      if (options_.has_includes && child.name == "include") {
        include(child, element);
      } else {
        element.children.push_back(std::move(child));
      }
    }
    return element;
  }

  void include(const XmlElement& include, XmlElement& parent) {
    const XmlAttribute* file = include.find("file");
    if (file == nullptr || file->value.empty()) include.fail("file", "missing: the name of a file");
    for (const XmlAttribute& a : include.attributes) {
      if (&a != file) include.fail(shown(a.name), "unknown: an include has a file alone");
    }
    if (!options_.reads_files) include.fail("file", "no file: none is read here");
    if (++n_files_ > kMaxXmlFiles) include.fail(fmt::format("a model includes at most {} files", kMaxXmlFiles));
    if (chain_.size() >= kMaxXmlIncludeDepth) {
      include.fail(fmt::format("includes are at most {} files deep", kMaxXmlIncludeDepth));
    }
    const fs::path path = options_.folder / fs::path(file->value);
    std::error_code ignored;
    for (const fs::path& open : chain_) {
      if (fs::equivalent(open, path, ignored)) include.fail("file", "a file that includes itself");
    }
    std::string text;
    try {
      text = read_model_file(path, {path.string(), 0, 0}, kMaxXmlBytes);
    } catch (const InputError& error) {
      include.fail("file", error.what());
    }
    chain_.push_back(path);
    XmlElement root = read(text, path.string());
    chain_.pop_back();
    for (XmlElement& child : root.children) parent.children.push_back(std::move(child));
  }

  const XmlOptions& options_;
  std::size_t bytes_ = 0;
  int n_files_ = 0;
  std::vector<fs::path> chain_;  // includes being read
};

}  // namespace

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &XmlAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

const XmlElement* XmlElement::child(std::string_view of_name) const {
  const auto found = std::ranges::find(children, of_name, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

void XmlElement::fail(const std::string& text) const {
  throw InputError(place(), shown(name), "", text);
}

void XmlElement::fail(std::string_view attribute, const std::string& text) const {
  const XmlAttribute* found = find(attribute);
  throw InputError(found == nullptr ? place() : place(*found), fmt::format("{}.{}", shown(name), attribute), "", text);
}

bool looks_like_xml(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '<';
}

std::string read_model_file(const fs::path& path, const SourcePlace& place, std::size_t max_bytes,
                            const std::string& key) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(place, key, place.line > 0 ? path.string() : "", why);
  };
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) refuse("not an ordinary file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) refuse(std::string("cannot be opened: ") + std::strerror(errno));
  std::string text;
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
    if (text.size() > max_bytes) refuse(fmt::format("a file of at most {} MiB", max_bytes >> 20U));
  }
  if (std::ferror(file.get()) != 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

XmlElement parse_xml(std::string_view text, const std::string& file, const XmlOptions& options) {
  return XmlReader(options).read(text, file);
}

}  // namespace stickslip
