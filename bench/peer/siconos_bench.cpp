// SPDX-License-Identifier: BSD-3-Clause
// Our default solver beside the settings of Siconos' numerics library, on local problems from FCLIB files, in one
// process: `siconos_bench [--limit S] [--tolerance E]... [--setting NAME]... PROBLEM...` prints one line of comma
// separated values for each problem, tolerance and setting. Rates to read, never a test; scripts/bench_peer builds it,
// runs it and makes the tables.
//
// Each setting runs in a child process, because the library may end the process or never come back: the limit is on
// CPU time. In the child the two take turns, each from zero percussions in batches, and the least time of a call
// counts: what other processes do to caches and clocks meets both. Neither side's reading of the file is timed; the
// peer gets its matrix in the storage that suits the setting and fresh options for every call, ours keeps its
// workspace. Both answers are judged by calc_residual(), in velocity units and in the measure by which the peer stops
// itself.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/cone/residual.h"
#include "stickslip/io/problem_file.h"
#include "stickslip/solvers/solver_options.h"

extern "C" {
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
}

namespace {

using namespace stickslip;
using PeerOptions = ::SolverOptions;

/// CPU time that a child spends on one pair of settings after the first call, and bounds on the number of rounds.
constexpr double kBudget = 0.1;
constexpr int kLeastRounds = 3;
constexpr int kMostRounds = 40;
/// A batch of calls takes about so long, so that reading the clock costs nothing beside it. [s]
constexpr double kBatch = 2e-4;
constexpr int kLargestBatch = 256;
constexpr int kPollMilliseconds = 10;
constexpr int kManyIterations = 1'000'000;

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One way to run the peer.
struct Setting {
  std::string name;
  bool is_sparse = false;  // a matrix by columns; else in blocks
  int solver = 0;
  int max_iterations = kManyIterations;
  std::function<void(PeerOptions&)> tune = [](PeerOptions&) {};
};

Setting make_nsgs(const std::string& name, int local, int error_evaluation) {
  return {name, false, SICONOS_FRICTION_3D_NSGS, kManyIterations, [local, error_evaluation](PeerOptions& options) {
            options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = error_evaluation;
            options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = 1;
            solver_options_update_internal(&options, 0, local);
          }};
}

std::vector<Setting> make_settings() {
  constexpr int kFull = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
  constexpr int kLight = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL;
  std::vector<Setting> settings = {
      {"alone"},                                  // ours without the peer
      {"NSGS", false, SICONOS_FRICTION_3D_NSGS},  // the default, but for the bound on its iterations
      make_nsgs("NSGS-F-QUARTIC", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, kFull),
      make_nsgs("NSGS-F-GPH", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, kFull),
      make_nsgs("NSGS-F-PLI", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, kFull),
      make_nsgs("NSGS-F-NSN", SICONOS_FRICTION_3D_ONECONTACT_NSN, kFull),
      make_nsgs("NSGS-QUARTIC", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, kLight),
      make_nsgs("NSGS-PLI", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, kLight),
      make_nsgs("NSGS-NSN", SICONOS_FRICTION_3D_ONECONTACT_NSN, kLight),
      {"NSN_AC", true, SICONOS_FRICTION_3D_NSN_AC, 1000},
      {"NSN_AC-hybrid", true, SICONOS_FRICTION_3D_NSN_AC, 1000,
       [](PeerOptions& options) {
         options.iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
       }},
      {"NSN_FB", true, SICONOS_FRICTION_3D_NSN_FB, 1000},
      {"NSN_NM", true, SICONOS_FRICTION_3D_NSN_NM, 1000},
      {"PROX", true, SICONOS_FRICTION_3D_PROX, 1000},
      {"PROX-NSGS", false, SICONOS_FRICTION_3D_PROX, 1000,
       [](PeerOptions& options) { solver_options_update_internal(&options, 0, SICONOS_FRICTION_3D_NSGS); }},
      {"ADMM", true, SICONOS_FRICTION_3D_ADMM},
      {"ADMM-rb", true, SICONOS_FRICTION_3D_ADMM, kManyIterations,
       [](PeerOptions& options) {
         options.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
             SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
       }},
      {"ADMM-srb", true, SICONOS_FRICTION_3D_ADMM, kManyIterations,
       [](PeerOptions& options) {
         options.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
             SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING;
       }},
      {"DSFP", false, SICONOS_FRICTION_3D_DSFP},
      {"VI_EG", false, SICONOS_FRICTION_3D_VI_EG},
      {"VI_FPP", false, SICONOS_FRICTION_3D_VI_FPP},
      {"TFP", false, SICONOS_FRICTION_3D_TFP},
      {"ACLMFP", false, SICONOS_FRICTION_3D_ACLMFP},
  };
  // Some of those that work on a sparse matrix are at times quicker where they convert one from blocks.
  for (const std::string name : {"NSN_AC", "NSN_AC-hybrid", "PROX", "ADMM"}) {
    Setting setting = *std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.name == name; });
    setting.name += "-blocks";
    setting.is_sparse = false;
    settings.push_back(setting);
  }
  return settings;
}

