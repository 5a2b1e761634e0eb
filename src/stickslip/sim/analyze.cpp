// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/constraints/instant_problem.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/enumerating_solver.h"
#include "stickslip/sim/resume.h"
#include "stickslip/sim/step_sequence.h"

namespace stickslip {
namespace {

/// What is listed of a state: contacts and dry friction, each with its id, and the cone of the problem that it has.
struct Listed {
  std::vector<ElementId> ids;
  std::vector<int> cones;  // -1: none
  std::vector<int> dims;   // rows
};

class Analyzer {
 public:
  Analyzer(const Scene& scene, const AnalysisOptions& options);
  Analysis run();

 private:
  void take_row();
  void take_presence(const Trajectory& result, Eigen::Index row);
  void take_turns(const Trajectory& result, Eigen::Index row);
  void run_to_time();
  void list(std::span<const ElementId> ids, Analysis& analysis, Listed& listed) const;
  Enumeration enumerate(const ConeProblem& problem, std::span<const double> candidate,
                        const std::vector<std::string>& names) const;
  void analyze_instant(Analysis& analysis);
  void analyze_step(Analysis& analysis);
  void calc_signs(Analysis& analysis);
  std::vector<ElementId> ids_of(const ConstraintSet& set) const;
  void take_instant();

  const Scene& scene_;
  const AnalysisOptions& options_;
  EnumeratingSolver* watcher_ = nullptr;
  BuiltScene built_;
  const System& system_;
  State state_;
  StepReport report_;
  BodySnapshot at_;
  ContactFinder contacts_;
  Instant instant_;
};

BuiltScene build_watched(const Scene& scene, StopToken stop, EnumeratingSolver*& watcher) {
  return build(
      scene,
      [&watcher](std::unique_ptr<ConeSolver> solver) {
        auto made = std::make_unique<EnumeratingSolver>(std::move(solver));
        watcher = made.get();
        return made;
      },
      stop);
}

/// Whether a step is the solution of one contact problem, of percussions [N s] and the velocities at its end.
bool steps_by_one_problem(const SchemeOptions& scheme) {
  struct Is {
    bool operator()(const MoreauOptions&) const { return true; }
    bool operator()(const CcpOptions&) const { return true; }
    bool operator()(const StewartTrinkleOptions&) const { return true; }
    bool operator()(const GeneralizedAlphaOptions&) const { return false; }
    bool operator()(const RelaxationOptions&) const { return false; }   // forces at an instant
    bool operator()(const EventDrivenOptions&) const { return false; }  // impacts, then smooth motion
  };
  return std::visit(Is{}, scheme);
}

Analyzer::Analyzer(const Scene& scene, const AnalysisOptions& options)
    : scene_(scene),
      options_(options),
      built_(build_watched(scene, options.stop, watcher_)),
      system_(*built_.system),
      state_(built_.initial),
      at_(system_),
      contacts_(system_, options.stop),
      instant_(system_, *built_.solver, options.stop) {
  if (options.level == AnalysisLevel::step && !steps_by_one_problem(scene.scheme)) {
    throw InputError({}, "--level", "step",
                     fmt::format("no step of {} is one contact problem: --level acceleration, or another scheme by "
                                 "--set scheme.type=stewart-trinkle",
                                 scheme_traits(scene.scheme).name));
  }
  if (!(options.delta > 0.0) || !std::isfinite(options.delta)) {
    throw InputError({}, "--delta", fmt::format("{:g}", options.delta), "above 0 [s]");
  }
  if (!(options.damping >= 0.0) || !std::isfinite(options.damping)) {
    throw InputError({}, "--zeta", fmt::format("{:g}", options.damping), "at least 0");
  }
  if (const auto* events = std::get_if<EventDrivenOptions>(&scene.scheme)) {
    instant_.set_polygon(FrictionPolygon(events->facets, events->orientation));
  }
  built_.stepper->initialize(state_, report_);
  if (options.state) {
    state_ = *options.state;
    built_.stepper->tell_system(state_);
  } else if (options.result) {
    take_row();
  } else if (options.time) {
    run_to_time();
  }
}

/// The state of a row of a result.
void Analyzer::take_row() {
  const Trajectory result(*options_.result);
  const std::string& file = result.file().name();
  check_state_of(file, scene_, scene_of(result));
  if (result.rows() == 0) throw InputError({file}, "", "", "holds no rows");
  const RowMatrix times = result.read("/time");
  Eigen::Index row = times.rows() - 1;
  if (options_.time) {
    (times.col(0).array() - *options_.time).abs().minCoeff(&row);
    constexpr double kSameTime = 1e-9;  // [-]
    if (std::abs(times(row, 0) - *options_.time) > kSameTime * std::max(1.0, std::abs(*options_.time))) {
      throw InputError({}, "--time", fmt::format("{:.17g}", *options_.time),
                       fmt::format("the time of a row of {}: the nearest is {:.17g}", file, times(row, 0)));
    }
  }
  const RowMatrix q = result.read("/q", row, 1);
  const RowMatrix u = result.read("/u", row, 1);
  if (q.cols() != system_.n_body_q() || u.cols() != system_.n_u()) {
    throw InputError({file}, "", "", "is of another system");
  }
  state_.t = times(row, 0);
  state_.q.head(q.cols()) = q.row(0).transpose();
  state_.u = u.row(0).transpose();
  if (built_.stepper->moves_bodies_in_and_out()) take_presence(result, row);
  take_turns(result, row);
  system_.normalize(state_.t, state_.q);
}

/// Who has no figures in a row takes no part, and is as the start has it.
void Analyzer::take_presence(const Trajectory& result, Eigen::Index row) {
  const std::size_t n = system_.bodies().size();
  const bool has_poses = result.file().has("/bodies/position");
  const RowMatrix position = has_poses ? result.read("/bodies/position", row, 1) : RowMatrix();
  state_.presence.assign(n, Presence::present);
  for (std::size_t i = 0; i < n; ++i) {
    const Body& body = system_.bodies()[i];
    const bool by_pose =
        has_poses && i < system_.shown_bodies().size() && std::isnan(position(0, 3 * static_cast<Eigen::Index>(i)));
    if (!by_pose && !(body.n_q > 0 && std::isnan(state_.q(body.q_offset)))) continue;
    state_.presence[i] = Presence::gone;
    state_.q.segment(body.q_offset, body.n_q) = built_.initial.q.segment(body.q_offset, body.n_q);
    state_.u.segment(body.u_offset, body.n_u).setZero();
  }
  built_.stepper->tell_system(state_);
}

/// How often joints in space have turned, which no pose tells: from their coordinates, else the result's checkpoint.
void Analyzer::take_turns(const Trajectory& result, Eigen::Index row) {
  const std::span<const Joint> joints = system_.shown_joints();
  if (std::ranges::none_of(joints, [](const Joint& joint) { return joint.turns_offset >= 0; })) return;
  const std::string& file = result.file().name();
  if (!result.file().has("/joints/coordinate")) {
    // The checkpoint of a run that has ended is that of its last step, or of the one before, in which nothing turns
    // by half a turn.
    const std::optional<Checkpoint> checkpoint = result.checkpoint();
    if (!checkpoint || checkpoint->state.q.size() != state_.q.size() || checkpoint->state.t > state_.t ||
        result.steps() - checkpoint->steps > 1) {
      throw InputError({file}, "/joints/coordinate", "",
                       "missing: without it nobody knows how often the joints have turned, but at the result's end");
    }
    const Eigen::Index n = system_.n_q() - system_.n_body_q();
    state_.q.tail(n) = checkpoint->state.q.tail(n);
    return;
  }
  const RowMatrix coordinates = result.read("/joints/coordinate", row, 1);
  const auto n = static_cast<Eigen::Index>(joints.size());
  if (coordinates.cols() != 3 * n) throw InputError({file}, "/joints/coordinate", "", "is of another system");
  for (Eigen::Index j = 0; j < n; ++j) {
    const Joint& joint = joints[j];
    if (joint.turns_offset < 0) continue;
    for (int c = joint.n_free_lengths; c < joint.n_coordinates; ++c) {
      const double origin = c == 0 ? joint.options.coordinate_origin : 0.0;
      state_.q(joint.turns_offset + c - joint.n_free_lengths) = coordinates(0, 3 * j + c) - origin;
    }
  }
}

void Analyzer::run_to_time() {
  const double time = *options_.time;
  if (!(time >= scene_.time.start) || time > scene_.time.end) {
    throw InputError({}, "--time", fmt::format("{:g}", time),
                     fmt::format("from {:g} to {:g}, the scene's start and end", scene_.time.start, scene_.time.end));
  }
  StepSequence steps(scene_, *built_.stepper);
  steps.begin(state_);
  constexpr double kSameTime = 1e-6;  // [-] of a step
  const double same = kSameTime * (scene_.time.automatic ? time - scene_.time.start : scene_.time.step);
  while (state_.t < time - same) {
    options_.stop.check();
    if (steps.step(state_, report_) != Status::failed) continue;
    throw InputError({}, "--time", fmt::format("{:g}", time),
                     fmt::format("a time before {:g}, where a step fails: {}", state_.t, report_.message));
  }
}

/// The names of contacts and dry friction, and which cones of a problem in these ids they are.
void Analyzer::list(std::span<const ElementId> ids, Analysis& analysis, Listed& listed) const {
  const auto add = [&](ElementId id, int dim, std::string name) {
    const auto cone = std::ranges::find(ids, id);
    listed.ids.push_back(id);
    listed.dims.push_back(dim);
    listed.cones.push_back(cone == ids.end() ? -1 : static_cast<int>(cone - ids.begin()));
    analysis.contacts.push_back(std::move(name));
  };
  const std::vector<ContactPoint>& points = contacts_.points();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const bool named = k < system_.contact_points().size();
    if (!named && std::ranges::find(ids, points[k].id) == ids.end()) continue;
    const auto body = [&](Side side) { return system_.bodies()[system_.body(points[k], side)].name; };
    add(points[k].id, system_.pair(points[k]).dim(),
        named ? contact_name(system_, static_cast<int>(k)) : body(Side::first) + "-" + body(Side::second));
  }
  for (std::size_t k = 0; k < system_.dry_frictions().size(); ++k) {
    const DryFrictionElement& element = system_.dry_frictions()[k];
    add({k | kDryFrictionBit, 0}, element.dim,
        element.joint >= 0 ? system_.joints()[element.joint].options.name : system_.forces()[element.force].name);
  }
}

Enumeration Analyzer::enumerate(const ConeProblem& problem, std::span<const double> candidate,
                                const std::vector<std::string>& names) const {
  if (const auto refused = refuses_enumeration(problem)) {
    std::string listed;
    for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 12); ++k) listed += (k > 0 ? ", " : "") + names[k];
    if (names.size() > 12) listed += ", ...";
    throw InputError({}, "analyze", scene_.name, fmt::format("a smaller problem: it has {} ({})", *refused, listed));
  }
  return enumerate_solutions(problem, candidate, options_.stop);
}

