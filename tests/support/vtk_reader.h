// SPDX-License-Identifier: BSD-3-Clause
// Reads what VTK's XML formats hold, with checks of its own: well-formed XML, base64, arrays of the announced lengths.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::test {

/// An element of an XML text, its attributes, its children and what text is right inside it.
struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<XmlElement> children;
  std::string text;

  const std::string& at(const std::string& attribute) const { return attributes.at(attribute); }
  const XmlElement& child(std::string_view wanted) const {
    for (const XmlElement& element : children) {
      if (element.name == wanted) return element;
    }
    throw std::runtime_error("no element " + std::string(wanted));
  }
};

/// Elements, attributes in double quotes, text without references, comments, one declaration: what the files here use.
class XmlParser {
 public:
  static XmlElement parse(std::string_view text) {
    XmlParser parser(text);
    parser.skip_misc();
    XmlElement root = parser.element();
    parser.skip_misc();
    if (!parser.rest_.empty()) throw std::runtime_error("text behind the root element");
    return root;
  }

 private:
  explicit XmlParser(std::string_view text) : rest_(text) {}

  bool take(std::string_view start) {
    if (!rest_.starts_with(start)) return false;
    rest_.remove_prefix(start.size());
    return true;
  }
  void want(std::string_view start) {
    if (!take(start))
      throw std::runtime_error("expected " + std::string(start) + " at " + std::string(rest_.substr(0, 40)));
  }
  std::string until(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) throw std::runtime_error("no " + std::string(end));
    const std::string found(rest_.substr(0, at));
    rest_.remove_prefix(at + end.size());
    return found;
  }
  void skip_space() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) != std::string_view::npos) {
      rest_.remove_prefix(1);
    }
  }
  void skip_misc() {
    for (skip_space(); rest_.starts_with("<?") || rest_.starts_with("<!--"); skip_space()) {
      if (take("<?")) {
        until("?>");
      } else {
        want("<!--");
        if (until("-->").find("--") != std::string::npos) throw std::runtime_error("-- in a comment");
      }
    }
  }
  std::string name() {
    std::size_t n = 0;
    while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) != 0 || rest_[n] == '_')) ++n;
    if (n == 0) throw std::runtime_error("no name");
    const std::string found(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return found;
  }
  XmlElement element() {
    XmlElement e;
    want("<");
    e.name = name();
    for (skip_space(); !rest_.starts_with(">") && !rest_.starts_with("/>"); skip_space()) {
      const std::string key = name();
      want("=\"");
      const std::string value = until("\"");
      if (value.find_first_of("<&") != std::string::npos) throw std::runtime_error("an attribute that is not escaped");
      if (!e.attributes.emplace(key, value).second) throw std::runtime_error("an attribute twice");
    }
    if (take("/>")) return e;
    want(">");
    while (!rest_.starts_with("</")) {
      if (rest_.starts_with("<!--")) {
        skip_misc();
      } else if (rest_.starts_with("<")) {
        e.children.push_back(element());
      } else {
        const std::size_t n = std::min(rest_.find('<'), rest_.size());
        if (n == rest_.size()) throw std::runtime_error(e.name + " does not end");
        e.text += rest_.substr(0, n);
        rest_.remove_prefix(n);
      }
    }
    want("</");
    if (name() != e.name) throw std::runtime_error(e.name + " ends as another");
    want(">");
    return e;
  }

  std::string_view rest_;
};

inline std::string whole_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("no file " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Bytes of one base64 text, which ends at its padding or with the text.
inline std::string decode_base64(std::string_view text, std::size_t n_bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() < (n_bytes + 2) / 3 * 4) throw std::runtime_error("too few characters");
  std::string bytes;
  unsigned bits = 0;
  int n_bits = 0;
  for (std::size_t i = 0; bytes.size() < n_bytes; ++i) {
    const std::size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) throw std::runtime_error("no base64");
    bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xffffU;
    if ((n_bits += 6) >= 8) bytes += static_cast<char>(bits >> (n_bits -= 8) & 0xffU);
  }
  return bytes;
}

/// A .vtp file: each array by the section that it is in, "PointData/velocity".
struct VtpFile {
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::vector<std::string>> texts;
  std::map<std::string, std::size_t> counts;  // "NumberOfPoints", ...

