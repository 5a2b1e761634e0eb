// SPDX-License-Identifier: BSD-3-Clause
#include "python.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "stickslip/base/input_error.h"
#include "stickslip/report/child_process.h"

namespace stickslip {
namespace {

std::string find_python(const std::string& purpose, const std::vector<std::string>& modules) {
  const std::string looks = fmt::format(
      "import importlib.util, sys\n"
      "sys.exit(sys.version_info < (3, 11) or not all(map(importlib.util.find_spec, '{}'.split())))",
      fmt::join(modules, " "));
  std::vector<std::string> candidates = {"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("STICKSLIP_PYTHON"); chosen != nullptr) candidates = {chosen};
  for (const std::string& python : candidates) {
    if (run_program({python, "-I", "-c", looks}) == 0) return python;
  }
  std::string packages, elsewhere;
  for (const std::string& module : modules) packages += " python3-" + module;
  if (!modules.empty()) elsewhere = fmt::format(" (elsewhere: pip install {})", fmt::join(modules, " "));
  throw InputError(
      fmt::format("{}: needs Python 3.11 or later{}{}, which {} {} not; to install: sudo apt-get install "
                  "python3{}{}",
                  purpose, modules.empty() ? "" : " with ", fmt::join(modules, " and "), fmt::join(candidates, " and "),
                  candidates.size() > 1 ? "are" : "is", packages, elsewhere));
}

}  // namespace

void become_python(const std::string& purpose, const std::vector<std::string>& modules, const std::string& program,
                   const std::vector<std::string>& arguments) {
  // -I: nothing of the current folder or the user's is imported; -B: nothing is written beside the program.
  std::vector<std::string> all = {find_python(purpose, modules), "-I", "-B", "-Xutf8", program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execvp(argv[0], argv.data());
  throw InputError(fmt::format("{}: {} cannot be started", purpose, all[0]));
}

}  // namespace stickslip
