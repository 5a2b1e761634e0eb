// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace stickslip {

/// Where in a user's input something stands. Lines and columns count from 1; 0 means unknown.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const SourcePlace&) const = default;
};

/// Bad input: a scene, a file, an option. Thrown by readers, builders, make_* functions and
/// where a caller sets inputs, never inside a step. what() reads "file:line:column: key: value: what is allowed",
/// leaving out the parts that are empty.
class InputError : public std::runtime_error {
 public:
  InputError(SourcePlace place, std::string key, std::string value, std::string allowed);

  /// An error that has no place in a file (an option, a combination).
  explicit InputError(std::string message);

  const SourcePlace& place() const { return place_; }
  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }
  const std::string& allowed() const { return allowed_; }

 private:
  SourcePlace place_;
  std::string key_;
  std::string value_;
  std::string allowed_;
};

}  // namespace stickslip
