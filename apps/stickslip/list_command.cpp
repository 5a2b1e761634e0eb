// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

#include "commands.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/stepping/scheme_options.h"
#include "terminal.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kShapes = {
    Entry{"sphere", "radius (a disc in a planar scene); inside = true makes it a container"},
    Entry{"point", "a point of the body"},
    Entry{"half-space", "normal, offset: {x : n.x <= offset}, solid below"},
    Entry{"box", "size: full edge lengths (a rectangle in a planar scene)"},
    Entry{"capsule", "radius, length between centres, axis z"},
    Entry{"cylinder", "radius, length, axis z; inside = true makes it a container, infinite without length"},
    Entry{"ellipsoid", "radii = [a, b, c] along x, y, z"},
    Entry{"convex", "points or file (x y z a line, .obj, .stl): the convex hull"},
    Entry{"mesh", "file (.stl, .obj): its triangles, solid behind them; scale"},
    Entry{"height-field", "spatial; size, height = \"expression of x, y\" and cells, or file (.csv, .npy)"},
    Entry{"polyline", "planar; points or file (x y a line): segments, solid on the right hand; closed"},
};
constexpr std::array kJoints = {
    Entry{"revolute", "motion, spring, force, servo, effort_limit, armature, friction, limits of its angle"},
    Entry{"prismatic", "the same of its offset"},
    Entry{"spherical", "spatial; a point in common, friction"},
    Entry{"cylindrical", "spatial; offset and angle, friction"},
    Entry{"universal", "spatial; two angles, friction"},
    Entry{"planar", "spatial; two offsets and an angle, friction"},
    Entry{"weld", "nothing is free"},
    Entry{"distance", "of two points; with limits a rope or a strut"},
    Entry{"knife-edge", "no velocity across a blade"},
    Entry{"screw", "spatial; along the axis by a pitch a turn"},
    Entry{"rolling", "spatial; a disc on a plane, its lowest point at rest"},
    Entry{"gear", "joints, ratio: the coordinates of two joints; of more: [[couplings]]"},
};
constexpr std::array kLaws = {
    Entry{"friction", "Coulomb's, exact: 1 direction in planar scenes, 2 in space [-]"},
    Entry{"contensou", "Coulomb-Contensou: sliding and drilling in one cone, over a contact radius [m]"},
    Entry{"rolling", "a moment against turning across the normal, at most rolling p_N [m]"},
    Entry{"spinning", "a moment against turning about the normal, at most spinning p_N [m]"},
    Entry{"adhesion", "a constant attraction of two shapes within a range [N, m]"},
    Entry{"restitution", "Newton's: normal and tangential; Poisson's and the energetic: normal [-]"},
    Entry{"dry-friction", "a force of constant bound between two bodies (under [forces]) [N]"},
};

void print(std::span<const Entry> entries) {
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  for (const Entry& entry : entries) print_output("{:<{}}  {}\n", entry.name, width, entry.meaning);
}

int print_schemes() {
  std::vector<Entry> entries;
  for (const SchemeOptions& scheme : all_schemes()) {
    entries.push_back({scheme_traits(scheme).name, scheme_traits(scheme).meaning});
  }
  print(entries);
  return kDone;
}

int print_solvers() {
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < solver_names().size(); ++k) entries.push_back({solver_names()[k], solver_meanings()[k]});
  print(entries);
  return kDone;
}

/// A scene's first comment line says what it is.
std::string first_comment(const fs::path& scene) {
  std::ifstream in(scene);
  std::string line;
  std::getline(in, line);
  return line.starts_with("# ") ? line.substr(2) : "";
}

int print_scenes() {
  const fs::path folder = find_shipped_scenes();
  std::vector<fs::path> scenes;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") scenes.push_back(entry.path());
  }
  std::ranges::sort(scenes);
  for (const fs::path& scene : scenes) print_output("{}\n    {}\n", scene.string(), first_comment(scene));
  return kDone;
}

class ListCommand final : public Command {
 public:
  explicit ListCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("list", "List schemes, solvers, scenes, shapes, joints or laws");
    command->add_option("what", what_, "schemes | solvers | scenes | shapes | joints | laws")
        ->type_name("WHAT")
        ->required();
  }

  int execute() override {
    if (what_ == "scenes") return print_scenes();
    if (what_ == "schemes") return print_schemes();
    if (what_ == "solvers") return print_solvers();
    for (const auto& [name, entries] : kLists) {
      if (name != what_) continue;
      print(entries);
      return kDone;
    }
    std::vector<std::string_view> names = {"scenes", "schemes", "solvers"};
    for (const auto& list : kLists) names.push_back(list.name);
    const std::string nearest = nearest_name(what_, names);
    throw InputError({}, "list", what_,
                     "one of schemes, solvers, scenes, shapes, joints, laws" +
                         (nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }

 private:
  struct List {
    std::string_view name;
    std::span<const Entry> entries;
  };
  static constexpr std::array<List, 3> kLists = {{{"shapes", kShapes}, {"joints", kJoints}, {"laws", kLaws}}};
  std::string what_;
};

}  // namespace

namespace {

/// Where the package has it, or where this program was built.
fs::path find_shipped(const char* name, const char* built) {
  const fs::path folder = own_path().parent_path();
  std::error_code error;
  for (const fs::path& candidate : {folder / "../share/stickslip" / name, fs::path(built)}) {
    if (fs::is_directory(candidate, error)) return candidate.lexically_normal();
  }
  throw InputError(fmt::format("the {} that ship are not beside this program", name));
}

}  // namespace

fs::path own_path() {
  return fs::read_symlink("/proc/self/exe");
}

fs::path find_shipped_scenes() {
  return find_shipped("scenes", STICKSLIP_SOURCE_DIR "/scenes");
}

fs::path find_shipped_galleries() {
  return find_shipped("galleries", STICKSLIP_SOURCE_DIR "/galleries");
}

fs::path find_gallery_program() {
  return find_shipped("gallery", STICKSLIP_SOURCE_DIR "/apps/gallery");
}

fs::path find_film_program() {
  return find_shipped("film", STICKSLIP_SOURCE_DIR "/apps/film") / "film.py";
}

fs::path find_shipped_pages() {
  return find_shipped("page", STICKSLIP_SOURCE_DIR "/web/page");
}

std::unique_ptr<Command> add_list_command(CLI::App& program) {
  return std::make_unique<ListCommand>(program);
}

}  // namespace stickslip
