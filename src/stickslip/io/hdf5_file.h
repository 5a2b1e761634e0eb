// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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
  /// Closes the identifier. Returns false if the library could not, because the last writes did not fit on the disk.
  bool reset();

 private:
  std::int64_t id_ = -1;
};

/// Number types in a file, little-endian.
enum class Hdf5Type { float64, float32, int64, int32, uint64, uint8 };

/// One dataset of numbers: (rows), (rows, items) or (rows, items, components). Memory holds double, std::int64_t,
/// std::uint64_t or std::byte; the library converts.
class Hdf5Dataset {
 public:
  std::int64_t rows() const { return rows_; }
  /// Numbers in a row. [-]
  std::int64_t width() const { return items_ * components_; }
  /// Sizes of a row; 1 if the dataset has no such dimension. [-]
  std::int64_t items() const { return items_; }
  std::int64_t components() const { return components_; }
  int rank() const { return rank_; }
  bool is_integer() const;
  bool is_single() const;  // precision
  bool can_grow() const;   // not written once and for all
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }

  /// Makes the dataset at least that long. Throws WriteError.
  void grow(std::int64_t rows);
  /// Makes it at most that long; the file keeps the space of removed rows. Throws WriteError.
  void shrink(std::int64_t rows);
  /// Writes rows from `first` on; data holds (n, items, components) numbers. Grows the dataset as needed. Throws
  /// WriteError.
  void write(std::int64_t first, std::span<const double> data);
  void write(std::int64_t first, std::span<const std::int64_t> data);
  void write(std::int64_t first, std::span<const std::uint64_t> data);
  void write(std::int64_t first, std::span<const std::byte> data);

  /// Whether a read checks the checksums of the chunks.
  enum class Checksums { verified, ignored };
  /// Reads rows first, first + 1, ... into data (n, items, components). Throws InputError.
  void read(std::int64_t first, std::span<double> data, Checksums checksums = Checksums::verified) const;
  void read(std::int64_t first, std::span<std::int64_t> data, Checksums checksums = Checksums::verified) const;
  void read(std::int64_t first, std::span<std::uint64_t> data) const;
  void read(std::int64_t first, std::span<std::byte> data) const;
  /// Of one item alone: data (n, components).
  void read_item(std::int64_t item, std::int64_t first, std::span<double> data) const;

  /// Written rows: a killed program may have announced more. [-]
  std::int64_t stored_rows() const;
  /// Rows without a last chunk that a killed program has cut. Earlier chunks are checked when they are read. [-]
  std::int64_t sound_rows() const;

 private:
  friend class Hdf5File;
  Hdf5Dataset() = default;
  struct Rows {
    std::int64_t first, n;             // [-]
    std::int64_t first_item, n_items;  // [-]
  };
  void set_rows(std::int64_t rows);
  std::int64_t select(const Rows& rows) const;
  std::int64_t space_of(std::int64_t n, std::int64_t n_items) const;
  void write_rows(std::int64_t first, std::int64_t n, std::int64_t memory_type, const void* data);
  void read_rows(const Rows& rows, std::int64_t memory_type, void* data, Checksums checksums) const;
  void check_size(std::int64_t file_bytes) const;
  /// The size to which `stored` bytes in a file can plausibly be unpacked. [bytes]
  static double most_unpacked(double stored);
  /// The rows that this number of values fills.
  Rows whole_rows(std::int64_t first, std::size_t numbers) const;

  Hdf5Id id_;
  std::string file_;  // for messages
  std::string path_;
  int rank_ = 1;
  std::int64_t rows_ = 0;
  std::int64_t items_ = 1;
  std::int64_t components_ = 1;  // of an item; where it is a matrix, all its entries, row by row
  std::int64_t columns_ = 1;     // > 1: of that matrix
};

/// Properties of a new dataset.
struct Hdf5DatasetOptions {
  Hdf5Type type = Hdf5Type::float64;
  std::vector<std::int64_t> row = {};  // [-] shape of a row: {}, {items}, {items, components}, or {items, rows,
                                       // columns} of matrices, all >= 0
  std::int64_t rows = 0;               // [-] to begin with
  std::int64_t chunk_rows = 1;         // [-] >= 1
  std::int64_t chunk_items = 0;        // [-] 0: all
  bool checksum = false;               // of each chunk (Fletcher's, the library's filter)
};

