// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/run_control.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace stickslip {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

const std::function<void()> kNothing = [] {};

/// A run that only counts its steps.
class CountingRun {
 public:
  explicit CountingRun(RunControl& control) : control_(control) {
    control.begin_run();
    thread_ = std::thread([this] {
      while (!control_.stop_token().is_raised()) {
        control_.hold(1e-3 * static_cast<double>(steps_), [this] { ++saved_; });
        if (control_.stop_token().is_raised()) break;
        ++steps_;
        std::this_thread::yield();
      }
    });
  }
  ~CountingRun() {
    control_.stop();
    thread_.join();
  }
  void wait_for(std::int64_t steps) const {
    while (steps_ < steps) std::this_thread::sleep_for(1ms);
  }
  /// Once it does not go on any more.
  std::int64_t wait_for_rest() const {
    for (std::int64_t before = -1; before != steps_;) {
      before = steps_;
      std::this_thread::sleep_for(60ms);
    }
    return steps_;
  }
  int saved() const { return saved_; }
  std::int64_t steps() const { return steps_; }

 private:
  RunControl& control_;
  std::atomic<std::int64_t> steps_ = 0;
  std::atomic<int> saved_ = 0;
  std::thread thread_;
};

TEST(RunControl, PausesStepsAndGoesOn) {
  RunControl control(Pace::fast);
  const CountingRun run(control);
  control.see_viewer("one");
  run.wait_for(10);
  EXPECT_EQ(run.saved(), 0);
  control.pause();
  const std::int64_t paused = run.wait_for_rest();
  EXPECT_TRUE(control.state().paused);
  EXPECT_TRUE(control.is_stepping());
  EXPECT_EQ(run.saved(), 1);
  for (std::int64_t k = 1; k <= 3; ++k) {
    control.step();
    run.wait_for(paused + k);
    EXPECT_EQ(run.wait_for_rest(), paused + k);
  }
  control.resume();
  run.wait_for(paused + 100);
  EXPECT_FALSE(control.state().paused);
}

/// Time is simulated time here: 1e-3 s a step.
TEST(RunControl, IsNotFasterThanReality) {
  RunControl control(Pace::real);
  const auto start = RunControl::Clock::now();
  const CountingRun run(control);
  run.wait_for(100);
  EXPECT_GE(RunControl::Clock::now() - start, 90ms);
  control.set_pace(Pace::fast);
  run.wait_for(100000);  // which would take a minute and a half
}

TEST(RunControl, GoesOnWhenTheLastViewerHasGone) {
  RunControl control(Pace::fast, 200ms);
  const CountingRun run(control);
  control.see_viewer("one");
  control.see_viewer("two");
  control.pause();
  std::int64_t paused = 0;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(20ms);
    control.see_viewer("two");
    if (i == 9) paused = run.steps();
  }
  EXPECT_EQ(run.steps(), paused);
  run.wait_for(paused + 100);
  EXPECT_FALSE(control.state().paused);
}

TEST(RunControl, WaitsForTheFirstViewer) {
  RunControl control(Pace::fast, 50ms);
  control.begin_run();
  control.wait_at_start();
  EXPECT_TRUE(control.state().paused);
  std::atomic<bool> goes_on = false;
  std::thread run([&] {
    control.hold(0.0, kNothing);
    goes_on = true;
  });
  std::this_thread::sleep_for(150ms);
  EXPECT_FALSE(goes_on) << "however long nobody is there";
  control.see_viewer("one");
  control.resume();
  run.join();
  EXPECT_FALSE(control.state().paused);
  // Who restarts it does not wait.
  control.restart({});
  control.take_restart();
  control.begin_run();
  EXPECT_FALSE(control.state().paused);
}

/// A run that is left and resumed stays paused, after one more step.
TEST(RunControl, KeepsThePauseOfARunThatGoesOn) {
  RunControl control(Pace::fast);
  control.begin_run();
  control.see_viewer("one");
  control.pause();
  control.hold(0.0, kNothing);
  control.stop();
  control.begin_run(true);
  EXPECT_TRUE(control.state().paused);
  control.hold(0.0, kNothing);  // the step
  std::atomic<bool> goes_on = false;
  std::thread run([&] {
    control.hold(0.0, kNothing);
    goes_on = true;
  });
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(goes_on);
  control.resume();
  run.join();
  control.begin_run(true);
  EXPECT_FALSE(control.state().paused);
}

TEST(RunControl, StopsAtOnceWhereItWaits) {
  for (const bool paused : {false, true}) {
    RunControl control(Pace::real);
    control.begin_run();
    control.see_viewer("one");
    control.hold(0.0, kNothing);
    if (paused) control.pause();
    if (paused) control.hold(0.0, kNothing);  // the step that viewers see
    std::thread stopper([&control] {
      std::this_thread::sleep_for(20ms);
      control.stop();
    });
    control.hold(1e6, kNothing);
    stopper.join();
    EXPECT_TRUE(control.stop_token().is_raised());
  }
}

TEST(RunControl, ARestartThatCameEarlyIsNotLost) {
  RunControl control(Pace::fast);
  control.begin_run();
  control.restart({{"mu", 0.5}});
  EXPECT_TRUE(control.stop_token().is_raised());
  control.begin_run();
  EXPECT_TRUE(control.stop_token().is_raised());
  const auto wanted = control.take_restart();
  ASSERT_TRUE(wanted.has_value());
  EXPECT_EQ(wanted->parameters.at("mu"), 0.5);
  EXPECT_FALSE(control.take_restart().has_value());
  control.begin_run();
  EXPECT_FALSE(control.stop_token().is_raised());
}

}  // namespace
}  // namespace stickslip
