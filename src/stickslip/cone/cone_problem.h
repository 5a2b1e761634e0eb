// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/cone/cone.h"
#include "stickslip/cone/delassus.h"
#include "stickslip/cone/stretch.h"
#include "stickslip/math/cones.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// The one-step problem of every scheme, free of bodies and of time:
///
///   find p, u:   u = W p + b,   K* contains u + s(u),   u + s(u) perpendicular to p,   p in K,
///
/// with percussions p [N s], relative velocities u [m/s] and K the product of one cone K_i for
/// each contact, joint or friction element. The shift s is De Saxce's for the exact Coulomb law,
/// s = sum over blocks b of h_b(-u_b) on the normal row, h_b the support function of the friction
/// set D_b, and zero for the associated (relaxed) law: then it is the CCP (10) [Negrut2017]. Where there are stretches,
/// the laws hold between p and S u.
enum class FrictionLaw { coulomb, associated };

struct ConeProblem {
  std::vector<Cone> cones;
  std::vector<FrictionBlock> blocks;  // contacts that follow each other share those that are alike
  std::vector<Stretch> stretches;     // of some of the balls of friction, in ascending order of rows
  FrictionLaw law = FrictionLaw::coulomb;
  std::vector<double> b;  // (n) [m/s] the velocities without percussions
  /// [m/s] What round-off in the sums that made b may come to, as a 2-norm: residuals up to it say nothing. 0: not
  /// known.
  double floor = 0.0;
  Delassus delassus;
  double residual_scale = 0.0;  // [1/kg] w of the residual where > 0, see calc_residual_scale()
  bool of_positions = false;    // of a projection: b and u are gaps and what joints are off by [m], p is in [kg m]

  int size() const { return static_cast<int>(b.size()); }  // n, the number of rows
  int n_cones() const { return static_cast<int>(cones.size()); }

  /// Forgets cones, blocks, stretches and b, not the Delassus operator; keeps the memory.
  void clear_cones();
  /// Appends a cone; its rows follow the rows so far and its b is zero. Returns its index.
  int add_contact(std::span<const FrictionBlock> friction) {
    int dim = 1;
    for (const FrictionBlock& block : friction) {
      STICKSLIP_ASSERT(block.dim >= 1 && block.dim <= kMaxFrictionDim && block.mu >= 0.0);
      STICKSLIP_ASSERT(block.facets == 0 || (block.facets >= 3 && block.dim == 2));
      dim += block.dim;
    }
    Cone cone = make_cone(ConeKind::contact, dim);
    cone.n_blocks = static_cast<int>(friction.size());  // fewer than rows
    if (!std::ranges::equal(std::span(blocks).last(std::min(blocks.size(), friction.size())), friction)) {
      blocks.insert(blocks.end(), friction.begin(), friction.end());
    }
    cone.first_block = static_cast<int>(blocks.size() - friction.size());
    return add_cone(cone);
  }
  int add_ball(int dim, double radius);
  int add_free(int dim);

  std::span<const FrictionBlock> friction(const Cone& cone) const {
    return {blocks.data() + cone.first_block, static_cast<std::size_t>(cone.n_blocks)};
  }

  /// result = W p. Shapes (n). [m/s]
  void apply_delassus(std::span<const double> p, std::span<double> result) const;
  /// The same with scratch memory of the caller, work (delassus_work_size()).
  void apply_delassus(std::span<const double> p, std::span<double> result, std::span<double> work) const;
  std::size_t delassus_work_size() const;
  /// The block W_ii of cone i, row-major (dim_i, dim_i). [1/kg]
  void calc_diagonal_block(int i, std::span<double> block) const;
  /// Its diagonal alone (dim_i). [1/kg]
  void calc_diagonal(int i, double* diagonal) const;
  /// w > 0, the scale between percussions and velocities by which the residual judges: residual_scale where it is
  /// given, else the mean of the diagonal of W (of its magnitudes, as it has no sign in a W of no mechanical system),
  /// or 1 where that is zero. [1/kg]
  double calc_residual_scale() const;

 private:
  static Cone make_cone(ConeKind kind, int dim) {
    STICKSLIP_ASSERT(dim >= 1 && dim <= kMaxConeDim);
    Cone cone;
    cone.kind = kind;
    cone.dim = dim;
    return cone;
  }
  int add_cone(Cone cone) {
    cone.offset = size();
    make_room(b, b.size() + cone.dim);
    for (int r = 0; r < cone.dim; ++r) b.push_back(0.0);
    append(cones, cone);
    return n_cones() - 1;
  }
};

/// What a solver returns, and what it starts from.
struct ConeSolution {
  std::vector<double> p;  // (n) [N s] percussions, in K
  std::vector<double> u;  // (n) [m/s] W p + b
};

}  // namespace stickslip
