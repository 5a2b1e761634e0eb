// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/ags.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/base/make_room.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/cone/cone_defect.h"
#include "stickslip/solvers/first_order.h"
#include "stickslip/solvers/gauss_seidel.h"

namespace stickslip {
namespace {

constexpr int kAgsJudgeEvery = 10;  // sweeps; a judgement costs about one

/// The first bound of the momentum is 1 - kBoundOfFriction mu: friction of sliding and turning spheres takes less the
/// larger mu is. A larger bound keeps jammed piles from converging, a smaller one costs sweeps. [-]
constexpr double kBoundOfFriction = 1.0 / 3.0;
/// It is at least this, as large mu would leave no momentum. [-]
constexpr double kLeastFirstBound = 0.6;
/// After kIdleJudgements without a residual below kAgsProgress times the best, the bound falls: its distance from one
/// grows by kFall. Fewer judgements stop jammed piles too early; more let iterates that go in circles go on. [-]
constexpr int kIdleJudgements = 25;
constexpr double kAgsProgress = 0.9;
constexpr double kFall = 1.5;

/// Bodies of a block: 64 kB, some microseconds. [-]
constexpr std::size_t kBodiesOfABlock = 1024;
/// Ranges of bodies of a rank of a block, most of them of some bodies. [-]
constexpr std::size_t kRangesOfABlock = 64;

template <std::size_t n>
void add_sums(const std::vector<std::array<double, 3>>& sums, double (&total)[n]) {
  for (const std::array<double, 3>& of_block : sums) {
    for (std::size_t k = 0; k < n; ++k) total[k] += of_block[k];
  }
}

const PackKernels& choose_kernels() {
  switch (choose_instruction_set()) {
    case InstructionSet::avx512:
      return pack_kernels_avx512();
    case InstructionSet::avx2:
      return pack_kernels_avx2();
    case InstructionSet::sse2:
      break;
  }
  return pack_kernels_sse2();
}

}  // namespace

AgsSolver::AgsSolver(const AgsOptions& options) : options_(options), kernels_(choose_kernels()) {
}

SolveReport AgsSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options_.time_limit, options_.stop);
  if (!iterate_.best().is_within(tolerance)) start(problem);
  while (!iterate_.best().is_within(tolerance) && report.iterations < options_.max_iterations && !deadline.passed()) {
    ++report.iterations;
    sweep(problem);
    const bool is_last = report.iterations == options_.max_iterations || deadline.is_time_up();
    if (report.iterations % kAgsJudgeEvery == 0 || is_last) {
      if (is_packed_) {
        judge_packs(problem);
        if (last_.is_within(tolerance) || is_last) write_best(problem);
      } else {
        iterate_.judge();
        last_ = iterate_.last();
      }
      watch(last_.defect());
    }
    move_on();
  }
  iterate_.finish(tolerance, solution, report);
  report.effort.sweeps = report.iterations;
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the sweeps did not converge";
  }
  return report;
}

void AgsSolver::start(const ConeProblem& problem) {
  is_exact_ = !has_objective(problem);
  is_packed_ = ContactPacks::may_build(problem);
  local_.prepare(problem, iterate_.rows());
  make_room(singles_, problem.b.size());
  make_room(old_singles_, problem.b.size());
  singles_.assign(iterate_.p().begin(), iterate_.p().end());
  old_singles_ = singles_;
  theta_ = 1.0;
  beta_ = 0.0;
  bound_ = {};
  bound_.best = iterate_.last().defect();
  if (is_exact_) {
    double mu = 0.0;
    for (const FrictionBlock& block : problem.blocks) mu = std::max(mu, block.mu);
    bound_.most = std::max(kLeastFirstBound, 1.0 - kBoundOfFriction * mu);
  }
  if (!is_packed_) return;
  packs_.build(problem);
  make_room(p_, packs_.n_packs());
  p_.resize(packs_.n_packs());
  packs_.take(problem, singles_, p_);
  old_p_ = p_;
  best_p_ = p_;
  best_singles_ = singles_;
  best_defect_ = HUGE_VAL;
  make_room(v_, packs_.mobilities().size());
  v_.resize(packs_.mobilities().size());
  exchange_.build(packs_);
  make_room(sums_, packs_.n_blocks());
  sums_.resize(packs_.n_blocks());
  make_room(new_v_, v_.size());
  new_v_.resize(v_.size());
  calc_velocities(problem, v_);
  exchange_.after_momentum(v_);
  old_v_ = v_;
}

