// SPDX-License-Identifier: BSD-3-Clause
// Every broken scene of tests/bad_scenes ends in one InputError with the right place; so do files too odd to keep.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

struct BadScene {
  std::string file;
  int line;
  int column;
  std::string fragment;
};

std::string trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

fs::path bad_scenes_folder() {
  return fs::path(STICKSLIP_TESTS_DIR) / "bad_scenes";
}

std::vector<BadScene> read_manifest() {
  std::vector<BadScene> scenes;
  std::ifstream manifest(bad_scenes_folder() / "manifest.txt");
  for (std::string line; std::getline(manifest, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string file, at_line, at_column, fragment;
    std::getline(fields, file, '|');
    std::getline(fields, at_line, '|');
    std::getline(fields, at_column, '|');
    std::getline(fields, fragment);
    scenes.push_back({trim(file), std::stoi(at_line), std::stoi(at_column), trim(fragment)});
  }
  return scenes;
}

/// The error of loading and building a file; fails the test when there is none or another.
std::optional<InputError> error_of(const fs::path& file) {
  try {
    build(load_scene(file));
  } catch (const InputError& error) {
    return error;
  } catch (const std::exception& other) {
    ADD_FAILURE() << file << ": not an InputError: " << other.what();
    return std::nullopt;
  }
  ADD_FAILURE() << file << ": no error";
  return std::nullopt;
}

TEST(BadScenes, EndInOneMessageWithItsPlace) {
  const std::vector<BadScene> scenes = read_manifest();
  EXPECT_GE(scenes.size(), 40U);
  for (const BadScene& scene : scenes) {
    const std::optional<InputError> error = error_of(bad_scenes_folder() / scene.file);
    if (!error) continue;
    const std::string message = error->what();
    EXPECT_EQ(error->place().line, scene.line) << message;
    EXPECT_EQ(error->place().column, scene.column) << message;
    EXPECT_FALSE(error->place().file.empty()) << message;
    EXPECT_NE(message.find(scene.fragment), std::string::npos) << message << "\nexpected: " << scene.fragment;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(BadScenes, AreAllInTheManifest) {
  const std::vector<BadScene> scenes = read_manifest();
  for (const auto& entry : fs::directory_iterator(bad_scenes_folder())) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().filename().string();
    const auto same = [&name](const BadScene& scene) { return scene.file == name; };
    EXPECT_TRUE(std::any_of(scenes.begin(), scenes.end(), same)) << name;
  }
}

/// A folder for files that a test makes, gone afterwards.
class OddFiles : public testing::Test {
 protected:
  OddFiles() : folder_(fs::temp_directory_path() / ("stickslip_odd_files_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~OddFiles() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  void expect_error(const fs::path& file, const std::string& fragment) const {
    const std::optional<InputError> error = error_of(file);
    if (!error) return;
    EXPECT_NE(std::string(error->what()).find(fragment), std::string::npos) << error->what();
    EXPECT_FALSE(error->place().file.empty()) << error->what();
  }

  fs::path folder_;
};

constexpr const char* kHead = "stickslip = 1\ntime = {end = 1.0, step = 1e-3}\n";

std::string repeat(const std::string& part, std::size_t n) {
  std::string text;
  text.reserve(part.size() * n);
  for (std::size_t i = 0; i < n; ++i) text += part;
  return text;
}

TEST_F(OddFiles, MissingFile) {
  expect_error(folder_ / "none.toml", "No such file");
}

TEST_F(OddFiles, Folder) {
  expect_error(folder_, "a directory");
}

TEST_F(OddFiles, UnreadableFile) {
  const fs::path file = write("locked.toml", kHead);
  fs::permissions(file, fs::perms::none);
  if (::geteuid() == 0) {  // root reads everything; a process' memory at address 0 it cannot
    expect_error("/proc/self/mem", "cannot be read");
  } else {
    expect_error(file, "Permission denied");
  }
}

TEST_F(OddFiles, ArrayOfTenMegabytes) {
  const std::string array = "position = [" + repeat("0,", 5'000'000) + "0]\n";
  expect_error(write("huge.toml", kHead + ("[bodies.a]\n" + array)), "at most 8 MiB");
}

TEST_F(OddFiles, ArrayAsLargeAsAFileMayBe) {
  const std::string array = "position = [" + repeat("0,", 500'000) + "0]\n";
  expect_error(write("large.toml", kHead + ("[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n" + array)),
               "large.toml:6:12: bodies.a.position: an array of 500001 values: an array of 3 numbers");
}

TEST_F(OddFiles, TenThousandUnknownKeys) {
  std::string text = kHead;
  for (int i = 0; i < 10'000; ++i) text += "key" + std::to_string(i) + " = 1\n";
  expect_error(write("keys.toml", text), ":3:1: key0: unknown key");
}

TEST_F(OddFiles, LongChainOfIncludes) {
  for (int i = 0; i < 40; ++i) {
    write(std::to_string(i) + ".toml", "include = [\"" + std::to_string(i + 1) + ".toml\"]\n");
  }
  expect_error(folder_ / "0.toml", "at most 16 files deep");
}

TEST_F(OddFiles, ManyIncludes) {
  write("part.toml", "name = \"part\"\n");
  expect_error(write("many.toml", "include = [" + repeat("\"part.toml\",", 300) + "]\n" + kHead), "at most 256 files");
}

TEST_F(OddFiles, IncludesThatDouble) {  // 2^15 files if nothing stopped it
  for (int i = 0; i < 15; ++i) {
    const std::string next = "\"" + std::to_string(i + 1) + ".toml\"";
    write(std::to_string(i) + ".toml", "include = [" + next + ", " + next + "]\n");
  }
  write("15.toml", "name = \"last\"\n");
  expect_error(folder_ / "0.toml", "at most 256 files");
}

TEST_F(OddFiles, CycleThroughALink) {
  write("a.toml", "include = [\"b.toml\"]\n");
  fs::create_symlink(folder_ / "a.toml", folder_ / "b.toml");
  expect_error(folder_ / "a.toml", "a file that does not include itself");
}

TEST_F(OddFiles, RandomBytes) {
  std::string bytes;
  unsigned state = 12345;
  for (int i = 0; i < 4096; ++i) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24U);
  }
  expect_error(write("noise.toml", bytes), "a binary file");
}

}  // namespace
}  // namespace stickslip
