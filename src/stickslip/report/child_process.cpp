// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/child_process.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "stickslip/io/write_error.h"

namespace stickslip {

int run_program(std::vector<std::string> arguments) {
  constexpr int kKilled = 128;
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

}  // namespace stickslip
