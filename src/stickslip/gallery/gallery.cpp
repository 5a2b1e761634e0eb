// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/gallery/study_reader.h"
#include "stickslip/scene/document.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAbout = "gallery.toml";

/// Results and figures of a gallery lie in one folder.
void check_unique(const Gallery& gallery, const fs::path& folder) {
  std::map<std::string, std::string> runs, figures;  // and the study that has it
  const auto claim = [&](auto& known, const char* what, const std::string& name, const Study& study) {
    const auto [at, is_new] = known.try_emplace(name, study.name);
    if (is_new) return;
    throw InputError({(folder / (study.name + ".toml")).string(), 0, 0}, what, name,
                     fmt::format("a name that no other {} has: {} has it already", what, at->second));
  };
  for (const Study& study : gallery.studies) {
    for (const GalleryRun& run : study.runs) claim(runs, "run", run.name, study);
    for (const StudyFigure& figure : study.figures) claim(figures, "figure", figure.name, study);
  }
}

}  // namespace

std::vector<std::string> gallery_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (fs::is_regular_file(entry.path() / kAbout, error)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Gallery load_gallery(const fs::path& folder, std::string_view name) {
  const std::vector<std::string> names = gallery_names(folder);
  if (std::ranges::find(names, name) == names.end()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string nearest = nearest_name(name, views);
    throw InputError({}, "gallery", std::string(name),
                     fmt::format("one of {}{}", fmt::join(names, ", "),
                                 nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
  const fs::path own = folder / name;
  Gallery gallery;
  gallery.name = name;
  gallery.source = load_gallery_source(own / kAbout);
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(own)) {
    if (entry.path().extension() == ".toml" && entry.path().filename() != kAbout) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) gallery.studies.push_back(load_study(file));
  check_unique(gallery, own);
  return gallery;
}

}  // namespace stickslip