/// The ids of the cones of a set.
std::vector<ElementId> Analyzer::ids_of(const ConstraintSet& set) const {
  std::vector<ElementId> ids;
  for (int i = 0; i < set.count(); ++i) {
    const auto k = static_cast<std::uint64_t>(set.index(i));
    switch (set.kind(i)) {
      case ConstraintSet::Kind::contact:
        ids.push_back(contacts_.points()[k].id);
        break;
      case ConstraintSet::Kind::joint:
        ids.push_back({k | kJointBit, 0});
        break;
      case ConstraintSet::Kind::servo:  // of schemes on velocities alone
      case ConstraintSet::Kind::dry_friction:
        ids.push_back({k | kDryFrictionBit, 0});
        break;
    }
  }
  return ids;
}

void Analyzer::take_instant() {
  at_.take(state_.t, state_.q, &state_.u);
  contacts_.find_touching(at_, Adhesion(system_).reach());
  instant_.take(at_, contacts_.points());
}

Vector rows_of(const Cone& cone, std::span<const double> values) {
  return ConstVectorView(values.data() + cone.offset, cone.dim);
}

void Analyzer::analyze_instant(Analysis& analysis) {
  const bool relaxed = options_.level == AnalysisLevel::relaxation;
  const InstantProblem made =
      relaxed ? make_relaxed_problem(instant_, at_, contacts_.points(), options_.delta, options_.damping)
              : make_acceleration_problem(instant_);
  const ConstraintSet& set = instant_.constraints();
  Listed listed;
  list(ids_of(set), analysis, listed);
  for (int i = 0; i < set.count() && !relaxed; ++i) {
    if (!instant_.jumps(i)) continue;
    analysis.remarks.push_back(
        "velocities jump here: something closes, and an impact comes before these accelerations");
    break;
  }
  const Enumeration found = enumerate(made.problem, {}, analysis.contacts);
  analysis.complete = found.complete;
  for (const EnumeratedSolution& one : found.solutions) {
    AnalyzedSolution& solution = analysis.solutions.emplace_back();
    const Vector lambda = made.calc_lambda(one.p);
    const std::span<const double> forces(lambda.data(), static_cast<std::size_t>(lambda.size()));
    instant_.put(forces);
    solution.motion = instant_.a();
    solution.residual = one.residual.absolute;
    solution.unique_forces = one.unique_percussions;
    for (std::size_t i = 0; i < listed.cones.size(); ++i) {
      const int cone = listed.cones[i];
      ContactState kind = ContactState::open;
      Vector force = Vector::Zero(listed.dims[i]);
      Vector rate;
      if (cone >= 0) {
        const Cone& rows = set.problem().cones[cone];
        const auto k = std::ranges::find(made.cones, cone);
        force = rows_of(rows, forces);
        rate = rows_of(rows, instant_.gamma_dot());
        if (k != made.cones.end()) {
          const auto index = static_cast<std::size_t>(k - made.cones.begin());
          kind = one.states[index];
          // On the edge of a polygon what holds across slides along.
          if (!relaxed && kind == ContactState::stick && instant_.on_edge(cone)) kind = ContactState::slip;
          if (relaxed) rate = rows_of(made.problem.cones[index], one.u);
        } else if (set.kind(cone) != ConstraintSet::Kind::contact) {
          kind = ContactState::slip;
        }
      }
      solution.kinds.push_back(kind);
      solution.forces.push_back(force);
      solution.rates.push_back(rate);
    }
  }
}

