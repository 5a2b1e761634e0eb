// SPDX-License-Identifier: BSD-3-Clause
// What the scheme carries from step to step: State::memory, and State::contacts for detected contacts.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {
namespace {

/// What State::contacts has of a detected contact.
template <class T>
struct ContactMemory {
  explicit ContactMemory(std::span<T> values)
      : dim(values.size() / 3), force(values.first(dim)), average(values.subspan(dim, dim)), last(values.last(dim)) {}
  std::size_t dim;                    // rows
  std::span<T> force, average, last;  // (dim) [N] lambda, lambdabar and the lambda from which the next is extrapolated
};

}  // namespace

void GeneralizedAlphaStep::start_memory(State& state) const {
  const auto lambda = x.lambda.head(n_fixed_rows_);
  state.memory.resize(memory_size());
  state.memory << x.a, x.a, lambda, lambda, x.a, lambda, x.a, lambda, 0.0, 0.0, 0.0;
  state.contacts.clear();
  for (std::size_t k = n_fixed_elements_; k < elements.size(); ++k) {
    const StepElement& e = elements[k];
    if (e.level < ContactLevel::velocity) continue;
    const ContactMemory<double> contact(state.contacts.add(point(e).id, 3 * static_cast<std::size_t>(e.dim)));
    for (const std::span<double> part : {contact.force, contact.average, contact.last}) {
      std::copy_n(x.lambda.data() + e.offset, e.dim, part.begin());
    }
  }
}

/// Sets start_lambda_, start_bar_ and start_last_ for all rows.
void GeneralizedAlphaStep::load_memory(const State& state) {
  const int n_u = system.n_u();
  const int n = n_fixed_rows_;
  start_lambda_.head(n) = state.memory.segment(2 * n_u, n);
  start_bar_.head(n) = state.memory.segment(2 * n_u + n, n);
  start_last_.head(n) = state.memory.segment(3 * n_u + 2 * n, n);
  for (std::size_t k = n_fixed_elements_; k < elements.size(); ++k) {
    const StepElement& e = elements[k];
    const ContactMemory<const double> found(state.contacts.find(point(e).id));
    const bool known = found.dim == static_cast<std::size_t>(e.dim);
    for (int i = 0; i < e.dim; ++i) {
      start_lambda_(e.offset + i) = known ? found.force[i] : 0.0;
      start_bar_(e.offset + i) = known ? found.average[i] : 0.0;
      start_last_(e.offset + i) = known ? found.last[i] : 0.0;
    }
  }
}

void GeneralizedAlphaStep::save_memory(State& state, bool smooth) const {
  const int n_u = system.n_u();
  const int n = n_fixed_rows_;
  const auto advance = [&](double& now, double& bar, double& before, double next) {
    bar = weights.next_bar(now, next, bar);
    before = smooth ? now : next;
    now = next;
  };
  double* memory = state.memory.data();
  double* last = memory + 2 * (n_u + n);
  std::copy_n(last, n_u + n, last + n_u + n);
  for (int i = 0; i < n_u; ++i) advance(memory[i], memory[n_u + i], last[i], x.a(i));
  memory += 2 * n_u;
  last += n_u;
  for (int i = 0; i < n; ++i) advance(memory[i], memory[n + i], last[i], x.lambda(i));
  const double sets = closed_sets();
  const bool goes_on = smooth && sets == remembered_sets(state);
  state.memory.tail<3>() << (goes_on ? std::min(remembered_history(state) + 1.0, 2.0) : 0.0), sets, h;
  state.contacts.clear();
  for (std::size_t k = n_fixed_elements_; k < elements.size(); ++k) {
    const StepElement& e = elements[k];
    std::array<double, kMaxElementDim> now;
    std::array<double, kMaxElementDim> average;
    std::array<double, kMaxElementDim> before;
    double size = 0.0;
    for (int i = 0; i < e.dim; ++i) {
      now[i] = start_lambda_(e.offset + i);
      average[i] = start_bar_(e.offset + i);
      advance(now[i], average[i], before[i], x.lambda(e.offset + i));
      size = std::max({size, std::abs(now[i]), std::abs(before[i]), std::abs(average[i])});
    }
    // An open contact's average fades by a constant factor a step: it is forgotten where it no longer moves anything.
    constexpr double kFaded = 1e-17;  // [-] of the largest acceleration
    const double acceleration = fall / (h * h);
    const bool faded = !e.evaluated || e.diagonal[0] * size <= kFaded * acceleration;
    if (!(size > 0.0) || faded) continue;
    const ContactMemory<double> contact(state.contacts.add(point(e).id, 3 * static_cast<std::size_t>(e.dim)));
    std::copy_n(now.begin(), e.dim, contact.force.begin());
    std::copy_n(average.begin(), e.dim, contact.average.begin());
    std::copy_n(before.begin(), e.dim, contact.last.begin());
  }
}

