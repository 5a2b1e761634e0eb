// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/bernstein_roots.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/base/assert.h"
#include "stickslip/math/dense_factors.h"

namespace stickslip {
namespace {

/// Coefficients below, of the largest, are round-off of interpolation.
constexpr double kNoise = 1e-12;  // [-]
/// Boxes as small hold what cannot be told apart.
constexpr double kSmallest = 1e-9;  // [-]

/// Tensors of coefficients, the last variable fastest: the polynomials of one system, one after the other.
class BernsteinTensor {
 public:
  explicit BernsteinTensor(const std::vector<int>& degrees) : degrees_(degrees), strides_(degrees.size()) {
    for (std::size_t j = degrees.size(); j-- > 0;) {
      strides_[j] = size_;
      size_ *= static_cast<std::size_t>(degrees[j]) + 1;
    }
  }

  std::size_t size() const { return size_; }
  int n() const { return static_cast<int>(degrees_.size()); }
  int degree(int j) const { return degrees_[j]; }

  /// Calls f(first, stride) for each line of coefficients along variable j.
  template <class F>
  void for_each_line(int j, F&& f) const {
    const std::size_t length = static_cast<std::size_t>(degrees_[j]) + 1;
    for (std::size_t outer = 0; outer < size_; outer += strides_[j] * length) {
      for (std::size_t inner = 0; inner < strides_[j]; ++inner) f(outer + inner, strides_[j]);
    }
  }

  /// Replaces each line along j by `matrix` (degree + 1, degree + 1) times it.
  void transform(int j, const Matrix& matrix, double* values) const {
    Vector line(degrees_[j] + 1);
    for_each_line(j, [&](std::size_t first, std::size_t stride) {
      for (Eigen::Index k = 0; k < line.size(); ++k) line(k) = values[first + k * stride];
      const Vector changed = matrix * line;
      for (Eigen::Index k = 0; k < line.size(); ++k) values[first + k * stride] = changed(k);
    });
  }

  /// The halves along j: `low` in place, `high` made.
  void halve(int j, double* low, double* high) const {
    const int m = degrees_[j];
    for_each_line(j, [&](std::size_t first, std::size_t stride) {
      high[first + m * stride] = low[first + m * stride];
      for (int level = 1; level <= m; ++level) {
        for (int k = m; k >= level; --k) {
          low[first + k * stride] = 0.5 * (low[first + (k - 1) * stride] + low[first + k * stride]);
        }
        high[first + (m - level) * stride] = low[first + m * stride];
      }
    });
  }

  /// Least and largest coefficient of the derivative along j, per width of the box.
  void bound_derivative(int j, const double* values, double& least, double& largest) const {
    least = HUGE_VAL;
    largest = -HUGE_VAL;
    for_each_line(j, [&](std::size_t first, std::size_t stride) {
      for (int k = 0; k < degrees_[j]; ++k) {
        const double d = degrees_[j] * (values[first + (k + 1) * stride] - values[first + k * stride]);
        least = std::min(least, d);
        largest = std::max(largest, d);
      }
    });
  }

  /// The value at x in [0, 1]^n of the box, and its derivatives (n).
  double evaluate(const Vector& x, const double* values, Vector& gradient) const {
    std::vector<Vector> basis, slope;
    for (int j = 0; j < n(); ++j) {
      basis.push_back(calc_basis(degrees_[j], x(j)));
      const Vector lower = calc_basis(degrees_[j] - 1, x(j));
      Vector d = Vector::Zero(degrees_[j] + 1);
      d.head(degrees_[j]) -= degrees_[j] * lower;
      d.tail(degrees_[j]) += degrees_[j] * lower;
      slope.push_back(d);
    }
    double value = 0.0;
    gradient.setZero(n());
    for (std::size_t i = 0; i < size_; ++i) {
      double product = values[i];
      for (int j = 0; j < n(); ++j) product *= basis[j](index(i, j));
      value += product;
      for (int j = 0; j < n(); ++j) {
        double part = values[i];
        for (int l = 0; l < n(); ++l) part *= (l == j ? slope[l] : basis[l])(index(i, l));
        gradient(j) += part;
      }
    }
    return value;
  }