void Analyzer::analyze_step(Analysis& analysis) {
  const double h = scene_.time.step;
  const State start = state_;
  watcher_->watch();
  State end = start;
  if (built_.stepper->step(end, h, start.t + h, report_) == Status::failed) {
    throw InputError({}, "--time", fmt::format("{:g}", start.t), "a step that can be made: " + report_.message);
  }
  // What the step has carried stands in the order of the cones.
  const std::vector<ElementId> ids(end.warm.ids().begin(), end.warm.ids().end());
  const ConeProblem problem = watcher_->problem();
  const std::vector<double> candidate = watcher_->solution();
  const bool complete_ids = watcher_->has_problem() && static_cast<int>(ids.size()) == problem.n_cones();
  if (watcher_->larger() > 0 || (watcher_->has_problem() && !complete_ids)) {
    analysis.remarks.push_back("the step meets more contacts than it begins with: its first problem is shown");
  }
  Listed listed;
  list(ids, analysis, listed);
  if (!watcher_->has_problem()) {  // nothing touches
    AnalyzedSolution& solution = analysis.solutions.emplace_back();
    solution.motion = end.u;
    solution.kinds.assign(listed.cones.size(), ContactState::open);
    for (const int dim : listed.dims) solution.forces.emplace_back(Vector::Zero(dim));
    solution.rates.resize(listed.cones.size());
    return;
  }
  const Enumeration found = enumerate(problem, candidate, analysis.contacts);
  analysis.complete = found.complete;
  for (const EnumeratedSolution& one : found.solutions) {
    AnalyzedSolution& solution = analysis.solutions.emplace_back();
    watcher_->answer(one.p);
    State there = start;
    const bool goes = built_.stepper->step(there, h, start.t + h, report_) != Status::failed;
    solution.motion = goes ? there.u : Vector();
    solution.residual = one.residual.absolute;
    solution.unique_forces = one.unique_percussions;
    for (std::size_t i = 0; i < listed.cones.size(); ++i) {
      const int cone = listed.cones[i];
      const bool is_there = cone >= 0 && cone < problem.n_cones();
      solution.kinds.push_back(is_there ? one.states[cone] : ContactState::open);
      solution.forces.push_back(is_there ? rows_of(problem.cones[cone], one.p) : Vector(Vector::Zero(listed.dims[i])));
      solution.rates.push_back(is_there ? rows_of(problem.cones[cone], one.u) : Vector());
    }
  }
}

