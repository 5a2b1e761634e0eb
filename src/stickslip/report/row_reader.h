// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"

namespace stickslip {

/// Every stride-th of n rows from row 0 on, and the last: at most `most` of them (two at least, where there are two).
std::vector<std::int64_t> pick_rows(std::int64_t n, std::int64_t most);

/// These rows of a dataset, (rows.size(), width) one row behind the other; `rows` ascends. Reads in blocks, so that
/// memory holds little more than the answer. Throws InputError.
std::vector<double> read_picked(const Trajectory& result, const std::string& dataset,
                                const std::vector<std::int64_t>& rows);

}  // namespace stickslip
