// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/vtk_series.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "stickslip/base/input_error.h"
#include "stickslip/io/write_error.h"

namespace stickslip {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeadBytes = 512;  // a multiple of a slot's, as are pages of memory
constexpr std::size_t kSlotBytes = 128;
constexpr std::int64_t kFewestSlots = 16;
constexpr std::int64_t kMostFirstSlots = 1024;  // [-] before it is known how many there will be
constexpr std::string_view kMark = "<!-- stickslip series of frames, format 1, parts ";
constexpr std::string_view kTail = "  </Collection>\n</VTKFile>\n";

std::string make_head(std::uint64_t parts) {
  std::string head = fmt::format(
      "<?xml version=\"1.0\"?>\n{}{:016x} -->\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n", kMark,
      parts);
  head.resize(kHeadBytes - 1, ' ');
  return head + '\n';
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_list(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in.gcount() == static_cast<std::streamsize>(kHeadBytes) && head.find(kMark) != std::string::npos;
}

/// "0000012.vtp", or what this program left of one that it could not end.
bool is_frame(const fs::path& file) {
  std::string name = file.filename().string();
  if (name.starts_with('.') && name.ends_with(".tmp")) name = name.substr(1, name.find(".vtp") + 3);
  if (!name.ends_with(".vtp") || name.size() < 11) return false;
  return std::all_of(name.begin(), name.end() - 4, [](char c) { return c >= '0' && c <= '9'; });
}

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  throw WriteError(fmt::format("{}: {}", path.string(), std::generic_category().message(error)));
}

void write_text(const fs::path& path, std::string_view text, const fs::path& shown) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) fail_to_write(shown, errno != 0 ? errno : EIO);
}

}  // namespace

NewFolder::NewFolder(const fs::path& path) : path_(path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    throw InputError({path.string()}, "", "", "is not a folder");
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error)) {
    throw WriteError(fmt::format("{}: the folder {} does not exist", path.string(), parent.string()));
  }
  error.clear();
  is_new_ = fs::create_directory(path, error);
  if (error) throw WriteError(fmt::format("{}: {}", path.string(), error.message()));
}

NewFolder::~NewFolder() {
  std::error_code error;
  if (is_new_) fs::remove(path_, error);  // only where it is empty
}

VtkSeries::VtkSeries(const fs::path& folder, const std::string& name, std::uint64_t parts, std::int64_t expected_frames)
    : name_(name),
      list_path_(folder / (name + ".pvd")),
      frames_(folder / name),
      frames_path_(folder / name),
      parts_(parts),
      capacity_(std::clamp(expected_frames, kFewestSlots, kMostFirstSlots)) {
  const NewFile list(list_path_);  // that there can be one
  if (!is_list(list_path_)) return;
  const std::string text = read_text(list_path_);
  if (text.starts_with(make_head(parts))) old_slots_ = text.substr(kHeadBytes);
}

VtkSeries::~VtkSeries() {
  if (list_ >= 0) ::close(list_);
}

fs::path VtkSeries::frame_path(std::int64_t frame) const {
  return frames_path_ / fmt::format("{:07}.vtp", frame);
}

std::string VtkSeries::make_slot(double time, std::uint64_t key) const {
  std::string slot = fmt::format(R"(    <DataSet timestep="{}" part="0" file="{}/{}"/><!-- {:016x} -->)", time, name_,
                                 frame_path(listed_).filename().string(), key);
  slot.resize(kSlotBytes - 1, ' ');
  return slot + '\n';
}

std::int64_t VtkSeries::count_ready(std::span<const std::uint64_t> keys) const {
  std::error_code error;
  std::int64_t n = 0;
  for (const std::uint64_t key : keys) {
    const std::string_view slots = old_slots_;
    const std::size_t at = static_cast<std::size_t>(n) * kSlotBytes;
    if (slots.size() < at + kSlotBytes) break;
    const std::string_view slot = slots.substr(at, kSlotBytes);
    if (slot.find(fmt::format("<!-- {:016x} -->", key)) == std::string_view::npos) break;
    if (slot.find(frame_path(n).filename().string()) == std::string_view::npos) break;
    if (!fs::is_regular_file(frame_path(n), error)) break;
    ++n;
  }
  return n;
}

