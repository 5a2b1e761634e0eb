// SPDX-License-Identifier: BSD-3-Clause
// No header as others are: pack_kernels_*.cpp include it, each compiled for its own instructions, with
// STICKSLIP_VECTOR doubles in a vector and STICKSLIP_KERNELS the function to define. All that is here is inlined or has
// internal linkage, so that nobody else calls code for instructions that the machine may lack. Operations on a lane
// are the same for every width, and their order; nothing is contracted. So are the bits.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "stickslip/solvers/contact_pack.h"

namespace stickslip {
namespace {

#define STICKSLIP_INLINE [[gnu::always_inline]] inline

constexpr int kWidth = STICKSLIP_VECTOR;
constexpr int kParts = kLanes / kWidth;
constexpr int kPrefetchPacks = 3;  // ahead: some of what memory takes to answer

using Vec = double __attribute__((vector_size(8 * kWidth), aligned(8 * kWidth)));
using Mask = long long __attribute__((vector_size(8 * kWidth), aligned(8 * kWidth)));

/// Eight numbers, one a lane.
struct Lanes {
  Vec v[kParts];
};
struct Lanes3 {
  Lanes x, y, z;
};

#define STICKSLIP_EACH_PART _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i)

STICKSLIP_INLINE Lanes load(const double* from) {
  Lanes a;
  STICKSLIP_EACH_PART a.v[i] = *reinterpret_cast<const Vec*>(from + kWidth * i);
  return a;
}
STICKSLIP_INLINE void store(const Lanes& a, double* to) {
  STICKSLIP_EACH_PART* reinterpret_cast<Vec*>(to + kWidth * i) = a.v[i];
}
STICKSLIP_INLINE Lanes3 load(const double (&from)[3][kLanes]) {
  return {load(from[0]), load(from[1]), load(from[2])};
}
STICKSLIP_INLINE void store(const Lanes3& a, double (&to)[3][kLanes]) {
  store(a.x, to[0]);
  store(a.y, to[1]);
  store(a.z, to[2]);
}
STICKSLIP_INLINE Lanes all(double value) {
  Lanes a;
  STICKSLIP_EACH_PART a.v[i] = value - Vec{};
  return a;
}
STICKSLIP_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  Lanes c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] + b.v[i];
  return c;
}
STICKSLIP_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  Lanes c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] - b.v[i];
  return c;
}
STICKSLIP_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
  Lanes c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] * b.v[i];
  return c;
}
STICKSLIP_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
  Lanes c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] / b.v[i];
  return c;
}
STICKSLIP_INLINE Lanes max(const Lanes& a, const Lanes& b) {
  Lanes c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return c;
}
STICKSLIP_INLINE Lanes min(const Lanes& a, const Lanes& b) {
  Lanes c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
  return c;
}
/// a <= b ? then : otherwise.
STICKSLIP_INLINE Lanes choose_if_at_most(const Lanes& a, const Lanes& b, const Lanes& then, const Lanes& otherwise) {
  Lanes c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] <= b.v[i] ? then.v[i] : otherwise.v[i];
  return c;
}
STICKSLIP_INLINE Lanes root(const Lanes& a) {
  Lanes c;
#if STICKSLIP_VECTOR == 8
  STICKSLIP_EACH_PART c.v[i] = _mm512_sqrt_pd(a.v[i]);
#elif STICKSLIP_VECTOR == 4
  STICKSLIP_EACH_PART c.v[i] = _mm256_sqrt_pd(a.v[i]);
#else
  STICKSLIP_EACH_PART c.v[i] = Vec{__builtin_sqrt(a.v[i][0]), __builtin_sqrt(a.v[i][1])};
#endif
  return c;
}
/// The sum of all lanes, in the order of a tree.
STICKSLIP_INLINE double add_up(const Lanes& a) {
  alignas(64) double x[kLanes];
  store(a, x);
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

STICKSLIP_INLINE Lanes3 operator+(const Lanes3& a, const Lanes3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
STICKSLIP_INLINE Lanes3 operator-(const Lanes3& a, const Lanes3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
STICKSLIP_INLINE Lanes3 operator*(const Lanes& a, const Lanes3& b) {
  return {a * b.x, a * b.y, a * b.z};
}
STICKSLIP_INLINE Lanes dot(const Lanes3& a, const Lanes3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
STICKSLIP_INLINE Lanes3 cross(const Lanes3& a, const Lanes3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A record of a body, in the vectors of the machine.
struct Record {
  Vec v[kParts];
};
STICKSLIP_INLINE Record load_record(const double* from) {
  Record a;
  STICKSLIP_EACH_PART a.v[i] = *reinterpret_cast<const Vec*>(from + kWidth * i);
  return a;
}
STICKSLIP_INLINE void add_record(const Record& a, double* to) {
  STICKSLIP_EACH_PART* reinterpret_cast<Vec*>(to + kWidth * i) += a.v[i];
}
/// (first half) low, (second) high.
STICKSLIP_INLINE Record make_record(double low, double high) {
  Record a;
#if STICKSLIP_VECTOR == 8
  a.v[0] = _mm512_mask_blend_pd(0xF0, _mm512_set1_pd(low), _mm512_set1_pd(high));
#else
  STICKSLIP_EACH_PART a.v[i] = (i < kParts / 2 ? low : high) - Vec{};
#endif
  return a;
}
STICKSLIP_INLINE Record multiply(const Record& a, const Record& b) {
  Record c;
  STICKSLIP_EACH_PART c.v[i] = a.v[i] * b.v[i];
  return c;
}
/// b + (-v of a, + w of a).
STICKSLIP_INLINE Record relate(const Record& a, const Record& b) {
  Record c;
#if STICKSLIP_VECTOR == 8
  c.v[0] = b.v[0] + make_record(-1.0, 1.0).v[0] * a.v[0];
#else
  STICKSLIP_EACH_PART c.v[i] = i < kParts / 2 ? b.v[i] - a.v[i] : b.v[i] + a.v[i];
#endif
  return c;
}

/// Eight records of eight numbers into numbers of eight lanes, or back.
struct Square {
  Lanes row[8];
};
STICKSLIP_INLINE Square transpose(const Record (&r)[8]) {
  Square s;
#if STICKSLIP_VECTOR == 8
  Vec t[8], q[8];
  _Pragma("GCC unroll 8") for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(r[i].v[0], r[i + 1].v[0]);
    t[i + 1] = _mm512_unpackhi_pd(r[i].v[0], r[i + 1].v[0]);
  }
  _Pragma("GCC unroll 2") for (int i = 0; i < 8; i += 4) {
    q[i] = _mm512_shuffle_f64x2(t[i], t[i + 2], 0x88);
    q[i + 1] = _mm512_shuffle_f64x2(t[i + 1], t[i + 3], 0x88);
    q[i + 2] = _mm512_shuffle_f64x2(t[i], t[i + 2], 0xdd);
    q[i + 3] = _mm512_shuffle_f64x2(t[i + 1], t[i + 3], 0xdd);
  }
  _Pragma("GCC unroll 4") for (int i = 0; i < 4; ++i) {
    s.row[i].v[0] = _mm512_shuffle_f64x2(q[i], q[i + 4], 0x88);
    s.row[i + 4].v[0] = _mm512_shuffle_f64x2(q[i], q[i + 4], 0xdd);
  }
#elif STICKSLIP_VECTOR == 4
  _Pragma("GCC unroll 2") for (int half = 0; half < 2; ++half) {    // of the records
    _Pragma("GCC unroll 2") for (int part = 0; part < 2; ++part) {  // of the lanes
      const Record* a = r + 4 * part;
      const Vec t0 = _mm256_unpacklo_pd(a[0].v[half], a[1].v[half]),
                t1 = _mm256_unpackhi_pd(a[0].v[half], a[1].v[half]);
      const Vec t2 = _mm256_unpacklo_pd(a[2].v[half], a[3].v[half]),
                t3 = _mm256_unpackhi_pd(a[2].v[half], a[3].v[half]);
      s.row[4 * half].v[part] = _mm256_permute2f128_pd(t0, t2, 0x20);
      s.row[4 * half + 1].v[part] = _mm256_permute2f128_pd(t1, t3, 0x20);
      s.row[4 * half + 2].v[part] = _mm256_permute2f128_pd(t0, t2, 0x31);
      s.row[4 * half + 3].v[part] = _mm256_permute2f128_pd(t1, t3, 0x31);
    }
  }
#else
  _Pragma("GCC unroll 4") for (int pair = 0; pair < 4; ++pair) {
    _Pragma("GCC unroll 4") for (int part = 0; part < 4; ++part) {
      const Record* a = r + 2 * part;
      s.row[2 * pair].v[part] = __builtin_shufflevector(a[0].v[pair], a[1].v[pair], 0, 2);
      s.row[2 * pair + 1].v[part] = __builtin_shufflevector(a[0].v[pair], a[1].v[pair], 1, 3);
    }
  }
#endif
  return s;
}
/// The record of each lane, (a, 0, b, 0).
struct Records {
  Record lane[8];
};
STICKSLIP_INLINE Records gather_lanes(const Lanes3& a, const Lanes3& b) {
  const Lanes zero = all(0.0);
  Record full[8];
  const Lanes* all_rows[8] = {&a.x, &a.y, &a.z, &zero, &b.x, &b.y, &b.z, &zero};
  _Pragma("GCC unroll 8") for (int k = 0; k < 8; ++k) {
    STICKSLIP_EACH_PART full[k].v[i] = all_rows[k]->v[i];
  }
  const Square s = transpose(full);
  Records records;
  _Pragma("GCC unroll 8") for (int k = 0; k < 8; ++k) {
    STICKSLIP_EACH_PART records.lane[k].v[i] = s.row[k].v[i];
  }
  return records;
}

STICKSLIP_INLINE void prefetch_bodies(const PackOfContacts& pack, const BodyVelocity* velocities) {
  _Pragma("GCC unroll 8") for (int k = 0; k < kLanes; ++k) {
    __builtin_prefetch(velocities + pack.first[k], 1);
    __builtin_prefetch(velocities + pack.second[k], 1);
  }
}

// --- spheres

STICKSLIP_INLINE Lanes3 calc_relative(const SpherePack& pack, const BodyVelocity* velocities, const Lanes3& n) {
  Record r[8];
  _Pragma("GCC unroll 8") for (int k = 0; k < kLanes; ++k) {
    r[k] = relate(load_record(velocities[pack.first[k]].x), load_record(velocities[pack.second[k]].x));
  }
  const Square s = transpose(r);
  const Lanes3 dv = {s.row[0], s.row[1], s.row[2]};
  const Lanes3 dw = {s.row[4], s.row[5], s.row[6]};
  return dv - cross(dw, n);
}

/// V += M^-1 J^T d.
STICKSLIP_INLINE void add_impulse(const SpherePack& pack, const BodyMobility* mobilities, const Lanes3& n,
                                  const Lanes3& d, BodyVelocity* velocities) {
  const Records records = gather_lanes(d, cross(n, d));
  _Pragma("GCC unroll 8") for (int k = 0; k < kLanes; ++k) {
    const int a = pack.first[k], b = pack.second[k];
    const BodyMobility &of_a = mobilities[a], &of_b = mobilities[b];
    add_record(multiply(records.lane[k], make_record(-of_a.inverse_mass, -of_a.spin)), velocities[a].x);
    add_record(multiply(records.lane[k], make_record(of_b.inverse_mass, -of_b.spin)), velocities[b].x);
  }
}

STICKSLIP_INLINE void add_momentum(const SpherePack& pack, const Lanes3& n, const Lanes3& p, BodyVelocity* momenta) {
  const Records records = gather_lanes(p, cross(n, p));
  const Record of_a = make_record(-1.0, -1.0), of_b = make_record(1.0, -1.0);
  _Pragma("GCC unroll 8") for (int k = 0; k < kLanes; ++k) {
    add_record(multiply(records.lane[k], of_a), momenta[pack.first[k]].x);
    add_record(multiply(records.lane[k], of_b), momenta[pack.second[k]].x);
  }
}

/// What a normal percussion adds to the tangential velocity: nothing.
STICKSLIP_INLINE Lanes3 add_coupling(const SpherePack&, const Lanes&, const Lanes3& u) {
  return u;
}

// --- others

struct BodyLanes {
  Lanes3 v, w;
};
STICKSLIP_INLINE BodyLanes gather_bodies(const int (&bodies)[kLanes], const BodyVelocity* velocities) {
  Record r[8];
  _Pragma("GCC unroll 8") for (int k = 0; k < kLanes; ++k) r[k] = load_record(velocities[bodies[k]].x);
  const Square s = transpose(r);
  return {{s.row[0], s.row[1], s.row[2]}, {s.row[4], s.row[5], s.row[6]}};
}
STICKSLIP_INLINE Lanes3 turn(const double (&arm)[3][3][kLanes], const Lanes3& w) {
  return {dot(load(arm[0]), w), dot(load(arm[1]), w), dot(load(arm[2]), w)};
}
/// A^T f.
STICKSLIP_INLINE Lanes3 calc_torque(const double (&arm)[3][3][kLanes], const Lanes3& f) {
  return f.x * load(arm[0]) + f.y * load(arm[1]) + f.z * load(arm[2]);
}
STICKSLIP_INLINE Lanes3 calc_relative(const GeneralPack& pack, const BodyVelocity* velocities, const Lanes3&) {
  const BodyLanes a = gather_bodies(pack.first, velocities);
  const BodyLanes b = gather_bodies(pack.second, velocities);
  return (b.v + turn(pack.arm_second, b.w)) - (a.v + turn(pack.arm_first, a.w));
}

STICKSLIP_INLINE void add_to_bodies(const Records& records, const int (&bodies)[kLanes], BodyVelocity* velocities) {
  _Pragma("GCC unroll 8") for (int k = 0; k < kLanes; ++k) add_record(records.lane[k], velocities[bodies[k]].x);
}
STICKSLIP_INLINE void add_motion(const int (&bodies)[kLanes], const double (&arm)[3][3][kLanes],
                                 const BodyMobility* mobilities, const Lanes3& f, BodyVelocity* velocities) {
  Record r[8];
  _Pragma("GCC unroll 8") for (int k = 0; k < kLanes; ++k) r[k] = load_record(mobilities[bodies[k]].inertia);
  const Square m = transpose(r);  // xx, xy, xz, yy, yz, zz, 1 / m
  const Lanes3 torque = calc_torque(arm, f);
  const Lanes3 spin = {dot({m.row[0], m.row[1], m.row[2]}, torque), dot({m.row[1], m.row[3], m.row[4]}, torque),
                       dot({m.row[2], m.row[4], m.row[5]}, torque)};
  add_to_bodies(gather_lanes(m.row[6] * f, spin), bodies, velocities);
}
STICKSLIP_INLINE void add_impulse(const GeneralPack& pack, const BodyMobility* mobilities, const Lanes3&,
                                  const Lanes3& d, BodyVelocity* velocities) {
  const Lanes zero = all(0.0);
  add_motion(pack.second, pack.arm_second, mobilities, d, velocities);
  add_motion(pack.first, pack.arm_first, mobilities, {zero - d.x, zero - d.y, zero - d.z}, velocities);
}
STICKSLIP_INLINE void add_momentum(const GeneralPack& pack, const Lanes3&, const Lanes3& p, BodyVelocity* momenta) {
  const Lanes zero = all(0.0);
  const Lanes3 minus = {zero - p.x, zero - p.y, zero - p.z};
  add_to_bodies(gather_lanes(p, calc_torque(pack.arm_second, p)), pack.second, momenta);
  add_to_bodies(gather_lanes(minus, calc_torque(pack.arm_first, minus)), pack.first, momenta);
}
STICKSLIP_INLINE Lanes3 add_coupling(const GeneralPack& pack, const Lanes& change, const Lanes3& u) {
  return u + change * load(pack.coupling);
}

// --- both

/// A product of two vectors in the metric.
STICKSLIP_INLINE Lanes calc_metric_product(const PackOfContacts& pack, const Lanes3& n, const Lanes3& a,
                                           const Lanes3& b) {
  const Lanes of_normals = dot(a, n) * dot(b, n);
  return load(pack.metric_tangent) * (dot(a, b) - of_normals) + load(pack.metric_normal) * of_normals;
}

/// The normal percussion first, with the coupling to the tangential velocity, then friction.
template <class Pack>
STICKSLIP_INLINE Lanes3 step_exactly(const Pack& pack, const Lanes3& n, const Lanes3& y, const Lanes3& u) {
  const Lanes zero = all(0.0);
  const Lanes before = dot(y, n);
  const Lanes normal = max(before - load(pack.inverse_normal) * dot(u, n), zero);
  const Lanes3 coupled = add_coupling(pack, normal - before, u);
  Lanes3 q = y - load(pack.inverse_tangent) * coupled;
  q = q - dot(q, n) * n;
  const Lanes size = root(dot(q, q));
  const Lanes share = min(all(1.0), load(pack.mu) * normal / max(size, all(1e-300)));
  return normal * n + share * q;
}
/// The point of the cone that is nearest in the metric.
STICKSLIP_INLINE Lanes3 step_to_nearest(const PackOfContacts& pack, const Lanes3& n, const Lanes3& y, const Lanes3& u) {
  const Lanes zero = all(0.0), one = all(1.0);
  const Lanes before = dot(y, n) - load(pack.inverse_normal) * dot(u, n);
  Lanes3 q = y - load(pack.inverse_tangent) * u;
  q = q - dot(q, n) * n;
  const Lanes stretch = load(pack.stretch);
  const Lanes mu = load(pack.mu) * stretch;
  const Lanes size = root(dot(q, q)) * stretch;
  const Lanes on_cone = max((before + mu * size) / (one + mu * mu), zero);
  const Lanes at_most = mu * before;
  const Lanes normal = choose_if_at_most(size, at_most, before, on_cone);
  const Lanes share = choose_if_at_most(size, at_most, one, mu * on_cone / max(size, all(1e-300)));
  return max(normal, zero) * n + share * q;
}

template <bool kExact, class Pack>
void sweep(const Pack* packs, int n_packs, SweepData& data) {
  Lanes slope = all(0.0), squared = all(0.0);
  const Lanes beta = all(data.beta);
  for (int k = 0; k < n_packs; ++k) {
    const Pack& pack = packs[k];
    if (k + kPrefetchPacks < n_packs) prefetch_bodies(packs[k + kPrefetchPacks], data.velocities);
    const Lanes3 n = load(pack.normal);
    const Lanes3 p = load(data.p[k].x);
    const Lanes3 y = p + beta * (p - load(data.old_p[k].x));
    const Lanes3 u = calc_relative(pack, data.velocities, n) + load(pack.free);
    Lanes3 next;
    if constexpr (kExact) {
      next = step_exactly(pack, n, y, u);
    } else {
      next = step_to_nearest(pack, n, y, u);
    }
    const Lanes3 d = next - y;
    slope = slope - calc_metric_product(pack, n, d, next - p);
    squared = squared + calc_metric_product(pack, n, d, d);
    store(p, data.old_p[k].x);
    store(next, data.p[k].x);
    add_impulse(pack, data.mobilities, n, d, data.velocities);
  }
  data.sums[0] += add_up(slope);
  data.sums[1] += add_up(squared);
}

template <class Pack>
void add_momenta(const Pack* packs, int n_packs, const PackVector* p, BodyVelocity* momenta) {
  for (int k = 0; k < n_packs; ++k) {
    if (k + kPrefetchPacks < n_packs) prefetch_bodies(packs[k + kPrefetchPacks], momenta);
    add_momentum(packs[k], load(packs[k].normal), load(p[k].x), momenta);
  }
}

/// The natural map, as calc_residual() has it.
template <bool kExact, class Pack>
void judge(const Pack* packs, int n_packs, JudgeData& data) {
  const Lanes zero = all(0.0), one = all(1.0), w = all(data.scale);
  Lanes off = zero, speed = zero, missed = zero;
  for (int k = 0; k < n_packs; ++k) {
    const Pack& pack = packs[k];
    if (k + kPrefetchPacks < n_packs) prefetch_bodies(packs[k + kPrefetchPacks], data.velocities);
    const Lanes3 n = load(pack.normal);
    const Lanes mu = load(pack.mu);
    Lanes3 u = calc_relative(pack, data.velocities, n) + load(pack.free);
    const Lanes normal = dot(u, n);
    const Lanes3 tangential = load(pack.slides) * (u - normal * n);
    u = tangential + normal * n;
    speed = speed + dot(u, u);
    const Lanes closing = min(normal, zero);
    missed = missed + closing * closing;
    const Lanes3 r = w * load(data.p[k].x);
    Lanes3 x = r - u;
    if constexpr (kExact) x = x - (mu * root(dot(tangential, tangential))) * n;
    const Lanes x_normal = dot(x, n);
    const Lanes3 x_tangential = x - x_normal * n;
    const Lanes size = root(dot(x_tangential, x_tangential));
    const Lanes on_cone = max((x_normal + mu * size) / (one + mu * mu), zero);
    const Lanes at_most = mu * x_normal;
    const Lanes to_normal = max(choose_if_at_most(size, at_most, x_normal, on_cone), zero);
    const Lanes share = choose_if_at_most(size, at_most, one, mu * on_cone / max(size, all(1e-300)));
    const Lanes3 defect = r - to_normal * n - share * x_tangential;
    off = off + dot(defect, defect);
  }
  data.sums[0] += add_up(off);
  data.sums[1] += add_up(speed);
  data.sums[2] += add_up(missed);
}

void sweep_spheres(const SpherePack* packs, int n, bool is_exact, SweepData& data) {
  is_exact ? sweep<true>(packs, n, data) : sweep<false>(packs, n, data);
}
void sweep_general(const GeneralPack* packs, int n, bool is_exact, SweepData& data) {
  is_exact ? sweep<true>(packs, n, data) : sweep<false>(packs, n, data);
}
void judge_spheres(const SpherePack* packs, int n, bool is_exact, JudgeData& data) {
  is_exact ? judge<true>(packs, n, data) : judge<false>(packs, n, data);
}
void judge_general(const GeneralPack* packs, int n, bool is_exact, JudgeData& data) {
  is_exact ? judge<true>(packs, n, data) : judge<false>(packs, n, data);
}

void accelerate(const BodyMobility* mobilities, int n, BodyVelocity* velocities) {
  for (int k = 0; k < n; ++k) {
    const double* a = mobilities[k].inertia;
    double* x = velocities[k].x;
    const double t0 = x[4], t1 = x[5], t2 = x[6];
    for (int i = 0; i < 3; ++i) x[i] *= mobilities[k].inverse_mass;
    x[4] = a[0] * t0 + a[1] * t1 + a[2] * t2;
    x[5] = a[1] * t0 + a[3] * t1 + a[4] * t2;
    x[6] = a[2] * t0 + a[4] * t1 + a[5] * t2;
  }
}

void extrapolate(BodyVelocity* velocities, BodyVelocity* old, std::size_t n, double beta) {
  const Lanes by = all(beta);
  for (std::size_t k = 0; k < n; ++k) {
    const Lanes now = load(velocities[k].x);
    store(now + by * (now - load(old[k].x)), velocities[k].x);
    store(now, old[k].x);
  }
}

}  // namespace

const PackKernels& STICKSLIP_KERNELS() {
  static constexpr PackKernels kKernels = {
      sweep_spheres, sweep_general, add_momenta<SpherePack>, add_momenta<GeneralPack>,
      accelerate,    judge_spheres, judge_general,           extrapolate};
  return kKernels;
}

}  // namespace stickslip
