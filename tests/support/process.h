// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stickslip::test {

using Arguments = std::vector<std::string>;

inline Arguments joined(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline constexpr const char* kPython = "/usr/bin/python3";  // the system's, which has the system's h5py

/// A program that runs beside the test, its output kept in files of `folder`, which is its working directory.
class Process {
 public:
  /// arguments[0] is the program. file_limit: bytes that it may make a file long (as ulimit -f), 0: any.
  Process(std::vector<std::string> arguments, const std::filesystem::path& folder, rlim_t file_limit = 0)
      : out_(folder / ".stdout"), err_(folder / ".stderr") {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    for (const auto& file : {out_, err_}) std::filesystem::remove(file);  // what one before has said
    id_ = ::fork();
    if (id_ < 0) throw std::runtime_error("fork failed");
    if (id_ > 0) return;
    const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    const struct rlimit limit = {file_limit, file_limit};
    if (::chdir(folder.c_str()) != 0 || (file_limit > 0 && ::setrlimit(RLIMIT_FSIZE, &limit) != 0)) ::_exit(127);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (id_ > 0) ::kill(id_, SIGKILL);
    wait();
  }

  /// To the process while it runs: kill(-1) would reach every process there is.
  void send(int signal) {
    if (running()) ::kill(id_, signal);
  }

  bool running() {
    if (id_ > 0 && ::waitpid(id_, &status_, WNOHANG) == id_) id_ = -1;
    return id_ > 0;
  }

  /// The exit status; 128 + the signal that ended it, as a shell says.
  int wait() {
    if (id_ > 0) ::waitpid(id_, &status_, 0);
    id_ = -1;
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }

  std::string out() const { return read(out_); }
  std::string err() const { return read(err_); }

 private:
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path out_, err_;
  pid_t id_ = -1;
  int status_ = 0;
};

/// What a program said and how it ended.
struct Ended {
  int status;
  std::string out, err;
};

inline Ended run_process(std::vector<std::string> arguments, const std::filesystem::path& folder,
                         rlim_t file_limit = 0) {
  Process process(std::move(arguments), folder, file_limit);
  const int status = process.wait();
  return {status, process.out(), process.err()};
}

/// The program under test.
inline Ended run_stickslip(std::vector<std::string> arguments, const std::filesystem::path& folder,
                           rlim_t file_limit = 0) {
  arguments.insert(arguments.begin(), std::string(STICKSLIP_PROGRAM));
  return run_process(std::move(arguments), folder, file_limit);
}

inline std::string shipped_scene(const std::string& name) {
  return std::string(STICKSLIP_SCENES_DIR) + "/" + name;
}

}  // namespace stickslip::test
