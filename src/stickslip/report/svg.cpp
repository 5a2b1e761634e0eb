// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/svg.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/vtk_series.h"
#include "stickslip/io/write_error.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr int kNoSuchProgram = 127;
constexpr int kLacksModules = 69;  // said by plots.py
constexpr int kKilled = 128;

/// Runs a program of the path and waits for it: its exit status, or one of the above.
int run_program(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw WriteError(fmt::format("{}: {}", arguments[0], std::generic_category().message(errno)));
  if (child == 0) {
    ::execvp(argv[0], argv.data());
    ::_exit(kNoSuchProgram);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
}

}  // namespace

void write_svg(const fs::path& result, const fs::path& folder, bool force, bool quiet) {
  const Trajectory readable(result);
  NewFolder made(folder);
  std::vector<std::string> candidates = {"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("STICKSLIP_PYTHON"); chosen != nullptr) candidates = {chosen};
  for (const std::string& python : candidates) {
    const int status = run_program({python, "-c", std::string(plots_script()), folder.string(), result.string(),
                                    force ? "force" : "", quiet ? "quiet" : ""});
    if (status == kNoSuchProgram || status == kLacksModules) continue;
    if (status != 0) throw InputError({result.string()}, "", "", "was not drawn, or not all of it, as said above");
    made.keep();
    return;
  }
  throw InputError(
      "--svg: needs Python 3 with h5py and matplotlib; to install them: sudo apt-get install python3-h5py "
      "python3-matplotlib (elsewhere: pip install h5py matplotlib)");
}

}  // namespace stickslip
