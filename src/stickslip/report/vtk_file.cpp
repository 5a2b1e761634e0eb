// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/vtk_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "stickslip/base/base64.h"

namespace stickslip {
namespace {

constexpr std::string_view kByteOrder = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

std::vector<std::byte> join_texts(const std::vector<std::string>& texts) {
  std::vector<std::byte> bytes;
  for (const std::string& text : texts) {
    const auto characters = std::as_bytes(std::span(text.c_str(), text.size() + 1));
    bytes.insert(bytes.end(), characters.begin(), characters.end());
  }
  return bytes;
}

/// Lists the elements of arrays, and their data in the same order.
class Appender {
 public:
  void add(const VtkArray& array, bool is_field) {
    elements_ += array.element(offset_, is_field);
    offset_ += array.data().size();
    data_.push_back(&array.data());
  }
  void open(std::string_view tag) { elements_ += fmt::format("<{}>\n", tag); }
  void add_section(std::string_view tag, const std::vector<const VtkArray*>& arrays) {
    open(tag);
    for (const VtkArray* array : arrays) add(*array, false);
    close(tag);
  }
  void close(std::string_view tag) { open(fmt::format("/{}", tag)); }
  void add_cells(std::string_view tag, const VtkTopology* topology) {
    if (topology != nullptr) add_section(tag, {&topology->connectivity, &topology->offsets});
  }

  /// The text between the head and the end of a file.
  std::string text() const {
    std::size_t size = elements_.size() + offset_ + 128;
    std::string all;
    all.reserve(size);
    all += elements_;
    all += "<AppendedData encoding=\"base64\">\n_";
    for (const std::string* block : data_) all += *block;
    all += "\n</AppendedData>\n";
    return all;
  }

 private:
  std::string elements_;
  std::vector<const std::string*> data_;
  std::size_t offset_ = 0;
};

std::size_t count(const VtkTopology* topology) {
  return topology == nullptr ? 0 : topology->offsets.tuples();
}

}  // namespace

VtkArray::VtkArray(std::string_view type, std::string_view name, int components, std::size_t tuples,
                   std::span<const std::byte> bytes)
    : type_(type), name_(name), components_(components), tuples_(tuples) {
  const std::uint64_t size = bytes.size();
  std::vector<std::byte> block(sizeof size + bytes.size());
  std::memcpy(block.data(), &size, sizeof size);
  if (!bytes.empty()) std::memcpy(block.data() + sizeof size, bytes.data(), bytes.size());
  data_ = to_base64(block);
}

VtkArray::VtkArray(std::string_view name, int components, std::span<const double> numbers)
    : VtkArray("Float64", name, components, numbers.size() / static_cast<std::size_t>(components),
               std::as_bytes(numbers)) {
}
VtkArray::VtkArray(std::string_view name, int components, std::span<const float> numbers)
    : VtkArray("Float32", name, components, numbers.size() / static_cast<std::size_t>(components),
               std::as_bytes(numbers)) {
}
VtkArray::VtkArray(std::string_view name, int components, std::span<const std::int32_t> numbers)
    : VtkArray("Int32", name, components, numbers.size() / static_cast<std::size_t>(components),
               std::as_bytes(numbers)) {
}
VtkArray::VtkArray(std::string_view name, int components, std::span<const std::uint8_t> numbers)
    : VtkArray("UInt8", name, components, numbers.size() / static_cast<std::size_t>(components),
               std::as_bytes(numbers)) {
}
VtkArray::VtkArray(std::string_view name, const std::vector<std::string>& texts)
    : VtkArray("String", name, 1, texts.size(), join_texts(texts)) {
}

std::string VtkArray::element(std::size_t offset, bool is_field) const {
  // Arrays that are no numbers have an element of their own; those of the field data say how long they are.
  return fmt::format("<{} type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" offset=\"{}\"/>\n",
                     type_ == "String" ? "Array" : "DataArray", type_, name_, components_,
                     is_field ? fmt::format(" NumberOfTuples=\"{}\"", tuples_) : "", offset);
}

void VtkCells::add(std::span<const std::int32_t> points, std::int32_t owned_by) {
  connectivity.insert(connectivity.end(), points.begin(), points.end());
  ends.push_back(static_cast<std::int32_t>(connectivity.size()));
  owner.push_back(owned_by);
}

VtkTopology::VtkTopology(const VtkCells& cells)
    : connectivity("connectivity", 1, std::span<const std::int32_t>(cells.connectivity)),
      offsets("offsets", 1, std::span<const std::int32_t>(cells.ends)) {
}

std::string to_vtp(const VtkFrame& frame) {
  const VtkArray time("TimeValue", 1, std::span<const double>(&frame.time, 1));
  Appender all;
  all.open("PolyData");
  all.open("FieldData");
  all.add(time, true);
  for (const VtkArray* field : frame.fields) all.add(*field, true);
  all.close("FieldData");
  all.open(fmt::format(
      R"(Piece NumberOfPoints="{}" NumberOfVerts="{}" NumberOfLines="{}" NumberOfStrips="0" NumberOfPolys="{}")",
      frame.points->tuples(), count(frame.vertices), count(frame.lines), count(frame.polygons)));
  all.add_section("PointData", frame.of_points);
  all.add_section("CellData", frame.of_cells);
  all.add_section("Points", {frame.points});
  all.add_cells("Verts", frame.vertices);
  all.add_cells("Lines", frame.lines);
  all.add_cells("Polys", frame.polygons);
  all.close("Piece");
  all.close("PolyData");
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n{}</VTKFile>\n",
      kByteOrder, all.text());
}

}  // namespace stickslip
