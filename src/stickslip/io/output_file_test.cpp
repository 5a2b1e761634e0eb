// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/output_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_file.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

void make_file(const fs::path& path, const std::vector<std::string>& attributes) {
  Hdf5File file = Hdf5File::create(path, path);
  for (const std::string& name : attributes) file.write_attribute("/", name, std::int64_t{2});
  file.close();
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(OutputFile, TellsResultsFromOtherFiles) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "notes.txt") << "stickslip format";
  std::ofstream(folder / "empty.h5");
  make_file(folder / "foreign.h5", {"format"});
  make_file(folder / "ours.h5", {"stickslip", "format"});
  EXPECT_TRUE(is_result(folder / "ours.h5"));
  for (const char* name : {"notes.txt", "empty.h5", "foreign.h5", "none.h5", ""}) {
    EXPECT_FALSE(is_result(folder / name)) << name;
  }
}

TEST(OutputFile, RefusesWhatIsNotOurs) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "notes.txt") << "mine";
  make_file(folder / "ours.h5", {"stickslip", "format"});
  EXPECT_NO_THROW(check_replaceable(folder / "none.h5", MayReplace::results));
  EXPECT_NO_THROW(check_replaceable(folder / "none.csv", MayReplace::nothing));
  EXPECT_NO_THROW(check_replaceable(folder / "ours.h5", MayReplace::results));
  EXPECT_NO_THROW(check_replaceable("/dev/null", MayReplace::nothing)) << "nothing is lost there";
  for (const MayReplace replace : {MayReplace::results, MayReplace::nothing}) {
    const std::string said = message_of([&] { check_replaceable(folder / "notes.txt", replace); });
    EXPECT_NE(said.find("notes.txt: exists"), std::string::npos) << said;
    EXPECT_NE(said.find("--force"), std::string::npos) << said;
  }
  EXPECT_THROW(check_replaceable(folder / "ours.h5", MayReplace::nothing), InputError);
}

TEST(OutputFile, SaysHowMuchRoomIsMissing) {
  const test::TemporaryFolder folder;
  EXPECT_NO_THROW(check_room(folder / "r.h5", 1.0));
  EXPECT_NO_THROW(check_room("r.h5", 1.0));
  EXPECT_NO_THROW(check_room("no/such/folder/r.h5", 1e30)) << "said by whoever makes the file";
  const std::string said = message_of([&] { check_room(folder / "r.h5", 1.234e18); });
  EXPECT_NE(said.find("r.h5: needs about 1.23e+06 TB, and "), std::string::npos) << said;
  EXPECT_NE(said.find("B are free on its disk"), std::string::npos) << said;
  EXPECT_TRUE(describe_shortage(folder / "r.h5", 2e6).starts_with(": needs 2 MB more, and "));
}

}  // namespace
}  // namespace stickslip
