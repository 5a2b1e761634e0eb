// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/stop_token.h"

namespace stickslip {

inline constexpr int kNoSuchProgram = 127;  // exit status, as a shell has it

/// Where a program of the path is, or the named one of an environment variable that is set; none: it is not there.
std::optional<std::string> find_program(const std::vector<std::string>& names, const char* variable);

/// Runs a program and waits for it: its exit status, 127 where there is no such program, 128 where a signal ended it.
int run_program(std::vector<std::string> arguments);

/// A program in a process group of its own, all of which ends with this object, and a two-way channel to it.
class ChildProcess {
 public:
  /// descriptors: those of the child that are its end of the channel. Its output goes nowhere where it is `quiet`.
  /// Throws WriteError.
  ChildProcess(std::vector<std::string> arguments, const std::vector<int>& descriptors, bool quiet);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  /// False where the child takes no more.
  bool write(std::string_view bytes) const;
  /// Up to some 64 kB more; empty where the child has ended or has said nothing for so long.
  /// Throws Interrupted.
  std::string read(double seconds, const StopToken& stop) const;
  /// Says that nothing more comes, and waits: its exit status. Throws Interrupted.
  int finish(const StopToken& stop);

 private:
  int pid_ = -1;
  int channel_ = -1;
};

}  // namespace stickslip