  Eigen::Index index(std::size_t i, int j) const {
    return static_cast<Eigen::Index>(i / strides_[j]) % (degrees_[j] + 1);
  }

  /// All Bernstein polynomials of a degree at x. (degree + 1)
  static Vector calc_basis(int degree, double x) {
    Vector basis = Vector::Zero(degree + 1);
    basis(0) = 1.0;
    for (int level = 1; level <= degree; ++level) {
      for (int k = level; k > 0; --k) basis(k) = (1.0 - x) * basis(k) + x * basis(k - 1);
      basis(0) *= 1.0 - x;
    }
    return basis;
  }

 private:
  std::vector<int> degrees_;
  std::vector<std::size_t> strides_;
  std::size_t size_ = 1;
};

struct BernsteinBox {
  Vector low, width;                        // (k)
  std::vector<std::vector<double>> values;  // (k) polynomials
};

bool has_one_sign(const std::vector<double>& values) {
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  return *least > kNoise || *largest < -kNoise;
}

/// Interpolates the polynomials; false where one is nothing but round-off.
bool interpolate(const BernsteinTensor& tensor, const std::function<void(const Vector&, Vector&)>& eval,
                 std::vector<std::vector<double>>& values) {
  const int k = tensor.n();
  std::vector<Vector> nodes;
  std::vector<Matrix> inverses;
  for (int j = 0; j < k; ++j) {
    const int m = tensor.degree(j);
    Vector node(m + 1);
    Matrix basis(m + 1, m + 1);
    for (int i = 0; i <= m; ++i) {
      node(i) = 0.5 - 0.5 * std::cos(std::numbers::pi * (i + 0.5) / (m + 1));
      basis.row(i) = BernsteinTensor::calc_basis(m, node(i)).transpose();
    }
    DenseLu lu;
    lu.factorise(basis);
    nodes.push_back(node);
    inverses.push_back(lu.inverse());
  }
  values.assign(k, std::vector<double>(tensor.size()));
  Vector s(k);
  Vector f(k);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    for (int j = 0; j < k; ++j) s(j) = nodes[j](tensor.index(i, j));
    eval(s, f);
    for (int p = 0; p < k; ++p) values[p][i] = f(p);
  }
  for (std::vector<double>& of_polynomial : values) {
    for (int j = 0; j < k; ++j) tensor.transform(j, inverses[j], of_polynomial.data());
    double largest = 0.0;
    for (const double v : of_polynomial) {
      if (!std::isfinite(v)) return false;
      largest = std::max(largest, std::abs(v));
    }
    if (!(largest > 0.0)) return false;
    for (double& v : of_polynomial) v /= largest;
  }
  return true;
}

/// What a box is known to hold.
enum class BoxContent { nothing, one, unknown };

/// Judges a box, and where it holds one root at most looks for it: x (k), in the box's own coordinates.
BoxContent judge_box(const BernsteinTensor& tensor, const BernsteinBox& box, Vector& x) {
  const int k = tensor.n();
  if (std::ranges::any_of(box.values, has_one_sign)) return BoxContent::nothing;
  Matrix J(k, k);
  Vector gradient;
  x = Vector::Constant(k, 0.5);
  for (int i = 0; i < k; ++i) {
    tensor.evaluate(x, box.values[i].data(), gradient);
    J.row(i) = gradient.transpose();
  }
  DenseLu lu;
  if (!(lu.factorise(J) > 1e-14 * J.cwiseAbs().maxCoeff())) return BoxContent::unknown;
  const Matrix inverse = lu.inverse();
  if (!inverse.allFinite()) return BoxContent::unknown;
  bool dominant = true;
  std::vector<double> row(tensor.size());
  for (int i = 0; i < k; ++i) {
    double noise = 0.0;
    std::ranges::fill(row, 0.0);
    for (int p = 0; p < k; ++p) {
      noise += kNoise * std::abs(inverse(i, p));
      for (std::size_t c = 0; c < row.size(); ++c) row[c] += inverse(i, p) * box.values[p][c];
    }
    const auto [least, largest] = std::minmax_element(row.begin(), row.end());
    if (*least > noise || *largest < -noise) return BoxContent::nothing;
    double rest = 0.0;
    for (int j = 0; j < k; ++j) {
      double low = 0.0;
      double high = 0.0;
      tensor.bound_derivative(j, row.data(), low, high);
      rest += j == i ? -low : std::max(std::abs(low), std::abs(high));
    }
    dominant &= rest < 0.0;
  }
  if (!dominant) return BoxContent::unknown;
  constexpr int kMaxNewtonSteps = 40;
  Vector f(k);
  for (int step = 0; step < kMaxNewtonSteps; ++step) {
    for (int i = 0; i < k; ++i) {
      f(i) = tensor.evaluate(x, box.values[i].data(), gradient);
      J.row(i) = gradient.transpose();
    }
    lu.factorise(J);
    const Vector change = lu.solve(f);
    if (!change.allFinite()) return BoxContent::unknown;
    x = (x - change).cwiseMax(-1.0).cwiseMin(2.0);
    if (change.cwiseAbs().maxCoeff() > 1e-12) continue;
    constexpr double kEdge = 1e-6;  // [-] of the box: a root on its edge belongs to both neighbours
    return x.minCoeff() >= -kEdge && x.maxCoeff() <= 1.0 + kEdge ? BoxContent::one : BoxContent::nothing;
  }
  return BoxContent::unknown;
}

}  // namespace