/// G_A and G_B, where one contact slides and nothing else has a choice.
void Analyzer::calc_signs(Analysis& analysis) {
  const InstantProblem made = make_acceleration_problem(instant_);
  int contact = -1;
  for (int i = 0; i < made.problem.n_cones(); ++i) {
    const ConeKind kind = made.problem.cones[i].kind;
    if (kind == ConeKind::free) continue;
    if (contact >= 0 || kind != ConeKind::contact || !made.slides[i]) return;
    contact = i;
  }
  if (contact < 0) return;
  const Enumeration found = enumerate_solutions(made.problem, {}, options_.stop);
  if (found.W.size() != 1) return;
  analysis.G_A = -found.b(0);
  analysis.G_B = found.W(0, 0);
}

Analysis Analyzer::run() {
  Analysis analysis;
  analysis.level = options_.level;
  analysis.time = state_.t;
  analysis.q = state_.q;
  analysis.u = state_.u;
  analysis.parameters = scene_.parameters;
  take_instant();
  calc_signs(analysis);
  if (options_.level == AnalysisLevel::step) {
    analyze_step(analysis);
  } else {
    analyze_instant(analysis);
  }
  return analysis;
}

}  // namespace

Analysis analyze(const Scene& scene, const AnalysisOptions& options) {
  return Analyzer(scene, options).run();
}

