// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>

#include "commands.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/instruction_set.h"
#include "stickslip/base/nearest.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/problem_file.h"
#include "stickslip/io/write_error.h"
#include "stickslip/sim/solve_problem.h"
#include "terminal.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

class SolveCommand final : public Command {
 public:
  explicit SolveCommand(CLI::App& program);
  int execute() override;

 private:
  std::optional<FrictionLaw> law() const;
  std::string output_stem(std::size_t k, std::string_view solver, bool several) const;
  void check_outputs(const std::vector<OneStepProblem>& problems, const std::vector<SolverOptions>& solvers) const;
  std::vector<SolverOptions> chosen_solvers() const;
  void print(const ProblemReport& report) const;
  void write_json(const std::vector<ProblemReport>& reports) const;
  void solve_all(const std::vector<OneStepProblem>& problems, const std::vector<SolverOptions>& solvers,
                 ForceChoice forces, std::vector<ProblemReport>& reports) const;

  std::vector<std::string> problems_;
  std::string solver_ = "auto";
  std::string law_;
  std::string forces_ = "any";
  std::string json_;
  std::string output_;
  bool force_ = false;
  double tolerance_ = StopOptions{}.tolerance;
  double time_limit_ = HUGE_VAL;
  int max_iterations_ = 0;
  int threads_ = 1;
};

SolveCommand::SolveCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("solve", "Solve one-step contact problems from files");
  command.add_option("problems", problems_, "FCLIB files (HDF5) or texts of LCPs")->type_name("PROBLEM...");
  command
      .add_option(
          "--solver", solver_,
          "the solver, see `list solvers`; all: every one of them; lemke and lcp-newton solve friction discs as "
          "polygons inscribed in them")
      ->type_name("NAME");
  command
      .add_option(
          "--law", law_,
          "coulomb or associated, the relaxed law (default: the one that a file names, which those written here "
          "do, else coulomb)")
      ->type_name("LAW");
  command
      .add_option("--tolerance", tolerance_, "of the velocities, on the residual and on what is missed (default 1e-10)")
      ->type_name("E");
  command.add_option("--max-iterations", max_iterations_, "in the solver's own count (default: the solver's)")
      ->type_name("N");
  command
      .add_option("--time-limit", time_limit_,
                  "CPU time of all threads for each problem and solver [s] (default: none)")
      ->type_name("S");
  command
      .add_option("--threads", threads_, "how many share the work of large problems, with the same bits (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command
      .add_option(
          "--forces", forces_,
          "any (default): those that the solver finds; least-norm: of those with the same velocities the smallest")
      ->type_name("WHICH");
  command.add_option("--json", json_, "write the reports as a JSON list, too")->type_name("FILE");
  command
      .add_option("--output", output_,
                  "write <stem>.hdf5, the problem with /solution, or <stem>.txt, an LCP's n and z, into this folder; "
                  "<stem>.<solver>.* if there are several solvers")
      ->type_name("DIR");
  command.add_flag("--force", force_, "write over files that are there");
  command.footer("Exit status 4: some problems were not solved to the tolerance.");
}

/// Refuses a word that is none of `known`, with the nearest.
void check_word(const std::string& option, const std::string& word, std::span<const std::string_view> known) {
  if (std::ranges::find(known, word) != known.end()) return;
  const std::string nearest = nearest_name(word, known);
  throw InputError(
      {}, option, word,
      nearest.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : fmt::format("did you mean {}?", nearest));
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw WriteError(fmt::format("{}: {}", folder.string(), error.message()));
}

std::optional<FrictionLaw> SolveCommand::law() const {
  if (law_.empty()) return std::nullopt;
  check_word("--law", law_, std::array<std::string_view, 2>{"coulomb", "associated"});
  return law_ == "coulomb" ? FrictionLaw::coulomb : FrictionLaw::associated;
}

std::vector<SolverOptions> SolveCommand::chosen_solvers() const {
  std::vector<std::string_view> names;
  if (solver_ == "all") {
    names.assign(solver_names().begin(), solver_names().end());
  } else {
    names = {solver_};
  }
  std::vector<SolverOptions> chosen;
  for (const std::string_view name : names) {
    SolverOptions& options = chosen.emplace_back(make_solver_options(name));
    std::visit(
        [this](auto& o) {
          o.tolerance = tolerance_;
          o.time_limit = time_limit_;
          o.stop = &stop_requested;
          if (max_iterations_ != 0) o.max_iterations = max_iterations_;
          o.check();
        },
        options);
  }
  return chosen;
}

std::string SolveCommand::output_stem(std::size_t k, std::string_view solver, bool several) const {
  const std::string stem = fs::path(problems_[k]).stem().string();
  return several ? fmt::format("{}.{}", stem, solver) : stem;
}

