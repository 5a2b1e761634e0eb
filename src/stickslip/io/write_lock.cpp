// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/write_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace stickslip {
namespace {

/// One byte far behind any content. An open-file-description lock does not end when the HDF5 library closes another
/// descriptor of the same file, as a traditional one would.
struct flock lock_of_type(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t{1} << 60;
  lock.l_len = 1;
  return lock;
}

}  // namespace

WriteLock::WriteLock(const std::filesystem::path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  // A shared lock: on file systems where the library's own locks are of this kind too, readers still get theirs.
  struct flock lock = lock_of_type(F_RDLCK);
  if (descriptor_ >= 0) ::fcntl(descriptor_, F_OFD_SETLK, &lock);
}

WriteLock::WriteLock(WriteLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {
}

WriteLock& WriteLock::operator=(WriteLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

WriteLock::~WriteLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool WriteLock::is_held(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = lock_of_type(F_WRLCK);
  const bool known = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  ::close(descriptor);
  return known && lock.l_type != F_UNLCK;
}

}  // namespace stickslip
