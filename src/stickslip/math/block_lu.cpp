// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/block_lu.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

/// Supernodes take in a parent column while at most this share of their entries, or this many blocks, are zeros that
/// a narrower one would not store: short loops cost more than a few products with zero.
constexpr double kZeroShare = 0.25;
constexpr int kZeroBlocks = 6;
/// Pivots below this share of the largest entry that their column has in its supernode are replaced by it: what is left
/// is round-off.
constexpr double kSmallPivot = 1e-14;
constexpr int kPivotsAtOnce = 32;  // eliminated together: no figure depends on it
/// Values set to zero between two questions whether to stop: some milliseconds, if their memory is new.
constexpr std::size_t kValuesAtOnce = std::size_t{1} << 20;

template <int kBytes>
struct VectorOf {
  using Type [[gnu::vector_size(kBytes)]] = double;
};

// One source, compiled for several instruction sets and chosen when the program starts. Each entry sums its terms in
// the same order in all of them, and nothing is contracted (-ffp-contract=off), so the bits do not depend on the
// choice. Where vectors are written out each set has its own: GCC keeps longer ones in memory.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define STICKSLIP_SIMD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define STICKSLIP_SIMD_VERSIONS(define) \
  define([[gnu::target("default")]], 16) define([[gnu::target("avx2")]], 32) define([[gnu::target("avx512f")]], 64)
#else
#define STICKSLIP_SIMD_CLONES
#define STICKSLIP_SIMD_VERSIONS(define) define(, 16)
#endif

/// y -= A x. A (rows, cols) column-major with the given stride, x (cols), y (rows); x and y do not overlap.
[[gnu::always_inline]] inline void subtract_columns(int rows, int cols, const double* a, int stride, const double* x,
                                                    double* __restrict__ y) {
  int k = 0;
  for (; k + 4 <= cols; k += 4) {
    const double* a0 = a + static_cast<std::size_t>(k) * stride;
    const double* a1 = a0 + stride;
    const double* a2 = a1 + stride;
    const double* a3 = a2 + stride;
    const double x0 = x[k];
    const double x1 = x[k + 1];
    const double x2 = x[k + 2];
    const double x3 = x[k + 3];
    for (int i = 0; i < rows; ++i) y[i] = (((y[i] - a0[i] * x0) - a1[i] * x1) - a2[i] * x2) - a3[i] * x3;
  }
  for (; k < cols; ++k) {
    const double* a0 = a + static_cast<std::size_t>(k) * stride;
    const double x0 = x[k];
    for (int i = 0; i < rows; ++i) y[i] -= a0[i] * x0;
  }
}

