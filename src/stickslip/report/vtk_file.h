// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// One named array of a VTK file, encoded once: arrays that do not change from frame to frame are not encoded again.
class VtkArray {
 public:
  /// `components` numbers a tuple.
  VtkArray(std::string_view name, int components, std::span<const double> numbers);
  VtkArray(std::string_view name, int components, std::span<const float> numbers);
  VtkArray(std::string_view name, int components, std::span<const std::int32_t> numbers);
  VtkArray(std::string_view name, int components, std::span<const std::uint8_t> numbers);
  /// Texts, which hold no NUL.
  VtkArray(std::string_view name, const std::vector<std::string>& texts);

  /// Its element in the file, whose data begin `offset` characters behind the mark of the appended data.
  std::string element(std::size_t offset, bool is_field) const;
  /// Base64 of the number of bytes (64 bits) and the bytes.
  const std::string& data() const { return data_; }
  std::size_t tuples() const { return tuples_; }

 private:
  VtkArray(std::string_view type, std::string_view name, int components, std::size_t tuples,
           std::span<const std::byte> bytes);

  std::string type_, name_;
  int components_;
  std::size_t tuples_;
  std::string data_;
};

/// Cells of one kind over points of a file, one after the other, with the index of the object that each draws.
struct VtkCells {
  std::vector<std::int32_t> connectivity;  // indices of points, cell by cell
  std::vector<std::int32_t> ends;          // of each cell in connectivity
  std::vector<std::int32_t> owner;         // of each cell
  void add(std::span<const std::int32_t> points, std::int32_t owned_by);
  std::size_t size() const { return ends.size(); }
};

/// The two arrays of cells.
struct VtkTopology {
  explicit VtkTopology(const VtkCells& cells);
  VtkArray connectivity, offsets;
};

/// The contents of one file: a vtkPolyData (VTK's XML format, version 1.0) with its time. All pointers must outlive it.
struct VtkFrame {
  double time = 0.0;  // [s]
  std::vector<const VtkArray*> fields, of_points, of_cells;
  const VtkArray* points = nullptr;  // (n, 3)
  const VtkTopology* vertices = nullptr;
  const VtkTopology* lines = nullptr;     // none: null
  const VtkTopology* polygons = nullptr;  // none: null
};

/// The file's text: well-formed XML, its numbers appended in base64.
std::string to_vtp(const VtkFrame& frame);

}  // namespace stickslip
