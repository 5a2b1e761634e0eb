// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stickslip/io/disk_reserve.h"
#include "stickslip/io/write_error.h"

namespace stickslip {

/// Owns one identifier of the HDF5 library, of whatever kind.
class Hdf5Id {
 public:
  Hdf5Id() = default;
  explicit Hdf5Id(std::int64_t id) : id_(id) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Hdf5Id() { reset(); }

  std::int64_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// Gives the identifier back. Returns false where the library could not (what was left to write did not fit).
  bool reset();

 private:
  std::int64_t id_ = -1;
};

/// Number types in a file, little-endian.
enum class Hdf5Type { float64, float32, int64, int32, uint64, uint8 };

/// One dataset of numbers, (rows) or (rows, width). Memory holds double, std::int64_t, std::uint64_t or std::byte;
/// the library converts.
class Hdf5Dataset {
 public:
  std::int64_t rows() const { return rows_; }
  /// Numbers in a row; 1 where the dataset has one dimension.
  std::int64_t width() const { return width_; }

  /// Makes the dataset at least that long. Throws WriteError.
  void grow(std::int64_t rows);
  /// Writes rows from `first` on; data holds (n, width) numbers. Grows the dataset as needed. Throws WriteError.
  void write(std::int64_t first, std::span<const double> data);
  void write(std::int64_t first, std::span<const std::int64_t> data);
  void write(std::int64_t first, std::span<const std::uint64_t> data);
  void write(std::int64_t first, std::span<const std::byte> data);

  /// Reads rows first, first + 1, ... into data (n, width). Throws InputError.
  void read(std::int64_t first, std::span<double> data) const;
  void read(std::int64_t first, std::span<std::int64_t> data) const;
  void read(std::int64_t first, std::span<std::uint64_t> data) const;
  void read(std::int64_t first, std::span<std::byte> data) const;

 private:
  friend class Hdf5File;
  Hdf5Dataset() = default;
  void write_rows(std::int64_t first, std::int64_t n, std::int64_t memory_type, const void* data);
  void read_rows(std::int64_t first, std::int64_t n, std::int64_t memory_type, void* data) const;
  void check_size(std::int64_t file_bytes) const;
  bool is_integer() const;

  Hdf5Id id_;
  std::string file_;  // for messages
  std::string path_;
  int rank_ = 1;
  std::int64_t rows_ = 0;
  std::int64_t width_ = 1;
};

/// What a dataset is made with.
struct Hdf5DatasetOptions {
  Hdf5Type type = Hdf5Type::float64;
  int rank = 1;                 // 1: (rows); 2: (rows, width)
  std::int64_t width = 1;       // [-] numbers in a row, >= 0
  std::int64_t rows = 0;        // [-] to begin with
  std::int64_t chunk_rows = 1;  // [-] >= 1
};

/// An HDF5 file: opened for reading, or made anew and written in single-writer-multiple-reader mode: after
/// start_live_writing() the file can be read at any moment, also after the program was killed,
/// and no group, dataset or attribute can be added. Paths inside the file begin with '/'.
class Hdf5File {
 public:
  /// Makes a file, over an existing one; messages call it `name`. Throws WriteError.
  static Hdf5File create(const std::filesystem::path& path, const std::filesystem::path& name);
  /// Opens for reading, also while it is being written or after a crash. Throws InputError.
  static Hdf5File open(const std::filesystem::path& path);
  /// Whether the file carries the mark that somebody writes it: somebody does, or was killed doing so.
  static bool is_marked(const std::filesystem::path& path);
  /// Takes that mark away, so that every program opens the file. Throws WriteError.
  static void clear_mark(const std::filesystem::path& path);

  const std::string& name() const { return name_; }

  // --- writing; all throw WriteError
  void create_group(const std::string& path);
  Hdf5Dataset create_dataset(const std::string& path, const Hdf5DatasetOptions& options);
  void write_attribute(const std::string& object, const std::string& name, std::string_view text);
  void write_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& name, std::span<const double> values);
  /// New values for attributes that exist (in live writing too). Text is cut to the room the attribute has.
  void change_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void change_attribute(const std::string& object, const std::string& name, std::string_view text);
  /// One column of a table with named fields.
  struct Field {
    std::string name;
    std::variant<std::vector<std::string>, std::vector<std::int64_t>> values;  // (rows)
  };
  void write_fields(const std::string& path, std::int64_t rows, const std::vector<Field>& fields);
  void start_live_writing();
  /// Makes sure that the disk takes so many bytes more. Once it does not, what was written before stays whole.
  void reserve(std::int64_t bytes);
  /// Hands everything written so far to the operating system.
  void flush();
  void close();

  // --- reading; all throw InputError
  bool has(const std::string& path) const;
  bool is_group(const std::string& path) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> children(const std::string& group) const;  // sorted by name
  Hdf5Dataset open_dataset(const std::string& path) const;
  /// All numbers of a dataset of one dimension. One that claims more numbers than its bytes in the file can hold is
  /// refused before any memory is taken for it, and so are integers that are stored as floating-point numbers.
  std::vector<double> read_numbers(const std::string& path) const;
  std::vector<std::int64_t> read_integers(const std::string& path) const;
  std::string read_text(const std::string& object, const std::string& name) const;
  std::int64_t read_integer(const std::string& object, const std::string& name) const;
  std::vector<std::string> read_text_field(const std::string& path, const std::string& field) const;
  std::vector<std::int64_t> read_integer_field(const std::string& path, const std::string& field) const;

 private:
  Hdf5File() = default;
  [[noreturn]] void fail_writing(const std::string& what) const;
  [[noreturn]] void fail_reading(const std::string& what) const;
  std::int64_t file_bytes() const;
  Hdf5Id open_attribute(const std::string& object, const std::string& name) const;

  std::string name_;     // for messages
  DiskReserve reserve_;  // outlives id_, which it measures
  Hdf5Id id_;
};

}  // namespace stickslip
