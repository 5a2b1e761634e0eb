// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/geometry/shape.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// The most nodes of a height-field. [-]
inline constexpr std::size_t kMaxFieldNodes = 10'000'000;

/// Heights at the nodes of a grid, x before y, both ascending.
struct Heights {
  std::array<std::size_t, 2> nodes = {};  // [-] along x and y, each 2 or more
  std::vector<double> z;                  // [m]
  bool is_single = false;                 // they have single precision
};

/// Of a text with a line for each y, ascending, of the heights along x: commas or blanks between; lines with # are
/// skipped. `name` stands in messages. Throws InputError with the line and column of a mistake.
Heights parse_height_csv(std::string_view bytes, const std::string& name);

/// Of a NumPy array [y, x] of float32 or float64, in either byte order, by rows or by columns. Memory is bounded by the
/// number of bytes. Throws InputError.
Heights parse_height_npy(std::string_view bytes, const std::string& name);

/// By the ending of a file's name: .csv or .npy, in any case; throws InputError for another.
Heights parse_heights(std::string_view bytes, const std::string& name);
bool is_height_file(std::string_view name);

/// The nodes as vertices over the grid, which is centred; each cell is cut from its corner of low x and y to that of
/// high x and y. Throws InputError where a height or a length is too large, or a triangle has no area.
std::shared_ptr<const TriangleMesh> make_field_mesh(const std::array<double, 2>& size, const Heights& heights);

/// Whether a mesh is one of make_field_mesh().
bool is_field_mesh(const TriangleMesh& mesh, const HeightField& field);

}  // namespace stickslip
