// SPDX-License-Identifier: BSD-3-Clause
// The verb `view` from outside, without a browser: its address, what it leaves, how it ends.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "stickslip/io/result_reader.h"
#include "tests/support/http_client.h"
#include "tests/support/process.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScene = R"toml(
stickslip = 1
name = "ball"
time = {end = 0.3, step = 1e-3}
scheme = {type = "moreau"}
output = {every = 0.01}
limits = {penetration = 1, energy = 1e6}
parameters = {mu = 0.3, half = "=mu/2"}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.ball]
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0, 0, 0.2]
velocity = [1, 0, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[[contacts]]
name = "touch"
between = ["floor", "ball"]
friction = "=mu"
)toml";

/// `stickslip view` at work in a folder.
class View {
 public:
  View(const fs::path& folder, const Arguments& arguments)
      : process_(joined({STICKSLIP_PROGRAM, "view"}, arguments), folder) {
    std::string line;
    while (process_.running() && line.find('\n') == std::string::npos) {
      line = process_.out();
      std::this_thread::yield();
    }
    int port = 0;
    std::array<char, 64> token = {};
    if (std::sscanf(line.c_str(), "http://127.0.0.1:%d/%32[0-9a-f]/\n", &port, token.data()) == 2) {
      port_ = port;
      token_ = token.data();
    }
  }
  bool serves() const { return port_ > 0; }
  int port() const { return port_; }
  Process& process() { return process_; }
  std::string get(const std::string& path) const {
    const HttpClient client(port_);
    return client.ask("/" + token_ + "/" + path, "Host: " + client.host() + "\r\n");
  }
  int post(const std::string& path, const std::string& body = "") const {
    const HttpClient client(port_);
    return http_status(client.ask("/" + token_ + "/" + path, "Host: " + client.host() + "\r\n", "POST", body));
  }
  /// Asks until the state holds a text.
  std::string wait_for(const std::string& text) {
    std::string answer;
    while (process_.running() && answer.find(text) == std::string::npos) answer = get("next?viewer=test");
    return answer;
  }
  int interrupt() {
    process_.send(SIGINT);
    return process_.wait();
  }

 private:
  Process process_;
  int port_ = 0;
  std::string token_;
};

TEST(View, LeavesTheResultOfRun) {
  const TemporaryFolder folder;
  std::ofstream(folder / "ball.toml") << kScene;
  const Arguments options = {
      "--scheme", "ccp", "--step", "2e-3", "--set", "parameters.mu=0.4", "--threads", "2", "--checkpoint-every", "0.1"};
  const Arguments scene = joined({"ball.toml", "--quiet"}, options);
  ASSERT_EQ(
      run_stickslip(joined(joined({"run"}, scene), {"-o", "plain.h5", "--csv", "plain.csv"}), folder.path()).status, 0);
  for (const char* pace : {"real", "fast"}) {
    View view(folder.path(), joined(scene, {"-o", "viewed.h5", "--csv", "viewed.csv", "--force", "--pace", pace}));
    ASSERT_TRUE(view.serves()) << view.process().err();
    view.wait_for("\"phase\":\"ended\"");
    EXPECT_TRUE(same_result(folder / "plain.h5", folder / "viewed.h5")) << pace;
    EXPECT_EQ(view.interrupt(), 0);
  }
  std::ifstream plain(folder / "plain.csv"), viewed(folder / "viewed.csv");
  const std::string text(std::istreambuf_iterator<char>(plain), {});
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(viewed), {}));
  EXPECT_FALSE(text.empty());
}

TEST(View, RunsAgainWithOtherParameters) {
  const TemporaryFolder folder;
  std::ofstream(folder / "ball.toml") << kScene;
  View view(folder.path(), {"ball.toml", "--quiet", "-o", "viewed.h5", "--pace", "fast"});
  ASSERT_TRUE(view.serves()) << view.process().err();
  view.wait_for("\"phase\":\"ended\"");
  EXPECT_EQ(view.post("restart", "half=1"), 400);
  EXPECT_EQ(view.post("restart", "mu=0.1"), 200);
  view.wait_for("\"version\":4");  // of each run its beginning and its end
  ASSERT_EQ(
      run_stickslip({"run", "ball.toml", "--quiet", "-o", "plain.h5", "--set", "parameters.mu=0.1"}, folder.path())
          .status,
      0);
  EXPECT_TRUE(same_result(folder / "plain.h5", folder / "viewed.h5"));
  // What is out of bounds is said, and the page goes on.
  EXPECT_EQ(view.post("restart", "mu=-1"), 200);
  EXPECT_NE(view.wait_for("friction").find("contacts"), std::string::npos);
  EXPECT_EQ(view.post("restart", "mu=0.2"), 200);
  view.wait_for("\"version\":6");
  EXPECT_EQ(view.interrupt(), 0);
}

