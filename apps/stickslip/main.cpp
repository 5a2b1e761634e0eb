// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

#include "commands.h"
#include "make_ranks.h"
#include "stickslip/base/build_info.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/io/write_error.h"
#include "terminal.h"

namespace stickslip {

std::atomic<bool> stop_requested = false;

namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");
std::atomic<bool> has_work_to_keep = false;
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "nor this");
std::atomic<std::int64_t> asked_at = 0;  // [ns], 0 before the first signal

/// Signals less than this after the first are the same one: `timeout` sends two, to the program and to its group.
constexpr std::int64_t kOneSignal = 100'000'000;  // [ns]

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return 1'000'000'000 * static_cast<std::int64_t>(time.tv_sec) + time.tv_nsec;
}

/// Where there is something to keep the first Ctrl-C asks, and the second ends the program at once.
void answer_signal(int signal) {
  if (has_work_to_keep.load()) {
    std::int64_t before = 0;
    if (asked_at.compare_exchange_strong(before, now())) {
      stop_requested.store(true);
    } else if (now() - before >= kOneSignal) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);  // comes once this has returned
    }
    return;
  }
  constexpr std::string_view kSaid = "interrupted\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kSaid.data(), kSaid.size());
  ::_exit(kInterrupted);
}

}  // namespace

void keep_work_on_signals() {
  has_work_to_keep.store(true);
}

void separate_scene(std::vector<std::string>& settings, std::string& scene) {
  const auto setting =
      std::ranges::find_if(settings, [](const std::string& s) { return s.find('=') == std::string::npos; });
  if (scene.empty() && setting != settings.end()) {
    scene = *setting;
    settings.erase(setting);
  }
  if (scene.empty()) throw InputError("which scene? name its file");
}

namespace {

void set_signals() {
  std::signal(SIGINT, answer_signal);
  std::signal(SIGTERM, answer_signal);
  // A file that may not grow any more (ulimit -f) is a failed write to be reported, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
}

std::string suggestion(const std::string& word, const std::vector<std::string_view>& known) {
  const std::string nearest = nearest_name(word, known);
  return nearest.empty() ? "see stickslip --help" : fmt::format("did you mean '{}'?", nearest);
}

using Commands = std::map<std::string, std::unique_ptr<Command>>;

/// Refuses verbs that do not exist, which CLI11 would take for the lack of one.
void check_verb(const std::string& verb, const Commands& commands) {
  if (verb.starts_with('-') || commands.contains(verb)) return;
  std::vector<std::string_view> known;
  for (const auto& [name, command] : commands) known.push_back(name);
  throw InputError(fmt::format("{}: unknown command; {}", verb, suggestion(verb, known)));
}

/// Refuses options that a verb does not have, with the nearest it has.
void check_options(int argc, char** argv, const CLI::App& command) {
  std::vector<std::string> names = {"--help"};
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--") || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(known, name) == known.end()) {
      throw InputError(fmt::format("{}: unknown option of {}; {}", name, command.get_name(), suggestion(name, known)));
    }
  }
}

int run_command(int argc, char** argv) {
  CLI::App program("stickslip simulates mechanical systems whose parts touch, stick, slip and collide.", "stickslip");
  program.set_version_flag("--version", fmt::format("stickslip {} (commit {}, {}{}{})", version(), commit(), compiler(),
                                                    transport_name().empty() ? "" : ", ", transport_name()));
  program.require_subcommand(1);
  program.footer(
      "Exit status: 0 done; 1 internal error; 2 bad usage or input; 3 a step failed, or passed a limit that ends the\n"
      "run (the result holds all up to it); 4 done, but some steps stayed above the tolerance or passed a limit of "
      "the\n"
      "scene; 130 interrupted.");
  Commands commands;
  commands["run"] = add_run_command(program);
  commands["check"] = add_check_command(program);
  commands["convert"] = add_convert_command(program);
  commands["list"] = add_list_command(program);
  commands["info"] = add_info_command(program);
  commands["solve"] = add_solve_command(program);
  commands["analyze"] = add_analyze_command(program);
  commands["gallery"] = add_gallery_command(program);
  commands["report"] = add_report_command(program);
  commands["compare"] = add_compare_command(program);
  commands["sweep"] = add_sweep_command(program);
  commands["view"] = add_view_command(program);
  commands["verify"] = add_verify_command(program);
  if (argc < 2) {
    write_error(program.help());
    return kBadInput;
  }
  check_verb(argv[1], commands);
  if (commands.contains(argv[1])) check_options(argc, argv, *program.get_subcommand(argv[1]));
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help and --version
    throw InputError(error.what());
  }
  return commands.at(program.get_subcommands().front()->get_name())->execute();
}

}  // namespace
}  // namespace stickslip

namespace stickslip {
namespace {

int run_and_tell(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const InputError& error) {
    print_error("{}\n", error.what());
    return kBadInput;
  } catch (const WriteError& error) {
    print_error("{}\n", error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    print_error("internal error: out of memory\n");
  } catch (const std::exception& error) {
    print_error("internal error: {}\n", error.what());
  }
  return kInternalError;
}

int run_and_flush(int argc, char** argv) {
  const int status = run_and_tell(argc, argv);
  if (flush_output()) return status;
  write_error("standard output: cannot be written\n");
  return status == kDone ? kBadInput : status;
}

/// `run` is shared among the ranks, of which the first one speaks; all else the first one does alone.
int run_in_ranks(Ranks& ranks, int argc, char** argv) {
  const bool is_first = ranks.rank() == 0;
  const bool is_shared = argc > 1 && std::string_view(argv[1]) == "run";
  if (!is_first) {
    keep_silent();
    keep_work_on_signals();  // the first one decides
  }
  int status = kDone;
  if (is_first || is_shared) {
    const Ranks::Scope scope(is_shared ? &ranks : nullptr);
    status = is_first ? run_and_flush(argc, argv) : run_and_tell(argc, argv);
  }
  // All is written and said; mpirun sends signals to those who end last.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  const bool has_failed = status == kInternalError || status == kBadInput || status == kInterrupted;
  const std::optional<int> of_all = ranks.end(status, is_shared && has_failed);
  if (of_all) return *of_all;
  break_silence();
  std::fflush(nullptr);
  ranks.abort(status);
  return status;
}

}  // namespace
}  // namespace stickslip

int main(int argc, char** argv) {
  using namespace stickslip;
  open_standard_streams();
  set_signals();
  const std::unique_ptr<Ranks> ranks = make_ranks(argc, argv);
  return ranks != nullptr ? run_in_ranks(*ranks, argc, argv) : run_and_flush(argc, argv);
}
