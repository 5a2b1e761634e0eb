// SPDX-License-Identifier: BSD-3-Clause
// Results that were torn or damaged.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/result_writer.h"
#include "stickslip/io/write_error.h"
#include "tests/support/example_result.h"
#include "tests/support/temporary_folder.h"

/// HDF5 1.10 does not give back all that it took for a file that it refuses.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's name for it
  return "leak:libhdf5";
}

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using test::Example;
using test::finish;
using test::make_header;
using test::make_system;
using test::TemporaryFolder;
using test::write_example;

/// Overwrites the stored bytes of `state` in a file, wherever they are, but for the first `keep` bytes.
int damage(const fs::path& path, const State& state, std::size_t keep) {
  std::ifstream in(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  in.close();
  const std::vector<std::byte> bytes = to_bytes(state);
  const std::string stored(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  int found = 0;
  for (std::size_t at = content.find(stored); at != std::string::npos; at = content.find(stored, at + 1)) {
    for (std::size_t i = keep; i < stored.size(); ++i) content[at + i] = '\x55';
    ++found;
  }
  std::ofstream(path, std::ios::binary) << content;
  return found;
}

std::string read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Groups of more than a few datasets are kept in heaps and trees of the library.
TEST(Result, AnyByteOfALargeGroupIsGuarded) {
  const TemporaryFolder folder;
  write_example(folder / "r.h5", make_system(), 3);
  const std::string content = read_bytes(folder / "r.h5");
  int places = 0;
  for (const char* signature : {"FRHP", "FHDB", "BTHD", "BTLF"}) {
    for (std::size_t at = content.find(signature); at != std::string::npos; at = content.find(signature, at + 1)) {
      for (const std::size_t behind : {0, 5, 12, 24, 40, 80, 160}) {
        std::string changed = content;
        changed[at + behind] = static_cast<char>(changed[at + behind] ^ 0x20);
        std::ofstream(folder / "r.h5", std::ios::binary) << changed;
        try {
          EXPECT_EQ(Trajectory(folder / "r.h5").rows(), 4);
        } catch (const InputError&) {
        }
        ++places;
      }
    }
  }
  EXPECT_GE(places, 28);
}

/// A kill tears a write where a page of the operating system's begins: no header of a dataset crosses such a border.
TEST(Result, HeadersLieWithinPages) {
  constexpr std::size_t kSystemPage = 4096;  // [bytes]
  const TemporaryFolder folder;
  write_example(folder / "r.h5", make_system(), 3);
  const std::string content = read_bytes(folder / "r.h5");
  const auto byte = [&content](std::size_t at) { return static_cast<unsigned char>(content[at]); };
  const std::string signature = {'O', 'H', 'D', 'R', 2};
  int headers = 0;
  for (std::size_t at = content.find(signature); at != std::string::npos; at = content.find(signature, at + 1)) {
    // Behind signature and flags: four times and two numbers if the flags say so, then the size of the messages.
    const unsigned flags = byte(at + 5);
    const std::size_t size_at = at + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
    const std::size_t size_bytes = std::size_t{1} << (flags & 3);
    std::size_t messages = 0;
    for (std::size_t i = size_bytes; i-- > 0;) messages = messages << 8 | byte(size_at + i);
    const std::size_t last = size_at + size_bytes + messages + 4 - 1;  // the checksum's
    EXPECT_EQ(at / kSystemPage, last / kSystemPage) << "header at " << at << ", " << last + 1 - at << " bytes";
    ++headers;
  }
  EXPECT_GT(headers, 50);
}

TEST(Result, ATornCheckpointLeavesTheOneBefore) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example first(system), second(system, 1);
  {
    ResultWriter writer(folder / "r.h5", system, first.state, make_header());
    writer.begin(first.state, first.report);
    writer.publish();
    writer.record(second.state, second.report, true);
    writer.checkpoint(writer.mark(second.state), {});
  }
  ASSERT_EQ(damage(folder / "r.h5", second.state, 40), 1);
  const std::optional<Checkpoint> found = Trajectory(folder / "r.h5").checkpoint();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->state.step, 0);
  EXPECT_EQ(found->rows, 1);
  ASSERT_EQ(damage(folder / "r.h5", first.state, 40), 1);
  EXPECT_FALSE(Trajectory(folder / "r.h5").checkpoint().has_value());
}