TEST(View, EndsAsARunDoesWhileItRuns) {
  const TemporaryFolder folder;
  std::ofstream(folder / "ball.toml") << kScene;
  for (const bool paused : {false, true}) {
    View view(folder.path(), {"ball.toml", "--quiet", "-o", "viewed.h5", "--end", "1e4"});
    ASSERT_TRUE(view.serves()) << view.process().err();
    view.wait_for("\"phase\":\"running\"");
    if (paused) {
      EXPECT_EQ(view.post("pause"), 200);
      view.wait_for("\"paused\":true");
    }
    EXPECT_EQ(view.interrupt(), 130);
    EXPECT_NE(view.process().err().find("--resume viewed.h5"), std::string::npos) << view.process().err();
    EXPECT_EQ(Trajectory(folder / "viewed.h5").text("outcome"), "interrupted");
  }
  // The result of a stop by a viewer can be resumed as well, and watched again.
  View view(folder.path(), {"ball.toml", "--quiet", "-o", "viewed.h5", "--end", "1e4"});
  ASSERT_TRUE(view.serves()) << view.process().err();
  view.wait_for("\"phase\":\"running\"");
  EXPECT_EQ(view.post("stop"), 200);
  view.wait_for("\"phase\":\"ended\"");
  EXPECT_EQ(view.interrupt(), 0);
  const double end = Trajectory(folder / "viewed.h5").read("/time").maxCoeff() + 0.3;
  const std::string until = fmt::format("{}", end);
  View on(folder.path(), {"ball.toml", "--quiet", "--resume", "viewed.h5", "--end", until, "--pace", "fast"});
  ASSERT_TRUE(on.serves()) << on.process().err();
  on.wait_for("\"phase\":\"ended\"");
  EXPECT_EQ(on.interrupt(), 0);
  ASSERT_EQ(run_stickslip({"run", "ball.toml", "--quiet", "-o", "plain.h5", "--end", until}, folder.path()).status, 0);
  EXPECT_TRUE(same_result(folder / "plain.h5", folder / "viewed.h5"));
}

TEST(View, ShowsResultsAndRefusesWhatIsNone) {
  const TemporaryFolder folder;
  std::ofstream(folder / "ball.toml") << kScene;
  ASSERT_EQ(run_stickslip({"run", "ball.toml", "--quiet", "-o", "r.h5"}, folder.path()).status, 0);
  {
    View view(folder.path(), {"r.h5"});
    ASSERT_TRUE(view.serves()) << view.process().err();
    EXPECT_NE(view.get("data").find("\"name\":\"ball\""), std::string::npos);
    EXPECT_EQ(view.post("pause"), 404);
    const std::string port = fmt::format("{}", view.port());
    const Ended taken = run_stickslip({"view", "r.h5", "--port", port}, folder.path());
    EXPECT_EQ(taken.status, 2);
    EXPECT_NE(taken.err.find("--port " + port), std::string::npos) << taken.err;
    EXPECT_EQ(view.interrupt(), 0);
  }
  fs::resize_file(folder / "r.h5", fs::file_size(folder / "r.h5") / 2);
  std::ofstream(folder / "letter.h5") << "dear";
  struct Case {
    Arguments arguments;
    const char* says;
  };
  for (const Case& c : std::initializer_list<Case>{{{"r.h5"}, "r.h5"},
                                                   {{"letter.h5"}, "letter.h5"},
                                                   {{"none.h5"}, "none.h5"},
                                                   {{"none.toml"}, "none.toml"},
                                                   {{"ball.toml", "--pace", "slow"}, "--pace"},
                                                   {{"ball.toml", "--port", "0"}, "--port"},
                                                   {{"ball.toml", "-o", "letter.h5"}, "letter.h5"},
                                                   {{"r.h5", "--scheme", "ccp"}, "--scheme: for scenes"}}) {
    const Ended ended = run_stickslip(joined({"view"}, c.arguments), folder.path());
    EXPECT_EQ(ended.status, 2) << c.says;
    EXPECT_NE(ended.err.find(c.says), std::string::npos) << ended.err;
  }
}

}  // namespace
}  // namespace stickslip::test
