// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/compare/track.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "stickslip/compare/compare.h"

namespace stickslip {
namespace {

KnownMotion::Functions parse_functions(const std::array<TimeFunction, 3>& given, const Scene& scene) {
  KnownMotion::Functions functions;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto* constant = std::get_if<double>(&given[i]);
    functions[i] = constant != nullptr ? Expression(*constant)
                                       : Expression::parse(std::get<std::string>(given[i]), scene.parameters);
  }
  return functions;
}

/// |x - y|, both with `dim` numbers.
template <class Other>
double calc_distance(const double* x, int dim, const Other& y) {
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) sum += (x[i] - y(i)) * (x[i] - y(i));
  return std::sqrt(sum);
}

/// What is not a number is worse than any number, and stays.
void note_worst(std::optional<double>& worst, double distance) {
  if (!worst || !(distance <= *worst)) worst = worst && std::isnan(*worst) ? *worst : distance;
}

}  // namespace

KnownMotion::KnownMotion(const Scene& scene) {
  for (const SceneReference& reference : scene.reference) {
    Entry entry;
    entry.body = reference.body;
    if (reference.position) entry.position = parse_functions(*reference.position, scene);
    if (reference.velocity) entry.velocity = parse_functions(*reference.velocity, scene);
    entries_.push_back(std::move(entry));
  }
}

Track::Track(const System& system) {
  const int plane_or_space = std::min(system.dimension(), 3);
  for (std::size_t index = 0; index < system.shown_bodies().size(); ++index) {
    const Body& body = system.bodies()[index];
    if (body.n_u == 0) continue;
    const int n_points = body.beam ? body.beam->n_control() : 1;
    const int dim = body.beam ? 2 : plane_or_space;
    for (int k = 0; k < n_points; ++k) {
      points_.push_back({body.name, index, dim, body.q_offset + k * dim, body.u_offset + k * dim});
      width_ += dim;
    }
  }
}

void Track::add(const State& state) {
  times_.push_back(state.t);
  for (const Point& point : points_) {
    is_there_.push_back(state.presence.empty() || !is_absent(state.presence[point.index]) ? 1 : 0);
    for (int i = 0; i < point.dim; ++i) {
      positions_.push_back(state.q(point.q_offset + i));
      speeds_.push_back(state.u(point.u_offset + i));
    }
  }
}

MotionError Track::calc_error(const KnownMotion& known) const {
  MotionError error;
  for (const KnownMotion::Entry& entry : known.entries()) {
    std::size_t offset = 0;
    for (const Point& point : points_) {
      if (point.body != entry.body) {
        offset += point.dim;
        continue;
      }
      const auto p = static_cast<std::size_t>(&point - points_.data());
      for (std::size_t k = 0; k < times_.size(); ++k) {
        if (!is_there(k, p)) continue;
        const double t = times_[k];
        const auto compare_with = [&](const std::optional<KnownMotion::Functions>& functions,
                                      const std::vector<double>& values, std::optional<double>& worst) {
          if (!functions) return;
          note_worst(worst, calc_distance(row(values, k) + offset, point.dim,
                                          [&](int i) { return (*functions)[i].value(t); }));
        };
        compare_with(entry.position, positions_, error.position);
        compare_with(entry.velocity, speeds_, error.velocity);
      }
      break;  // no other body has this name
    }
  }
  return error;
}

MotionError Track::calc_error(const Track& other, double tolerance) const {
  MotionError error;
  std::size_t m = 0;
  for (std::size_t k = 0; k < times_.size(); ++k) {
    while (m < other.times_.size() && other.times_[m] < times_[k] - tolerance) ++m;
    if (m == other.times_.size()) break;
    if (other.times_[m] > times_[k] + tolerance) continue;
    std::size_t offset = 0;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      const Point& point = points_[p];
      const auto compare_with = [&](const std::vector<double>& ours, const std::vector<double>& theirs,
                                    std::optional<double>& worst) {
        const double* there = row(theirs, m) + offset;
        note_worst(worst, calc_distance(row(ours, k) + offset, point.dim, [&](int i) { return there[i]; }));
      };
      if (is_there(k, p) && other.is_there(m, p)) {
        compare_with(positions_, other.positions_, error.position);
        compare_with(speeds_, other.speeds_, error.velocity);
      }
      offset += point.dim;
    }
  }
  return error;
}

}  // namespace stickslip