/// Changes one byte of each place where a file holds these numbers. How many there are.
int damage_numbers(const fs::path& path, const std::vector<double>& numbers) {
  std::ifstream in(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  in.close();
  const std::string stored(reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size());
  int found = 0;
  for (std::size_t at = content.find(stored); at != std::string::npos; at = content.find(stored, at + 1)) {
    content[at] = static_cast<char>(content[at] ^ 1);
    ++found;
  }
  std::ofstream(path, std::ios::binary) << content;
  return found;
}

TEST(Result, DamagedRowsAreNotGivenOut) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 10);
  const Vector q = Example(system, 4).state.q;
  ASSERT_EQ(damage_numbers(folder / "r.h5", {q.begin(), q.end()}), 1);
  const Trajectory result(folder / "r.h5");
  EXPECT_LT(result.rows(), result.announced_rows());
  EXPECT_THROW(result.read("/q", 0, 11), InputError);
  EXPECT_THROW(result.verify(), InputError);
  EXPECT_EQ(result.read("/u", 0, 11)(10, 0), Example(system, 10).state.u(0)) << "other datasets are sound";
}

/// Chunks of zeros fit Fletcher's checksum; the checkpoint's knows better.
TEST(Result, ChunksOfZerosAreNoSoundRows) {
  const TemporaryFolder folder;
  const System system = make_system();
  ResultHeader header = make_header();
  header.expected_rows = header.expected_steps = 3000;  // several chunks
  write_example(folder / "r.h5", system, 2500, header);
  const Trajectory result(folder / "r.h5");
  const Checkpoint last = result.checkpoint().value();
  const auto copy = [&] {
    const Example first(system);
    ResultWriter writer(folder / "copy.h5", system, first.state, header);
    writer.begin(Trajectory(folder / "r.h5"), last, {});
  };
  EXPECT_NO_THROW(copy());
  const Hdf5Dataset time = result.file().open_dataset("/time");
  std::vector<double> rows(1000);
  time.read(0, rows);
  std::ifstream in(folder / "r.h5", std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  in.close();
  const std::string stored(reinterpret_cast<const char*>(rows.data()), 8 * 600);
  const std::size_t at = content.find(stored);
  ASSERT_NE(at, std::string::npos);
  std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(at), 8 * 1001 + 4, '\0');
  std::ofstream(folder / "r.h5", std::ios::binary) << content;
  EXPECT_THROW(copy(), InputError);
  EXPECT_THROW(Trajectory(folder / "r.h5").verify(), InputError);
}

TEST(Result, ATornChunkBehindTheCheckpointDoesNotMatter) {
  const TemporaryFolder folder;
  const System system = make_system();
  Checkpoint fifth;
  {
    const Example first(system);
    ResultWriter writer(folder / "r.h5", system, first.state, make_header());
    writer.begin(first.state, first.report);
    writer.publish();
    for (int n = 1; n <= 8; ++n) {
      const Example step(system, n);
      writer.record(step.state, step.report, true);
      if (n == 5) {
        fifth = writer.mark(step.state);
        writer.checkpoint(fifth, {});
      }
    }
    writer.flush();
  }  // killed
  const auto copy = [&](const char* name) {
    const Example first(system);
    ResultWriter writer(folder / name, system, first.state, make_header());
    writer.begin(Trajectory(folder / "r.h5"), Trajectory(folder / "r.h5").checkpoint().value(), {});
    writer.publish();
    finish(writer, writer.mark(Example(system, 5).state));
  };
  copy("sound.h5");
  const Vector behind = Example(system, 7).state.q, before = Example(system, 3).state.q;
  ASSERT_EQ(damage_numbers(folder / "r.h5", {behind.begin(), behind.end()}), 1);
  EXPECT_EQ(Trajectory(folder / "r.h5").rows(), 0) << "the rows of the torn chunk are not shown";
  copy("torn.h5");
  EXPECT_EQ(Trajectory(folder / "torn.h5").read("/q"), Trajectory(folder / "sound.h5").read("/q"));
  ASSERT_EQ(damage_numbers(folder / "r.h5", {before.begin(), before.end()}), 1);
  EXPECT_THROW(copy("damaged.h5"), InputError);
}

/// By another program: the run ends, in place of reading again and again what is gone.
TEST(Result, ThatIsCutShortWhileItIsWrittenIsNotWaitedFor) {
  for (const std::uintmax_t bytes : {0, 1000, 20000}) {
    const TemporaryFolder folder;
    const System system = make_system();
    const Example first(system);
    ResultWriter writer(folder / "r.h5", system, first.state, make_header());
    writer.begin(first.state, first.report);
    writer.publish();
    writer.record(first.state, first.report, true);
    writer.flush();
    ASSERT_GT(fs::file_size(folder / "r.h5"), bytes);
    fs::resize_file(folder / "r.h5", bytes);
    EXPECT_THROW(writer.checkpoint(writer.mark(first.state), {}), WriteError);
    EXPECT_THROW(finish(writer, writer.mark(first.state)), WriteError);
  }
}

}  // namespace
}  // namespace stickslip
