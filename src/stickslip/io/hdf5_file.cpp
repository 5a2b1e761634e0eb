// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_error.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/write_lock.h"

namespace stickslip {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "Hdf5Id stands for the library's identifiers");

/// With more attributes than this on an object the library would keep them in a structure of its own. All of ours
/// stay in the object's header, which may be rewritten while others read. [-]
constexpr unsigned kMaxAttributes = 1000;

/// The library's own structures, such as the headers of datasets, do not cross a border between pages of this size,
/// unless they are longer: headers are overwritten while rows arrive, and a kill cuts a write at a page border of the
/// operating system. Longer pages leave more of the file empty. [bytes]
constexpr hsize_t kPageBytes = 1024;

Hdf5Id scalar_space() {
  return Hdf5Id(H5Screate(H5S_SCALAR));
}

/// Text of up to `bytes` bytes, in a field of fixed length: UTF-8, ended by a zero.
Hdf5Id text_type(std::size_t bytes) {
  Hdf5Id type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), bytes + 1);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

/// Names of groups and datasets are UTF-8.
Hdf5Id link_properties() {
  Hdf5Id properties(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_char_encoding(properties.get(), H5T_CSET_UTF8);
  return properties;
}

/// The library's cache of structures that describe the chunks begins with 2 MB and may fail when it has to make room
/// while a file is written for live reading. [bytes]
constexpr std::size_t kMetadataCacheBytes = std::size_t{32} << 20;

void set_metadata_cache(const Hdf5Id& properties) {
  H5AC_cache_config_t config = {};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  H5Pget_mdc_config(properties.get(), &config);
  config.set_initial_size = true;
  config.initial_size = kMetadataCacheBytes;
  config.min_size = kMetadataCacheBytes;
  config.max_size = 4 * kMetadataCacheBytes;
  H5Pset_mdc_config(properties.get(), &config);
}

/// The newest format, which alone can be read while it is written.
Hdf5Id access_properties() {
  Hdf5Id properties(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(properties.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(properties.get(), H5F_CLOSE_STRONG);
  // Whole chunks come from a Table: the library keeps none, so that Hdf5File::reserve() knows what is on the disk.
  // (Set for the file: what is set for a dataset is lost when live writing starts.)
  H5Pset_cache(properties.get(), 0, 0, 0, 1.0);
  set_metadata_cache(properties);
  return properties;
}

/// Opens for plain reading, which the library refuses where the file has the mark of being written, else for live
/// reading, which is then true. While a program writes the file its parts may be read between two writes: the library
/// then reads them again, waiting twice as long each time; in a file that nobody writes this changes nothing.
Hdf5Id open_for_reading(const std::filesystem::path& path, bool& is_live) {
  constexpr unsigned kAttempts = 25;  // [-] 30 ms in all
  const Hdf5Id access = access_properties();
  Hdf5Id id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  is_live = !id.valid();
  if (!is_live) return id;
  H5Pset_metadata_read_attempts(access.get(), WriteLock::is_held(path) ? kAttempts : 1);
  return Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()));
}

std::int64_t file_type(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::float64:
      return H5T_IEEE_F64LE;
    case Hdf5Type::float32:
      return H5T_IEEE_F32LE;
    case Hdf5Type::int64:
      return H5T_STD_I64LE;
    case Hdf5Type::int32:
      return H5T_STD_I32LE;
    case Hdf5Type::uint64:
      return H5T_STD_U64LE;
    case Hdf5Type::uint8:
      return H5T_STD_U8LE;
  }
  return H5I_INVALID_HID;
}

/// What a reader sees where a row was announced but not yet written when the program was killed.
void set_fill_value(const Hdf5Id& properties, std::int64_t type) {
  if (H5Tget_class(type) != H5T_FLOAT) return;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  H5Pset_fill_value(properties.get(), H5T_NATIVE_DOUBLE, &nan);
}

/// As much of a UTF-8 text as fits, without cutting a character in two.
std::string_view up_to_bytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0u) == 0x80u) --bytes;
  return text.substr(0, bytes);
}

std::string up_to_zero(std::string text) {
  text.erase(std::ranges::find(text, '\0'), text.end());
  return text;
}

herr_t collect_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

