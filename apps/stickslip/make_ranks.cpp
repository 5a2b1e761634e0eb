// SPDX-License-Identifier: BSD-3-Clause
// Of the ordinary program: one process. The one of apps/stickslip/mpi stands in its place in the program for MPI.
#include "make_ranks.h"

namespace stickslip {

std::string_view transport_name() {
  return "";
}

std::unique_ptr<Ranks> make_ranks(int& /*argc*/, char**& /*argv*/) {
  return nullptr;
}

}  // namespace stickslip
