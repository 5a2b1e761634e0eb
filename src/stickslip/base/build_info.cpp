// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/build_info.h"

namespace stickslip {

std::string_view version() {
  return STICKSLIP_VERSION;
}

std::string_view commit() {
  return STICKSLIP_COMMIT;
}

std::string_view compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GNU " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace stickslip
