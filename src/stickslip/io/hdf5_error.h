// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace stickslip {

/// Readies the HDF5 library in this thread: it prints nothing, and leaves no work for the program's exit
/// (where a full disk would make it try again and again).
void prepare_hdf5();

/// Why the last call of the library failed, in words, those of the operating system if it gives any.
std::string hdf5_error();

}  // namespace stickslip