void GeneralizedAlphaStep::rescale_memory(State& state, double ratio) const {
  const int n_u = system.n_u();
  const int n = n_fixed_rows_;
  const auto move = [ratio](double now, double& bar, double& before) {
    bar = now + ratio * (bar - now);
    before = now - ratio * (now - before);
  };
  double* memory = state.memory.data();
  double* last = memory + 2 * (n_u + n);
  for (int i = 0; i < n_u; ++i) move(memory[i], memory[n_u + i], last[i]);
  memory += 2 * n_u;
  last += n_u;
  for (int i = 0; i < n; ++i) move(memory[i], memory[n + i], last[i]);
  for (std::size_t k = 0; k < state.contacts.size(); ++k) {
    const ContactMemory<double> contact(state.contacts[k]);
    for (std::size_t i = 0; i < contact.dim; ++i) move(contact.force[i], contact.average[i], contact.last[i]);
  }
  state.memory(memory_size() - 3) = 0.0;  // equal steps are needed
}

void GeneralizedAlphaStep::forget_past(State& state) const {
  const int n_u = system.n_u();
  const int n = n_fixed_rows_;
  const auto forget = [](double now, double& bar, double& before) { bar = before = now; };
  double* memory = state.memory.data();
  double* last = memory + 2 * (n_u + n);
  for (int i = 0; i < n_u; ++i) forget(memory[i], memory[n_u + i], last[i]);
  memory += 2 * n_u;
  last += n_u;
  for (int i = 0; i < n; ++i) forget(memory[i], memory[n + i], last[i]);
  for (std::size_t k = 0; k < state.contacts.size(); ++k) {
    const ContactMemory<double> contact(state.contacts[k]);
    for (std::size_t i = 0; i < contact.dim; ++i) forget(contact.force[i], contact.average[i], contact.last[i]);
  }
  state.memory(memory_size() - 1) = 0.0;
  state.memory(memory_size() - 3) = 0.0;
}

double GeneralizedAlphaStep::closed_sets() const {
  std::uint64_t sum = 0;
  for (const StepElement& e : elements) {
    if (e.kind == StepElement::Kind::joint || e.level < ContactLevel::velocity) continue;
    // Which contacts are looked at, and in which order, changes with detection: places among the elements mean nothing,
    // and so the hashes are summed.
    const bool is_contact = e.kind == StepElement::Kind::contact;
    const ElementId id = is_contact ? point(e).id : ElementId{static_cast<std::uint64_t>(e.offset), 0};
    std::uint64_t hash = 1469598103934665603ull;  // FNV-1a
    for (const std::uint64_t word :
         {static_cast<std::uint64_t>(e.kind), id.pair, id.feature, std::uint64_t{e.signature()}}) {
      hash = (hash ^ word) * 1099511628211ull;
    }
    sum += hash ^ (hash >> 32);
  }
  constexpr int kSpareBits = 11;  // [-] a double holds whole numbers of 53 bits
  return static_cast<double>(sum >> kSpareBits);
}

}  // namespace stickslip
