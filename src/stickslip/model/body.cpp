// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/body.h"

namespace stickslip {

std::string_view body_type_name(BodyType type) {
  switch (type) {
    case BodyType::rigid:
      return "rigid";
    case BodyType::planar:
      return "planar";
    case BodyType::point:
      return "point";
    case BodyType::beam:
      return "beam";
    case BodyType::fixed:
      return "fixed";
    case BodyType::moving:
      return "moving";
  }
  return "";
}

}  // namespace stickslip
