// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "stickslip/math/round_off.h"

namespace stickslip::generalized_alpha {
namespace {

/// What State::contacts has of a detected contact.
template <class T>
struct ContactMemory {
  explicit ContactMemory(std::span<T> values)
      : dim(values.size() / 3), force(values.first(dim)), average(values.subspan(dim, dim)), last(values.last(dim)) {}
  std::size_t dim;                    // rows
  std::span<T> force, average, last;  // (dim) [N] lambda, lambdabar and the lambda from which the next is continued
};

/// change(now, bar, last) of all accelerations and forces that the state remembers.
template <class Change>
void change_all(const System& system, State& state, Change&& change) {
  const auto each = [&change](auto now, auto bar, auto last) {
    for (Eigen::Index i = 0; i < now.size(); ++i) change(now(i), bar(i), last(i));
  };
  const MemoryView memory(system, state.memory);
  each(memory.a(), memory.a_bar(), memory.last_a());
  each(memory.lambda(), memory.lambda_bar(), memory.last_lambda());
  for (std::size_t k = 0; k < state.contacts.size(); ++k) {
    const ContactMemory<double> contact(state.contacts[k]);
    for (std::size_t i = 0; i < contact.dim; ++i) change(contact.force[i], contact.average[i], contact.last[i]);
  }
}

}  // namespace

void start_memory(const Step& step, State& state) {
  const auto lambda = step.x.lambda.head(step.rows.n_kept_rows());
  const Vector& a = step.x.a;
  state.memory.resize(MemoryView<Vector>::size(step.system, lambda.size()));
  state.memory << a, a, lambda, lambda, a, lambda, a, lambda, 0.0, 0.0, 0.0;
  state.contacts.clear();
  for (std::size_t k = step.n_fixed; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.level < Level::velocity) continue;
    const ContactMemory<double> contact(state.contacts.add(step.rows.point(e).id, 3 * static_cast<std::size_t>(e.dim)));
    for (const std::span<double> part : {contact.force, contact.average, contact.last}) {
      std::copy_n(step.x.lambda.data() + e.offset, e.dim, part.begin());
    }
  }
}

void load_memory(Step& step, const State& state) {
  const MemoryView memory(step.system, state.memory);
  const int n = step.rows.n_kept_rows();
  step.start_lambda.head(n) = memory.lambda();
  step.start_lambda_bar.head(n) = memory.lambda_bar();
  step.start_last.head(n) = memory.last_lambda();
  for (std::size_t k = step.n_fixed; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    const ContactMemory<const double> found(state.contacts.find(step.rows.point(e).id));
    const bool known = found.dim == static_cast<std::size_t>(e.dim);
    for (int i = 0; i < e.dim; ++i) {
      step.start_lambda(e.offset + i) = known ? found.force[i] : 0.0;
      step.start_lambda_bar(e.offset + i) = known ? found.average[i] : 0.0;
      step.start_last(e.offset + i) = known ? found.last[i] : 0.0;
    }
  }
}

void save_memory(const Step& step, State& state, bool smooth) {
  const auto advance = [&](double& now, double& bar, double& last, double next) {
    bar = step.weights.next_bar(now, next, bar);
    last = smooth ? now : next;
    now = next;
  };
  const auto advance_all = [&](auto now, auto bar, auto last, auto earlier, const Vector& next) {
    for (Eigen::Index i = 0; i < now.size(); ++i) {
      earlier(i) = last(i);
      advance(now(i), bar(i), last(i), next(i));
    }
  };
  const MemoryView memory(step.system, state.memory);
  advance_all(memory.a(), memory.a_bar(), memory.last_a(), memory.earlier_a(), step.x.a);
  advance_all(memory.lambda(), memory.lambda_bar(), memory.last_lambda(), memory.earlier_lambda(), step.x.lambda);
  const double sets = find_sets(step);
  memory.history() = smooth && sets == memory.sets() ? std::min(memory.history() + 1.0, 2.0) : 0.0;
  memory.sets() = sets;
  memory.step() = step.h;
  state.contacts.clear();
  for (std::size_t k = step.n_fixed; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    std::array<double, kMaxElementDim> now;
    std::array<double, kMaxElementDim> average;
    std::array<double, kMaxElementDim> last;
    double size = 0.0;
    for (int i = 0; i < e.dim; ++i) {
      now[i] = step.start_lambda(e.offset + i);
      average[i] = step.start_lambda_bar(e.offset + i);
      advance(now[i], average[i], last[i], step.x.lambda(e.offset + i));
      size = std::max({size, std::abs(now[i]), std::abs(last[i]), std::abs(average[i])});
    }
    // An open contact's average fades by a constant factor a step: it is forgotten where it no longer moves anything.
    const double acceleration = step.measure.deviation() / (step.h * step.h);
    const bool faded = !e.evaluated || e.diagonal[0] * size <= kEpsilon * acceleration;
    if (!(size > 0.0) || faded) continue;
    const ContactMemory<double> contact(state.contacts.add(step.rows.point(e).id, 3 * static_cast<std::size_t>(e.dim)));
    std::copy_n(now.begin(), e.dim, contact.force.begin());
    std::copy_n(average.begin(), e.dim, contact.average.begin());
    std::copy_n(last.begin(), e.dim, contact.last.begin());
  }
}

