// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/enumeration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/cone/condense.h"
#include "stickslip/math/bernstein_roots.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/math/symmetric_eigen.h"
#include "stickslip/solvers/enumeration_cases.h"

namespace stickslip {
namespace {

using Demand = EnumerationCase::Demand;

/// Bilateral rows, and rows of cases, that are combinations of others: singular values or pivots below.
constexpr double kDeficient = 1e-11;  // [-]
/// Velocities of two solutions that are the same, of the sum of magnitudes that they are the sums of.
constexpr double kSameVelocity = 1e-8;  // [-]
/// The same of the answer of a solver, which has its tolerance: solutions nearer to each other are not told apart by
/// it.
constexpr double kSameAsAnswer = 1e-6;  // [-]
/// Residual of what is a solution, of the velocities in play.
constexpr double kSolves = 1e-9;  // [-]
/// Boxes that a search for directions of slip looks at before it gives up, halved for each contact that slips so, as
/// each has the more coefficients; and these contacts.
constexpr int kMostBoxes = 4000;
constexpr std::size_t kMostSmooth = 4;

std::vector<CaseCone> make_case_cones(const ConeProblem& problem) {
  std::vector<CaseCone> cones;
  int offset = 0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    if (cone.kind == ConeKind::free) continue;
    CaseCone& c = cones.emplace_back();
    c.kind = cone.kind;
    c.cone = i;
    c.offset = offset;
    c.dim = cone.dim;
    offset += cone.dim;
    c.d = cone.kind == ConeKind::contact ? cone.dim - 1 : cone.dim;
    c.radius = cone.radius;
    if (cone.kind != ConeKind::contact || cone.n_blocks == 0) continue;
    const FrictionBlock& block = problem.friction(cone).front();
    c.mu = block.mu;
    c.facets = block.facets;
    c.orientation = block.orientation;
  }
  return cones;
}

double count_cases(const std::vector<CaseCone>& cones) {
  double cases = 1.0;
  for (const CaseCone& cone : cones) cases *= count_case_states(cone);
  return cases;
}

/// The operator in full, rows stretched, and b likewise.
void make_dense(const ConeProblem& problem, Matrix& W, Vector& b) {
  const auto n = static_cast<Eigen::Index>(problem.size());
  W = make_dense_delassus(problem);
  b = ConstVectorView(problem.b.data(), n);
  for (const Stretch& stretch : problem.stretches) {
    const auto stretch_rows = [&](auto&& values) {
      std::array<double, kMaxFrictionDim> rows = {};
      for (int r = 0; r < stretch.dim; ++r) rows[r] = values(stretch.row + r);
      stretch.apply(rows.data());
      for (int r = 0; r < stretch.dim; ++r) values(stretch.row + r) = rows[r];
    };
    for (Eigen::Index j = 0; j < n; ++j) stretch_rows(W.col(j));
    stretch_rows(b);
  }
}

class Enumerator {
 public:
  Enumerator(const ConeProblem& problem, StopToken stop) : problem_(problem), stop_(stop) {
    cones_ = make_case_cones(problem);
    make_dense(problem, W_all_, b_all_);
  }

  Enumeration run(std::span<const double> candidate);

 private:
  bool eliminate();
  void visit(const std::vector<const CaseState*>& states);
  void solve_linear(const EnumerationCase& here, const std::vector<const CaseState*>& states);
  void solve_smooth(const EnumerationCase& here, const std::vector<const CaseState*>& states);
  bool add(const Vector& p, const std::vector<const CaseState*>& states, bool unique);
  void add_candidate(std::span<const double> candidate);
  bool has_unique_velocities() const;
  std::vector<double> expand(const Vector& p) const;
  EnumeratedSolution* find_same(const EnumeratedSolution& solution, double same);
  bool finish(EnumeratedSolution& solution) const;

