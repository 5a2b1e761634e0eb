// SPDX-License-Identifier: BSD-3-Clause
// Height fields of MJCF: elevations, binary files and grey pictures become files beside the scene.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/robots/convert_model.h"
#include "stickslip/robots/grey_png.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string model_with(const std::string& field) {
  return "<mujoco model=\"m\"><asset><hfield name=\"hill\" " + field +
         "/></asset>\n<worldbody><geom name=\"ground\" type=\"hfield\" hfield=\"hill\" pos=\"0 0 1\"/>\n"
         "<body name=\"ball\" pos=\"-2 1 4\"><freejoint/><geom size=\"0.5\"/></body></worldbody></mujoco>";
}

std::string number_bytes(const std::vector<std::int32_t>& counts, const std::vector<float>& heights) {
  std::string bytes(4 * (counts.size() + heights.size()), '\0');
  std::memcpy(bytes.data(), counts.data(), 4 * counts.size());
  std::memcpy(bytes.data() + 4 * counts.size(), heights.data(), 4 * heights.size());
  return bytes;
}

/// 2 x 3 pixels of 8 bits, [10, 20, 30], [40, 60, 110], stored without compression.
std::string small_png() {
  const std::string rows = std::string("\0\x0a\x14\x1e\0\x28\x3c\x6e", 8);
  const std::string stream = std::string("\x78\x01\x01\x08\x00\xf7\xff", 7) + rows + "\x02\xba\x01\x0f";  // Adler-32
  const auto chunk = [](const std::string& name, const std::string& body) {
    return std::string("\0\0\0", 3) + static_cast<char>(body.size()) + name + body + "crc.";
  };
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", std::string("\0\0\0\x03\0\0\0\x02\x08\0\0\0\0", 13)) +
         chunk("IDAT", stream) + chunk("IEND", "");
}

TEST(MjcfFields, ElevationsAreAMapWhoseFirstRowIsFarthestAlongY) {
  const ConvertedModel m = convert_model_text(
      model_with("nrow=\"2\" ncol=\"3\" size=\"3 2 0.5 0.1\" elevation=\"5 5 9 1 3 5\""), "m.xml", {});
  EXPECT_TRUE(m.warnings.empty());
  ASSERT_EQ(m.files.size(), 1U);
  EXPECT_EQ(m.files.at("hill.csv"), "0,0.125,0.25\n0.25,0.25,0.5\n");
  EXPECT_NE(m.scene.find("type = \"height-field\", size = [6.0, 4.0], file = \"hill.csv\""), std::string::npos)
      << m.scene;
}

TEST(MjcfFields, ReadsBinaryFilesAndPictures) {
  const test::TemporaryFolder folder;
  write(folder.path() / "hill.bin", number_bytes({2, 3}, {1.0F, 3.0F, 5.0F, 5.0F, 5.0F, 9.0F}));
  write(folder.path() / "hill.png", small_png());
  const auto convert = [&](const std::string& file) {
    return convert_model_text(model_with("file=\"" + file + "\" size=\"3 2 0.5 0.1\""), folder.path() / "m.xml", {});
  };
  EXPECT_EQ(convert("hill.bin").files.at("hill.csv"), "0,0.125,0.25\n0.25,0.25,0.5\n");
  EXPECT_EQ(convert("hill.png").files.at("hill.csv"), "0.15,0.25,0.5\n0,0.05,0.1\n") << "its last row is first";
  write(folder.path() / "short.bin", number_bytes({2, 3}, {1.0F}));
  EXPECT_THROW(convert("short.bin"), InputError);
  std::string wrong = small_png();
  ++wrong[wrong.find('\x6e')];
  write(folder.path() / "wrong.png", wrong);
  EXPECT_THROW(convert("wrong.png"), InputError) << "its sum is not that of its pixels";
  write(folder.path() / "short.png", small_png().substr(0, 60));
  EXPECT_THROW(convert("short.png"), InputError);
}

/// A model is loaded as if it was converted first: its field needs no file on the disk.
TEST(MjcfFields, AreLoadedWithTheirModel) {
  const test::TemporaryFolder folder;
  write(folder.path() / "m.xml", model_with("nrow=\"2\" ncol=\"2\" size=\"3 2 0.5 0.1\" elevation=\"1 1 0 0\""));
  LoadOptions load;
  load.convert = [](const std::filesystem::path& file) {
    ConvertedModel model = convert_model(file, {});
    return ConvertedScene{std::move(model.scene), std::move(model.files)};
  };
  const Scene scene = load_scene(folder.path() / "m.xml", load);
  const auto& mesh = std::get<Mesh>(scene.bodies[0].shapes[0].geometry);
  ASSERT_TRUE(mesh.field);
  ASSERT_EQ(mesh.surface->vertices.size(), 4U);
  EXPECT_EQ(mesh.surface->vertices[0], Vector3(-3, -2, 0));
  EXPECT_EQ(mesh.surface->vertices[3], Vector3(3, 2, 0.5));
  EXPECT_EQ(scene.bodies[0].shapes[0].position, Vector3(0, 0, 1));
}

TEST(MjcfFields, OnABodyThatMovesAreLeftOut) {
  const ConvertedModel m = convert_model_text(
      "<mujoco><asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\"/></asset><worldbody><body>\n<joint/>"
      "<geom size=\"1\"/><geom type=\"hfield\" hfield=\"h\"/></body></worldbody></mujoco>",
      "m.xml", {});
  ASSERT_EQ(m.warnings.size(), 1U);
  EXPECT_EQ(m.warnings[0], "m.xml:2: warning: geom: a height field on a body that moves has no counterpart: left out");
}

TEST(MjcfFields, RefuseWhatHasNoHeights) {
  for (const char* field :
       {"nrow=\"2\" ncol=\"2\" size=\"1 1 1\"", "nrow=\"1\" ncol=\"2\" size=\"1 1 1 1\"", "size=\"1 1 1 1\"",
        "nrow=\"2\" ncol=\"2\" size=\"1 0 1 1\"", "nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\" elevation=\"1 2 3\"",
        "file=\"none\" size=\"1 1 1 1\""}) {
    EXPECT_THROW(convert_model_text(model_with(field), "m.xml", {}), InputError) << field;
  }
}

}  // namespace
}  // namespace stickslip
