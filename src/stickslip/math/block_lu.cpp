// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/block_lu.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "stickslip/base/assert.h"
#include "stickslip/math/lu_panels.h"

namespace stickslip {
namespace {

/// Supernodes take in a parent column while at most this share of their blocks, or so many blocks of so many entries in
/// all, are zeros that a narrower one would not store: short loops cost more than a few products with zero.
constexpr double kZeroShare = 0.25;
constexpr int kZeroBlocks = 6;
constexpr int kZeroEntries = 54;
/// Pivots below this share of the largest entry of their column in the supernode are round-off, and are replaced by it.
/// [-]
constexpr double kSmallPivot = 1e-14;
/// Cost of an entry of the factors, from its assembly to its use, in multiply-adds of a large factorisation (0.15 ns
/// each): some 10 ns. [-]
constexpr double kOperationsOfAnEntry = 67.0;
/// Values set to zero between two questions whether to stop: some milliseconds, if their memory is new.
constexpr std::size_t kValuesAtOnce = std::size_t{1} << 20;

}  // namespace

bool BlockLu::analyze(std::span<const int> dims, std::span<const int> row_begin, std::span<const int> columns,
                      int n_kept) {
  if (is_analyzed_ && n_kept == n_kept_ && std::ranges::equal(dims, dims_) &&
      std::ranges::equal(row_begin, row_begin_) && std::ranges::equal(columns, columns_)) {
    return true;
  }
  is_analyzed_ = false;
  n_blocks_ = static_cast<int>(dims.size());
  n_kept_ = n_kept;
  dims_.assign(dims.begin(), dims.end());
  row_begin_.assign(row_begin.begin(), row_begin.end());
  columns_.assign(columns.begin(), columns.end());
  row_of_.resize(n_blocks_);
  n_rows_ = 0;
  for (int i = 0; i < n_blocks_; ++i) {
    row_of_[i] = n_rows_;
    n_rows_ += dims_[i];
  }
  order_blocks(row_begin, columns);
  find_structure(row_begin, columns);
  postorder();
  elim_row_.assign(1, 0);
  for (int k = 0; k < n_blocks_; ++k) elim_row_.push_back(elim_row_.back() + dims_[order_[k]]);
  make_supernodes();
  place_blocks(row_begin, columns);
  swaps_.resize(n_rows_);
  thresholds_.resize(n_rows_);
  x_.resize(n_rows_);
  beside_.resize(n_rows_);
  is_analyzed_ = true;
  return false;
}

/// By the graph of those to be eliminated, without its diagonal; those kept come last.
void BlockLu::order_blocks(std::span<const int> row_begin, std::span<const int> columns) {
  const int n = n_blocks_ - n_kept_;
  scratch_.assign(1, 0);
  scratch2_.clear();
  for (int i = 0; i < n; ++i) {
    for (int k = row_begin[i]; k < row_begin[i + 1]; ++k) {
      if (columns[k] != i && columns[k] < n) scratch2_.push_back(columns[k]);
    }
    scratch_.push_back(static_cast<int>(scratch2_.size()));
  }
  minimum_degree_.calc_order(scratch_, scratch2_, order_);
  for (int i = n; i < n_blocks_; ++i) order_.push_back(i);
  place_.resize(n_blocks_);
  for (int k = 0; k < n_blocks_; ++k) place_[order_[k]] = k;
}

/// The block rows of each column of L: those of A and of its children in the elimination tree.
void BlockLu::find_structure(std::span<const int> row_begin, std::span<const int> columns) {
  std::vector<int>& child = scratch_;
  std::vector<int>& sibling = scratch2_;
  std::vector<int>& mark = scratch3_;
  child.assign(n_blocks_, -1);
  sibling.assign(n_blocks_, -1);
  mark.assign(n_blocks_, -1);
  parent_.assign(n_blocks_, -1);
  struct_begin_.assign(1, 0);
  struct_.clear();
  for (int k = 0; k < n_blocks_; ++k) {
    stop_.check();
    const auto take = [&](int row) {
      if (row <= k || mark[row] == k) return;
      mark[row] = k;
      struct_.push_back(row);
    };
    const int i = order_[k];
    for (int b = row_begin[i]; b < row_begin[i + 1]; ++b) take(place_[columns[b]]);
    for (int c = child[k]; c >= 0; c = sibling[c]) {
      for (int b = struct_begin_[c]; b < struct_begin_[c + 1]; ++b) take(struct_[b]);
    }
    std::sort(struct_.begin() + struct_begin_[k], struct_.end());
    struct_begin_.push_back(static_cast<int>(struct_.size()));
    if (struct_begin_[k + 1] == struct_begin_[k]) continue;
    parent_[k] = struct_[struct_begin_[k]];
    sibling[k] = child[parent_[k]];
    child[parent_[k]] = k;
  }
}

/// Renumbers the elimination so that the columns of each subtree follow one another. A column's rows are its ancestors,
/// whose order stays.
void BlockLu::postorder() {
  std::vector<int>& child = scratch_;
  std::vector<int>& sibling = scratch2_;
  std::vector<int>& stack = scratch3_;
  child.assign(n_blocks_ + 1, -1);
  sibling.assign(n_blocks_, -1);
  for (int k = n_blocks_ - 1; k >= 0; --k) {
    const int parent = parent_[k] >= 0 ? parent_[k] : n_blocks_;  // a root above the roots
    sibling[k] = child[parent];
    child[parent] = k;
  }
  std::vector<int>& old_of = local_;
  old_of.clear();
  stack.clear();
  for (int root = child[n_blocks_]; root >= 0; root = sibling[root]) {
    stack.push_back(root);
    while (!stack.empty()) {
      const int k = stack.back();
      if (child[k] >= 0) {
        stack.push_back(child[k]);
        child[k] = sibling[child[k]];  // next time the next one
      } else {
        old_of.push_back(k);
        stack.pop_back();
      }
    }
  }
  std::vector<int>& new_of = scratch3_;
  new_of.resize(n_blocks_);
  for (int k = 0; k < n_blocks_; ++k) new_of[old_of[k]] = k;
  std::vector<int>& begin = scratch_;
  std::vector<int>& rows = scratch2_;
  begin.assign(1, 0);
  rows.clear();
  for (int k = 0; k < n_blocks_; ++k) {
    const int old = old_of[k];
    for (int b = struct_begin_[old]; b < struct_begin_[old + 1]; ++b) rows.push_back(new_of[struct_[b]]);
    begin.push_back(static_cast<int>(rows.size()));
    place_[order_[old]] = k;
  }
  struct_begin_.assign(begin.begin(), begin.end());  // no swap: each keeps its own memory
  struct_.assign(rows.begin(), rows.end());
  for (int i = 0; i < n_blocks_; ++i) order_[place_[i]] = i;
  for (int k = 0; k < n_blocks_; ++k) {
    parent_[k] = struct_begin_[k + 1] > struct_begin_[k] ? struct_[struct_begin_[k]] : -1;
  }
}

void BlockLu::make_supernodes() {
  supernodes_.clear();
  below_.clear();
  supernode_of_.resize(n_blocks_);
  std::size_t size = 0;
  n_operations_ = 0.0;
  for (int first = 0; first < n_blocks_;) {
    const auto n_struct = [&](int k) { return struct_begin_[k + 1] - struct_begin_[k]; };
    int last = first;
    int zeros = 0;
    int zero_entries = 0;
    while (last + 1 < n_blocks_ && last + 1 != n_blocks_ - n_kept_ && parent_[last] == last + 1) {
      // Each column from `first` on would have the rows of column last + 1 below it.
      const int extra = (last - first + 1) * (1 + n_struct(last + 1) - n_struct(last));
      const int width = last - first + 2;
      const int total = width * (width + 1) / 2 + width * n_struct(last + 1);
      const int dim = dims_[order_[last]];
      const int extra_entries = extra * dim * dim;
      const bool are_few = zeros + extra <= kZeroBlocks && zero_entries + extra_entries <= kZeroEntries;
      if (!are_few && zeros + extra > kZeroShare * total) break;
      zeros += extra;
      zero_entries += extra_entries;
      ++last;
    }
    Supernode node;
    node.first_block = first;
    node.n_blocks = last - first + 1;
    node.first_row = elim_row_[first];
    node.n_pivots = elim_row_[last + 1] - elim_row_[first];
    node.below = below_.size();
    node.n_below = n_struct(last);
    node.n_below_rows = 0;
    for (int b = struct_begin_[last]; b < struct_begin_[last + 1]; ++b) {
      below_.push_back(struct_[b]);
      node.n_below_rows += dims_[order_[struct_[b]]];
    }
    const double n = node.n_pivots;
    const double m = node.n_below_rows;
    n_operations_ += n * (n * n / 3.0 + n * m + m * m) + kOperationsOfAnEntry * n * (n + 2.0 * m);
    node.lower = size;
    size += static_cast<std::size_t>(node.n_pivots + node.n_below_rows) * node.n_pivots;
    node.upper = size;
    size += static_cast<std::size_t>(node.n_pivots) * node.n_below_rows;
    for (int k = first; k <= last; ++k) supernode_of_[k] = static_cast<int>(supernodes_.size());
    supernodes_.push_back(node);
    first = last + 1;
  }
  values_.clear();
  values_.reserve(size);
  while (values_.size() < size) {
    stop_.check();
    values_.resize(std::min(size, values_.size() + kValuesAtOnce));  // zeros
  }
}

/// local_[place] = scalar row of each block row of the supernode, pivots first.
void BlockLu::map_rows(const Supernode& node) {
  int row = 0;
  for (int k = node.first_block; k < node.first_block + node.n_blocks; ++k) {
    local_[k] = row;
    row += dims_[order_[k]];
  }
  for (int b = 0; b < node.n_below; ++b) {
    const int k = below_[node.below + b];
    local_[k] = row;
    row += dims_[order_[k]];
  }
}

void BlockLu::place_blocks(std::span<const int> row_begin, std::span<const int> columns) {
  local_.resize(n_blocks_);
  places_.resize(columns.size());
  // Block (i, j) lies in the supernode of the earlier of the two, and so does its mirror image.
  for (const Supernode& node : supernodes_) {
    stop_.check();
    map_rows(node);
    const int end = node.first_block + node.n_blocks;
    const int stride = node.n_pivots + node.n_below_rows;
    for (int k = node.first_block; k < end; ++k) {
      const int i = order_[k];
      for (int b = row_begin[i]; b < row_begin[i + 1]; ++b) {
        const int j = columns[b];
        const int place_j = place_[j];
        if (place_j < node.first_block) continue;
        Place& place = places_[b];
        place.rows = dims_[i];
        place.cols = dims_[j];
        if (place_j < end) {
          place.offset = node.lower + local_[k] + static_cast<std::size_t>(local_[place_j]) * stride;
          place.stride = stride;
        } else {
          place.offset =
              node.upper + local_[k] + static_cast<std::size_t>(local_[place_j] - node.n_pivots) * node.n_pivots;
          place.stride = node.n_pivots;
          // And its mirror image (j, i) in the panel of L.
          const auto row = columns.subspan(row_begin[j], row_begin[j + 1] - row_begin[j]);
          const auto mirror = std::find(row.begin(), row.end(), i);
          STICKSLIP_ASSERT(mirror != row.end());
          Place& other = places_[row_begin[j] + (mirror - row.begin())];
          other.rows = dims_[j];
          other.cols = dims_[i];
          other.offset = node.lower + local_[place_j] + static_cast<std::size_t>(local_[k]) * stride;
          other.stride = stride;
        }
      }
    }
  }
}

void BlockLu::clear_values() {
  for (std::size_t first = 0; first < values_.size(); first += kValuesAtOnce) {
    stop_.check();
    std::memset(values_.data() + first, 0, std::min(kValuesAtOnce, values_.size() - first) * sizeof(double));
  }
}

void BlockLu::add(std::size_t k, const double* values) {
  const Place& place = places_[k];
  double* out = values_.data() + place.offset;
  const auto add_rows = [&](const auto rows) {
    for (int c = 0; c < place.cols; ++c, out += place.stride) {
      for (int r = 0; r < rows; ++r) out[r] += values[r * place.cols + c];
    }
  };
  switch (place.rows) {  // loops of known length are quicker
    case 3:
      return add_rows(std::integral_constant<int, 3>{});
    case 5:
      return add_rows(std::integral_constant<int, 5>{});
    default:
      return add_rows(place.rows);
  }
}

int BlockLu::factorize() {
  n_replaced_ = 0;
  for (const Supernode& node : supernodes_) {
    stop_.check();
    double* thresholds = thresholds_.data() + node.first_row;
    find_largest(node.n_pivots, node.n_below_rows, values_.data() + node.lower, thresholds);
    for (int k = 0; k < node.n_pivots; ++k) {
      thresholds[k] = std::max(kSmallPivot * thresholds[k], std::numeric_limits<double>::min());
    }
  }
  for (const Supernode& node : eliminated()) {
    if (!factorize_pivots(node)) return -1;
    if (node.n_below > 0) add_product(node);
  }
  return n_replaced_;
}

bool BlockLu::factorize_pivots(const Supernode& node) {
  const auto m = static_cast<std::size_t>(node.n_below_rows);
  product_.resize(std::max(product_.size(), m * m));
  const int replaced =
      factorize_panel(node.n_pivots, node.n_below_rows, values_.data() + node.lower, values_.data() + node.upper,
                      swaps_.data() + node.first_row, thresholds_.data() + node.first_row, product_.data(), stop_);
  n_replaced_ += replaced;
  return replaced >= 0;
}

/// Adds what factorize_pivots() made of the node to its ancestors.
void BlockLu::add_product(const Supernode& node) {
  const int m = node.n_below_rows;
  int first = 0;      // block rows of one ancestor at a time
  int first_row = 0;  // and their scalar rows in the product
  while (first < node.n_below) {
    stop_.check();
    const Supernode& target = supernodes_[supernode_of_[below_[node.below + first]]];
    map_rows(target);
    const int stride = target.n_pivots + target.n_below_rows;
    const int end = target.first_block + target.n_blocks;
    int col = first_row;
    int next = first;
    for (; next < node.n_below && below_[node.below + next] < end; ++next) {
      const int column_place = below_[node.below + next];
      const int n_cols = dims_[order_[column_place]];
      for (int c = 0; c < n_cols; ++c) {
        const int local_col = local_[column_place] + c;
        double* out = values_.data() + target.lower + static_cast<std::size_t>(local_col) * stride;
        const double* in = product_.data() + static_cast<std::size_t>(col + c) * m + first_row;
        for (int b = first; b < node.n_below; ++b) {
          const int place = below_[node.below + b];
          const int n_rows = dims_[order_[place]];
          double* o = out + local_[place];
          for (int r = 0; r < n_rows; ++r) o[r] += in[r];
          in += n_rows;
        }
      }
      col += n_cols;
    }
    // Columns to the right of the ancestor's pivots, in its panel of U.
    int right = col;
    for (int b = next; b < node.n_below; ++b) {
      const int place = below_[node.below + b];
      const int n_cols = dims_[order_[place]];
      for (int c = 0; c < n_cols; ++c) {
        double* out = values_.data() + target.upper +
                      static_cast<std::size_t>(local_[place] - target.n_pivots + c) * target.n_pivots;
        const double* in = product_.data() + static_cast<std::size_t>(right + c) * m + first_row;
        for (int a = first; a < next; ++a) {
          const int row_place = below_[node.below + a];
          const int n_rows = dims_[order_[row_place]];
          double* o = out + local_[row_place];
          for (int r = 0; r < n_rows; ++r) o[r] += in[r];
          in += n_rows;
        }
      }
      right += n_cols;
    }
    first = next;
    first_row = col;
  }
}

void BlockLu::solve(std::span<double> x) const {
  const std::span<const Supernode> nodes = eliminated();
  const int n = n_blocks_ - n_kept_;
  for (int k = 0; k < n; ++k) {
    for (int r = 0; r < dims_[order_[k]]; ++r) x_[elim_row_[k] + r] = x[row_of_[order_[k]] + r];
  }
  for (const Supernode& node : nodes) {
    stop_.check();
    double* own = x_.data() + node.first_row;
    for (int k = 0; k < node.n_pivots; ++k) std::swap(own[k], own[swaps_[node.first_row + k]]);
    solve_lower_panel(node.n_pivots, node.n_below_rows, values_.data() + node.lower, own, beside_.data());
    const double* in = beside_.data();
    for (int b = 0; b < node.n_below; ++b) {
      const int place = below_[node.below + b];
      for (int i = elim_row_[place]; i < elim_row_[place + 1]; ++i) x_[i] += *in++;
    }
  }
  std::fill(x_.begin() + elim_row_[n], x_.end(), 0.0);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    stop_.check();
    double* out = beside_.data();
    for (int b = 0; b < node->n_below; ++b) {
      const int place = below_[node->below + b];
      for (int i = elim_row_[place]; i < elim_row_[place + 1]; ++i) *out++ = x_[i];
    }
    solve_upper_panel(node->n_pivots, node->n_below_rows, values_.data() + node->lower, values_.data() + node->upper,
                      beside_.data(), x_.data() + node->first_row);
  }
  for (int k = 0; k < n; ++k) {
    for (int r = 0; r < dims_[order_[k]]; ++r) x[row_of_[order_[k]] + r] = x_[elim_row_[k] + r];
  }
}

}  // namespace stickslip
