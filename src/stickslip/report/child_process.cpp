// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <thread>

#include "stickslip/io/write_error.h"

namespace stickslip {
namespace {

constexpr int kKilled = 128;
constexpr std::chrono::milliseconds kSlice(50);  // between two looks at whether to stop
constexpr int kSpare = 64;                       // above any descriptor that a child asks for

std::vector<char*> pointers(std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return argv;
}

int exit_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_status(status);
}

pid_t fork_or_throw(const std::string& name) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw WriteError(fmt::format("{}: {}", name, std::generic_category().message(errno)));
  return child;
}

}  // namespace

std::optional<std::string> find_program(const std::vector<std::string>& names, const char* variable) {
  const auto is_program = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (const char* chosen = std::getenv(variable); chosen != nullptr) {
    return is_program(chosen) ? std::optional<std::string>(chosen) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      folder.append("/").append(name);
      if (is_program(folder)) return folder;
    }
  }
  return std::nullopt;
}

int run_program(std::vector<std::string> arguments) {
  const std::vector<char*> argv = pointers(arguments);
  const pid_t child = fork_or_throw(arguments[0]);
  if (child == 0) {
    ::execvp(argv[0], argv.data());
    ::_exit(kNoSuchProgram);
  }
  return wait_for(child);
}

ChildProcess::ChildProcess(std::vector<std::string> arguments, const std::vector<int>& descriptors, bool quiet) {
  const std::vector<char*> argv = pointers(arguments);
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw WriteError(fmt::format("{}: {}", arguments[0], std::generic_category().message(errno)));
  }
  pid_ = fork_or_throw(arguments[0]);
  if (pid_ == 0) {
    ::setpgid(0, 0);
    const int own = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kSpare);
    if (quiet) {
      const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int descriptor : {0, 1, 2}) ::dup2(nowhere, descriptor);
    }
    for (const int descriptor : descriptors) ::dup2(own, descriptor);
    ::execvp(argv[0], argv.data());
    ::_exit(kNoSuchProgram);
  }
  ::setpgid(pid_, pid_);
  ::close(ends[1]);
  channel_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (channel_ >= 0) ::close(channel_);
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  wait_for(pid_);
}

bool ChildProcess::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::send(channel_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string ChildProcess::read(double seconds, const StopToken& stop) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  pollfd waiting = {channel_, POLLIN, 0};
  for (int ready = 0; ready <= 0;) {
    stop.check();
    ready = ::poll(&waiting, 1, static_cast<int>(kSlice.count()));
    if (ready < 0 && errno != EINTR) return "";  // a signal is no silence
    if (ready <= 0 && std::chrono::duration<double>(Clock::now() - start).count() > seconds) return "";
  }
  std::string bytes(1 << 16, '\0');
  ssize_t n = 0;
  while ((n = ::recv(channel_, bytes.data(), bytes.size(), 0)) < 0 && errno == EINTR) {
  }
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

int ChildProcess::finish(const StopToken& stop) {
  ::shutdown(channel_, SHUT_WR);
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    stop.check();
    std::this_thread::sleep_for(kSlice / 10);
  }
  pid_ = -1;
  return exit_status(status);
}

}  // namespace stickslip