/// Calls f(begin, number, block) for this rank's blocks of a batch, numbered as those of all batches.
template <class F>
void AgsSolver::for_packs(const ContactPacks::Batch& batch, bool is_shared, F&& f) const {
  for_blocks(packs_.are_many() && is_shared, batch.size(), ContactPacks::kBlock, batch.own,
             [&](std::size_t begin, std::size_t end, int block) {
               f(begin, static_cast<int>(end - begin), batch.first_block + block);
             });
}

/// Calls f(first record, number) for blocks of records: all, or those that this rank owns.
template <class F>
void AgsSolver::for_bodies(F&& f) const {
  if (packs_.ranks() == nullptr) {
    return for_blocks(packs_.are_many(), packs_.mobilities().size(), kBodiesOfABlock,
                      [&](std::size_t begin, std::size_t end, int) { f(begin, end - begin); });
  }
  const std::span<const PackExchange::Range> ranges = exchange_.owned();
  for_blocks(true, ranges.size(), kRangesOfABlock, [&](std::size_t begin, std::size_t end, int) {
    for (const PackExchange::Range& range : ranges.subspan(begin, end - begin)) {
      f(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.n));
    }
  });
}

PackVector* AgsSolver::percussions(const ContactPacks::Batch& batch, std::vector<PackVector>& p) const {
  return p.data() + (batch.is_general ? packs_.n_sphere_packs() : 0) + batch.begin;
}

const PackVector* AgsSolver::percussions(const ContactPacks::Batch& batch, const std::vector<PackVector>& p) const {
  return p.data() + (batch.is_general ? packs_.n_sphere_packs() : 0) + batch.begin;
}

/// V = M^-1 J^T p of p_ and singles_, of the bodies that this rank owns.
void AgsSolver::calc_velocities(const ConeProblem& problem, std::vector<BodyVelocity>& velocities) {
  for_blocks(packs_.are_many(), velocities.size(), kBodiesOfABlock, [&](std::size_t begin, std::size_t end, int) {
    std::fill(velocities.begin() + begin, velocities.begin() + end, BodyVelocity{});
  });
  for (int k = 0; k < static_cast<int>(packs_.batches().size()); ++k) {
    const ContactPacks::Batch& batch = packs_.batches()[k];
    const PackVector* p = percussions(batch, p_);
    for_packs(batch, !batch.is_ordered, [&](std::size_t begin, int n, int) {
      if (batch.is_general) {
        kernels_.add_general_momenta(packs_.general().data() + batch.begin + begin, n, p + begin, velocities.data());
      } else {
        kernels_.add_sphere_momenta(packs_.spheres().data() + batch.begin + begin, n, p + begin, velocities.data());
      }
    });
    exchange_.after_batch(k, velocities);
  }
  for_bodies([&](std::size_t first, std::size_t n) {
    kernels_.accelerate(packs_.mobilities().data() + first, static_cast<int>(n), velocities.data() + first);
  });
  double* v = velocities.data()->x;
  for (const ContactPacks::Single& single : packs_.singles()) {
    const Cone& cone = problem.cones[single.cone];
    const std::span<const int> unknowns = packs_.unknowns(single);
    const double* right = packs_.right(single);
    for (int r = 0; r < cone.dim; ++r) {
      const double p = singles_[cone.offset + r];
      for (std::size_t k = 0; k < unknowns.size(); ++k) v[unknowns[k]] += right[r * unknowns.size() + k] * p;
    }
  }
}

void AgsSolver::sweep(const ConeProblem& problem) {
  slope_ = squared_ = 0.0;
  if (!is_packed_) return sweep_unpacked(problem);
  for (int k = 0; k < static_cast<int>(packs_.batches().size()); ++k) {
    sweep_batch(packs_.batches()[k]);
    exchange_.after_batch(k, v_);
  }
  exchange_.gather(sums_);
  double total[2] = {0.0, 0.0};
  add_sums(sums_, total);
  slope_ = total[0];
  squared_ = total[1];
  sweep_singles(problem);
}