bool Hdf5Id::reset() {
  const std::int64_t id = std::exchange(id_, -1);
  return id < 0 || H5Idec_ref(id) >= 0;
}

// --- the file

// hdf5_error() knows of the library's last call alone: what is closed at the end of a scope is closed after the
// question how the call went, so no identifier below is a temporary object of the expression that is asked about.

Hdf5File Hdf5File::create(const std::filesystem::path& path, const std::filesystem::path& name) {
  prepare_hdf5();
  Hdf5File file;
  file.name_ = name.string();
  const Hdf5Id access = access_properties();
  const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_attr_phase_change(creation.get(), kMaxAttributes, 0);
  H5Pset_obj_track_times(creation.get(), false);
  H5Pset_file_space_strategy(creation.get(), H5F_FSPACE_STRATEGY_PAGE, false, 1);
  H5Pset_file_space_page_size(creation.get(), kPageBytes);
  file.id_ = Hdf5Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
  if (!file.id_.valid()) file.fail_writing("cannot be made");
  return file;
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  prepare_hdf5();
  Hdf5File file;
  file.name_ = path.string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) file.fail_reading("no such file");
  if (!std::filesystem::is_regular_file(path, error)) file.fail_reading("not a file");
  if (H5Fis_hdf5(path.c_str()) <= 0) file.fail_reading("not an HDF5 file");
  bool is_live = false;
  file.id_ = open_for_reading(path, is_live);
  if (!file.id_.valid()) file.fail_reading("cannot be opened: " + hdf5_error());
  return file;
}

bool Hdf5File::is_marked(const std::filesystem::path& path) {
  prepare_hdf5();
  bool is_live = false;
  return open_for_reading(path, is_live).valid() && is_live;
}

void Hdf5File::clear_mark(const std::filesystem::path& path) {
  prepare_hdf5();
  Hdf5File file;
  file.name_ = path.string();
  // What the library's own tool h5clear does: open in spite of the mark, and count all that is in the file as used
  // (the superblock of a killed program may say less).
  const Hdf5Id access = access_properties();
  const hbool_t yes = true;
  H5Pset(access.get(), "clear_status_flags", &yes);
  H5Pset(access.get(), "skip_eof_check", &yes);
  file.id_ = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()));
  if (!file.id_.valid() || H5Fincrement_filesize(file.id_.get(), 0) < 0) file.fail_writing("cannot be repaired");
  file.close();
}

void Hdf5File::start_live_writing() {
  if (H5Fstart_swmr_write(id_.get()) < 0) fail_writing("cannot be written");
  int* descriptor = nullptr;
  if (H5Fget_vfd_handle(id_.get(), H5P_DEFAULT, reinterpret_cast<void**>(&descriptor)) < 0) {
    fail_writing("cannot be written");
  }
  reserve_ = DiskReserve(*descriptor);
}

void Hdf5File::reserve(std::int64_t bytes) {
  check_whole();
  hsize_t size = 0;
  if (H5Fget_filesize(id_.get(), &size) < 0) fail_writing("cannot be written");
  if (const int error = reserve_.claim(static_cast<std::int64_t>(size), bytes); error != 0) {
    throw WriteError(fmt::format("{}: cannot be written: {}{}", name_, std::generic_category().message(error),
                                 error == ENOSPC ? describe_shortage(name_, static_cast<double>(bytes)) : ""));
  }
}

void Hdf5File::flush() {
  check_whole();
  if (H5Fflush(id_.get(), H5F_SCOPE_LOCAL) < 0) fail_writing("cannot be written");
  written_ = file_bytes();
}

/// In live writing the library reads what another program has cut off again and again, and waits ever longer for it.
void Hdf5File::check_whole() {
  const std::int64_t bytes = file_bytes();
  if (bytes < written_) throw WriteError(fmt::format("{}: was cut short while it was written", name_));
  written_ = bytes;
}

void Hdf5File::close() {
  if (!id_.reset()) fail_writing("cannot be written");
}

void Hdf5File::fail_writing(const std::string& what) const {
  throw WriteError(fmt::format("{}: {}: {}", name_, what, hdf5_error()));
}

void Hdf5File::fail_reading(const std::string& what) const {
  throw InputError({name_}, "", "", what);
}