void VtkSeries::keep(std::int64_t frames) {
  listed_ = frames;
  old_slots_.resize(static_cast<std::size_t>(frames) * kSlotBytes);
}

void VtkSeries::add(double time, std::uint64_t key, std::string_view frame) {
  const auto number = listed_ + static_cast<std::int64_t>(waiting_.size());
  auto file = std::make_unique<NewFile>(frame_path(number), BeforePublish::named);
  write_text(file->temporary_path(), frame, file->path());
  if (!is_published_) {
    waiting_.push_back({std::move(file), time, key});
    return;
  }
  file->publish();
  list(time, key);
}

/// The list takes the place of what stood there at once, with these slots and blank ones.
void VtkSeries::write_list(std::string_view slots, std::int64_t capacity) {
  std::string text = make_head(parts_);
  text += slots;
  const std::string blank = std::string(kSlotBytes - 1, ' ') + '\n';
  for (std::int64_t k = listed_; k < capacity; ++k) text += blank;
  text += kTail;
  NewFile file(list_path_);
  write_text(file.temporary_path(), text, list_path_);
  if (list_ >= 0) ::close(list_);
  list_ = ::open(file.temporary_path().c_str(), O_RDWR | O_CLOEXEC);
  if (list_ < 0) fail_to_write(list_path_, errno);
  file.publish();
  capacity_ = capacity;
}

void VtkSeries::list(double time, std::uint64_t key) {
  if (listed_ == capacity_) {
    const std::string all = read_text(list_path_);
    write_list(std::string_view(all).substr(kHeadBytes, static_cast<std::size_t>(listed_) * kSlotBytes), 2 * capacity_);
  }
  const std::string slot = make_slot(time, key);
  const auto at = static_cast<::off_t>(kHeadBytes + static_cast<std::size_t>(listed_) * kSlotBytes);
  const ::ssize_t written = ::pwrite(list_, slot.data(), slot.size(), at);
  if (written != static_cast<::ssize_t>(slot.size())) fail_to_write(list_path_, written < 0 ? errno : EIO);
  ++listed_;
}

/// The list first: it lists none of the frames that are then replaced.
void VtkSeries::publish() {
  write_list(old_slots_, std::max(capacity_, listed_ + kFewestSlots));
  old_slots_.clear();
  is_published_ = true;
  frames_.keep();
  for (Waiting& frame : waiting_) {
    frame.file->publish();
    list(frame.time, frame.key);
  }
  waiting_.clear();
  remove_others();
}

void VtkSeries::remove_others() {
  std::error_code error;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(frames_path_, error)) {
    const std::string name = entry.path().filename().string();
    if (!is_frame(entry.path())) continue;
    if (name.starts_with('.') || std::strtoll(name.c_str(), nullptr, 10) >= listed_) others.push_back(entry.path());
  }
  for (const fs::path& path : others) fs::remove(path, error);
}

void VtkSeries::finish() {
  if (!is_published_) return;
  const std::string all = read_text(list_path_);
  write_list(std::string_view(all).substr(kHeadBytes, static_cast<std::size_t>(listed_) * kSlotBytes), listed_);
}

void VtkSeries::check_replaceable(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path list = folder / (name + ".pvd"), frames = folder / name;
  if (fs::is_regular_file(list, error) && !is_list(list)) {
    throw InputError({list.string()}, "", "",
                     "exists and is no list of frames of this program: --force writes over it");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(frames, error)) {
    if (!is_frame(entry.path())) {
      throw InputError({entry.path().string()}, "", "",
                       "exists and is no frame of this program: --force writes beside it");
    }
  }
}

}  // namespace stickslip
