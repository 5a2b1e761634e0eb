// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace stickslip {

/// The operating system refused to take what was written: disk full, no such folder, no permission.
/// Neither a mistake in the input's text (InputError) nor in the program.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stickslip