/// Refuses problems whose answers would be written over each other, or over a problem.
void SolveCommand::check_outputs(const std::vector<OneStepProblem>& problems,
                                 const std::vector<SolverOptions>& solvers) const {
  std::map<fs::path, std::string> written_for;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    for (const SolverOptions& options : solvers) {
      const fs::path path =
          solved_problem_path(output_, output_stem(k, solver_name(options), solvers.size() > 1), problems[k]);
      if (const auto [other, is_new] = written_for.emplace(path, problems_[k]); !is_new) {
        throw InputError({}, "--output", output_,
                         fmt::format("{} and {} would both be written to {}: solve them one by one or into two folders",
                                     other->second, problems_[k], path.string()));
      }
      for (const std::string& problem : problems_) {
        std::error_code not_there;
        if (!fs::equivalent(path, problem, not_there)) continue;
        throw InputError({}, "--output", output_,
                         fmt::format("{} would be written over: another folder is needed", problem));
      }
      if (!force_) check_replaceable(path, MayReplace::nothing);
    }
  }
}

void SolveCommand::print(const ProblemReport& report) const {
  std::string remarks;
  if (report.forces && report.forces->rank >= 0) {
    remarks = fmt::format("  rank {} of {} open forces: forces {}, velocities {}", report.forces->rank,
                          report.forces->unknowns, determined_name(report.forces->forces),
                          determined_name(report.forces->velocities));
  }
  if (!report.message.empty()) remarks += "  " + report.message;
  print_output("{:<44} {:>5} {:<12} {:<8} {:>6} {:>10.3e} {:>10.3e} {:>10.3e} {:>10.3e}{}\n", report.problem,
               report.contacts, report.solver, report.status, report.iterations, report.cpu_seconds, report.residual,
               report.relative_residual, report.siconos_error, remarks);
}

void SolveCommand::write_json(const std::vector<ProblemReport>& reports) const {
  std::ofstream out(json_, std::ios::binary);
  out << to_json(reports);
  if (!out.flush()) throw WriteError(json_ + ": cannot be written");
}

int SolveCommand::execute() {
  choose_instruction_set();  // refuses what this machine does not have
  if (problems_.empty()) throw InputError("which problems? name their files");
  check_word("--forces", forces_, std::array<std::string_view, 2>{"any", "least-norm"});
  const ForceChoice forces = forces_ == "any" ? ForceChoice::any : ForceChoice::least_norm;
  const std::optional<FrictionLaw> chosen_law = law();
  const std::vector<SolverOptions> solvers = chosen_solvers();
  // All are read before the first is solved: a bad one is found before the work is done.
  std::vector<OneStepProblem> problems;
  for (const std::string& path : problems_) {
    problems.push_back(read_problem(path));
    if (chosen_law) problems.back().cones.law = *chosen_law;
  }
  for (const std::string& path : problems_) {
    std::error_code not_there;
    if (!json_.empty() && fs::equivalent(json_, path, not_there)) {
      throw InputError({}, "--json", json_,
                       "the name of a problem, which would be written over: another file is needed");
    }
  }
  if (!json_.empty() && !force_) check_replaceable(json_, MayReplace::nothing);
  if (!output_.empty()) {
    check_outputs(problems, solvers);
    make_folder(output_);
  }
  print_output("{:<44} {:>5} {:<12} {:<8} {:>6} {:>10} {:>10} {:>10} {:>10}\n", "problem", "n_c", "solver", "status",
               "iter", "cpu s", "residual", "relative", "siconos");
  std::vector<ProblemReport> reports;
  ThreadTeam team(threads_);
  const ThreadTeam::Scope scope(&team);
  keep_work_on_signals();
  try {
    solve_all(problems, solvers, forces, reports);
  } catch (const Interrupted&) {
    // The reports so far are written, and the exit status says it.
  }
  if (!json_.empty()) write_json(reports);
  if (stop_requested) {
    print_error("interrupted: {} of {} solves done\n", reports.size(), problems.size() * solvers.size());
    return kInterrupted;
  }
  const auto unsolved = std::ranges::count_if(reports, [](const ProblemReport& r) { return r.status != "ok"; });
  if (unsolved > 0) print_error("{} of {} were not solved to {:g}\n", unsolved, reports.size(), tolerance_);
  return unsolved > 0 ? kInexact : kDone;
}

/// Throws Interrupted; `reports` has those of the problems that were done.
void SolveCommand::solve_all(const std::vector<OneStepProblem>& problems, const std::vector<SolverOptions>& solvers,
                             ForceChoice forces, std::vector<ProblemReport>& reports) const {
  ConeSolution solution;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    for (const SolverOptions& options : solvers) {
      std::fflush(stdout);
      reports.push_back(solve_problem(problems[k], fs::path(problems_[k]).stem().string(), options, forces, solution));
      print(reports.back());
      if (output_.empty()) continue;
      write_solved_problem(output_, output_stem(k, solver_name(options), solvers.size() > 1), problems[k], solution);
    }
  }
}

}  // namespace

std::unique_ptr<Command> add_solve_command(CLI::App& program) {
  return std::make_unique<SolveCommand>(program);
}

}  // namespace stickslip
