// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/convert_model.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <utility>

namespace stickslip {
namespace {

namespace fs = std::filesystem;

void refuse_option(const XmlElement& root, bool is_given, const char* option, const char* format) {
  if (is_given) root.fail(fmt::format("{} is an option of {} alone", option, format));
}

}  // namespace

ConvertedModel convert_model_text(std::string_view text, const fs::path& file, const RobotOptions& options) {
  const std::string name = file.string();
  XmlOptions xml;
  xml.has_includes = text.find("<mujoco") != std::string_view::npos;
  xml.folder = file.parent_path();
  xml.reads_files = options.reads_files;
  const XmlElement root = parse_xml(text, name, xml);
  RobotWarnings warnings;
  RobotModel model;
  if (root.name == "robot") {
    refuse_option(root, !options.key.empty(), "--key", "MJCF");
    model = read_urdf(root, file, options, warnings);
  } else if (root.name == "mujoco") {
    refuse_option(root, !options.base.empty(), "--base", "URDF");
    refuse_option(root, options.balance_inertia, "--balance-inertia", "URDF");
    refuse_option(root, !options.packages.empty(), "--package", "URDF");
    model = read_mjcf(root, file, options, warnings);
  } else {
    root.fail("expected <robot> (URDF) or <mujoco> (MJCF)");
  }
  if (model.name.empty()) model.name = file.stem().string();
  ConvertedModel result;
  ConvertedScene scene = write_robot(std::move(model), options, warnings);
  result.scene = std::move(scene.text);
  result.files = std::move(scene.files);
  result.lines = std::move(scene.lines);
  for (const RobotWarnings::Entry& entry : warnings.entries()) {
    if (options.strict) throw InputError(entry.place, entry.what, "", entry.text);
    result.warnings.push_back(
        fmt::format("{}:{}: warning: {}: {}", entry.place.file, entry.place.line, entry.what, entry.text));
  }
  return result;
}

ConvertedModel convert_model(const fs::path& file, const RobotOptions& options) {
  return convert_model_text(read_model_file(file, {file.string(), 0, 0}, kMaxXmlBytes), file, options);
}

bool is_model(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!stream) return false;
  std::array<char, 4096> buffer;
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stream.get());
  return looks_like_xml(std::string_view(buffer.data(), count));
}

}  // namespace stickslip
