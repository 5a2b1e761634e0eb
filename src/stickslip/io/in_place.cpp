// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/in_place.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <limits>

#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_error.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {
namespace {

Hdf5Id in_place_type(const InPlaceDataset& dataset) {
  switch (dataset.type) {
    case InPlaceDataset::Type::real:
      return Hdf5Id(H5Tcopy(H5T_IEEE_F64LE));
    case InPlaceDataset::Type::integer:
      return Hdf5Id(H5Tcopy(H5T_STD_I64LE));
    case InPlaceDataset::Type::text:
      break;
  }
  Hdf5Id type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), static_cast<std::size_t>(dataset.width));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

int in_place_shape(const InPlaceDataset& dataset, std::int64_t rows, hsize_t (&shape)[2]) {
  shape[0] = static_cast<hsize_t>(rows);
  shape[1] = static_cast<hsize_t>(dataset.width);
  return dataset.has_columns ? 2 : 1;
}

/// Undefined where the dataset is another.
haddr_t find_place(const Hdf5Id& file, const InPlaceDataset& dataset, std::int64_t rows) {
  for (std::size_t end = dataset.path.find('/', 1);; end = dataset.path.find('/', end + 1)) {
    if (H5Lexists(file.get(), dataset.path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return HADDR_UNDEF;
    if (end == std::string::npos) break;
  }
  const Hdf5Id id(H5Dopen2(file.get(), dataset.path.c_str(), H5P_DEFAULT));
  if (!id.valid()) return HADDR_UNDEF;
  const Hdf5Id type(H5Dget_type(id.get()));
  const Hdf5Id space(H5Dget_space(id.get()));
  hsize_t shape[2] = {}, found[2] = {};
  const std::int64_t bytes = rows * dataset.row_bytes();
  const int rank = in_place_shape(dataset, rows, shape);
  const bool is_same =
      H5Tequal(type.get(), in_place_type(dataset).get()) > 0 && H5Sget_simple_extent_ndims(space.get()) == rank &&
      H5Sget_simple_extent_dims(space.get(), found, nullptr) == rank && found[0] == shape[0] &&
      (rank == 1 || found[1] == shape[1]) && H5Dget_storage_size(id.get()) == static_cast<hsize_t>(bytes);
  return is_same ? H5Dget_offset(id.get()) : HADDR_UNDEF;
}

}  // namespace

std::vector<std::int64_t> create_in_place(const std::filesystem::path& path, const std::string& name,
                                          std::span<const std::string> groups,
                                          std::span<const InPlaceAttribute> attributes,
                                          std::span<const InPlaceDataset> datasets, std::int64_t rows) {
  prepare_hdf5();
  const auto fail = [&name](const std::string& what) {
    throw WriteError(fmt::format("{}: {}: {}", name, what, hdf5_error()));
  };
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const Hdf5Id root(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(root.get(), false);
  Hdf5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, root.get(), access.get()));
  if (!file.valid()) fail("cannot be made");
  for (const std::string& group : groups) {
    const Hdf5Id creation(H5Pcreate(H5P_GROUP_CREATE));
    H5Pset_obj_track_times(creation.get(), false);
    const Hdf5Id id(H5Gcreate2(file.get(), group.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    if (!id.valid()) fail(group + " cannot be made");
  }
  for (const InPlaceAttribute& attribute : attributes) {
    const auto* text = std::get_if<std::string>(&attribute.value);
    const Hdf5Id type(H5Tcopy(text != nullptr ? H5T_C_S1 : H5T_STD_I64LE));
    if (text != nullptr) {
      H5Tset_size(type.get(), text->size() + 1);
      H5Tset_cset(type.get(), H5T_CSET_UTF8);
    }
    const Hdf5Id space(H5Screate(H5S_SCALAR));
    const Hdf5Id id(H5Acreate2(file.get(), attribute.name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    const void* data = text != nullptr ? static_cast<const void*>(text->c_str())
                                       : static_cast<const void*>(std::get_if<std::int64_t>(&attribute.value));
    if (!id.valid() || H5Awrite(id.get(), type.get(), data) < 0) fail(attribute.name + " cannot be written");
  }
  std::vector<std::int64_t> places;
  for (const InPlaceDataset& dataset : datasets) {
    hsize_t shape[2] = {};
    const int rank = in_place_shape(dataset, rows, shape);
    const Hdf5Id space(H5Screate_simple(rank, shape, nullptr));
    const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(creation.get(), false);
    H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (dataset.type == InPlaceDataset::Type::real) H5Pset_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &nan);
    const Hdf5Id link(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_char_encoding(link.get(), H5T_CSET_UTF8);
    const Hdf5Id id(H5Dcreate2(file.get(), dataset.path.c_str(), in_place_type(dataset).get(), space.get(), link.get(),
                               creation.get(), H5P_DEFAULT));
    const haddr_t place = id.valid() ? H5Dget_offset(id.get()) : HADDR_UNDEF;
    if (place == HADDR_UNDEF) fail(dataset.path + " cannot be made");
    places.push_back(static_cast<std::int64_t>(place));
  }
  if (!file.reset()) fail("cannot be written");
  return places;
}

std::vector<std::int64_t> find_in_place(const std::filesystem::path& path, std::span<const InPlaceDataset> datasets,
                                        std::int64_t rows) {
  prepare_hdf5();
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file.valid()) throw InputError({path.string()}, "", "", "cannot be opened: " + hdf5_error());
  std::vector<std::int64_t> places;
  for (const InPlaceDataset& dataset : datasets) {
    const haddr_t place = find_place(file, dataset, rows);
    if (place == HADDR_UNDEF) throw InputError({path.string()}, dataset.path, "", "another shape or type, or missing");
    places.push_back(static_cast<std::int64_t>(place));
  }
  return places;
}

}  // namespace stickslip