/// y -= A x for several right-hand sides: y (rows, n_sides), A (rows, cols), x (cols, n_sides), column-major with the
/// given strides; x and y do not overlap. Tiles of y, of two vectors and four sides, stay in registers while columns of
/// A pass by, each read once for four sides. Each entry subtracts its terms one by one in the order of the columns, as
/// in subtract_columns().
template <int kBytes>
[[gnu::always_inline]] inline void subtract_product(int rows, int cols, int n_sides, const double* a, int stride,
                                                    const double* x, int x_stride, double* __restrict__ y, int y_stride,
                                                    const StopToken& stop) {
  using Vector = typename VectorOf<kBytes>::Type;
  constexpr int kVector = kBytes / static_cast<int>(sizeof(double));  // rows of a vector
  constexpr int kSides = 4;                                           // columns of a tile
  constexpr int kDepth = 64;  // columns of A at a time, which stay in the cache; and sides between two asks to stop
  const int in_tiles = rows - rows % (2 * kVector);
  for (int first = 0; first < cols; first += kDepth) {
    const int depth = std::min(kDepth, cols - first);
    const double* a_first = a + static_cast<std::size_t>(first) * stride;
    int side = 0;
    for (; in_tiles > 0 && side + kSides <= n_sides; side += kSides) {
      if (side % kDepth == 0) stop.check();
      const double* x0 = x + static_cast<std::size_t>(side) * x_stride + first;
      const double* x1 = x0 + x_stride;
      const double* x2 = x1 + x_stride;
      const double* x3 = x2 + x_stride;
      double* y0 = y + static_cast<std::size_t>(side) * y_stride;
      double* y1 = y0 + y_stride;
      double* y2 = y1 + y_stride;
      double* y3 = y2 + y_stride;
      for (int i = 0; i < in_tiles; i += 2 * kVector) {
        Vector t0, t1, t2, t3, s0, s1, s2, s3;  // the upper and the lower vector of each side
        std::memcpy(&t0, y0 + i, kBytes);
        std::memcpy(&t1, y1 + i, kBytes);
        std::memcpy(&t2, y2 + i, kBytes);
        std::memcpy(&t3, y3 + i, kBytes);
        std::memcpy(&s0, y0 + i + kVector, kBytes);
        std::memcpy(&s1, y1 + i + kVector, kBytes);
        std::memcpy(&s2, y2 + i + kVector, kBytes);
        std::memcpy(&s3, y3 + i + kVector, kBytes);
        const double* column = a_first + i;
        for (int k = 0; k < depth; ++k, column += stride) {
          Vector upper, lower;
          std::memcpy(&upper, column, kBytes);
          std::memcpy(&lower, column + kVector, kBytes);
          t0 -= upper * x0[k];
          s0 -= lower * x0[k];
          t1 -= upper * x1[k];
          s1 -= lower * x1[k];
          t2 -= upper * x2[k];
          s2 -= lower * x2[k];
          t3 -= upper * x3[k];
          s3 -= lower * x3[k];
        }
        std::memcpy(y0 + i, &t0, kBytes);
        std::memcpy(y1 + i, &t1, kBytes);
        std::memcpy(y2 + i, &t2, kBytes);
        std::memcpy(y3 + i, &t3, kBytes);
        std::memcpy(y0 + i + kVector, &s0, kBytes);
        std::memcpy(y1 + i + kVector, &s1, kBytes);
        std::memcpy(y2 + i + kVector, &s2, kBytes);
        std::memcpy(y3 + i + kVector, &s3, kBytes);
      }
      if (in_tiles == rows) continue;
      for (int s = 0; s < kSides; ++s) {
        subtract_columns(rows - in_tiles, depth, a_first + in_tiles, stride,
                         x0 + static_cast<std::size_t>(s) * x_stride,
                         y0 + static_cast<std::size_t>(s) * y_stride + in_tiles);
      }
    }
    for (; side < n_sides; ++side) {
      if (side % kDepth == 0) stop.check();
      subtract_columns(rows, depth, a_first, stride, x + static_cast<std::size_t>(side) * x_stride + first,
                       y + static_cast<std::size_t>(side) * y_stride);
    }
  }
}

/// x = L^-1 x for the first n of the columns of L, whose diagonal is 1: from the first row of x on. x (n).
[[gnu::always_inline]] inline void solve_unit_lower(int n, const double* lower, int stride, double* __restrict__ x) {
  for (int k = 0; k + 1 < n; ++k) {
    const double factor = x[k];
    const double* column = lower + static_cast<std::size_t>(k) * stride;
    for (int i = k + 1; i < n; ++i) x[i] -= factor * column[i];
  }
}