/// On the disk: a file that is marked as being written may promise more, and the library believes it.
std::int64_t Hdf5File::file_bytes() const {
  int* descriptor = nullptr;
  struct stat status = {};
  const bool known = H5Fget_vfd_handle(id_.get(), H5P_DEFAULT, reinterpret_cast<void**>(&descriptor)) >= 0 &&
                     ::fstat(*descriptor, &status) == 0;
  return known ? status.st_size : 0;
}

// --- groups and datasets

void Hdf5File::create_group(const std::string& path) {
  const Hdf5Id creation(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_obj_track_times(creation.get(), false);
  const Hdf5Id link = link_properties();
  const Hdf5Id group(H5Gcreate2(id_.get(), path.c_str(), link.get(), creation.get(), H5P_DEFAULT));
  if (!group.valid()) fail_writing(path + " cannot be made");
}

Hdf5Id Hdf5File::make_dataset(const std::string& path, std::int64_t type, const Hdf5DatasetOptions& options,
                              bool fixed) {
  STICKSLIP_ASSERT(options.chunk_rows >= 1 && options.row.size() <= 3);
  const int rank = 1 + static_cast<int>(options.row.size());
  hsize_t shape[4] = {static_cast<hsize_t>(options.rows), 1, 1, 1};
  hsize_t most[4] = {fixed ? shape[0] : H5S_UNLIMITED, 1, 1, 1};
  hsize_t chunk[4] = {static_cast<hsize_t>(options.chunk_rows), 1, 1, 1};
  for (int d = 1; d < rank; ++d) {
    shape[d] = static_cast<hsize_t>(options.row[static_cast<std::size_t>(d - 1)]);
    most[d] = chunk[d] = std::max<hsize_t>(shape[d], 1);  // a chunk needs room in each dimension
  }
  if (options.chunk_items > 0) chunk[1] = std::min(static_cast<hsize_t>(options.chunk_items), chunk[1]);
  const Hdf5Id space(H5Screate_simple(rank, shape, most));
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE));
  const bool has_chunks = !fixed || options.rows > 0;
  if (has_chunks) H5Pset_chunk(creation.get(), rank, chunk);
  if (has_chunks && options.checksum) H5Pset_fletcher32(creation.get());
  H5Pset_obj_track_times(creation.get(), false);
  set_fill_value(creation, type);
  const Hdf5Id link = link_properties();
  Hdf5Id id(H5Dcreate2(id_.get(), path.c_str(), type, space.get(), link.get(), creation.get(), H5P_DEFAULT));
  if (!id.valid()) fail_writing(path + " cannot be made");
  return id;
}

Hdf5Dataset Hdf5File::create_dataset(const std::string& path, const Hdf5DatasetOptions& options) {
  return named(make_dataset(path, file_type(options.type), options, false), path, options);
}

Hdf5Dataset Hdf5File::create_fixed(const std::string& path, const Hdf5DatasetOptions& options) {
  return named(make_dataset(path, file_type(options.type), options, true), path, options);
}

Hdf5Dataset Hdf5File::named(Hdf5Id id, const std::string& path, const Hdf5DatasetOptions& options) const {
  Hdf5Dataset dataset;
  dataset.id_ = std::move(id);
  dataset.file_ = name_;
  dataset.path_ = path;
  dataset.rank_ = 1 + static_cast<int>(options.row.size());
  dataset.rows_ = options.rows;
  if (!options.row.empty()) dataset.items_ = options.row[0];
  if (options.row.size() > 1) dataset.components_ = options.row[1];
  if (options.row.size() > 2) dataset.components_ *= dataset.columns_ = options.row[2];
  return dataset;
}

bool Hdf5File::has(const std::string& path) const {
  if (path == "/") return true;
  // The library wants every group on the way to exist before it is asked for the next, and follows links on the way.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (H5Lexists(id_.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    H5L_info_t link = {};
    if (H5Lget_info(id_.get(), part.c_str(), &link, H5P_DEFAULT) < 0) return false;
    if (link.type != H5L_TYPE_HARD) fail_reading(part + ": a link; only what lies in the file itself is read");
    if (end == std::string::npos) return true;
  }
}

