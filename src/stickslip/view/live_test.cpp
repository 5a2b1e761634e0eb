// SPDX-License-Identifier: BSD-3-Clause
// What viewers get of a run is what its result holds, and the run leaves the same result whether it is watched or not.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <thread>

#include "stickslip/io/result_reader.h"
#include "stickslip/report/report.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "stickslip/view/live_data.h"
#include "stickslip/view/live_sink.h"
#include "stickslip/view/view_protocol.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

using test::TemporaryFolder;

/// Named and detected contacts, a joint, friction: something of everything that frames hold.
constexpr const char* kScene = R"toml(
stickslip = 1
name = "all"
time = {end = 0.2, step = 1e-3}
scheme = {type = "moreau"}
limits = {penetration = 1, energy = 1e6}
parameters = {mu = 0.3}
contact_default = {friction = 0.4, envelope = 0.02}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.ball]
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0, 0, 0.11]
velocity = [1, 0, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.other]
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0.21, 0, 0.1]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.rod]
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0, 2, 1]
[joints.hinge]
type = "revolute"
between = ["floor", "rod"]
at = [0, 2, 1.5]
axis = [0, 1, 0]
[[contacts]]
name = "touch"
between = ["floor", "ball"]
friction = "=mu"
)toml";

RunResult run_to(const std::filesystem::path& path, LiveData* data, RunControl& control, const char* text = kScene) {
  RunOptions options;
  options.output = path;
  if (data != nullptr) {
    options.make_sink = [&](const System& system, const State& state, const ResultHeader& header) {
      return std::make_unique<LiveSink>(path, system, state, header, *data, control);
    };
    options.before_step = [&](const State& state, const std::function<void()>& save) { control.hold(state.t, save); };
    options.stop = control.stop_token();
  }
  control.begin_run();
  return run(parse_scene(text, "all.toml"), options);
}

template <class Number>
const std::vector<Number>* find_array(const LiveFrame& frame, const std::string& name) {
  for (const LiveArray& array : frame.arrays) {
    if (array.name == name) return &std::get<std::vector<Number>>(array.numbers);
  }
  return nullptr;
}

TEST(LiveSink, TheResultIsTheSameWhetherWatchedOrNot) {
  const TemporaryFolder folder;
  LiveData data;
  RunControl control(Pace::fast);
  ASSERT_EQ(run_to(folder / "plain.h5", nullptr, control).outcome, Outcome::done);
  ASSERT_EQ(run_to(folder / "watched.h5", &data, control).outcome, Outcome::done);
  EXPECT_TRUE(test::same_result(folder / "plain.h5", folder / "watched.h5"));
}

