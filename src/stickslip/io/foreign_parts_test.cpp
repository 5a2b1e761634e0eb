// SPDX-License-Identifier: BSD-3-Clause
// Files of others that lead out of themselves, or that unpack to more than anybody has room for.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_file.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// A file with a secret beside it, made by the library itself.
class ForeignParts : public testing::Test {
 protected:
  ForeignParts() {
    std::ofstream(secret()) << "secret  secret  ";
    file_ = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  }
  ~ForeignParts() override { close(); }

  void close() {
    if (file_ >= 0) H5Fclose(file_);
    file_ = -1;
  }
  fs::path path() const { return folder_ / "f.h5"; }
  fs::path secret() const { return folder_ / "secret"; }

  void make_external(const char* name, hid_t type, hsize_t rows) const {
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, secret().c_str(), 0, H5F_UNLIMITED);
    const hid_t dataset = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
  }

  template <class Read>
  void expect_refused(Read&& read, const std::string& fragment) {
    close();
    const Hdf5File file = Hdf5File::open(path());
    try {
      read(file);
      ADD_FAILURE() << "it was read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
    }
  }

  test::TemporaryFolder folder_;
  hid_t file_ = -1;
};

TEST_F(ForeignParts, NumbersInAnotherFileAreNotRead) {
  make_external("/numbers", H5T_STD_U8LE, 16);
  expect_refused([](const Hdf5File& f) { f.open_dataset("/numbers"); }, "lies in other files");
  expect_refused([](const Hdf5File& f) { f.read_numbers("/numbers"); }, "lies in other files");
  expect_refused([](const Hdf5File& f) { f.read_integers("/numbers"); }, "lies in other files");
}

TEST_F(ForeignParts, TextsInAnotherFileAreNotRead) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 8);
  make_external("/texts", type, 2);
  H5Tclose(type);
  expect_refused([](const Hdf5File& f) { f.read_texts("/texts"); }, "lies in other files");
  expect_refused([](const Hdf5File& f) { f.has_texts("/texts"); }, "lies in other files");
}

TEST_F(ForeignParts, LinksAreNotFollowed) {
  H5Lcreate_external(secret().c_str(), "/", file_, "/out", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/out", file_, "/soft", H5P_DEFAULT, H5P_DEFAULT);
  for (const char* name : {"/out", "/out/below", "/soft", "/soft/below"}) {
    expect_refused([name](const Hdf5File& f) { f.open_dataset(name); }, "a link");
    expect_refused([name](const Hdf5File& f) { f.children(name); }, "a link");
    expect_refused([name](const Hdf5File& f) { f.is_group(name); }, "a link");
  }
}

/// 4 GB of zeros in a few kB, in small chunks and in one.
TEST_F(ForeignParts, WhatUnpacksToGigabytesIsRefused) {
  for (const hsize_t chunk : {hsize_t{1} << 16, hsize_t{1} << 28}) {
    const hsize_t rows = hsize_t{1} << 29;
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_deflate(creation, 9);
    const std::string name = "/bomb" + std::to_string(chunk);
    const hid_t dataset = H5Dcreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const hsize_t start = 0, count = 1;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    const hid_t one = H5Screate_simple(1, &count, nullptr);
    const double number = 1.0;
    if (chunk < 1u << 20) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &number);
    H5Sclose(one);
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
  }
  expect_refused([](const Hdf5File& f) { f.read_numbers("/bomb65536"); }, "more than the file holds");
  expect_refused([](const Hdf5File& f) { f.read_numbers("/bomb268435456"); }, "larger than the file can hold");
}

}  // namespace
}  // namespace stickslip
