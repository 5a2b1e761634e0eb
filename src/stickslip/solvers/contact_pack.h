// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

// Contacts in packs of eight and the kernels that sweep over them, for each set of vector instructions. This header is
// compiled for all of them: it holds plain data, and includes nothing that has inline functions.
namespace stickslip {

inline constexpr int kLanes = 8;  // contacts of a pack, whatever the instructions

/// Velocities of a body, (v, 0, s w, 0): s a length of the body, w in a frame of the body's own choice. For other
/// unknowns eight numbers in a row.
struct alignas(64) BodyVelocity {
  double x[8];
};

/// Of a body in the same terms: s^2 I^-1 (xx, xy, xz, yy, yz, zz), 1/m, s^2 I^-1 where that is a multiple of one.
/// [1/kg]
struct alignas(64) BodyMobility {
  double inertia[6];
  double inverse_mass;
  double spin;
};

/// What the packs of both kinds begin with. World vectors, component by component, lane by lane. A lane without a
/// contact has bodies that do not move, and zeros.
struct PackOfContacts {
  double normal[3][kLanes];        // [-] from the first body to the second
  double free[3][kLanes];          // [m/s] b
  double mu[kLanes];               // [-]
  double inverse_normal[kLanes];   // [kg] 1 / d_N, d the metric in which the step is taken
  double inverse_tangent[kLanes];  // [kg] 1 / d_T
  double metric_normal[kLanes];    // [1/kg] d_N
  double metric_tangent[kLanes];   // [1/kg] d_T
  double stretch[kLanes];          // [-] sqrt(d_T / d_N)
  double slides[kLanes];           // [-] 1; 0: a contact without tangential rows
  int first[kLanes];
  int second[kLanes];
};

/// Contacts whose arms are along their normals, between bodies that turn alike about all axes: spheres and discs.
struct alignas(64) SpherePack : PackOfContacts {};

/// Any others: u = v_2 + A_2 w_2 - v_1 - A_1 w_1.
struct alignas(64) GeneralPack : PackOfContacts {
  double arm_first[3][3][kLanes];   // [-] A_1 / s: rows of the world, columns of w
  double arm_second[3][3][kLanes];  // [-] A_2 / s
  double coupling[3][kLanes];       // [1/kg] the tangential velocity that a normal percussion of one gives
};

/// Percussions of a pack, world vectors.
struct alignas(64) PackVector {
  double x[3][kLanes];
};

/// What a sweep works on.
struct SweepData {
  BodyVelocity* velocities;
  const BodyMobility* mobilities;
  PackVector* p;      // of the first pack; the last sweep's, changed
  PackVector* old_p;  // the sweep's before
  double beta;        // [-] momentum: the sweep starts from y = p + beta (p - old_p)
  double sums[2];     // += (y - p) D (p - p_old), |y - p|^2 in D, p the new
};

/// Sums of the natural map (residual.h).
struct JudgeData {
  const BodyVelocity* velocities;
  const PackVector* p;
  double scale;    // [1/kg] w
  double sums[3];  // [m^2/s^2] += of the natural map, of u, of velocities missed
};

struct PackKernels {
  /// One Gauss-Seidel sweep over n packs, momentum and all.
  void (*sweep_spheres)(const SpherePack* packs, int n, bool is_exact, SweepData& data);
  void (*sweep_general)(const GeneralPack* packs, int n, bool is_exact, SweepData& data);
  /// velocities += J^T p: momenta, (m v, 0, torque / s, 0).
  void (*add_sphere_momenta)(const SpherePack* packs, int n, const PackVector* p, BodyVelocity* velocities);
  void (*add_general_momenta)(const GeneralPack* packs, int n, const PackVector* p, BodyVelocity* velocities);
  /// Momenta of n bodies become velocities.
  void (*accelerate)(const BodyMobility* mobilities, int n, BodyVelocity* velocities);
  void (*judge_spheres)(const SpherePack* packs, int n, bool is_exact, JudgeData& data);
  void (*judge_general)(const GeneralPack* packs, int n, bool is_exact, JudgeData& data);
  /// V <- V + beta (V - old), old <- V.
  void (*extrapolate)(BodyVelocity* velocities, BodyVelocity* old, std::size_t n, double beta);
};

const PackKernels& pack_kernels_sse2();
const PackKernels& pack_kernels_avx2();
const PackKernels& pack_kernels_avx512();

}  // namespace stickslip
