// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/input_error.h"

#include <utility>

#include "stickslip/base/visible_text.h"

namespace stickslip {
namespace {

std::string format_message(const SourcePlace& place, const std::string& key, const std::string& value,
                           const std::string& allowed) {
  std::string text;
  const auto append = [&text](const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += ": ";
    text += part;
  };
  std::string where = visible_text(place.file);
  if (place.line > 0) where.append(":").append(std::to_string(place.line));
  if (place.line > 0 && place.column > 0) where.append(":").append(std::to_string(place.column));
  append(where);
  append(visible_text(key));
  append(visible_text(value));
  append(allowed);
  return text;
}

}  // namespace

InputError::InputError(SourcePlace place, std::string key, std::string value, std::string allowed)
    : std::runtime_error(format_message(place, key, value, allowed)),
      place_(std::move(place)),
      key_(std::move(key)),
      value_(std::move(value)),
      allowed_(std::move(allowed)) {
}

InputError::InputError(std::string message) : std::runtime_error(message), allowed_(std::move(message)) {
}

}  // namespace stickslip
