// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"

namespace stickslip::test {

/// The paths of all datasets under a group.
inline void collect_datasets(const Hdf5File& file, const std::string& group, std::vector<std::string>& paths) {
  for (const std::string& name : file.children(group)) {
    const std::string path = (group == "/" ? "" : group) + "/" + name;
    if (file.is_group(path)) {
      collect_datasets(file, path, paths);
    } else {
      paths.push_back(path);
    }
  }
}

inline std::vector<std::string> dataset_paths(const Hdf5File& file) {
  std::vector<std::string> paths;
  collect_datasets(file, "/", paths);
  return paths;
}

/// Every dataset of two results is the same, bit for bit (NaN included).
inline ::testing::AssertionResult same_result(const std::filesystem::path& a, const std::filesystem::path& b) {
  const Trajectory first(a);
  const Trajectory second(b);
  const std::vector<std::string> paths = dataset_paths(first.file());
  if (paths != dataset_paths(second.file())) return ::testing::AssertionFailure() << "other datasets";
  for (const std::string& path : paths) {
    if (first.file().has_texts(path)) {
      if (first.file().read_texts(path) == second.file().read_texts(path)) continue;
      return ::testing::AssertionFailure() << path << " differs";
    }
    const Hdf5Dataset x = first.file().open_dataset(path);
    const Hdf5Dataset y = second.file().open_dataset(path);
    if (x.rows() != y.rows() || x.width() != y.width()) {
      return ::testing::AssertionFailure() << path << ": " << x.rows() << " and " << y.rows() << " rows";
    }
    // Read as stored: doubles as doubles; integers of all kinds fit in doubles but for the checksums.
    const bool is_checksum = path == "/checkpoint/checksum";
    std::vector<double> reals_x(static_cast<std::size_t>(x.rows() * x.width()));
    std::vector<double> reals_y(reals_x.size());
    std::vector<std::uint64_t> words_x(reals_x.size()), words_y(reals_x.size());
    if (is_checksum) {
      x.read(0, words_x);
      y.read(0, words_y);
    } else {
      x.read(0, reals_x);
      y.read(0, reals_y);
    }
    const bool same = is_checksum
                          ? words_x == words_y
                          : reals_x.empty() || std::memcmp(reals_x.data(), reals_y.data(), 8 * reals_x.size()) == 0;
    if (!same) return ::testing::AssertionFailure() << path << " differs";
  }
  return ::testing::AssertionSuccess();
}

}  // namespace stickslip::test