void AgsSolver::sweep_batch(const ContactPacks::Batch& batch) {
  PackVector* p = percussions(batch, p_);
  PackVector* old_p = percussions(batch, old_p_);
  for_packs(batch, !batch.is_ordered, [&](std::size_t begin, int n, int block) {
    SweepData data = {v_.data(), packs_.mobilities().data(), p + begin, old_p + begin, beta_, {0.0, 0.0}};
    if (batch.is_general) {
      kernels_.sweep_general(packs_.general().data() + batch.begin + begin, n, is_exact_, data);
    } else {
      kernels_.sweep_spheres(packs_.spheres().data() + batch.begin + begin, n, is_exact_, data);
    }
    sums_[block] = {data.sums[0], data.sums[1], 0.0};
  });
}

/// Of the cones that are not packed, each exactly.
void AgsSolver::sweep_singles(const ConeProblem& problem) {
  double* v = v_.data()->x;
  for (const ContactPacks::Single& single : packs_.singles()) {
    options_.stop.check();
    const Cone& cone = problem.cones[single.cone];
    const std::span<const int> unknowns = packs_.unknowns(single);
    const double* left = packs_.left(single);
    const double* right = packs_.right(single);
    const double* w = iterate_.rows().diagonal(single.cone);
    std::array<double, kMaxConeDim> y = {}, b = {}, next = {};
    for (int r = 0; r < cone.dim; ++r) {
      const double p = singles_[cone.offset + r];
      y[r] = p + beta_ * (p - old_singles_[cone.offset + r]);
      b[r] = problem.b[cone.offset + r];
      for (std::size_t k = 0; k < unknowns.size(); ++k) b[r] += left[r * unknowns.size() + k] * v[unknowns[k]];
    }
    for (int r = 0; r < cone.dim; ++r) {
      for (int c = 0; c < cone.dim; ++c) b[r] -= w[r * cone.dim + c] * y[c];
      next[r] = y[r];
    }
    local_.solve(single.cone, b.data(), next.data());
    for (int r = 0; r < cone.dim; ++r) {
      double& p = singles_[cone.offset + r];
      const double d = next[r] - y[r];
      slope_ -= w[r * (cone.dim + 1)] * d * (next[r] - p);
      squared_ += w[r * (cone.dim + 1)] * d * d;
      old_singles_[cone.offset + r] = p;
      p = next[r];
      for (std::size_t k = 0; k < unknowns.size(); ++k) v[unknowns[k]] += right[r * unknowns.size() + k] * d;
    }
  }
}

/// All cones in the order of the problem, from y on.
void AgsSolver::sweep_unpacked(const ConeProblem& problem) {
  const std::span<double> p = iterate_.p();
  for (std::size_t r = 0; r < p.size(); ++r) p[r] = singles_[r] + beta_ * (singles_[r] - old_singles_[r]);
  iterate_.restart_rows();
  sweep_exactly(problem, local_, 1.0, iterate_);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const double scale = iterate_.rows().scale(i);
    for (int r = cone.offset; r < cone.offset + cone.dim; ++r) {
      const double y = singles_[r] + beta_ * (singles_[r] - old_singles_[r]);
      slope_ -= scale * (p[r] - y) * (p[r] - singles_[r]);
      squared_ += scale * (p[r] - y) * (p[r] - y);
    }
  }
  old_singles_.swap(singles_);
  std::ranges::copy(p, singles_.begin());
}

/// The momentum of the next sweep.
void AgsSolver::move_on() {
  const double next = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4.0) - theta_);
  beta_ = std::min(theta_ * (1.0 - theta_) / (theta_ * theta_ + next), bound_.most);
  theta_ = next;
  if (slope_ > 0.0) {
    theta_ = 1.0;
    beta_ = 0.0;
  }
  if (!is_packed_) return;
  for_bodies([&](std::size_t first, std::size_t n) {
    kernels_.extrapolate(v_.data() + first, old_v_.data() + first, n, beta_);
  });
  exchange_.after_momentum(v_);
}

