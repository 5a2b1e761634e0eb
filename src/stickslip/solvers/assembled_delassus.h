// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/base/assert.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_problem.h"
#include "stickslip/solvers/delassus_rows.h"

namespace stickslip {

/// The Delassus operator as a sparse matrix of blocks with a symmetric pattern, for methods that factorise it: a stored
/// one as it is (blocks whose mirror image is stored are added as zeros, diagonal blocks as well), the others
/// multiplied out over pairs of cones that share a body or velocity unknowns.
class AssembledDelassus {
 public:
  /// assemble() asks `stop` for each row, and throws Interrupted where it is raised.
  explicit AssembledDelassus(StopToken stop = {}) : stop_(stop) {}

  /// Takes W of the problem; keeps the memory of earlier problems. rows: of this problem, whose products with M^-1
  /// serve here; null: there are none.
  void assemble(const ConeProblem& problem, const DelassusRows* rows = nullptr);

  /// How many blocks that would be, without assembling them: exactly for a stored one, else up to as many times that as
  /// two cones share bodies or unknowns.
  double estimate_blocks(const ConeProblem& problem);

  int n_cones() const { return static_cast<int>(row_begin_.size()) - 1; }
  std::span<const int> row_begin() const { return row_begin_; }  // (n_cones + 1)
  std::span<const int> columns() const { return columns_; }      // ascending within a row
  /// Block number k of the pattern, row-major (dim_i, dim_j). [1/kg]
  const double* block(int k) const { return values_.data() + offsets_[k]; }
  /// y = W x. Shapes (n). [m/s]
  void apply(const ConeProblem& problem, std::span<const double> x, std::span<double> y) const;

 private:
  template <class W>
  void list_users(const W& w);
  template <class W>
  void find_pattern(const ConeProblem& problem, const W& w);
  template <class W>
  void fill(const ConeProblem& problem, const W& w, const DelassusRows* rows);
  void add_to_row(int i, int column);
  void close_row(const ConeProblem& problem, int i);
  void mirror(const ConeProblem& problem, int i, int k);

  StopToken stop_;
  std::uint64_t pattern_ = 0;  // of the rows that it was assembled with, 0 without
  std::vector<int> row_begin_;
  std::vector<int> columns_;
  std::vector<std::size_t> offsets_;  // of the blocks in values_
  std::vector<double> values_;        // [1/kg]
  std::vector<int> users_begin_;  // the lists in users_ of each key: its left users at 2 key, right ones at 2 key + 1
  std::vector<int> users_;        // cones
  std::vector<int> fill_;         // scratch
  std::vector<int> mark_;         // (n_cones) scratch: the block of each column in the open row
  std::vector<int> asked_;        // scratch: columns of the open row that are not those of rows before
  std::vector<double> scratch_;
};

/// W of the present problem in blocks, assembled when it is first asked for: a method's own, or one that methods share
/// which take turns at the same problem; then it is its owner's to start().
class SharedDelassus {
 public:
  /// get() asks `stop` and throws Interrupted where it is raised. `shared` must outlive this; null: an own one.
  explicit SharedDelassus(StopToken stop = {}, SharedDelassus* shared = nullptr) : own_(stop), shared_(shared) {}
  SharedDelassus(const SharedDelassus&) = delete;
  SharedDelassus& operator=(const SharedDelassus&) = delete;

  /// Forgets the last problem; call it once before each new one. Does nothing to a shared operator. rows: bound to the
  /// new problem until the next start(), always the same object; if their W is that of the last problem, W is kept.
  void start(const DelassusRows* rows = nullptr) {
    is_assembled_ = is_assembled_ && rows != nullptr && rows->version() == version_;
    rows_ = rows;
  }
  const AssembledDelassus& get(const ConeProblem& problem) {
    if (shared_ != nullptr) return shared_->get(problem);
    if (!is_assembled_) {
      own_.assemble(problem, rows_);
      if (rows_ != nullptr) version_ = rows_->version();
      is_assembled_ = true;
    }
    STICKSLIP_ASSERT(own_.n_cones() == problem.n_cones());
    return own_;
  }
  double estimate_blocks(const ConeProblem& problem) {
    return shared_ != nullptr ? shared_->estimate_blocks(problem) : own_.estimate_blocks(problem);
  }

 private:
  AssembledDelassus own_;
  SharedDelassus* shared_;
  const DelassusRows* rows_ = nullptr;
  std::uint64_t version_ = 0;  // of rows_, where W is theirs
  bool is_assembled_ = false;
};

}  // namespace stickslip
