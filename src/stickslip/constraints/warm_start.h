// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/base/make_room.h"
#include "stickslip/cone/cone_problem.h"
#include "stickslip/model/values_by_id.h"

namespace stickslip {

// What cones carried in a step, kept by the ids of what they belong to, to start the next step's solve from.
// id_of(cone), ascending with it.

/// p of the last step where a cone was there with as many rows, else zero; u zero.
template <class IdOf>
void load_warm(const ValuesById& warm, const ConeProblem& problem, IdOf&& id_of, ConeSolution& solution) {
  const auto n = static_cast<std::size_t>(problem.size());
  for (std::vector<double>* rows : {&solution.p, &solution.u}) {
    make_room(*rows, n);
    rows->assign(n, 0.0);
  }
  std::size_t k = 0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const ElementId id = id_of(i);
    while (k < warm.size() && warm.ids()[k] < id) ++k;
    if (k == warm.size()) return;
    const Cone& cone = problem.cones[i];
    const std::span<const double> p = warm[k];
    if (warm.ids()[k] != id || p.size() != static_cast<std::size_t>(cone.dim)) continue;
    std::copy(p.begin(), p.end(), solution.p.begin() + cone.offset);
  }
}
/// p of every cone.
template <class IdOf>
void save_warm(const ConeProblem& problem, IdOf&& id_of, const ConeSolution& solution, ValuesById& warm) {
  warm.clear();
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    std::copy_n(solution.p.begin() + cone.offset, cone.dim,
                warm.add(id_of(i), static_cast<std::size_t>(cone.dim)).begin());
  }
}

}  // namespace stickslip