BernsteinRoots find_bernstein_roots(const std::vector<int>& degrees,
                                    const std::function<void(const Vector& s, Vector& f)>& eval, int most_boxes) {
  STICKSLIP_ASSERT(!degrees.empty() && *std::ranges::min_element(degrees) >= 1);
  const BernsteinTensor tensor(degrees);
  const auto k = static_cast<Eigen::Index>(degrees.size());
  BernsteinRoots result;
  std::vector<BernsteinBox> boxes(1);
  boxes[0].low = Vector::Zero(k);
  boxes[0].width = Vector::Ones(k);
  if (!interpolate(tensor, eval, boxes[0].values)) {
    result.complete = false;
    return result;
  }
  constexpr double kSame = 1e-9;  // [-]
  const auto add = [&result](const Vector& root) {
    const auto is_same = [&](const Vector& other) { return (other - root).cwiseAbs().maxCoeff() <= kSame; };
    if (std::ranges::none_of(result.roots, is_same)) result.roots.push_back(root);
  };
  Vector x;
  while (!boxes.empty()) {
    if (++result.boxes > most_boxes) {
      result.complete = false;
      break;
    }
    BernsteinBox box = std::move(boxes.back());
    boxes.pop_back();
    const BoxContent content = judge_box(tensor, box, x);
    if (content == BoxContent::nothing) continue;
    if (content == BoxContent::one) {
      add(box.low + box.width.cwiseProduct(x));
      continue;
    }
    Eigen::Index widest = 0;
    if (box.width.maxCoeff(&widest) < kSmallest) {
      add(box.low + 0.5 * box.width);
      continue;
    }
    BernsteinBox high = box;
    box.width(widest) *= 0.5;
    high.width(widest) *= 0.5;
    high.low(widest) += high.width(widest);
    for (std::size_t p = 0; p < box.values.size(); ++p) {
      tensor.halve(static_cast<int>(widest), box.values[p].data(), high.values[p].data());
    }
    boxes.push_back(std::move(high));
    boxes.push_back(std::move(box));
  }
  return result;
}

}  // namespace stickslip
