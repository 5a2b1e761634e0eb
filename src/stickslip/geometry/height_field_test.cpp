// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/height_field.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

/// As numpy.save() writes it, of the heights 10 j + i + 1/4.
std::string make_npy(std::size_t n_y, std::size_t n_x, const std::string& type, bool by_columns, int version = 1) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}", type,
                                   by_columns ? "True" : "False", n_y, n_x);
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t k = 0; k < (version == 1 ? 2U : 4U); ++k) bytes += static_cast<char>(header.size() >> 8U * k & 255U);
  bytes += header;
  const auto add = [&](std::size_t j, std::size_t i) {
    const double z = 10.0 * static_cast<double>(j) + static_cast<double>(i) + 0.25;
    const std::size_t width = type.back() == '4' ? 4 : 8;
    const std::uint64_t bits =
        width == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(z)) : std::bit_cast<std::uint64_t>(z);
    for (std::size_t k = 0; k < width; ++k) {
      bytes += static_cast<char>(bits >> 8U * (type.front() == '>' ? width - 1 - k : k) & 255U);
    }
  };
  for (std::size_t a = 0; a < (by_columns ? n_x : n_y); ++a) {
    for (std::size_t b = 0; b < (by_columns ? n_y : n_x); ++b) add(by_columns ? b : a, by_columns ? a : b);
  }
  return bytes;
}

template <class F>
std::string message_of(const F& parse) {
  try {
    parse();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(HeightFile, NpyArraysAreReadInEachOrder) {
  for (const std::string type : {"<f4", ">f4", "<f8", ">f8"}) {
    for (const bool by_columns : {false, true}) {
      const Heights heights = parse_heights(make_npy(3, 4, type, by_columns, by_columns ? 2 : 1), "a.NPY");
      ASSERT_EQ(heights.nodes, (std::array<std::size_t, 2>{4, 3}));
      EXPECT_EQ(heights.is_single, type.back() == '4');
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(heights.z[4 * j + i], 10.0 * static_cast<double>(j) + static_cast<double>(i) + 0.25) << type;
        }
      }
    }
  }
}

TEST(HeightFile, OtherArraysAreRefused) {
  const std::string good = make_npy(2, 3, "<f8", false);
  const auto message = [](const std::string& bytes) { return message_of([&] { parse_height_npy(bytes, "a.npy"); }); };
  EXPECT_EQ(message(good), "");
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_NE(message(good.substr(0, n)), "") << n;
  EXPECT_NE(message(good + "x").find("48 bytes behind the header"), std::string::npos);
  for (const char* type : {"<i8", "|f8", "<f2", "=f8", "<c8"}) {
    EXPECT_NE(message(make_npy(2, 3, type, false)).find("float32 or float64"), std::string::npos) << type;
  }
  EXPECT_NE(message(make_npy(1, 3, "<f8", false)).find("2 x 2 to 10000000 nodes"), std::string::npos);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bytes = good;
    bytes.replace(bytes.find(from), from.size(), to);
    return message(bytes);
  };
  EXPECT_NE(with("(2, 3)", "(2,3,").find("header"), std::string::npos);
  EXPECT_NE(with("(2, 3)", "(6,)  ").find("an array [y, x]"), std::string::npos);
  EXPECT_NE(with("(2, 3)", "(9999999999, 9999999999)"), "");
  EXPECT_NE(with("False", "Maybe").find("fortran_order"), std::string::npos);
  EXPECT_NE(with("'shape'", "'share'").find("descr, fortran_order and shape"), std::string::npos);
  std::string nan = good;
  nan.replace(nan.size() - 8, 8, std::string("\0\0\0\0\0\0\xf8\x7f", 8));
  EXPECT_NE(message(nan).find("a finite height"), std::string::npos);
}

TEST(HeightFile, TextsAreRead) {
  const Heights heights = parse_heights("# heights\r\n1, 2,3\r\n\r\n4 5 6e0\n", "a.csv");
  EXPECT_EQ(heights.nodes, (std::array<std::size_t, 2>{3, 2}));
  EXPECT_EQ(heights.z, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(heights.is_single);
  const auto message = [](const char* text) { return message_of([&] { parse_height_csv(text, "a.csv"); }); };
  EXPECT_NE(message("1,2\n3\n").find("a.csv:2"), std::string::npos);
  EXPECT_NE(message("1,2\n3,x\n").find("a.csv:2:3"), std::string::npos);
  EXPECT_NE(message("1,2\n3,nan\n").find("a finite number"), std::string::npos);
  EXPECT_NE(message("1,,2\n").find("a finite number"), std::string::npos);
  EXPECT_NE(message("1,2\n").find("2 x 2 to"), std::string::npos);
  EXPECT_NE(message("1\n2\n").find("2 x 2 to"), std::string::npos);
  EXPECT_NE(message("").find("2 x 2 to"), std::string::npos);
}

TEST(HeightField, CellsAreCutFromLowToHigh) {
  const auto mesh = make_field_mesh({2.0, 4.0}, {{2, 3}, {0, 1, 2, 3, 4, 5}, false});
  EXPECT_EQ(mesh->vertices[0], Vector3(-1, -2, 0));
  EXPECT_EQ(mesh->vertices[1], Vector3(1, -2, 1));
  EXPECT_EQ(mesh->vertices[5], Vector3(1, 2, 5));
  EXPECT_EQ(mesh->triangles[0], (std::array{0, 1, 3}));
  EXPECT_EQ(mesh->triangles[1], (std::array{0, 3, 2}));
  // The borders are those that a mesh of these triangles has.
  EXPECT_EQ(mesh->n_border, make_triangle_mesh(corners_of(*mesh), false)->n_border);
  EXPECT_TRUE(is_field_mesh(*mesh, {{2.0, 4.0}, {1, 2}}));
  EXPECT_FALSE(is_field_mesh(*mesh, {{2.0, 4.0}, {2, 1}}));
  EXPECT_FALSE(is_field_mesh(*mesh, {{2.0, 5.0}, {1, 2}}));
  EXPECT_THROW(make_field_mesh({1, 1}, {{2, 2}, {0, 0, 0, std::numeric_limits<double>::infinity()}, false}),
               InputError);
}

}  // namespace
}  // namespace stickslip
