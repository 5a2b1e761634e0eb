// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/io/new_file.h"

namespace stickslip {

/// A folder that is made if it does not exist, and removed again unless keep() is called. Throws InputError if `path`
/// is something else, WriteError if it cannot be made.
class NewFolder {
 public:
  explicit NewFolder(const std::filesystem::path& path);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder();
  void keep() { is_new_ = false; }

 private:
  std::filesystem::path path_;
  bool is_new_ = false;
};

/// FOLDER/NAME.pvd, which lists the frames FOLDER/NAME/0000000.vtp, 0000001.vtp, ... with their times.
///
/// The list and all that it lists are whole at any moment, also after the program was killed. A frame is written under
/// another name, renamed, and then listed. The list has slots of 128 characters, blank at first, before the closing
/// tags. One write into the next slot, at a multiple of 128, lists a frame: inside a page of memory, where a kill does
/// not cut a write. A list without a blank slot is replaced by one of twice as many, so at most four times its final
/// size is written in a run.
class VtkSeries {
 public:
  /// parts: a checksum of the common parts of all frames. Throws InputError, WriteError.
  VtkSeries(const std::filesystem::path& folder, const std::string& name, std::uint64_t parts,
            std::int64_t expected_frames);
  VtkSeries(const VtkSeries&) = delete;
  VtkSeries& operator=(const VtkSeries&) = delete;
  ~VtkSeries();

  /// The number of frames, from the first on, that are in the folder with these keys, which identify their contents.
  std::int64_t count_ready(std::span<const std::uint64_t> keys) const;
  /// Begins with this number of them, before any is added.
  void keep(std::int64_t frames);
  /// Adds the next frame. Before publish() it waits under another name.
  void add(double time, std::uint64_t key, std::string_view frame);
  /// Makes the folder hold this series; frames that it does not list are removed.
  void publish();
  /// Removes the blank slots.
  void finish();

  /// Throws InputError where the folder holds something under these names that is no series of this program.
  static void check_replaceable(const std::filesystem::path& folder, const std::string& name);

 private:
  struct Waiting {
    std::unique_ptr<NewFile> file;
    double time;
    std::uint64_t key;
  };
  std::filesystem::path frame_path(std::int64_t frame) const;
  std::string make_slot(double time, std::uint64_t key) const;
  void write_list(std::string_view slots, std::int64_t capacity);
  void list(double time, std::uint64_t key);
  void remove_others();

  std::string name_;
  std::filesystem::path list_path_;
  NewFolder frames_;
  std::filesystem::path frames_path_;
  std::uint64_t parts_;
  std::string old_slots_;         // of the list that was there
  std::vector<Waiting> waiting_;  // before publish()
  bool is_published_ = false;
  std::int64_t listed_ = 0;
  std::int64_t capacity_;
  int list_ = -1;  // the open list
};

}  // namespace stickslip