/// Dense LU of the n pivots of a panel with partial pivoting among them; then L below and U beside them. Some pivots at
/// a time, left looking, and then the columns right of them. lower (n + m, n) and upper (n, m) column-major, swaps and
/// thresholds (n). Returns how many pivots were replaced by their thresholds, or -1 where one is not finite.
template <int kBytes>
[[gnu::always_inline]] inline int factorize_panel_by(int n, int m, double* lower, double* upper, int* swaps,
                                                     const double* thresholds, const StopToken& stop) {
  const int stride = n + m;
  const auto at = [stride](int row, int column) { return static_cast<std::size_t>(column) * stride + row; };
  int n_replaced = 0;
  for (int first = 0; first < n; first += kPivotsAtOnce) {
    const int end = std::min(n, first + kPivotsAtOnce);
    for (int k = first; k < end; ++k) {
      stop.check();
      double* column = lower + at(0, k);
      // The part of the pivots before it: its pivot rows one by one, the rest in one go.
      solve_unit_lower(k - first, lower + at(first, first), stride, column + first);
      subtract_columns(stride - k, k - first, lower + at(k, first), stride, column + first, column + k);
      int pivot = k;
      for (int i = k + 1; i < n; ++i) {
        if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
      }
      swaps[k] = pivot;
      if (pivot != k) {
        for (int j = 0; j < n; ++j) std::swap(lower[at(k, j)], lower[at(pivot, j)]);
        for (int j = 0; j < m; ++j) {
          std::swap(upper[static_cast<std::size_t>(j) * n + k], upper[static_cast<std::size_t>(j) * n + pivot]);
        }
      }
      if (!std::isfinite(column[k])) return -1;
      if (std::abs(column[k]) < thresholds[k]) {
        column[k] = column[k] < 0.0 ? -thresholds[k] : thresholds[k];
        ++n_replaced;
      }
      const double inverse = 1.0 / column[k];
      for (int i = k + 1; i < stride; ++i) column[i] *= inverse;
    }
    if (end == n) break;
    for (int k = end; k < n; ++k) solve_unit_lower(end - first, lower + at(first, first), stride, lower + at(first, k));
    subtract_product<kBytes>(stride - end, end - first, n - end, lower + at(end, first), stride, lower + at(first, end),
                             stride, lower + at(end, end), stride, stop);
  }
  for (int first = 0; first < n && m > 0; first += kPivotsAtOnce) {
    stop.check();
    const int end = std::min(n, first + kPivotsAtOnce);
    for (int j = 0; j < m; ++j) {
      solve_unit_lower(end - first, lower + at(first, first), stride, upper + static_cast<std::size_t>(j) * n + first);
    }
    if (end == n) break;
    subtract_product<kBytes>(n - end, end - first, m, lower + at(end, first), stride, upper + first, n, upper + end, n,
                             stop);
  }
  return n_replaced;
}

#define STICKSLIP_DEFINE(target, bytes)                                                                        \
  target int factorize_panel(int n, int m, double* lower, double* upper, int* swaps, const double* thresholds, \
                             const StopToken& stop) {                                                          \
    return factorize_panel_by<bytes>(n, m, lower, upper, swaps, thresholds, stop);                             \
  }
STICKSLIP_SIMD_VERSIONS(STICKSLIP_DEFINE)
#undef STICKSLIP_DEFINE
/// product -= L U for the parts of a panel below and beside its n pivots. product (m, m) column-major.
#define STICKSLIP_DEFINE(target, bytes)                                                                       \
  target void subtract_panel_product(int n, int m, const double* lower, const double* upper, double* product, \
                                     const StopToken& stop) {                                                 \
    subtract_product<bytes>(m, n, m, lower, n + m, upper, n, product, m, stop);                               \
  }
STICKSLIP_SIMD_VERSIONS(STICKSLIP_DEFINE)
#undef STICKSLIP_DEFINE

/// The n pivots' part of x = L^-1 x, x (n), and what is to be added to the rows below, product = -L x (m).
STICKSLIP_SIMD_CLONES void solve_lower_panel(int n, int m, const double* lower, double* x, double* product) {
  solve_unit_lower(n, lower, n + m, x);
  std::fill_n(product, m, 0.0);
  subtract_columns(m, n, lower + n, n + m, x, product);
}

/// The n pivots' part of x = U^-1 x, x (n), where the rows to the right are solved already: right (m).
STICKSLIP_SIMD_CLONES void solve_upper_panel(int n, int m, const double* lower, const double* upper,
                                             const double* right, double* __restrict__ x) {
  subtract_columns(n, m, upper, n, right, x);
  for (int k = n - 1; k >= 0; --k) {
    const double* pivot = lower + static_cast<std::size_t>(k) * (n + m);
    x[k] /= pivot[k];
    const double factor = x[k];
    for (int i = 0; i < k; ++i) x[i] -= factor * pivot[i];
  }
}

#undef STICKSLIP_SIMD_CLONES
#undef STICKSLIP_SIMD_VERSIONS

}  // namespace

