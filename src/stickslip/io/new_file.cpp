// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>

#include "stickslip/base/input_error.h"
#include "stickslip/io/write_error.h"

namespace stickslip {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kMode = 0666;     // less what umask takes
constexpr int kMostNames = 10000;  // [-] temporary names that are tried

/// Room that a file system surely has for a name beside what a temporary one adds. [bytes]
constexpr std::size_t kNameBytes = 200;

fs::path temporary_name(const fs::path& path, int number) {
  const std::string name = path.filename().string().substr(0, kNameBytes);
  return path.parent_path() / fmt::format(".{}.{}.{}.tmp", name, ::getpid(), number);
}

FileIdentity identity_of(const struct ::stat& status) {
  return {status.st_dev, status.st_ino};
}

/// Makes other programs that publish in a folder wait, for a second at most, a thousand times the time of one. On file
/// systems without locks nobody waits.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int kMostLooks = 100;  // [-]
    for (int k = 0; descriptor_ >= 0 && k < kMostLooks && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace

FileIdentity FileIdentity::of(const fs::path& path) {
  struct ::stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? identity_of(status) : FileIdentity{};
}

NewFile::NewFile(const fs::path& path, BeforePublish before) : path_(path) {
  std::error_code error;
  if (const fs::path target = fs::canonical(path, error); !error) path_ = target;  // through symbolic links
  if (path_.filename().empty() || fs::is_directory(path_, error)) {
    throw InputError({path.string()}, "", "", "is a folder: name a file in it");
  }
  if (is_device(path_)) throw InputError({path.string()}, "", "", "is not a file");
  folder_ = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder_, error)) {
    throw WriteError(fmt::format("{}: the folder {} does not exist", path.string(), folder_.string()));
  }
  before_ = FileIdentity::of(path_);
  if (before == BeforePublish::nameless) make_nameless();
  if (descriptor_ < 0) make_named();
}

void NewFile::make_nameless() {
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
  if (descriptor_ < 0) return;
  temporary_path_ = fmt::format("/proc/self/fd/{}", descriptor_);
  own_ = FileIdentity::of(temporary_path_);
  if (own_ != FileIdentity{}) return;
  ::close(descriptor_);  // there is no /proc
  descriptor_ = -1;
}

/// The file is new: a link that somebody has laid under its name is not followed.
void NewFile::make_named() {
  for (int k = 0; k < kMostNames; ++k) {
    temporary_path_ = temporary_name(path_, k);
    const int descriptor = ::open(temporary_path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode);
    if (descriptor >= 0) {
      ::close(descriptor);
      own_ = FileIdentity::of(temporary_path_);
      return;
    }
    if (errno != EEXIST) break;
  }
  throw WriteError(fmt::format("{}: cannot be made: {}", path_.string(), std::generic_category().message(errno)));
}

/// Gives a nameless file a temporary name: a link takes the place of no other file.
void NewFile::link() {
  const fs::path open_file = temporary_path_;
  for (int k = 0; k < kMostNames; ++k) {
    temporary_path_ = temporary_name(path_, k);
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, temporary_path_.c_str(), AT_SYMLINK_FOLLOW) == 0) break;
    if (errno == EEXIST && k + 1 < kMostNames) continue;
    const int why = errno;
    temporary_path_ = open_file;
    throw WriteError(fmt::format("{}: {}", path_.string(), std::generic_category().message(why)));
  }
  ::close(descriptor_);
  descriptor_ = -1;
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  } else if (!published_) {
    std::error_code error;
    fs::remove(temporary_path_, error);
  }
}

void NewFile::publish() {
  const FolderLock lock(folder_);
  if (FileIdentity::of(path_) != before_) {
    throw WriteError(fmt::format("{}: was written by another program meanwhile", path_.string()));
  }
  if (descriptor_ >= 0) link();
  std::error_code error;
  fs::rename(temporary_path_, path_, error);
  if (error) throw WriteError(fmt::format("{}: {}", path_.string(), error.message()));
  published_ = true;
}

void NewFile::check_published() const {
  if (!published_ || FileIdentity::of(path_) == own_) return;
  throw WriteError(
      fmt::format("{}: was removed, moved or replaced while it was written: what was computed is not under this name",
                  path_.string()));
}

fs::path make_temporary_folder(std::string_view name) {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (error) throw WriteError(fmt::format("TMPDIR, the folder for temporary files: {}", error.message()));
  const std::string filled_in(6, 'X');  // by mkdtemp
  std::string folder = (place / fmt::format("{}-{}", name, filled_in)).string();
  if (::mkdtemp(folder.data()) == nullptr) {
    throw WriteError(fmt::format("{}: cannot be made: {}; TMPDIR names the folder for temporary files", folder,
                                 std::generic_category().message(errno)));
  }
  return folder;
}

bool is_device(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_regular_file(path, error) && !fs::is_directory(path, error);
}

void open_to_write(const fs::path& path, std::ofstream& stream) {
  std::error_code error;
  if (!fs::is_fifo(path, error)) return stream.open(path, std::ios::binary);
  const int writer = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (writer < 0 && errno == ENXIO) {
    throw WriteError(fmt::format("{}: nobody reads this pipe: start its reader first", path.string()));
  }
  // Until the stream is open the reader sees a writer, and the stream a reader, even if the reader goes now.
  const int both = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  stream.open(path, std::ios::binary);
  const int problem = errno;
  for (const int descriptor : {writer, both}) {
    if (descriptor >= 0) ::close(descriptor);
  }
  errno = problem;
}

void write_text(const fs::path& path, std::string_view text) {
  const auto write = [&](const fs::path& to) {
    std::ofstream stream;
    open_to_write(to, stream);
    stream << text;
    stream.close();
    if (!stream) throw WriteError(fmt::format("{}: cannot be written", path.string()));
  };
  if (is_device(path)) return write(path);
  NewFile file(path);
  write(file.temporary_path());
  file.publish();
}

}  // namespace stickslip