/// Invalid where there is none. Throws where the numbers lie in other files, or take more memory than is plausible.
Hdf5Id Hdf5File::open_own_dataset(const std::string& path) const {
  Hdf5Id dataset(has(path) ? H5Dopen2(id_.get(), path.c_str(), H5P_DEFAULT) : -1);
  if (!dataset.valid()) return dataset;
  const Hdf5Id creation(H5Dget_create_plist(dataset.get()));
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (H5Pget_external_count(creation.get()) != 0 || layout == H5D_VIRTUAL) {
    fail_reading(path + ": lies in other files; only what lies in the file itself is read");
  }
  hsize_t chunk[H5S_MAX_RANK] = {};
  const int rank = layout == H5D_CHUNKED ? H5Pget_chunk(creation.get(), H5S_MAX_RANK, chunk) : 0;
  const Hdf5Id type(H5Dget_type(dataset.get()));
  double bytes = static_cast<double>(H5Tget_size(type.get()));  // of a chunk, which the library reads as a whole
  for (int d = 0; d < rank; ++d) bytes *= static_cast<double>(chunk[d]);
  const auto stored = static_cast<std::int64_t>(H5Dget_storage_size(dataset.get()));
  if (rank > 0 && bytes > Hdf5Dataset::most_unpacked(static_cast<double>(std::min(stored, file_bytes())))) {
    fail_reading(path + ": its chunks are larger than the file can hold");
  }
  return dataset;
}

bool Hdf5File::is_group(const std::string& path) const {
  const Hdf5Id id(has(path) ? H5Oopen(id_.get(), path.c_str(), H5P_DEFAULT) : -1);
  return id.valid() && H5Iget_type(id.get()) == H5I_GROUP;
}

std::vector<std::string> Hdf5File::children(const std::string& group) const {
  const Hdf5Id id(has(group) ? H5Gopen2(id_.get(), group.c_str(), H5P_DEFAULT) : -1);
  if (!id.valid()) fail_reading(group + ": missing");
  std::vector<std::string> names;
  // In the order of the file: for any other order the library makes a table, and frees entries that are not set yet if
  // the group is damaged.
  if (H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect_name, &names) < 0) {
    fail_reading(group + ": damaged: " + hdf5_error());
  }
  std::ranges::sort(names);
  return names;
}

Hdf5Dataset Hdf5File::open_dataset(const std::string& path) const {
  Hdf5Id id = open_own_dataset(path);
  if (!id.valid()) fail_reading(path + ": missing");
  return describe_numbers(std::move(id), path);
}

std::optional<Hdf5Dataset> Hdf5File::find_numbers(const std::string& path) const {
  Hdf5Id id = open_own_dataset(path);
  const Hdf5Id type(id.valid() ? H5Dget_type(id.get()) : -1);
  if (!type.valid() || H5Tget_class(type.get()) == H5T_STRING) return std::nullopt;
  return describe_numbers(std::move(id), path);
}

Hdf5Dataset Hdf5File::describe_numbers(Hdf5Id id, const std::string& path) const {
  Hdf5Dataset dataset;
  dataset.file_ = name_;
  dataset.path_ = path;
  dataset.id_ = std::move(id);
  const Hdf5Id space(H5Dget_space(dataset.id_.get()));
  const Hdf5Id type(H5Dget_type(dataset.id_.get()));
  const H5T_class_t kind = H5Tget_class(type.get());
  dataset.rank_ = H5Sget_simple_extent_ndims(space.get());
  if (dataset.rank_ < 1 || dataset.rank_ > 4 || (kind != H5T_INTEGER && kind != H5T_FLOAT)) {
    fail_reading(path + ": not a table of numbers");
  }
  hsize_t shape[4] = {0, 1, 1, 1};
  H5Sget_simple_extent_dims(space.get(), shape, nullptr);
  constexpr hsize_t kMost = hsize_t{1} << 31;  // [-] numbers in a row, which are counted in int
  const hsize_t* const end = std::find_if(shape + 1, shape + 4, [](hsize_t n) { return n > kMost; });
  if (shape[0] > (kMost << 22) || end != shape + 4 || shape[2] * shape[3] > kMost ||
      shape[1] * shape[2] * shape[3] > kMost) {
    fail_reading(path + ": more numbers than a result can have");
  }
  dataset.rows_ = static_cast<std::int64_t>(shape[0]);
  dataset.items_ = static_cast<std::int64_t>(shape[1]);
  dataset.components_ = static_cast<std::int64_t>(shape[2] * shape[3]);
  dataset.columns_ = std::max<std::int64_t>(static_cast<std::int64_t>(shape[3]), 1);
  return dataset;
}

