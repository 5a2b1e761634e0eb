// SPDX-License-Identifier: BSD-3-Clause
// Streams that take nothing or are closed, pipes, links, and names that lead elsewhere: what the program does with
// them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

const std::string kStreamScene = shipped_scene("papers/capobianco/bouncing_ball_zeno.toml");

/// A line for the shell, in which `$S` is the program and `$BALL` a scene.
Ended run_shell(const std::string& line, const fs::path& folder) {
  return run_process(
      {"/bin/sh", "-c", "S='" + std::string(STICKSLIP_PROGRAM) + "'; BALL='" + kStreamScene + "'; " + line}, folder);
}

/// The ball's result of a few steps.
void write_result(const fs::path& path) {
  RunOptions options;
  options.output = path;
  run(load_scene(kStreamScene, {.overrides = {"time.end=0.05"}}), options);
}

std::string stream_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Streams, AFullStderrChangesNoStatus) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_shell("$S check nosuch.toml 2>/dev/full", folder.path()).status, 2);
  EXPECT_EQ(run_shell("$S rnu x 2>/dev/full", folder.path()).status, 2);
  EXPECT_EQ(run_shell("$S run $BALL --end 0.05 --set limits.energy=1e-30 2>/dev/full", folder.path()).status, 4);
}

TEST(Streams, AFullStdoutIsToldByTheStatus) {
  const TemporaryFolder folder;
  write_result(folder / "r.h5");
  for (const char* command :
       {"$S info r.h5", "$S info r.h5 --scene", "$S check $BALL", "$S list schemes", "$S --help"}) {
    const Ended ended = run_shell(std::string(command) + " >/dev/full", folder.path());
    EXPECT_EQ(ended.status, 2) << command;
    EXPECT_NE(ended.err.find("standard output: cannot be written"), std::string::npos) << command << ended.err;
  }
}

TEST(Streams, NothingIsWrittenIntoAResultWhereStderrIsClosed) {
  const TemporaryFolder folder;
  // A limit that is passed makes a message, and status 4.
  const std::string run = "$S run $BALL --end 0.05 --set limits.energy=1e-30 -o ";
  EXPECT_EQ(run_shell(run + "open.h5", folder.path()).status, 4);
  EXPECT_EQ(run_shell(run + "closed.h5 2>&-", folder.path()).status, 4);
  EXPECT_EQ(run_shell(run + "all.h5 <&- >&- 2>&-", folder.path()).status, 4);
  EXPECT_EQ(run_shell("$S info --verify closed.h5 && $S info --verify all.h5", folder.path()).status, 0);
  EXPECT_EQ(stream_text(folder / "closed.h5").find("limits of the scene"), std::string::npos);
}

TEST(Streams, ControlCharactersOfNamesAreShownNotObeyed) {
  const TemporaryFolder folder;
  std::ofstream(folder / "lcp.txt") << "1\n1\x1b[2J\n1\n";
  const Ended lcp = run_shell("$S solve lcp.txt", folder.path());
  EXPECT_EQ(lcp.status, 2);
  EXPECT_EQ(lcp.err.find('\x1b'), std::string::npos) << lcp.err;
  EXPECT_NE(lcp.err.find("\\x1b[2J"), std::string::npos) << lcp.err;
  const Ended name = run_shell("$S info \"$(printf 'a\\033[31mb\\nc')\"", folder.path());
  EXPECT_EQ(name.err.find('\x1b'), std::string::npos) << name.err;
  EXPECT_EQ(std::count(name.err.begin(), name.err.end(), '\n'), 1) << name.err;
}

TEST(Pipes, TakeTextAndNothingBesideIt) {
  const TemporaryFolder folder;
  write_result(folder / "r.h5");
  const Ended page = run_shell("timeout 20 $S report r.h5 -o /dev/stdout | cat", folder.path());
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_NE(page.out.find("</html>"), std::string::npos);
  EXPECT_EQ(page.out.find("/dev/stdout"), std::string::npos);
  const Ended json = run_shell(
      "timeout 20 $S compare $BALL --steps 1e-2,5e-3 --set time.end=0.05 --json /dev/stdout | cat", folder.path());
  EXPECT_EQ(json.out.rfind("{\"reference\"", 0), 0U) << json.out;
  EXPECT_EQ(json.out.find("penetration, m"), std::string::npos) << "no table beside it";
}

