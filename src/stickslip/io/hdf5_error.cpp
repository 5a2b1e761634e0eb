// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/hdf5_error.h"

#include <hdf5.h>

#include <string_view>

namespace stickslip {
namespace {

/// What the walk over the library's error stack, from the outermost call inwards, looks for.
struct ErrorWalk {
  std::string outermost;
  std::string system;  // what the operating system said
};

herr_t visit(unsigned /*n*/, const H5E_error2_t* error, void* data) {
  auto& walk = *static_cast<ErrorWalk*>(data);
  const std::string_view text = error->desc == nullptr ? "" : error->desc;
  if (walk.outermost.empty()) walk.outermost = text;
  constexpr std::string_view kMark = "error message = '";  // how the library quotes strerror()
  if (const auto start = text.find(kMark); start != std::string_view::npos) {
    const auto rest = text.substr(start + kMark.size());
    walk.system = rest.substr(0, rest.find('\''));
  }
  return 0;
}

}  // namespace

void prepare_hdf5() {
  static const bool once = H5dont_atexit() >= 0;
  static_cast<void>(once);
  thread_local const bool silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(silenced);
}

std::string hdf5_error() {
  ErrorWalk walk;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit, &walk);
  if (!walk.system.empty()) return walk.system;
  return walk.outermost.empty() ? "no reason given" : walk.outermost;
}

}  // namespace stickslip
