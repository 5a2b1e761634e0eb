// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "commands.h"
#include "progress_line.h"
#include "run_arguments.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/write_error.h"
#include "stickslip/report/report.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/view/http_server.h"
#include "stickslip/view/live_sink.h"
#include "stickslip/view/view_protocol.h"
#include "terminal.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// How often somebody looks whether Ctrl-C was pressed.
constexpr milliseconds kLookEvery{20};
/// How often a file is looked at that another program writes.
constexpr milliseconds kReadEvery{500};
/// And at most so much of the time is spent in reading it: one part in so many. [-]
constexpr int kReadShare = 10;

/// At once: giving back the memory of many bodies takes long.
[[noreturn]] void end_program(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

class ViewCommand final : public Command {
 public:
  explicit ViewCommand(CLI::App& program);
  int execute() override;

 private:
  int view_result();
  int view_scene();
  RunResult run_scene(Scene scene, const RunOptions& options);
  void show_end(const RunOptions& options, const RunResult& result);
  void fail(const std::exception& error);
  /// Any thread.
  Scene load_with(const RunControl::Parameters& parameters);
  Scene wait_for_scene(RunOptions& options, ViewProtocol& protocol);
  void say(const HttpServer& server) const;

  CLI::App& command_;
  std::string shown_;
  int port_ = 0;
  std::string pace_ = "real";
  bool paused_ = false;
  RunArguments arguments_;

  LiveData data_;
  RunControl control_{Pace::real};
  Pusher pusher_;
  bool has_pushes_ = false;    // the run's result holds what pushes do
  bool wants_pushes_ = false;  // it is left because a viewer pushes, and goes on with that
  std::atomic<bool> is_running_ = false;
  std::atomic<int> status_ = kDone;  // at the program's end where no run goes on
};

ViewCommand::ViewCommand(CLI::App& program)
    : command_(*program.add_subcommand(
          "view",
          "Show a result in the browser, or a scene while it runs: the page of `report`, served on this machine")) {
  command_.add_option("shown", shown_, "a result, or a scene, which is run and leaves the result that `run` would")
      ->type_name("RESULT.h5|SCENE.toml");
  command_.add_option("--port", port_, "where to serve, on 127.0.0.1 (default: a free port)")
      ->type_name("N")
      ->check(CLI::Range(1, 65535));
  command_.add_option("--pace", pace_, "of a scene: as in reality, or as fast as it goes")
      ->type_name("real|fast")
      ->check(CLI::IsMember({"real", "fast"}))
      ->capture_default_str();
  command_.add_flag("--paused", paused_, "a scene waits before its first step until somebody goes on");
  arguments_.add_to(command_);
  command_.footer(
      "Prints the address to open. Ctrl-C ends the run as under `run`, with status 130; after its end it ends the\n"
      "program, with status 0. All options but --port are for scenes.");
}

void ViewCommand::say(const HttpServer& server) const {
  print_output("{}\n", server.address());
  std::fflush(stdout);
}

/// Whether a file is meant as a result: it is one, or is called so.
bool is_meant_as_result(const fs::path& path) {
  return path.extension() == ".h5" || path.extension() == ".hdf5" || is_result(path);
}

int ViewCommand::execute() {
  separate_scene(arguments_.settings, shown_);
  if (!is_meant_as_result(shown_)) return view_scene();
  for (const CLI::Option* option : command_.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && name != "shown" && name != "--port" && name != "--quiet") {
      throw InputError(fmt::format("{}: for scenes; {} is a result", name, shown_));
    }
  }
  return view_result();
}

/// A result that another program writes is read again as it grows.
int ViewCommand::view_result() {
  struct Stamp {
    std::uintmax_t size = 0;
    fs::file_time_type time;
    bool operator==(const Stamp&) const = default;
  };
  const auto look = [this] {
    std::error_code ignored;
    return Stamp{fs::file_size(shown_, ignored), fs::last_write_time(shown_, ignored)};
  };
  Stamp stamp;
  const auto read = [&] {
    stamp = look();
    const Trajectory result(shown_);
    data_.show(make_page_data(result, kMaxReportBytes),
               result.text("outcome") == "running" ? ViewPhase::growing : ViewPhase::result);
  };
  read();
  ViewProtocol protocol(data_, control_, {}, false);
  const HttpServer server(port_, [&protocol](const HttpRequest& request) { return protocol.answer(request); });
  keep_work_on_signals();
  const std::jthread watcher([](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(kLookEvery)) {
      if (stop_requested) end_program(kDone);
    }
  });
  say(server);
  auto pause = kReadEvery;
  for (;;) {
    std::this_thread::sleep_for(pause);
    if (look() == stamp) continue;
    const auto start = std::chrono::steady_clock::now();
    try {
      read();
      data_.set_message("");
    } catch (const InputError& error) {
      data_.set_message(
          fmt::format("The file cannot be read any more; what was read before is shown. {}", error.what()));
    }
    pause = std::max(kReadEvery,
                     std::chrono::duration_cast<milliseconds>(kReadShare * (std::chrono::steady_clock::now() - start)));
  }
}

/// The page goes over from what came while the scene ran to what the result holds.
void ViewCommand::show_end(const RunOptions& options, const RunResult& result) {
  if (result.is_written) data_.show(make_page_data(Trajectory(options.output), kMaxReportBytes), ViewPhase::ended);
  data_.set_phase(ViewPhase::ended);
  std::string message = result.message;
  if (!result.is_written) message = "Stopped before the first step: nothing was written.";
  data_.set_message(message);
}

