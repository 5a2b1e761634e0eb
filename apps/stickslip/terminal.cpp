// SPDX-License-Identifier: BSD-3-Clause
#include "terminal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string>

#include "stickslip/base/visible_text.h"

namespace stickslip {
namespace {

bool is_silent = false;
std::string unsaid;  // errors, in the meantime

void write_visible(std::string_view text, std::FILE* stream) {
  if (is_silent) {
    if (stream == stderr) unsaid += text;
    return;
  }
  const std::string visible = visible_text(text, LineFeeds::kept);
  std::fwrite(visible.data(), 1, visible.size(), stream);
}

}  // namespace

void open_standard_streams() {
  for (const int descriptor : {0, 1, 2}) {
    // The lowest number that is free is this one: those below are open by now.
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

void write_output(std::string_view text) {
  write_visible(text, stdout);
}

void write_error(std::string_view text) {
  write_visible(text, stderr);
}

void keep_silent() {
  is_silent = true;
  std::cout.rdbuf(nullptr);  // CLI11's
}

void break_silence() {
  is_silent = false;
  write_error(unsaid);
}

void write_output_exactly(std::string_view text) {
  if (::isatty(STDOUT_FILENO) == 1) return write_output(text);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

bool is_standard_output(const std::string& file) {
  struct stat named = {};
  struct stat own = {};
  if (file.empty() || ::stat(file.c_str(), &named) != 0 || ::fstat(STDOUT_FILENO, &own) != 0) return false;
  return named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

bool flush_output() {
  std::cout.flush();  // what CLI11 writes
  const bool is_flushed = std::fflush(stdout) == 0;
  return is_flushed && std::cout.good() && std::ferror(stdout) == 0;
}

}  // namespace stickslip