void rescale_memory(const System& system, State& state, double ratio) {
  change_all(system, state, [ratio](double now, double& bar, double& last) {
    bar = now + ratio * (bar - now);
    last = now - ratio * (now - last);
  });
  MemoryView(system, state.memory).history() = 0.0;  // equal steps are needed
}

void move_memory(const Step& step, State& state) {
  const MemoryView memory(step.system, state.memory);
  const auto lambda = step.x.lambda.head(step.rows.n_kept_rows());
  for (auto a : {memory.a(), memory.a_bar(), memory.last_a(), memory.earlier_a()}) a += step.x.a;
  for (auto f : {memory.lambda(), memory.lambda_bar(), memory.last_lambda(), memory.earlier_lambda()}) f += lambda;
}

void forget_past(const System& system, State& state) {
  change_all(system, state, [](double now, double& bar, double& last) { bar = last = now; });
  const MemoryView memory(system, state.memory);
  memory.step() = 0.0;
  memory.history() = 0.0;
}

void set_start_values(Step& step, const State& state, bool continued) {
  const MemoryView memory(step.system, state.memory);
  Unknowns& x = step.x;
  step.measure.forget_round_off(step);
  // By a parabola, where there are three values of one motion. Of detected contacts, which come and go, two are
  // remembered, and among many contacts sets seldom stand for three steps: named ones would go other ways than detected
  // ones. Without the parabola smooth motion takes two Newton steps.
  constexpr int kFewContacts = 16;  // [-]
  const bool bends =
      continued && memory.history() >= 2.0 && !step.contacts.detects() && step.contacts.n_named() <= kFewContacts;
  const auto a = memory.a();
  const auto last_a = memory.last_a();
  const auto earlier_a = memory.earlier_a();
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    x.a(i) = a(i);
    if (continued) x.a(i) += a(i) - last_a(i);
    if (bends) x.a(i) += a(i) - 2.0 * last_a(i) + earlier_a(i);
    x.U(i) = x.Q(i) = 0.0;
  }
  const auto earlier_lambda = memory.earlier_lambda();
  for (Eigen::Index i = 0; i < x.lambda.size(); ++i) {
    const double lambda = step.start_lambda(i);
    x.lambda(i) = lambda;
    if (continued) x.lambda(i) += lambda - step.start_last(i);
    if (bends && i < earlier_lambda.size()) x.lambda(i) += lambda - 2.0 * step.start_last(i) + earlier_lambda(i);
    x.Lambda(i) = 0.0;
  }
  x.kappa.setZero();
}

double find_sets(const Step& step) {
  std::uint64_t sum = 0;
  for (const StepElement& e : step.elements) {
    if (e.kind == ConstraintElement::Kind::joint || e.level < Level::velocity) continue;
    // Which contacts are looked at, and in which order, changes with detection: places among the elements mean nothing,
    // and so the hashes are summed.
    const bool is_contact = e.kind == ConstraintElement::Kind::contact;
    const ElementId id = is_contact ? step.rows.point(e).id : ElementId{static_cast<std::uint64_t>(e.offset), 0};
    SetHash hash;
    for (const std::uint64_t word :
         {static_cast<std::uint64_t>(e.kind), id.pair, id.feature, std::uint64_t{e.signature()}}) {
      hash.add(word);
    }
    sum += hash.value() ^ (hash.value() >> 32);
  }
  return static_cast<double>(sum >> (64 - std::numeric_limits<double>::digits));  // those that a double holds
}

}  // namespace stickslip::generalized_alpha
