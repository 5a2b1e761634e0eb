// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/delassus_rows.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/base/thread_team.h"

namespace stickslip {
namespace {

/// Contacts whose blocks threads share, and those of a block of these: 200 us in all. [-]
constexpr int kManyRows = 2048;
constexpr std::size_t kRowsOfABlock = 128;

/// The diagonal blocks of many contacts of a packed operator, which are independent of each other; whether it is one.
bool share_blocks(const ConeProblem& problem, std::vector<double>& blocks) {
  const auto* packed = std::get_if<PackedDelassus>(&problem.delassus);
  if (packed == nullptr || problem.n_cones() < kManyRows) return false;
  const std::size_t size = static_cast<std::size_t>(packed->dim()) * packed->dim();
  const auto n = static_cast<std::size_t>(problem.n_cones());
  make_room(blocks, n * size);
  blocks.resize(n * size);
  for_blocks(true, n, kRowsOfABlock, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      packed->calc_diagonal_block(problem.cones, static_cast<int>(i), blocks.data() + i * size);
    }
  });
  return true;
}

}  // namespace

void DelassusRows::bind(const ConeProblem& problem, bool keeps_blocks) {
  problem_ = &problem;
  const auto* factored = std::get_if<FactoredDelassus>(&problem.delassus);
  const auto is_free = [](const Cone& cone) { return cone.kind == ConeKind::free; };
  const bool is_kept = factored != nullptr && std::ranges::any_of(problem.cones, is_free);
  const bool has_pattern =
      is_kept && factored->has_pattern_of(bound_) && std::ranges::equal(problem.cones, bound_free_, {}, is_free);
  if (has_pattern && *factored == bound_) return;
  if (!has_pattern) ++pattern_;
  ++version_;
  bound_.clear();  // until all that follows from it is there
  diagonal_begin_.clear();
  diagonals_.clear();
  scales_.clear();
  make_room(scales_, problem.cones.size());
  double total = 0.0;  // of magnitudes
  const auto prepare = [&](const auto& w) {
    STICKSLIP_ASSERT(w.n_rows() == problem.n_cones());
    const bool has_blocks = keeps_blocks && share_blocks(problem, diagonals_);
    std::size_t end = 0;
    for (int i = 0; i < problem.n_cones(); ++i) {
      const int dim = problem.cones[i].dim;
      const std::size_t begin = keeps_blocks ? end : 0;
      end = begin + static_cast<std::size_t>(dim) * dim;
      if (keeps_blocks) append(diagonal_begin_, begin);
      if (!has_blocks) {
        make_room(diagonals_, end);
        diagonals_.resize(end);
        w.prepare_row(problem.cones, i, memory_, diagonals_.data() + begin);
      }
      const double* block = diagonals_.data() + begin;
      double trace = 0.0;
      for (int r = 0; r < dim; ++r) {
        trace += block[r * dim + r];
        total += std::abs(block[r * dim + r]);
      }
      scales_.push_back(trace / dim);
    }
  };
  std::visit(prepare, problem.delassus);
  // As ConeProblem::calc_residual_scale(), from the blocks that are here anyway.
  mean_diagonal_ = total > 0.0 ? total / problem.size() : 1.0;
  if (!is_kept) return;
  bound_ = *factored;
  bound_free_.clear();
  for (const Cone& cone : problem.cones) bound_free_.push_back(is_free(cone));
}

void DelassusRows::start(std::span<const double> p) {
  std::visit([&](const auto& w) { w.start(problem_->cones, p.data(), memory_); }, problem_->delassus);
}

void DelassusRows::calc_velocity(int i, std::span<const double> p, double* u) const {
  const Cone& cone = problem_->cones[i];
  std::copy_n(problem_->b.data() + cone.offset, cone.dim, u);
  std::visit([&](const auto& w) { w.add_relative_velocity(problem_->cones, i, p.data(), memory_, u); },
             problem_->delassus);
}

void DelassusRows::add_change(int i, const double* dp) {
  std::visit([&](const auto& w) { w.add_velocity(problem_->cones, i, dp, memory_); }, problem_->delassus);
}

bool DelassusRows::calc_block(int i, int j, double* block) const {
  return std::visit([&](const auto& w) { return w.calc_block(problem_->cones, i, j, memory_, block); },
                    problem_->delassus);
}

}  // namespace stickslip