  explicit VtpFile(const std::filesystem::path& path) {
    const XmlElement root = XmlParser::parse(whole_text(path));
    check(root.name == "VTKFile" && root.at("type") == "PolyData" && root.at("header_type") == "UInt64", "its head");
    check(root.at("byte_order") == "LittleEndian", "its byte order");
    const std::string& all = root.child("AppendedData").text;
    check(root.child("AppendedData").at("encoding") == "base64", "its encoding");
    const std::string_view appended = std::string_view(all).substr(all.find('_') + 1);
    const XmlElement& data = root.child("PolyData");
    for (const XmlElement& array : data.child("FieldData").children) read("FieldData", array, appended);
    const XmlElement& piece = data.child("Piece");
    for (const auto& [key, value] : piece.attributes) counts[key] = std::stoul(value);
    for (const XmlElement& section : piece.children) {
      for (const XmlElement& array : section.children) read(section.name, array, appended);
    }
    check_counts();
  }

  static void check(bool is_right, const char* what) {
    if (!is_right) throw std::runtime_error(std::string("wrong: ") + what);
  }

 private:
  template <class Number>
  static std::vector<double> convert(const std::string& bytes) {
    check(bytes.size() % sizeof(Number) == 0, "bytes of an array");
    std::vector<double> values;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(Number)) {
      Number x{};
      std::memcpy(&x, bytes.data() + i, sizeof x);
      values.push_back(static_cast<double>(x));
    }
    return values;
  }

  void read(const std::string& section, const XmlElement& array, std::string_view appended) {
    check(array.at("format") == "appended", "the format of an array");
    const std::string_view block = appended.substr(std::stoul(array.at("offset")));
    std::uint64_t size = 0;
    std::memcpy(&size, decode_base64(block, sizeof size).data(), sizeof size);
    const std::string bytes = decode_base64(block, sizeof size + size).substr(sizeof size);
    const std::string& type = array.at("type");
    const std::string name = section + "/" + array.at("Name");
    std::size_t n = 0;
    if (type == "String") {
      check(array.name == "Array", "the element of texts");
      for (std::size_t at = 0; at < bytes.size(); at += texts[name].back().size() + 1) {
        texts[name].emplace_back(bytes.c_str() + at);
      }
      n = texts[name].size();
    } else {
      check(array.name == "DataArray", "the element of numbers");
      numbers[name] = type == "Float64"   ? convert<double>(bytes)
                      : type == "Float32" ? convert<float>(bytes)
                      : type == "Int32"   ? convert<std::int32_t>(bytes)
                                          : convert<std::uint8_t>(bytes);
      n = numbers[name].size() / std::stoul(array.at("NumberOfComponents"));
    }
    if (section == "FieldData") check(n == std::stoul(array.at("NumberOfTuples")), "tuples of a field");
    if (section == "PointData" || section == "Points") check(n == counts.at("NumberOfPoints"), "tuples of points");
  }

  void check_counts() {
    std::size_t cells = 0;
    for (const char* kind : {"Verts", "Lines", "Polys"}) {
      const std::vector<double>& ends = numbers[std::string(kind) + "/offsets"];
      const std::vector<double>& corners = numbers[std::string(kind) + "/connectivity"];
      check(ends.size() == counts.at(std::string("NumberOf") + kind), "number of cells");
      check((ends.empty() ? 0.0 : ends.back()) == static_cast<double>(corners.size()), "the end of the cells");
      for (const double corner : corners) check(corner < static_cast<double>(counts.at("NumberOfPoints")), "a corner");
      cells += ends.size();
    }
    for (const auto& [name, values] : numbers) {
      if (name.starts_with("CellData/")) check(values.size() == cells, "tuples of cells");
    }
  }
};

/// The frames that a .pvd lists: times and files, relative to its folder.
inline std::vector<std::pair<double, std::string>> read_pvd(const std::filesystem::path& path) {
  const XmlElement root = XmlParser::parse(whole_text(path));
  VtpFile::check(root.name == "VTKFile" && root.at("type") == "Collection", "the head of a list");
  std::vector<std::pair<double, std::string>> frames;
  for (const XmlElement& entry : root.child("Collection").children) {
    VtpFile::check(entry.name == "DataSet", "an entry");
    frames.emplace_back(std::stod(entry.at("timestep")), entry.at("file"));
  }
  return frames;
}

}  // namespace stickslip::test