Sweep parse_sweep(const std::string& text) {
  const auto refuse = [&text]() -> InputError {
    return InputError({}, "--sweep", text, "key=first:last:count, for example parameters.theta=0.1:1.5:100");
  };
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.find(':', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || colon == std::string::npos) throw refuse();
  const std::size_t second = text.find(':', colon + 1);
  if (second == std::string::npos) throw refuse();
  Sweep sweep;
  sweep.key = text.substr(0, equals);
  const auto number = [&](std::size_t from, std::size_t to) {
    const std::string part = text.substr(from, to == std::string::npos ? to : to - from);
    try {
      const double value = Expression::parse(part).value(0.0);
      if (std::isfinite(value)) return value;
    } catch (const ExpressionError&) {
      // It is said below, with the whole.
    }
    throw refuse();
  };
  sweep.first = number(equals + 1, colon);
  sweep.last = number(colon + 1, second);
  const double count = number(second + 1, std::string::npos);
  constexpr double kMostValues = 1e6;
  if (!(count >= 1.0 && count <= kMostValues) || count != std::floor(count)) {
    throw InputError({}, "--sweep", text, "a count from 1 to 1000000 after the last colon");
  }
  sweep.count = static_cast<int>(count);
  return sweep;
}

namespace {

/// A parameter that the scene does not have changes nothing; of all other keys the reader says so.
void check_swept_parameters(const std::filesystem::path& scene, const LoadOptions& given,
                            const std::vector<Sweep>& sweeps) {
  constexpr std::string_view kParameters = "parameters.";
  for (const Sweep& sweep : sweeps) {
    if (!sweep.key.starts_with(kParameters)) continue;
    LoadOptions load = given;
    for (const Sweep& other : sweeps) {
      if (&other != &sweep) load.overrides.push_back(fmt::format("{}={:.17g}", other.key, other.value(0)));
    }
    const Scene without = load_scene(scene, load);
    const std::string name = sweep.key.substr(kParameters.size());
    if (without.parameters.contains(name)) continue;
    std::vector<std::string_view> names;
    for (const auto& [known, value] : without.parameters) names.push_back(known);
    const std::string nearest = nearest_name(name, names);
    throw InputError({scene.string()}, sweep.key, "",
                     nearest.empty() ? "a parameter of the scene" : "unknown; did you mean '" + nearest + "'?");
  }
}

}  // namespace

void analyze_sweep(const std::filesystem::path& scene, const LoadOptions& load_options,
                   const std::vector<Sweep>& sweeps, const AnalysisOptions& options,
                   const std::function<void(const Analysis&, const std::vector<double>&)>& take) {
  check_swept_parameters(scene, load_options, sweeps);
  std::vector<int> index(sweeps.size(), 0);
  while (true) {
    options.stop.check();
    LoadOptions load = load_options;
    std::vector<double> values;
    for (std::size_t k = 0; k < sweeps.size(); ++k) {
      values.push_back(sweeps[k].value(index[k]));
      load.overrides.push_back(fmt::format("{}={:.17g}", sweeps[k].key, values.back()));
    }
    take(analyze(load_scene(scene, load), options), values);
    std::size_t k = sweeps.size();
    while (k > 0 && ++index[k - 1] == sweeps[k - 1].count) index[--k] = 0;
    if (k == 0) return;
  }
}

}  // namespace stickslip