/// An HDF5 file: opened for reading, or made anew and written in single-writer-multiple-reader mode: after
/// start_live_writing() the file can be read at any moment, also after the program was killed,
/// and no group, dataset or attribute can be added. Paths inside the file begin with '/'.
class Hdf5File {
 public:
  /// Makes a file, over an existing one; messages call it `name`. Throws WriteError.
  static Hdf5File create(const std::filesystem::path& path, const std::filesystem::path& name);
  /// Opens for reading, also while it is being written or after a crash. What is damaged is refused within
  /// milliseconds, whatever the bytes. Throws InputError.
  static Hdf5File open(const std::filesystem::path& path);
  /// Whether the file has the mark of being written: a program writes it, or was killed while writing.
  static bool is_marked(const std::filesystem::path& path);
  /// Removes that mark, so that every program opens the file. Throws WriteError.
  static void clear_mark(const std::filesystem::path& path);

  const std::string& name() const { return name_; }

  // --- writing; all throw WriteError
  void create_group(const std::string& path);
  Hdf5Dataset create_dataset(const std::string& path, const Hdf5DatasetOptions& options);
  void write_attribute(const std::string& object, const std::string& name, std::string_view text);
  void write_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& name, std::span<const double> values);
  /// The attributes of every dataset of a result. unit: "m/s"; "1" where there is none.
  void describe(const std::string& dataset, std::string_view unit, std::string_view meaning);
  /// New values for attributes that exist (in live writing too). Text is cut to the room the attribute has.
  void change_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void change_attribute(const std::string& object, const std::string& name, std::string_view text);
  /// Texts, each in a field of `bytes` bytes (UTF-8, zeros behind); more of them can be added. With checksums.
  void create_texts(const std::string& path, std::size_t bytes);
  void write_texts(const std::string& path, std::int64_t first, std::span<const std::string> texts);
  /// Numbers or texts that do not change any more, with checksums; a row has the shape `row`.
  void write_fixed(const std::string& path, std::span<const std::string> texts);
  void write_fixed(const std::string& path, Hdf5Type type, const std::vector<std::int64_t>& row,
                   std::span<const double> data);
  void write_fixed(const std::string& path, Hdf5Type type, std::span<const std::int64_t> data);
  void start_live_writing();
  /// Reserves this number of bytes on the disk. If that fails, the bytes written before stay whole. Throws WriteError,
  /// as flush() does, where another program has cut the file short.
  void reserve(std::int64_t bytes);
  /// Passes everything written so far to the operating system.
  void flush();
  void close();

  // --- reading; all throw InputError
  // Only what lies in the file itself is read: links and datasets that lead elsewhere are refused.
  bool has(const std::string& path) const;
  bool is_group(const std::string& path) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> children(const std::string& group) const;  // sorted by name
  Hdf5Dataset open_dataset(const std::string& path) const;
  /// The same; nothing where there is none, or one of texts.
  std::optional<Hdf5Dataset> find_numbers(const std::string& path) const;
  /// All numbers of a dataset of one dimension. One that claims more numbers than its bytes in the file can hold is
  /// refused before any memory is taken for it, and so are integers that are stored as floating-point numbers.
  std::vector<double> read_numbers(const std::string& path) const;
  std::vector<std::int64_t> read_integers(const std::string& path) const;
  std::string read_text(const std::string& object, const std::string& name) const;
  std::int64_t read_integer(const std::string& object, const std::string& name) const;
  /// All texts of a dataset, or those from `first` on.
  std::vector<std::string> read_texts(const std::string& path, std::int64_t first = 0) const;
  /// The size of a dataset's numbers or texts in the file. [bytes]
  std::int64_t stored_bytes(const std::string& path) const;
  /// Whether a dataset holds texts.
  bool has_texts(const std::string& path) const;

 private:
  Hdf5File() = default;
  void check_whole();
  [[noreturn]] void fail_writing(const std::string& what) const;
  [[noreturn]] void fail_reading(const std::string& what) const;
  std::int64_t file_bytes() const;
  Hdf5Id open_own_dataset(const std::string& path) const;
  Hdf5Dataset describe_numbers(Hdf5Id id, const std::string& path) const;
  Hdf5Id open_attribute(const std::string& object, const std::string& name) const;
  Hdf5Dataset create_fixed(const std::string& path, const Hdf5DatasetOptions& options);
  Hdf5Dataset named(Hdf5Id id, const std::string& path, const Hdf5DatasetOptions& options) const;
  Hdf5Id make_dataset(const std::string& path, std::int64_t type, const Hdf5DatasetOptions& options, bool fixed);

  std::string name_;          // for messages
  std::int64_t written_ = 0;  // [bytes] the size of the file when it was last written
  DiskReserve reserve_;       // outlives id_, which it measures
  Hdf5Id id_;
};

}  // namespace stickslip