/// The peer's problem.
FrictionContactProblem* make_peer_problem(const LocalForm& form, bool is_sparse) {
  const int n = static_cast<int>(form.q.size());
  NumericsMatrix* matrix = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(matrix, form.w.nonZeros());
  matrix->matrix2->origin = NSM_TRIPLET;
  for (int i = 0; i < n; ++i) {
    for (SparseMatrix::InnerIterator it(form.w, i); it; ++it) {
      if (it.value() != 0.0) NM_entry(matrix, i, static_cast<int>(it.col()), it.value());
    }
  }
  if (is_sparse) {
    (void)NM_csc(matrix);
  } else {
    SparseBlockStructuredMatrix* blocks = SBM_new();
    SBM_from_csparse(form.dim, NM_csc(matrix), blocks);
    NM_clear(matrix);
    std::free(matrix);
    matrix = NM_new_SBM(n, n, blocks);
  }
  auto* q = static_cast<double*>(std::malloc(n * sizeof(double)));  // which the peer frees
  std::copy_n(form.q.data(), n, q);
  auto* mu = static_cast<double*>(std::malloc(n / form.dim * sizeof(double)));
  std::copy_n(form.mu.data(), n / form.dim, mu);
  return frictionContactProblem_new_with_data(form.dim, n / form.dim, matrix, q, mu);
}

PeerOptions* make_peer_options(const Setting& setting, double tolerance) {
  PeerOptions* options = solver_options_create(setting.solver);
  setting.tune(*options);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = setting.max_iterations;
  return options;
}

struct Judgement {
  double relative = HUGE_VAL;  // our residual, relative
  double own = HUGE_VAL;       // the peer's measure
};

double calc_norm(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

Judgement judge(const ConeProblem& problem, const std::vector<double>& p) {
  std::vector<double> u(p.size());
  problem.apply_delassus(p, u);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += problem.b[i];
  const double size = std::max({calc_norm(problem.b), calc_norm(p), calc_norm(u)});
  const double own = calc_residual(problem, problem.law, p, u, 1.0).absolute;
  return {calc_residual(problem, problem.law, p, u, problem.calc_residual_scale()).relative,
          size > 0.0 ? own / size : own};
}

/// What a child reports; plain data that goes through a pipe.
struct Result {
  int info = -1;  // the peer's own verdict: 0 is solved
  int iterations = 0;
  double ours = HUGE_VAL;   // [s]
  double peers = HUGE_VAL;  // [s]
  Judgement our_answer;
  Judgement peer_answer;
};

class Side {
 public:
  explicit Side(std::function<double(int)> time_calls) : time_calls_(std::move(time_calls)) {}
  /// The first call finds how many make a batch.
  void warm_up() {
    const double once = time_calls_(1);
    least_ = once;
    batch_ = static_cast<int>(std::clamp(kBatch / std::max(once, 1e-9), 1.0, double{kLargestBatch}));
  }
  double turn() {
    const double total = time_calls_(batch_);
    least_ = std::min(least_, total / batch_);
    return total;
  }
  double least() const { return least_; }

 private:
  std::function<double(int)> time_calls_;
  int batch_ = 1;
  double least_ = HUGE_VAL;
};

Result compare(const OneStepProblem& problem, const Setting& setting, double tolerance,
               const std::function<void()>& first_call_is_done) {
  Result result;
  const auto& form = std::get<LocalForm>(problem.form);
  const std::size_t n = problem.cones.b.size();
  std::vector<double> reaction(n);
  std::vector<double> velocity(n);
  Side peer([&](int calls) {
    if (setting.solver == 0) return kBatch;
    std::vector<PeerOptions*> options;
    std::vector<FrictionContactProblem*> problems;
    for (int k = 0; k < calls; ++k) {
      options.push_back(make_peer_options(setting, tolerance));
      problems.push_back(make_peer_problem(form, setting.is_sparse));  // some solvers change it
    }
    const double start = cpu_seconds();
    for (int k = 0; k < calls; ++k) {
      std::fill(reaction.begin(), reaction.end(), 0.0);
      std::fill(velocity.begin(), velocity.end(), 0.0);
      result.info = fc3d_driver(problems[k], reaction.data(), velocity.data(), options[k]);
    }
    const double seconds = cpu_seconds() - start;
    for (PeerOptions* option : options) solver_options_delete(option);
    for (FrictionContactProblem* used : problems) frictionContactProblem_free(used);
    return seconds;
  });
  stickslip::SolverOptions our_options = AutoOptions{};
  std::get<AutoOptions>(our_options).tolerance = tolerance;
  const auto solver = make_solver(our_options);
  ConeSolution solution;
  solution.p.assign(n, 0.0);
  Side our([&](int calls) {
    const double start = cpu_seconds();
    for (int k = 0; k < calls; ++k) {
      std::fill(solution.p.begin(), solution.p.end(), 0.0);
      result.iterations = solver->solve(problem.cones, solution).iterations;
    }
    return cpu_seconds() - start;
  });
  our.warm_up();
  peer.warm_up();
  first_call_is_done();
  result.our_answer = judge(problem.cones, solution.p);
  result.peer_answer = judge(problem.cones, reaction);
  double spent = 0.0;
  for (int round = 0; round < kMostRounds && (round < kLeastRounds || spent < kBudget); ++round) {
    if (spent > 20.0 * kBudget) break;
    spent += our.turn();
    spent += peer.turn();
  }
  result.ours = our.least();
  result.peers = peer.least();
  return result;
}

/// Whether the other end of the pipe has more to say before the child has used up its CPU time.
bool is_readable(int end, pid_t child, double limit) {
  clockid_t clock = {};
  if (clock_getcpuclockid(child, &clock) != 0) return true;  // it is gone: reading tells
  pollfd poll_end = {end, POLLIN, 0};
  while (poll(&poll_end, 1, kPollMilliseconds) == 0) {
    timespec used = {};
    if (clock_gettime(clock, &used) != 0) return true;
    if (static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec) > limit) return false;
  }
  return true;
}