TEST(Pipes, ThatNobodyReadsOrWritesKeepNothingWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* command : {"run $BALL --end 0.01 --csv pipe", "solve pipe", "view pipe", "info pipe"}) {
    const Ended ended = run_shell("timeout 10 $S " + std::string(command), folder.path());
    EXPECT_EQ(ended.status, 2) << command << ended.err;
  }
  // The reader may not have opened the pipe yet. The run then ends with an error at once, and the reader, which would
  // wait for a writer for ever, is ended.
  // Nor does a reader that opens it at any other moment keep the run waiting.
  for (int i = 0; i < 8; ++i) {
    const Ended csv =
        run_shell("(sleep 0.00" + std::to_string(i) +
                      "; exec cat pipe > copy) & timeout -k 1 10 $S run $BALL --end 0.01 --csv pipe --force; s=$?; "
                      "[ $s = 0 ] || kill $!; wait; exit $s",
                  folder.path());
    EXPECT_TRUE(csv.status == 0 || csv.status == 2) << csv.err;
    if (csv.status == 0) {
      EXPECT_EQ(stream_text(folder / "copy").rfind("t,q1", 0), 0U);
    }
  }
}

TEST(Outputs, NeverTakeThePlaceOfAnInput) {
  const TemporaryFolder folder;
  write_result(folder / "r.h5");
  const std::string before = stream_text(folder / "r.h5");
  for (const char* command : {"report r.h5 -o r.h5 --force", "report r.h5 -o ./r.h5 --force"}) {
    const Ended ended = run_shell("$S " + std::string(command), folder.path());
    EXPECT_EQ(ended.status, 2) << command;
    EXPECT_NE(ended.err.find("is a result to read"), std::string::npos) << ended.err;
  }
  EXPECT_EQ(stream_text(folder / "r.h5"), before);
}

TEST(Outputs, MayHaveTheLongestNames) {
  const TemporaryFolder folder;
  const std::string name = std::string(248, 'n') + ".h5";  // 251 bytes; file systems take 255
  EXPECT_EQ(run_shell("$S run $BALL --end 0.01 -o " + name, folder.path()).status, 0);
  EXPECT_TRUE(fs::exists(folder / name));
}

/// Their names can be guessed: what somebody has laid under them is not written through.
TEST(Outputs, FollowNoLinkUnderATemporaryName) {
  const TemporaryFolder folder;
  std::ofstream(folder / "precious") << "mine";
  const Ended ended = run_shell(
      "for n in r.h5 page.html; do for k in 0 1 2; do ln -s precious .$n.$$.tmp; ln -s precious .$n.$$.$k.tmp; done; "
      "done; "
      "exec $S run $BALL --end 0.01 -o r.h5",
      folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(stream_text(folder / "precious"), "mine");
}

TEST(Results, ThatAreTakenAwayWhileTheyAreWrittenAreMissed) {
  const TemporaryFolder folder;
  const std::string begin =
      "$S run '" + shipped_scene("chain_rigid.toml") + "' --quiet -o r.h5 & until [ -s r.h5 ]; do sleep 0.01; done; ";
  for (const char* happens : {"rm r.h5", "mv r.h5 other.h5", "echo mine > x; mv x r.h5"}) {
    const Ended ended = run_shell(begin + happens + "; wait $!", folder.path());
    EXPECT_EQ(ended.status, 2) << happens << ended.err;
    EXPECT_NE(ended.err.find("was removed, moved or replaced"), std::string::npos) << ended.err;
    fs::remove(folder / "r.h5");
  }
}

TEST(Results, OfTwoRunsOntoOneNameOneIsRefused) {
  const TemporaryFolder folder;
  const std::string scene = shipped_scene("chain_rigid.toml");
  const Ended ended = run_shell("a=0; b=0; $S run '" + scene + "' --quiet -o r.h5 & p=$!; $S run '" + scene +
                                    "' --quiet -o r.h5; a=$?; wait $p; b=$?; echo $a $b",
                                folder.path());
  EXPECT_TRUE(ended.out == "0 2\n" || ended.out == "2 0\n") << ended.out << ended.err;
  EXPECT_EQ(run_shell("$S info --verify r.h5", folder.path()).status, 0);
}

}  // namespace
}  // namespace stickslip::test
