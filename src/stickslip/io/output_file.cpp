// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/lcp_text.h"
#include "stickslip/io/write_error.h"

namespace stickslip {

namespace fs = std::filesystem;

namespace {

/// On the disk of a file, for whoever runs this; infinite where nobody knows. [bytes]
double find_free_bytes(const fs::path& path) {
  std::error_code error;
  const fs::space_info space = fs::space(path.has_parent_path() ? path.parent_path() : fs::path("."), error);
  return error ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
}

}  // namespace

bool is_result(const fs::path& path) {
  try {
    const Hdf5File file = Hdf5File::open(path);
    return file.has_attribute("/", "stickslip") && file.has_attribute("/", "format");
  } catch (const InputError&) {
    return false;
  }
}

bool is_problem(const fs::path& path) {
  try {
    if (path.extension() == ".txt") {
      read_lcp(path);
      return true;
    }
    const Hdf5File file = Hdf5File::open(path);
    return file.is_group("/fclib_local") || file.is_group("/fclib_global") || file.is_group("/stickslip_cones");
  } catch (const InputError&) {
    return false;
  }
}

namespace {

/// What a file would have to be to be written over; empty where none may be.
std::string_view name_of(MayReplace replace) {
  switch (replace) {
    case MayReplace::results:
      return "result";
    case MayReplace::problems:
      return "contact problem";
    case MayReplace::nothing:
      break;
  }
  return {};
}

bool may_replace(const fs::path& path, MayReplace replace) {
  switch (replace) {
    case MayReplace::results:
      return is_result(path);
    case MayReplace::problems:
      return is_problem(path);
    case MayReplace::nothing:
      break;
  }
  return false;
}

}  // namespace

void check_replaceable(const fs::path& path, MayReplace replace) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;  // there is none, or it cannot be written over anyway
  if (may_replace(path, replace)) return;
  const std::string_view name = name_of(replace);
  throw InputError({path.string()}, "", "",
                   name.empty() ? "exists: --force writes over it"
                                : fmt::format("exists and is no {} of this program: --force writes over it", name));
}

void check_room(const fs::path& path, double bytes) {
  if (bytes <= find_free_bytes(path)) return;
  throw WriteError(fmt::format("{}: needs about {}, and {} are free on its disk", path.string(), describe_bytes(bytes),
                               describe_bytes(find_free_bytes(path))));
}

std::string describe_shortage(const fs::path& path, double bytes) {
  return fmt::format(": needs {} more, and {} are free on its disk", describe_bytes(bytes),
                     describe_bytes(find_free_bytes(path)));
}

std::string describe_bytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000.0 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000.0;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace stickslip
