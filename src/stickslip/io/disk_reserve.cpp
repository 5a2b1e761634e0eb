// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/disk_reserve.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace stickslip {

DiskReserve::DiskReserve(int descriptor) : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {
}

DiskReserve::~DiskReserve() {
  if (descriptor_ < 0) return;
  struct stat status = {};
  // Cutting a file to the size it has frees what is claimed behind it. Where that fails nothing is lost but room.
  if (::fstat(descriptor_, &status) == 0 && ::ftruncate(descriptor_, status.st_size) != 0) errno = 0;
  ::close(descriptor_);
}

int DiskReserve::claim(std::int64_t first, std::int64_t bytes) {
  // The claim keeps the file's size, so the system does not hold it against the limit of `ulimit -f`.
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<std::uint64_t>(first + bytes) > limit.rlim_cur) {
    return EFBIG;
  }
  if (::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, first, bytes) == 0) return 0;
  const bool unknown_here = errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
  return unknown_here ? 0 : errno;  // a file system that cannot claim finds out when it writes
}

}  // namespace stickslip