  const ConeProblem& problem_;
  StopToken stop_;
  std::vector<CaseCone> cones_;
  Matrix W_all_;  // (n, n)
  Vector b_all_;  // (n)
  std::vector<Eigen::Index> free_, others_;
  Matrix by_others_;  // p of free rows: -(by_others_ p + by_given_)
  Vector by_given_;
  bool unique_free_ = true;
  Enumeration found_;
};

/// Takes the bilateral rows out; false where they contradict one another, also where all but round-off counts in W: of
/// light bodies between heavy ones singular values are small that are not zero.
bool Enumerator::eliminate() {
  constexpr double kContradicts = 1e-9;  // [-]
  for (const Cone& cone : problem_.cones) {
    for (int r = 0; r < cone.dim; ++r) (cone.kind == ConeKind::free ? free_ : others_).push_back(cone.offset + r);
  }
  found_.W = W_all_(others_, others_);
  found_.b = b_all_(others_);
  if (free_.empty()) return true;
  const Matrix own = W_all_(free_, free_);
  const Vector given = b_all_(free_);
  const Matrix coupled = W_all_(free_, others_);
  const double round_off = std::numeric_limits<double>::epsilon() * static_cast<double>(own.rows());
  bool agree = false;
  for (const double deficient : {kDeficient, round_off}) {
    const PivotedQr factors(own, deficient);
    unique_free_ = factors.rank() == own.rows();
    by_given_ = factors.solve(given);
    by_others_ = factors.solve(coupled);
    agree = (own * by_given_ - given).norm() <= std::max(kContradicts * given.norm(), problem_.floor);
    if (agree) break;
  }
  if (!agree) return false;
  found_.W -= W_all_(others_, free_) * by_others_;
  found_.b -= W_all_(others_, free_) * by_given_;
  return true;
}

std::vector<double> Enumerator::expand(const Vector& p) const {
  std::vector<double> all(problem_.size(), 0.0);
  for (std::size_t k = 0; k < others_.size(); ++k) all[others_[k]] = p(static_cast<Eigen::Index>(k));
  if (free_.empty()) return all;
  const Vector of_free = -(by_others_ * p + by_given_);
  for (std::size_t k = 0; k < free_.size(); ++k) all[free_[k]] = of_free(static_cast<Eigen::Index>(k));
  return all;
}

int count_open(const EnumeratedSolution& solution) {
  return static_cast<int>(std::ranges::count(solution.states, ContactState::open));
}

/// The solution that there is with the same u, up to a share `same` of the magnitudes in it, or null.
EnumeratedSolution* Enumerator::find_same(const EnumeratedSolution& solution, double same) {
  const auto n = static_cast<Eigen::Index>(problem_.size());
  const Vector size = W_all_.cwiseAbs() * ConstVectorView(solution.p.data(), n).cwiseAbs() + b_all_.cwiseAbs();
  for (EnumeratedSolution& other : found_.solutions) {
    bool is_same = true;
    for (Eigen::Index r = 0; r < n && is_same; ++r) {
      is_same = std::abs(other.u[r] - solution.u[r]) <= same * size(r) + problem_.floor;
    }
    if (is_same) return &other;
  }
  return nullptr;
}

/// The residual and u of percussions; whether they are a solution.
bool Enumerator::finish(EnumeratedSolution& solution) const {
  solution.residual = calc_residual(problem_, solution.p);
  solution.u.resize(solution.p.size());
  problem_.apply_delassus(solution.p, solution.u);
  for (std::size_t r = 0; r < solution.u.size(); ++r) solution.u[r] += problem_.b[r];
  return solution.residual.is_within({.relative = kSolves});
}

/// Adds a solution, or makes one of it and another with the same u. False where it is none.
bool Enumerator::add(const Vector& p, const std::vector<const CaseState*>& states, bool unique) {
  EnumeratedSolution solution;
  solution.p = expand(p);
  if (!finish(solution)) return false;
  solution.states.assign(problem_.n_cones(), ContactState::stick);
  for (std::size_t i = 0; i < cones_.size(); ++i) solution.states[cones_[i].cone] = to_contact_state(states[i]->kind);
  solution.unique_percussions = unique && unique_free_;
  EnumeratedSolution* same = find_same(solution, kSameVelocity);
  if (same == nullptr) {
    found_.solutions.push_back(std::move(solution));
    return true;
  }
  if (count_open(solution) < count_open(*same)) *same = std::move(solution);
  same->unique_percussions = false;
  return true;
}

void Enumerator::solve_linear(const EnumerationCase& here, const std::vector<const CaseState*>& states) {
  Matrix E;
  Vector e;
  here.make_equations({}, E, e);
  const PivotedQr factors(E, kDeficient);
  if (factors.rank() == E.rows()) {
    Vector p = factors.solve(e);
    p += factors.solve(Vector(e - E * p));
    if (p.allFinite() && here.holds(p, Demand::strict)) add(p, states, true);
    return;
  }
  using Verdict = EnumerationCase::Feasible::Verdict;
  const EnumerationCase::Feasible feasible = here.find_feasible(E, e);
  found_.complete &= feasible.verdict == Verdict::none || feasible.verdict == Verdict::found;
  for (const Vector& p : feasible.p) {
    // Velocities at the end of what a state allows are those of another state, whose case has these percussions, too.
    if (here.holds(p, Demand::velocities) && !add(p, states, false)) found_.complete = false;
  }
}

void Enumerator::solve_smooth(const EnumerationCase& here, const std::vector<const CaseState*>& states) {
  const auto k = static_cast<Eigen::Index>(here.smooth().size());
  if (here.smooth().size() > kMostSmooth) {
    found_.complete = false;
    return;
  }
  Matrix E;
  Vector e;
  here.make_equations(Vector::LinSpaced(k, 0.37, 0.61), E, e);
  if (PivotedQr(E, kDeficient).rank() < E.rows()) {
    found_.complete = false;
    return;
  }
  // One that bears nothing at any lambda does not slip: a foot beside a diagonal that bears all.
  if (!here.presses(Vector::LinSpaced(k, 0.31, 0.67)) && !here.presses(Vector::LinSpaced(k, 0.83, 0.19))) return;
  const BernsteinRoots roots = find_bernstein_roots(
      here.degrees(), [&here](const Vector& s, Vector& f) { here.eval_polynomials(s, f); }, kMostBoxes >> k);
  found_.complete &= roots.complete;
  Vector p;
  for (Vector s : roots.roots) {
    if (here.polish(s, p) && here.holds(p, Demand::strict)) add(p, states, true);
  }
}

void Enumerator::visit(const std::vector<const CaseState*>& states) {
  stop_.check();
  ++found_.cases;
  const EnumerationCase here(found_.W, found_.b, problem_.law, cones_, states);
  if (here.smooth().empty()) {
    solve_linear(here, states);
  } else {
    solve_smooth(here, states);
  }
}

/// Of the states that percussions and velocities say. One that nothing gave shows that something was missed.
void Enumerator::add_candidate(std::span<const double> candidate) {
  if (candidate.empty()) return;
  EnumeratedSolution solution;
  solution.p.assign(candidate.begin(), candidate.end());
  if (!finish(solution) || find_same(solution, kSameAsAnswer) != nullptr) return;
  const double none = std::max(kSameVelocity * solution.residual.size, problem_.floor);
  const double w = problem_.calc_residual_scale();
  for (const Cone& cone : problem_.cones) {
    const bool is_contact = cone.kind == ConeKind::contact;
    const int first = cone.offset + (is_contact ? 1 : 0);
    const double speed = ConstVectorView(solution.u.data() + first, cone.dim - (is_contact ? 1 : 0)).norm();
    ContactState state = speed > none && cone.kind != ConeKind::free ? ContactState::slip : ContactState::stick;
    if (is_contact && !(w * solution.p[cone.offset] > none)) state = ContactState::open;
    solution.states.push_back(state);
  }
  solution.unique_percussions = PivotedQr(W_all_, kDeficient).rank() == W_all_.rows();
  found_.solutions.push_back(std::move(solution));
  found_.complete = false;
}

/// Under the associated law with W symmetric and positive semidefinite u is the nearest point of a convex set.
bool Enumerator::has_unique_velocities() const {
  constexpr double kSymmetric = 1e-9;  // [-]
  if (problem_.law != FrictionLaw::associated || W_all_.size() == 0) return false;
  const double size = W_all_.cwiseAbs().maxCoeff();
  if ((W_all_ - W_all_.transpose()).cwiseAbs().maxCoeff() > kSymmetric * size) return false;
  RowMatrix a = W_all_;
  RowMatrix vectors(a.rows(), a.cols());
  Vector values(a.rows());
  calc_symmetric_eigen(static_cast<int>(a.rows()), a.data(), values.data(), vectors.data());
  return values.minCoeff() >= -kSymmetric * size;
}

Enumeration Enumerator::run(std::span<const double> candidate) {
  if (!eliminate()) {
    add_candidate(candidate);
    return std::move(found_);
  }
  const bool unique = has_unique_velocities();
  if (unique) add_candidate(candidate);
  if (!found_.solutions.empty()) {
    found_.complete = true;
    return std::move(found_);
  }
  if (cones_.empty()) {
    if (!add(Vector(), {}, true)) {
      found_.complete = false;
      add_candidate(candidate);
    }
    return std::move(found_);
  }
  std::vector<std::vector<CaseState>> all;
  for (const CaseCone& cone : cones_) all.push_back(make_case_states(cone));
  std::vector<std::size_t> index(cones_.size(), 0);
  std::vector<const CaseState*> states(cones_.size());
  while (true) {
    for (std::size_t i = 0; i < cones_.size(); ++i) states[i] = &all[i][index[i]];
    visit(states);
    std::size_t i = cones_.size();
    while (i > 0 && ++index[i - 1] == all[i - 1].size()) index[--i] = 0;
    if (i == 0) break;
  }
  add_candidate(candidate);
  if (unique && !found_.solutions.empty()) found_.complete = true;
  return std::move(found_);
}

}  // namespace

std::optional<std::string> refuses_enumeration(const ConeProblem& problem) {
  int contacts = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::contact) continue;
    ++contacts;
    if (cone.n_blocks > 1) return "friction in several blocks";
  }
  if (contacts > kMaxEnumeratedContacts) {
    return fmt::format("{} contacts, at most {} are enumerated", contacts, kMaxEnumeratedContacts);
  }
  const double cases = count_cases(make_case_cones(problem));
  if (cases > kMaxEnumeratedCases) {
    return fmt::format("{:.3g} combinations of states, at most {:g} are enumerated", cases, kMaxEnumeratedCases);
  }
  return std::nullopt;
}

Enumeration enumerate_solutions(const ConeProblem& problem, std::span<const double> candidate, StopToken stop) {
  STICKSLIP_ASSERT(!refuses_enumeration(problem));
  return Enumerator(problem, stop).run(candidate);
}

}  // namespace stickslip