/// A run that could not begin, or could not be written: the program's end before anything is shown, a message after,
/// and the program's status once it ends.
void ViewCommand::fail(const std::exception& error) {
  if (!data_.beginning()) throw;
  status_ = kBadInput;
  is_running_ = false;
  wants_pushes_ = has_pushes_ = false;
  pusher_.end_run();
  data_.set_phase(ViewPhase::ended);
  data_.set_message(error.what());
  print_error("{}\n", error.what());
}

RunResult ViewCommand::run_scene(Scene scene, const RunOptions& options) {
  const std::string title = RunArguments::title_of(scene);
  ProgressLine line(arguments_.quiet());
  RunOptions watched = options;
  watched.stop = control_.stop_token();
  watched.progress = [&line](const Progress& progress) { line.show(progress); };
  watched.before_writing = keep_work_on_signals;
  arguments_.set_warnings(watched, [&line] { line.clear(); });
  watched.before_step = [this](const State& state, const std::function<void()>& save) {
    control_.hold(state.t, save);
    // A result without pushes has no place for one: it is left here, and resumed with one.
    if (has_pushes_ || !pusher_.is_active() || control_.stop_token().is_raised()) return;
    wants_pushes_ = true;
    control_.stop();
  };
  if (has_pushes_) {
    watched.control = [this](const System& system, const State& state, Inputs& inputs) {
      pusher_.set_inputs(system, state, inputs);
    };
    watched.control_is_momentary = true;
  }
  const double step = scene.time.automatic ? 0.0 : scene.time.step;
  watched.make_sink = [&, step](const System& system, const State& state, const ResultHeader& header) {
    pusher_.begin_run(system, step);
    return std::make_unique<LiveSink>(options.output, system, state, header, data_, control_);
  };
  watched.ended = [&](const RunResult& result) {
    line.clear();
    if (result.outcome == Outcome::interrupted && !stop_requested) return;
    const int status = arguments_.tell(title, shown_, options, result);
    if (result.outcome == Outcome::interrupted) end_program(status);
  };
  return run(std::move(scene), watched);
}

Scene ViewCommand::load_with(const RunControl::Parameters& parameters) {
  LoadOptions load = arguments_.load_options(shown_);
  for (const auto& [name, value] : parameters) load.overrides.push_back(fmt::format("parameters.{}={}", name, value));
  return load_scene(shown_, load);
}

/// The scene once more, with what a viewer has changed, as soon as one wants that.
Scene ViewCommand::wait_for_scene(RunOptions& options, ViewProtocol& protocol) {
  for (;;) {
    std::optional<RunControl::Restart> wanted;
    while (!(wanted = control_.take_restart())) control_.wait_for_restart(milliseconds(1000));
    try {
      Scene scene = load_with(wanted->parameters);
      set_starts(scene, wanted->starts);
      options = arguments_.make_options(scene, shown_, true);
      options.resume.reset();
      protocol.accept(wanted->parameters);
      data_.set_message("");
      return scene;
    } catch (const InputError& error) {
      data_.set_message(error.what());
    }
  }
}

int ViewCommand::view_scene() {
  if (is_device(shown_)) throw InputError({shown_}, "", "", "is not a file: a scene is read again for each run");
  const LoadOptions load = arguments_.load_options(shown_);
  const std::vector<std::string> names = list_free_parameters(shown_, load);
  Scene scene = load_scene(shown_, load);
  RunOptions options = arguments_.make_options(scene, shown_);
  std::vector<ViewParameter> parameters;
  for (const std::string& name : names) parameters.push_back({name, scene.parameters.at(name)});
  control_.set_pace(pace_ == "fast" ? Pace::fast : Pace::real);
  StartPoser poser([this](const RunControl::Parameters& changed) { return load_with(changed); });
  ViewProtocol protocol(data_, control_, parameters, true, has_posable_joint(scene) ? &poser : nullptr, &pusher_);
  const HttpServer server(port_, [&protocol](const HttpRequest& request) { return protocol.answer(request); });
  is_running_ = true;
  // Hands a signal on to the run, and ends the program where none goes on.
  const std::jthread watcher([this](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(kLookEvery)) {
      if (!stop_requested) continue;
      if (!is_running_) end_program(status_);
      control_.stop();
    }
  });
  say(server);
  for (;;) {
    control_.begin_run(std::exchange(wants_pushes_, false));
    if (std::exchange(paused_, false)) control_.wait_at_start();
    try {
      const RunResult result = run_scene(scene, options);
      if (wants_pushes_ && result.outcome == Outcome::interrupted && !stop_requested) {
        has_pushes_ = true;
        if (result.is_written) options.resume = options.output;
        continue;
      }
      wants_pushes_ = has_pushes_ = false;
      pusher_.end_run();
      if (stop_requested && result.outcome == Outcome::interrupted) {  // before there was a result
        end_program(arguments_.tell("", shown_, options, result));
      }
      status_ = kDone;
      is_running_ = false;
      show_end(options, result);
    } catch (const InputError& error) {
      fail(error);
    } catch (const WriteError& error) {
      fail(error);
    }
    scene = wait_for_scene(options, protocol);
    is_running_ = true;
  }
}

}  // namespace

std::unique_ptr<Command> add_view_command(CLI::App& program) {
  return std::make_unique<ViewCommand>(program);
}

}  // namespace stickslip
