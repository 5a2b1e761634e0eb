// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

namespace stickslip::python {

void bind_sweep(pybind11::module_& module);

}  // namespace stickslip::python