/// Paused from the start, so that each step is a frame.
TEST(LiveSink, FramesAreTheRowsOfTheResult) {
  const TemporaryFolder folder;
  LiveData data;
  RunControl control(Pace::fast);
  std::thread viewer([&control] {
    // As a viewer who presses the button for one step again and again.
    control.see_viewer("one");
    control.pause();
    while (!control.stop_token().is_raised()) {
      control.see_viewer("one");
      control.step();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  const RunResult result = run_to(folder / "r.h5", &data, control);
  control.stop();
  viewer.join();
  ASSERT_EQ(result.outcome, Outcome::done);
  const LiveData::View view = data.look(1, 0, 1U << 30U);
  ASSERT_EQ(view.version, 1);
  const Trajectory file(folder / "r.h5");
  const RowMatrix times = file.read("/time");
  std::map<double, std::int64_t> row_at;
  for (std::int64_t i = 0; i < file.rows(); ++i) row_at[times(i, 0)] = i;
  ASSERT_GT(view.frames.size(), 150U);
  const auto sets = file.file().read_integers("/contact_sets/offsets");
  std::size_t detected = 0;
  for (const auto& frame : view.frames) {
    ASSERT_TRUE(row_at.contains(frame->time));
    const std::int64_t row = row_at.at(frame->time);
    for (const char* path : {"/q", "/u", "/contacts/gap", "/contacts/normal_percussion", "/contacts/friction_force",
                             "/contacts/status", "/joints/coordinate", "/joints/reaction_force"}) {
      const RowMatrix stored = file.read(path, row, 1);
      const auto* shown = find_array<double>(*frame, path);
      ASSERT_NE(shown, nullptr) << path;
      ASSERT_EQ(shown->size(), static_cast<std::size_t>(stored.size())) << path;
      EXPECT_EQ(std::memcmp(shown->data(), stored.data(), 8 * shown->size()), 0) << path;
    }
    // Named points, then detected ones, of a row.
    const std::uint32_t n = find_array<std::uint32_t>(*frame, "contact_offset")->front();
    const auto at = static_cast<std::size_t>(row);
    const auto n_detected = static_cast<std::size_t>(sets[at + 1] - sets[at]);
    ASSERT_EQ(n, 1 + n_detected);
    detected += n_detected;
    const auto* points = find_array<float>(*frame, "contact_point");
    const RowMatrix point = file.read("/contacts/point", row, 1);
    EXPECT_EQ((*points)[0], static_cast<float>(point(0, 0)));
    if (n_detected > 0) {
      const RowMatrix found = file.read("/contact_sets/point", sets[at], 1);
      EXPECT_EQ((*points)[3], static_cast<float>(found(0, 0)));
    }
    const auto* pose = find_array<float>(*frame, "pose");
    EXPECT_EQ(pose->size(), 7 * file.layout().size());
    EXPECT_EQ((*pose)[7], static_cast<float>(file.read_item("bodies", file.names("bodies")[1], "position")(row, 0)));
  }
  EXPECT_GT(detected, 100U);
}

/// What the pages are given of the beginning is what a report of it would hold, and frames' arrays follow its arrays.
TEST(LiveSink, FramesContinueTheBeginning) {
  const TemporaryFolder folder;
  LiveData data;
  RunControl control(Pace::real);  // which takes as long as several frames
  ASSERT_EQ(run_to(folder / "r.h5", &data, control).outcome, Outcome::done);
  const std::string beginning = *data.beginning();
  std::uint32_t length = 0;
  std::memcpy(&length, beginning.data(), 4);
  const std::string header = beginning.substr(4, length);
  EXPECT_EQ((4 + length) % 8, 0U);
  EXPECT_NE(header.find("\"file\":\"r.h5\""), std::string::npos) << header.substr(0, 500);
  EXPECT_NE(header.find("\"data_version\":1"), std::string::npos);
  EXPECT_NE(header.find("\"outcome\":\"running\""), std::string::npos);
  const LiveData::View view = data.look(1, 0, 1U << 30U);
  ASSERT_FALSE(view.frames.empty());
  for (const LiveArray& array : view.frames[0]->arrays) {
    if (array.name == "pose" || array.name.starts_with("contact_")) continue;  // packed there; none at the start
    EXPECT_NE(header.find("\"" + array.name + "\":["), std::string::npos) << array.name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5.tmp"));
}

std::shared_ptr<LiveFrame> make_frame(std::int64_t number, std::size_t doubles, bool is_row = true) {
  auto frame = std::make_shared<LiveFrame>();
  frame->number = number;
  frame->is_row = is_row;
  frame->arrays.push_back({"x", std::vector<double>(doubles, static_cast<double>(number))});
  frame->arrays.push_back({"contact_offset", std::vector<std::uint32_t>{2}});
  return frame;
}

TEST(LiveData, GivesWhatIsNew) {
  LiveData data;
  EXPECT_EQ(data.look(0, 0, 1000).version, 0);
  EXPECT_EQ(data.beginning(), nullptr);
  data.show(PageData(), ViewPhase::running);
  data.add(make_frame(1, 1), {});
  data.add(make_frame(2, 1, false), {});
  LiveData::View view = data.look(1, 0, 1000);
  ASSERT_EQ(view.frames.size(), 2U);
  EXPECT_EQ(view.last, 2);
  EXPECT_TRUE(data.look(1, 2, 1000).frames.empty());
  data.add(make_frame(3, 1), {});  // the step between goes
  view = data.look(1, 0, 1000);
  ASSERT_EQ(view.frames.size(), 2U);
  EXPECT_EQ(view.frames[1]->number, 3);
  EXPECT_EQ(data.look(1, 2, 1000).frames.size(), 1U);
  for (std::int64_t n = 4; n < 20; ++n) data.add(make_frame(n, 100), {});
  view = data.look(1, 3, 3000);
  EXPECT_TRUE(view.is_more);
  EXPECT_EQ(view.last, view.frames.back()->number);
  EXPECT_LT(view.frames.size(), 8U);
  const std::int64_t before = view.revision;
  data.set_message("no");
  EXPECT_GT(data.look(1, 3, 3000).revision, before);
  data.show(PageData(), ViewPhase::ended);
  view = data.look(1, 0, 1000);
  EXPECT_EQ(view.version, 2);
  EXPECT_TRUE(view.frames.empty());
}

TEST(LiveData, KeepsToItsSize) {
  LiveData data;
  data.show(PageData(), ViewPhase::running);
  const std::size_t n = LiveData::kMostBytes / 80000;
  for (std::size_t i = 1; i <= 3 * n; ++i) data.add(make_frame(static_cast<std::int64_t>(i), 10000), {});
  const std::int64_t version = data.look(0, 0, 0).version;
  EXPECT_GT(version, 1);  // pages begin anew with what is left
  const LiveData::View view = data.look(version, 0, 1U << 30U);
  EXPECT_LE(view.frames.size() * 80000, LiveData::kMostBytes + 80000);
  EXPECT_GT(view.frames.size(), n / 4);
  EXPECT_EQ(view.frames.front()->number, 1);
  EXPECT_EQ(view.frames.back()->number, static_cast<std::int64_t>(3 * n));
  EXPECT_EQ(static_cast<std::size_t>(view.progress.left_out) + view.frames.size(),
            3 * n + (view.frames.back()->is_row ? 0 : 1));
}

/// What a page keeps is what it is not told to replace: no more than the server keeps, however long the run.
TEST(LiveData, PagesKeepNoMoreThanTheServer) {
  LiveData data;
  data.show(PageData(), ViewPhase::running);
  std::size_t kept = 0, last = 0;  // [bytes] on the page; of its last frame, where the next replaces it
  std::int64_t version = 1, after = 0;
  const std::size_t n = 10 * LiveData::kMostBytes / 800000;
  for (std::size_t i = 1; i <= n; ++i) {
    data.add(make_frame(static_cast<std::int64_t>(i), 100000), {});
    LiveData::View view = data.look(version, after, 1U << 30U);
    if (view.version != version) {
      kept = last = 0;
      version = view.version;
      view = data.look(version, 0, 1U << 30U);
    }
    if (view.frames.empty()) continue;
    after = view.last;
    kept -= last;
    for (const auto& frame : view.frames) kept += frame->bytes();
    last = view.is_transient ? view.frames.back()->bytes() : 0;
    ASSERT_LE(kept, LiveData::kMostBytes + 2 * view.frames.back()->bytes()) << i;
  }
  EXPECT_GT(version, 3);
}

TEST(LiveFrames, AreJoinedArrayByArray) {
  const PageData data = join_frames({make_frame(1, 2), make_frame(2, 2), make_frame(3, 2)});
  EXPECT_EQ(data.header(), R"({"arrays":{"x":["f64",0,6],"contact_offset":["u32",48,4]}})");
  std::vector<std::uint32_t> offsets(4);
  std::memcpy(offsets.data(), data.bytes().data() + 48, 16);
  EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 2, 4, 6}));
  EXPECT_EQ(join_frames({}).header(), R"({"arrays":{}})");
}

TEST(ViewProtocol, AnswersPagesAndTakesCommands) {
  LiveData data;
  RunControl control(Pace::real);
  control.begin_run();
  ViewProtocol protocol(data, control, {{"mu", 0.3}, {"k", 2.0}}, true);
  const auto get = [&](const std::string& path, const std::string& query = "", double waited = 0.0) {
    return protocol.answer({"GET", path, query, "", waited});
  };
  const auto post = [&](const std::string& path, const std::string& body = "") {
    return protocol.answer({"POST", path, "", body, 0.0})->status;
  };
  const auto page = get("");
  EXPECT_NE(page->body->find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(page->body->find("connect-src 'none'"), std::string::npos);
  EXPECT_NE(page->policy.find("connect-src 'self'"), std::string::npos);
  EXPECT_NE(page->policy.find("script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page->policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(page->policy.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(get("data")->status, 404);
  for (const char* path : {"../etc/passwd", "data/", "page", "x"}) EXPECT_EQ(get(path)->status, 404) << path;
  // Waits for news, a second at most.
  const std::int64_t revision = data.look(0, 0, 0).revision + control.state().revision;
  const std::string known = "viewer=a&version=0&after=0&revision=" + std::to_string(revision);
  EXPECT_FALSE(get("next", known).has_value());
  EXPECT_TRUE(get("next", known, 1.5).has_value());
  EXPECT_TRUE(get("next", "viewer=a&version=&after=x&revision=%00&&=&a").has_value());
  EXPECT_EQ(post("pause"), 200);
  EXPECT_TRUE(control.state().paused);
  EXPECT_TRUE(get("next", known)->body->find("\"paused\":true") != std::string::npos);
  EXPECT_EQ(post("resume"), 200);
  EXPECT_FALSE(control.state().paused);
  EXPECT_EQ(post("fast"), 200);
  EXPECT_EQ(control.state().pace, Pace::fast);
  for (const char* body : {"nu=1", "mu=", "mu=1e999", "mu=nan", "mu=1;k=2", "mu=1\nk=\"x\"", "mu", "\nx"}) {
    EXPECT_EQ(post("restart", body), 400) << body;
  }
  EXPECT_FALSE(control.take_restart().has_value());
  EXPECT_EQ(post("restart", "mu=0.5\n"), 200);
  const auto wanted = control.take_restart();
  ASSERT_TRUE(wanted.has_value());
  EXPECT_EQ(wanted->parameters.at("mu"), 0.5);
  EXPECT_EQ(wanted->parameters.at("k"), 2.0);
  // What was refused later is not the last run's; what was accepted is.
  EXPECT_EQ(post("restart", "k=3"), 200);
  EXPECT_EQ(control.take_restart()->parameters.at("mu"), 0.3);
  EXPECT_NE(get("next", known)->body->find("[\"k\",2"), std::string::npos);
  protocol.accept({{"mu", 0.3}, {"k", 3.0}});
  EXPECT_EQ(post("restart", "mu=0.7"), 200);
  EXPECT_EQ(control.take_restart()->parameters.at("k"), 3.0);
  EXPECT_EQ(post("nothing"), 404);
  ViewProtocol result(data, control, {}, false);
  EXPECT_EQ(result.answer({"POST", "stop", "", "", 0.0})->status, 404);
}

/// A viewer gets frames so many times a second at most, and then all that came.
TEST(ViewProtocol, SendsThirtyFramesASecondAtMost) {
  LiveData data;
  RunControl control(Pace::fast);
  control.begin_run();
  ViewProtocol protocol(data, control, {}, true);
  data.show(PageData(), ViewPhase::running);
  data.add(make_frame(1, 1), {});
  const auto ask = [&](const char* viewer) {
    return protocol.answer({"GET", "next", std::string("version=1&after=0&revision=0&viewer=") + viewer, "", 0.0});
  };
  const auto start = RunControl::Clock::now();
  ASSERT_TRUE(ask("a").has_value());
  int refused = 0;
  while (!ask("a").has_value()) ++refused;
  EXPECT_GT(refused, 0);
  EXPECT_GE(RunControl::Clock::now() - start, std::chrono::milliseconds(33));
  EXPECT_TRUE(ask("b").has_value());  // another viewer
}

}  // namespace
}  // namespace stickslip