/// compare() in a child whose first calls may use so much CPU time; what it could not say stays at its default.
Result compare_in_child(const OneStepProblem& problem, const Setting& setting, double tolerance, double limit) {
  int ends[2] = {};
  if (pipe(ends) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(1);
    bool is_heard = true;
    const Result result = compare(problem, setting, tolerance, [&] { is_heard = write(ends[1], "1", 1) == 1; });
    is_heard = is_heard && write(ends[1], &result, sizeof(result)) == sizeof(result);
    _exit(is_heard ? 0 : 1);
  }
  close(ends[1]);
  Result result;
  Result heard;
  char first = 0;
  if (is_readable(ends[0], child, limit) && read(ends[0], &first, 1) == 1 &&
      read(ends[0], &heard, sizeof(heard)) == sizeof(heard)) {
    result = heard;
  } else {
    kill(child, SIGKILL);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return result;
}

}  // namespace

int main(int n_arguments, char** arguments) {
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr) {  // it is read before main()
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", arguments);
  }
  numerics_set_verbose(0);
  double limit = 10.0;
  std::vector<double> tolerances;
  std::vector<std::string> chosen;
  std::vector<std::string> paths;
  for (int k = 1; k < n_arguments; ++k) {
    const std::string word = arguments[k];
    if (word.starts_with("--") && k + 1 < n_arguments) {
      const std::string value = arguments[++k];
      if (word == "--limit") limit = std::stod(value);
      if (word == "--tolerance") tolerances.push_back(std::stod(value));
      if (word == "--setting") chosen.push_back(value);
    } else {
      paths.push_back(word);
    }
  }
  if (tolerances.empty()) tolerances = {1e-4, 1e-8, 1e-12};
  std::sort(tolerances.begin(), tolerances.end(), std::greater<>());
  fmt::print(
      "problem,contacts,tolerance,setting,solved,our_us,peer_us,our_iterations,our_relative,our_own,peer_relative,"
      "peer_own\n");
  for (const std::string& path : paths) {
    const OneStepProblem problem = read_problem(path);
    const auto* form = std::get_if<LocalForm>(&problem.form);
    if (form == nullptr || form->dim != 3 || form->s.size() > 0) continue;
    for (const Setting& setting : make_settings()) {
      if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), setting.name) == chosen.end()) continue;
      for (const double tolerance : tolerances) {
        const Result r = compare_in_child(problem, setting, tolerance, limit);
        const bool solved = r.info == 0 && r.peer_answer.own <= 10.0 * tolerance;
        fmt::print("{},{},{:g},{},{},{:.3f},{:.3f},{},{:.3g},{:.3g},{:.3g},{:.3g}\n",
                   std::filesystem::path(path).stem().string(), problem.n_contacts(), tolerance, setting.name,
                   solved ? 1 : 0, 1e6 * r.ours, 1e6 * r.peers, r.iterations, r.our_answer.relative, r.our_answer.own,
                   r.peer_answer.relative, r.peer_answer.own);
        std::fflush(stdout);
        if (!solved && setting.solver != 0) break;  // a tighter tolerance would not be met either
      }
    }
  }
}
