// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/joint_loops.h"

#include <cstddef>
#include <limits>
#include <vector>

#include "stickslip/base/disjoint_sets.h"

namespace stickslip {

bool has_overconstrained_loops(const System& system) {
  const std::size_t n = system.bodies().size();
  const auto moves = [&](int body) { return system.bodies()[body].n_u > 0; };
  std::vector<int> n_joints(n, 0);
  std::vector<char> is_left;
  for (const Joint& joint : system.joints()) {
    is_left.push_back(joint.dim > 0 && !joint.is_coupling() ? 1 : 0);
    if (is_left.back() == 0) continue;
    ++n_joints[joint.first.body];
    ++n_joints[joint.second.body];
  }
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t j = 0; j < is_left.size(); ++j) {
      if (is_left[j] == 0) continue;
      const int a = system.joints()[j].first.body;
      const int b = system.joints()[j].second.body;
      if (!(moves(a) && n_joints[a] == 1) && !(moves(b) && n_joints[b] == 1)) continue;
      is_left[j] = 0;
      --n_joints[a];
      --n_joints[b];
      goes_on = true;
    }
  }
  DisjointSets sets(n);
  for (std::size_t j = 0; j < is_left.size(); ++j) {
    const Joint& joint = system.joints()[j];
    if (is_left[j] != 0 && moves(joint.first.body) && moves(joint.second.body)) {
      sets.join(joint.first.body, joint.second.body);
    }
  }
  // By the representatives of loops: rows less velocities, and whether one of their joints holds on to what stays.
  constexpr int kNone = std::numeric_limits<int>::min();
  std::vector<int> surplus(n, kNone);
  std::vector<char> is_held(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const int body = static_cast<int>(i);
    if (n_joints[i] == 0 || !moves(body)) continue;
    int& of_loop = surplus[sets.find(body)];
    of_loop = (of_loop == kNone ? 0 : of_loop) - system.bodies()[i].n_u;
  }
  for (std::size_t j = 0; j < is_left.size(); ++j) {
    const Joint& joint = system.joints()[j];
    const bool first_moves = moves(joint.first.body);
    if (is_left[j] == 0 || !(first_moves || moves(joint.second.body))) continue;
    const int loop = sets.find(first_moves ? joint.first.body : joint.second.body);
    surplus[loop] += joint.dim - (joint.options.motion ? 1 : 0);  // a motion takes a freedom that there is
    if (!(first_moves && moves(joint.second.body))) is_held[loop] = 1;
  }
  const int of_rigid = system.planar() ? 3 : 6;  // motions of a loop that nothing holds
  for (std::size_t i = 0; i < n; ++i) {
    if (surplus[i] != kNone && surplus[i] >= (is_held[i] != 0 ? 0 : -of_rigid)) return true;
  }
  return false;
}

}  // namespace stickslip
