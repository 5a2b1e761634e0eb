// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/warm_start.h"

#include <algorithm>

namespace stickslip {

void load_warm(const ValuesById& warm, const ConeProblem& problem, std::span<const ElementId> ids,
               ConeSolution& solution) {
  const auto n = static_cast<std::size_t>(problem.size());
  solution.p.assign(n, 0.0);
  solution.u.assign(n, 0.0);
  std::size_t k = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    while (k < warm.size() && warm.ids()[k] < ids[i]) ++k;
    if (k == warm.size()) return;
    const Cone& cone = problem.cones[i];
    const std::span<const double> p = warm[k];
    if (warm.ids()[k] != ids[i] || p.size() != static_cast<std::size_t>(cone.dim)) continue;
    std::copy(p.begin(), p.end(), solution.p.begin() + cone.offset);
  }
}

void save_warm(const ConeProblem& problem, std::span<const ElementId> ids, const ConeSolution& solution,
               ValuesById& warm) {
  warm.clear();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Cone& cone = problem.cones[i];
    std::copy_n(solution.p.begin() + cone.offset, cone.dim,
                warm.add(ids[i], static_cast<std::size_t>(cone.dim)).begin());
  }
}

}  // namespace stickslip
