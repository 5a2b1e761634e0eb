// SPDX-License-Identifier: BSD-3-Clause
// h5py reads a result while it is written, and sees it grow.
#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

constexpr const char* kWatch = R"(
import h5py, sys, time
while True:
    try:
        f = h5py.File(sys.argv[1], "r", swmr=True)
        break
    except OSError:
        time.sleep(0.01)
lengths = []
deadline = time.time() + 60
while len(lengths) < 3 and time.time() < deadline:
    f["time"].refresh(); f["steps/time"].refresh(); f["bodies/position"].refresh()
    n = len(f["time"])
    if not lengths or n > lengths[-1]:
        assert len(f["bodies/position"]) >= n
        assert f["bodies/position"][n - 1, list(f["bodies/name"].asstr()).index("top"), 2] > 0
        assert f["time"][n - 1] > 0 or n == 1
        lengths.append(n)
    time.sleep(0.02)
assert len(lengths) == 3, lengths
assert f.attrs["finished"] == 0
print(f.attrs["scheme"].decode(), f["time"].attrs["unit"].decode())
)";

TEST(LiveReading, H5pySeesRowsArrive) {
  const TemporaryFolder folder;
  if (run_process({kPython, "-c", "import h5py"}, folder.path()).status != 0) GTEST_SKIP() << "no h5py";
  Process run({STICKSLIP_PROGRAM, "run", shipped_scene("papers/capobianco/tippe_top.toml"), "--end", "10000", "--quiet",
               "-o", "live.h5"},
              folder.path());
  const TemporaryFolder elsewhere;  // where Python's output does not overwrite the program's
  const Ended watch = run_process({kPython, "-c", kWatch, (folder / "live.h5").string()}, elsewhere.path());
  EXPECT_EQ(watch.status, 0) << watch.err;
  EXPECT_EQ(watch.out, "generalized-alpha s\n");
  run.send(SIGINT);
  EXPECT_EQ(run.wait(), 130);
}

}  // namespace
}  // namespace stickslip::test