// --- attributes

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::string_view text) {
  const Hdf5Id type = text_type(text.size());
  const Hdf5Id space = scalar_space();
  const Hdf5Id attribute(H5Acreate_by_name(id_.get(), object.c_str(), name.c_str(), type.get(), space.get(),
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const std::string ended(text);
  if (!attribute.valid() || H5Awrite(attribute.get(), type.get(), ended.c_str()) < 0) {
    fail_writing(fmt::format("attribute {} of {} cannot be written", name, object));
  }
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const Hdf5Id space = scalar_space();
  const Hdf5Id attribute(H5Acreate_by_name(id_.get(), object.c_str(), name.c_str(), H5T_STD_I64LE, space.get(),
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid() || H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value) < 0) {
    fail_writing(fmt::format("attribute {} of {} cannot be written", name, object));
  }
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  const hsize_t n = values.size();
  const Hdf5Id space(H5Screate_simple(1, &n, nullptr));
  const Hdf5Id attribute(H5Acreate_by_name(id_.get(), object.c_str(), name.c_str(), H5T_IEEE_F64LE, space.get(),
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid() || H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) {
    fail_writing(fmt::format("attribute {} of {} cannot be written", name, object));
  }
}

void Hdf5File::describe(const std::string& dataset, std::string_view unit, std::string_view meaning) {
  write_attribute(dataset, "unit", unit);
  write_attribute(dataset, "meaning", meaning);
}

void Hdf5File::change_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const Hdf5Id attribute(H5Aopen_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid() || H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value) < 0) {
    fail_writing(fmt::format("attribute {} of {} cannot be written", name, object));
  }
}

void Hdf5File::change_attribute(const std::string& object, const std::string& name, std::string_view text) {
  const Hdf5Id attribute(H5Aopen_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  const Hdf5Id type(attribute.valid() ? H5Aget_type(attribute.get()) : -1);
  const std::size_t room = type.valid() ? H5Tget_size(type.get()) : 1;
  std::string padded(up_to_bytes(text, room - 1));
  padded.resize(room, '\0');
  if (!type.valid() || H5Awrite(attribute.get(), type.get(), padded.data()) < 0) {
    fail_writing(fmt::format("attribute {} of {} cannot be written", name, object));
  }
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return H5Aexists_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

Hdf5Id Hdf5File::open_attribute(const std::string& object, const std::string& name) const {
  Hdf5Id attribute(H5Aopen_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid()) fail_reading(fmt::format("attribute {} of {}: missing", name, object));
  const Hdf5Id space(H5Aget_space(attribute.get()));
  if (H5Sget_simple_extent_npoints(space.get()) != 1) {
    fail_reading(fmt::format("attribute {} of {}: not a single value", name, object));
  }
  return attribute;
}

std::string Hdf5File::read_text(const std::string& object, const std::string& name) const {
  const Hdf5Id attribute = open_attribute(object, name);
  const Hdf5Id type(H5Aget_type(attribute.get()));
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) {
    fail_reading(fmt::format("attribute {} of {}: not text of a fixed length", name, object));
  }
  const Hdf5Id space(H5Aget_space(attribute.get()));
  const std::size_t size = H5Tget_size(type.get());
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || static_cast<std::int64_t>(size) > file_bytes()) {
    fail_reading(fmt::format("attribute {} of {}: not one text that the file can hold", name, object));
  }
  std::string text(size, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) {
    fail_reading(fmt::format("attribute {} of {}: {}", name, object, hdf5_error()));
  }
  return up_to_zero(std::move(text));
}

std::int64_t Hdf5File::read_integer(const std::string& object, const std::string& name) const {
  const Hdf5Id attribute = open_attribute(object, name);
  std::int64_t value = 0;
  if (H5Aread(attribute.get(), H5T_NATIVE_INT64, &value) < 0) {
    fail_reading(fmt::format("attribute {} of {}: not an integer", name, object));
  }
  return value;
}

}  // namespace stickslip
