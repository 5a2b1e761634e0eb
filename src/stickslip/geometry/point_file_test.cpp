// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/point_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

using Points = std::vector<Vector3>;

Points parse(std::string_view bytes, PointFileFormat format, bool planar = false) {
  return parse_points(bytes, "file", format, planar);
}

const Points kCorners = {{0, 0, 0}, {1.5, 0, 0}, {0, -2, 0}, {0, 0, 0.25}};

void add_bytes(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xffU);
}

/// A tetrahedron of these corners as binary STL.
std::string binary_stl(const Points& corners, const std::string& header = "made by hand") {
  std::string bytes = header;
  bytes.resize(80, ' ');
  add_bytes(bytes, 4);
  for (int left_out = 0; left_out < 4; ++left_out) {
    for (int i = 0; i < 3; ++i) add_bytes(bytes, 0);  // the normal
    for (int k = 0; k < 4; ++k) {
      if (k == left_out) continue;
      for (const double x : corners[static_cast<std::size_t>(k)]) {
        add_bytes(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
      }
    }
    bytes += "\x01\x02";
  }
  return bytes;
}

/// What is said of bytes that are no points.
std::string message_of(std::string_view bytes, PointFileFormat format, bool planar = false) {
  try {
    parse(bytes, format, planar);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PointFile, FormatsGoByTheEndingOfTheName) {
  EXPECT_EQ(point_file_format("a/rock.obj"), PointFileFormat::obj);
  EXPECT_EQ(point_file_format("ROCK.STL"), PointFileFormat::stl);
  EXPECT_EQ(point_file_format("rock.txt"), PointFileFormat::points);
  EXPECT_EQ(point_file_format("rock"), PointFileFormat::points);
}

TEST(PointFile, ReadsListsWithBlanksOrCommas) {
  EXPECT_EQ(parse("# x y z\n0 0 0\n1.5, 0, 0\r\n\n0\t-2 0\n0,0,+.25", PointFileFormat::points), kCorners);
  EXPECT_EQ(parse("1 2\n3,4\n", PointFileFormat::points, true), (Points{{1, 2, 0}, {3, 4, 0}}));
}

TEST(PointFile, ReadsTheVerticesOfObjAlone) {
  const std::string text =
      "# a comment\nmtllib x.mtl\no rock\nv 0 0 0\nv 1.5 0 0 1\nv 0 -2 0 .5 .5 .5\nvn 0 0 1\nv 0 0 .25\n"
      "f 1//1 2//1 \\\n3//1\ns off\nf 1 2 4\n";
  EXPECT_EQ(parse(text, PointFileFormat::obj), kCorners);
}

TEST(PointFile, ReadsStlInTextAndBinary) {
  const std::string text =
      "solid rock\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   VERTEX 1.5 0 0\n   vertex 0 -2 0\n"
      "  endloop\n endfacet\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 2.5e-1\n";
  EXPECT_EQ(parse(text, PointFileFormat::stl), kCorners);
  for (const char* header : {"made by hand", "solid all the same"}) {
    const Points points = parse(binary_stl(kCorners, header), PointFileFormat::stl);
    ASSERT_EQ(points.size(), 12U);
    EXPECT_EQ(points[0], kCorners[1]);
    EXPECT_EQ(points[3], kCorners[0]);
    EXPECT_EQ(points[11], kCorners[2]);
  }
}

TEST(PointFile, SaysWhatIsWrongAndWhere) {
  using enum PointFileFormat;
  EXPECT_EQ(message_of("0 0 0\n1 0\n", points), "file:2:1: three numbers x y z [m]");
  EXPECT_EQ(message_of("0 0 0\n1 0 0 0\n", points), "file:2:1: three numbers x y z [m]");
  EXPECT_EQ(message_of("0 0 0", points, true), "file:1:1: two numbers x y [m], as the scene is planar");
  EXPECT_EQ(message_of("x,y,z\n0,0,0\n", points), "file:1:1: \"x\": a finite number");
  EXPECT_EQ(message_of("0 0 nan\n", points), "file:1:5: \"nan\": a finite number");
  EXPECT_EQ(message_of("0,,0\n", points), "file:1:3: \"\": a finite number");
  EXPECT_EQ(message_of("v 0 0\n", obj), "file:1:1: v x y z [m]");
  EXPECT_EQ(message_of("ply\nformat ascii\n", obj), "file:1:1: \"ply\": a line of Wavefront OBJ: v, vn, vt, f, ...");
  EXPECT_EQ(message_of("v 0 0 inf\n", obj), "file:1:7: \"inf\": a finite number");
  EXPECT_EQ(message_of("solid\nvertex 1 2\n", stl), "file:2:1: vertex x y z [m]");
  EXPECT_EQ(message_of("solid\nvortex 1 2 3\n", stl),
            "file:2:1: \"vortex\": a line of ASCII STL: facet, outer, vertex, ...");
  EXPECT_EQ(message_of("v 0 0 0", obj, true), "file: a list of points x y: OBJ and STL are for spatial scenes");
}

TEST(PointFile, BinaryStlMustBeWholeAndFinite) {
  using enum PointFileFormat;
  const std::string whole = binary_stl(kCorners);
  const std::string no_stl =
      "file: STL: a text that begins with solid, or 84 bytes and 50 more for each triangle that they count";
  EXPECT_EQ(message_of(whole.substr(0, whole.size() - 1), stl), no_stl);
  EXPECT_EQ(message_of(whole + "x", stl), no_stl);
  EXPECT_EQ(message_of("", stl), no_stl);
  std::string huge_count = whole;
  for (int i = 80; i < 84; ++i) huge_count[static_cast<std::size_t>(i)] = '\xff';
  EXPECT_EQ(message_of(huge_count, stl), no_stl);
  Points broken = kCorners;
  broken[3](1) = std::nan("");
  EXPECT_EQ(message_of(binary_stl(broken), stl), "file: triangle 1: corners with finite coordinates");
}

TEST(PointFile, TakesSoManyPointsAndNoMore) {
  std::string text;
  text.reserve(6 * (kMaxFilePoints + 1));
  for (std::size_t i = 0; i < kMaxFilePoints; ++i) text += "0 0 0\n";
  EXPECT_EQ(parse(text, PointFileFormat::points).size(), kMaxFilePoints);
  text += "0 0 0\n";
  EXPECT_EQ(message_of(text, PointFileFormat::points), "file: at most 1000000 points");
}

TEST(PointFile, NoBytesAreNoPoints) {
  EXPECT_TRUE(parse("", PointFileFormat::points).empty());
  EXPECT_TRUE(parse("# nothing\n\n", PointFileFormat::obj).empty());
}

}  // namespace
}  // namespace stickslip