void AgsSolver::judge_batch(const ContactPacks::Batch& batch, double scale) {
  const PackVector* p = percussions(batch, p_);
  for_packs(batch, true, [&](std::size_t begin, int n, int block) {
    JudgeData data = {v_.data(), p + begin, scale, {0.0, 0.0, 0.0}};
    if (batch.is_general) {
      kernels_.judge_general(packs_.general().data() + batch.begin + begin, n, is_exact_, data);
    } else {
      kernels_.judge_spheres(packs_.spheres().data() + batch.begin + begin, n, is_exact_, data);
    }
    sums_[block] = {data.sums[0], data.sums[1], data.sums[2]};
  });
}

/// Judges p as calc_residual() does, and removes what round-off has left in V; the same in its history, where it would
/// grow with the momentum.
void AgsSolver::judge_packs(const ConeProblem& problem) {
  calc_velocities(problem, new_v_);
  for_bodies([&](std::size_t first, std::size_t n) {
    for (std::size_t k = first; k < first + n; ++k) {
      for (int i = 0; i < 8; ++i) old_v_[k].x[i] += new_v_[k].x[i] - v_[k].x[i];
    }
  });
  v_.swap(new_v_);
  const double scale = iterate_.rows().residual_scale();
  exchange_.before_judgement(v_);
  for (const ContactPacks::Batch& batch : packs_.batches()) judge_batch(batch, scale);
  exchange_.gather(sums_);
  double squares[3] = {0.0, 0.0, 0.0};
  add_sums(sums_, squares);
  const double* v = v_.data()->x;
  for (const ContactPacks::Single& single : packs_.singles()) {
    const Cone& cone = problem.cones[single.cone];
    const std::span<const int> unknowns = packs_.unknowns(single);
    const double* left = packs_.left(single);
    std::array<double, kMaxConeDim> u = {};
    for (int r = 0; r < cone.dim; ++r) {
      u[r] = problem.b[cone.offset + r];
      for (std::size_t k = 0; k < unknowns.size(); ++k) u[r] += left[r * unknowns.size() + k] * v[unknowns[k]];
      squares[1] += u[r] * u[r];
      const bool is_missed = cone.kind == ConeKind::free || (cone.kind == ConeKind::contact && r == 0 && u[r] < 0.0);
      if (is_missed) squares[2] += u[r] * u[r];
    }
    squares[0] += calc_squared_defect(problem, problem.law, cone, scale, singles_.data() + cone.offset, u.data());
  }
  last_ = iterate_.best();
  last_.absolute = std::sqrt(squares[0]);
  last_.size = std::max(last_.given, std::sqrt(squares[1]));
  last_.missed = std::sqrt(squares[2]);
  last_.relative = last_.absolute > 0.0 ? last_.absolute / last_.size : 0.0;
  if (!(last_.defect() < best_defect_)) return;
  best_defect_ = last_.defect();
  for (const ContactPacks::Batch& batch : packs_.batches()) {
    const PackVector* p = percussions(batch, p_);
    PackVector* best = percussions(batch, best_p_);
    for_packs(batch, true, [&](std::size_t begin, int n, int) { std::copy_n(p + begin, n, best + begin); });
  }
  best_singles_ = singles_;
}

/// Lowers the bound of the momentum where iterates have made no progress for long.
void AgsSolver::watch(double defect) {
  if (!is_exact_) return;
  if (defect < kAgsProgress * bound_.best) {
    bound_.best = defect;
    bound_.n_idle = 0;
  } else if (++bound_.n_idle >= kIdleJudgements) {
    bound_.most = std::max(0.0, 1.0 - kFall * (1.0 - bound_.most));
    bound_.n_idle = 0;
    slope_ = 1.0;  // and the momentum starts anew
  }
}

/// The best iterate in packs, judged by the problem's own operator.
void AgsSolver::write_best(const ConeProblem& problem) {
  std::ranges::copy(best_singles_, iterate_.p().begin());
  exchange_.gather(best_p_);
  packs_.give(problem, best_p_, iterate_.p());
  iterate_.judge();
}

}  // namespace stickslip