void BlockLu::analyze(std::span<const int> dims, std::span<const int> row_begin, std::span<const int> columns) {
  n_blocks_ = static_cast<int>(dims.size());
  dims_.assign(dims.begin(), dims.end());
  row_of_.resize(n_blocks_);
  n_rows_ = 0;
  for (int i = 0; i < n_blocks_; ++i) {
    row_of_[i] = n_rows_;
    n_rows_ += dims_[i];
  }
  // The graph without its diagonal.
  scratch_.assign(1, 0);
  scratch2_.clear();
  for (int i = 0; i < n_blocks_; ++i) {
    for (int k = row_begin[i]; k < row_begin[i + 1]; ++k) {
      if (columns[k] != i) scratch2_.push_back(columns[k]);
    }
    scratch_.push_back(static_cast<int>(scratch2_.size()));
  }
  minimum_degree_.calc_order(scratch_, scratch2_, order_);
  place_.resize(n_blocks_);
  for (int k = 0; k < n_blocks_; ++k) place_[order_[k]] = k;
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
    while (last + 1 < n_blocks_ && parent_[last] == last + 1) {
      // Each column from `first` on would have the rows of column last + 1 below it.
      const int extra = (last - first + 1) * (1 + n_struct(last + 1) - n_struct(last));
      const int width = last - first + 2;
      const int total = width * (width + 1) / 2 + width * n_struct(last + 1);
      if (zeros + extra > kZeroBlocks && zeros + extra > kZeroShare * total) break;
      zeros += extra;
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
    n_operations_ += n * (n * n / 3.0 + n * m + m * m);
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
    std::fill_n(values_.begin() + first, std::min(kValuesAtOnce, values_.size() - first), 0.0);
  }
}

void BlockLu::add(std::size_t k, const double* values) {
  const Place& place = places_[k];
  double* out = values_.data() + place.offset;
  if (place.rows == 3 && place.cols == 3) {
    for (int c = 0; c < 3; ++c, out += place.stride) {
      out[0] += values[c];
      out[1] += values[3 + c];
      out[2] += values[6 + c];
    }
    return;
  }
  for (int c = 0; c < place.cols; ++c) {
    for (int r = 0; r < place.rows; ++r) out[r] += values[r * place.cols + c];
    out += place.stride;
  }
}

int BlockLu::factorize() {
  n_replaced_ = 0;
  for (const Supernode& node : supernodes_) {
    stop_.check();
    const int stride = node.n_pivots + node.n_below_rows;
    for (int k = 0; k < node.n_pivots; ++k) {
      const double* column = values_.data() + node.lower + static_cast<std::size_t>(k) * stride;
      double largest = 0.0;
      for (int i = 0; i < stride; ++i) largest = std::max(largest, std::abs(column[i]));
      thresholds_[node.first_row + k] = std::max(kSmallPivot * largest, std::numeric_limits<double>::min());
    }
  }
  for (const Supernode& node : supernodes_) {
    if (!factorize_pivots(node)) return -1;
    if (node.n_below > 0) subtract_outer_product(node);
  }
  return n_replaced_;
}

bool BlockLu::factorize_pivots(const Supernode& node) {
  const int replaced =
      factorize_panel(node.n_pivots, node.n_below_rows, values_.data() + node.lower, values_.data() + node.upper,
                      swaps_.data() + node.first_row, thresholds_.data() + node.first_row, stop_);
  n_replaced_ += replaced;
  return replaced >= 0;
}

void BlockLu::subtract_outer_product(const Supernode& node) {
  const int n = node.n_pivots;
  const int m = node.n_below_rows;
  product_.resize(std::max(product_.size(), static_cast<std::size_t>(m) * m));
  std::fill_n(product_.data(), static_cast<std::size_t>(m) * m, 0.0);
  subtract_panel_product(n, m, values_.data() + node.lower + n, values_.data() + node.upper, product_.data(), stop_);
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
  for (int k = 0; k < n_blocks_; ++k) {
    for (int r = 0; r < dims_[order_[k]]; ++r) x_[elim_row_[k] + r] = x[row_of_[order_[k]] + r];
  }
  for (const Supernode& node : supernodes_) {
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
  for (auto node = supernodes_.rbegin(); node != supernodes_.rend(); ++node) {
    stop_.check();
    double* out = beside_.data();
    for (int b = 0; b < node->n_below; ++b) {
      const int place = below_[node->below + b];
      for (int i = elim_row_[place]; i < elim_row_[place + 1]; ++i) *out++ = x_[i];
    }
    solve_upper_panel(node->n_pivots, node->n_below_rows, values_.data() + node->lower, values_.data() + node->upper,
                      beside_.data(), x_.data() + node->first_row);
  }
  for (int k = 0; k < n_blocks_; ++k) {
    for (int r = 0; r < dims_[order_[k]]; ++r) x[row_of_[order_[k]] + r] = x_[elim_row_[k] + r];
  }
}

}  // namespace stickslip
