// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "stickslip/view/http_server.h"
#include "stickslip/view/live_data.h"
#include "stickslip/view/push.h"
#include "stickslip/view/run_control.h"

namespace stickslip {

/// A parameter of the scene that viewers may change.
struct ViewParameter {
  std::string name;
  double value = 0.0;
};

/// The protocol between pages and the program, by HTTP (http_server.h). Paths after the token:
///
///   GET  (nothing)    the page of a report, without data, that may ask its own server alone
///   GET  data         a beginning: what a report's page holds of the result, packed (live_frame.h), and data_version
///   GET  next?version=V&after=N&revision=R&viewer=NAME
///                     what is new after frame N of the beginning V, packed: frames, at most about 4 MB of them, and
///                     the members of `state` below. Without anything new the answer waits, a second at most; a viewer
///                     gets 30 answers with frames a second at most.
///   POST pause, resume, step, stop, real, fast
///   POST restart      the scene from its start: a line NAME=NUMBER for each parameter, those of the scene alone, and
///                     `joint K=NUMBER NUMBER ...` for each joint of the scene whose coordinates at the start are given
///   POST push         "BODY X Y Z X Y Z": the body's index, a point of it in its frame and where in the world that is
///                     to be [m]; repeated while it is held. Empty: it is released
///   POST pose         where that would begin, packed: the array pose (7 bodies), the members joints, a list of
///                     [index, name, type, coordinates, limits or null, whether they are given], and toml
///
/// state: version (of the beginning; a page with another asks for data), revision, last (number of the last frame),
/// transient (the last frame is not kept: the next replaces it), more (ask at once), phase, message, paused, pace,
/// time, share, steps, rows, left_out, rate, certificate, parameters, viewers,
/// posable (joints have starts to choose).
class ViewProtocol {
 public:
  /// All must outlive this. may_control: there is a run, which viewers may steer. poser, pusher: null where there is
  /// none.
  ViewProtocol(LiveData& data, RunControl& control, std::vector<ViewParameter> parameters, bool may_control,
               StartPoser* poser = nullptr, Pusher* pusher = nullptr);

  std::optional<HttpResponse> answer(const HttpRequest& request);
  /// The scene could be read with these parameters: they are the last run's from now on. Any thread.
  void accept(const RunControl::Parameters& parameters);

 private:
  std::optional<HttpResponse> next(const HttpRequest& request);
  HttpResponse command(const HttpRequest& request);
  HttpResponse restart(const std::string& body);
  HttpResponse pose(const std::string& body);
  HttpResponse push(const std::string& body);
  std::vector<ViewParameter> parameters() const;

  LiveData& data_;
  RunControl& control_;
  mutable std::mutex mutex_;
  std::vector<ViewParameter> parameters_;  // as the last run had them; under the mutex
  bool may_control_;
  StartPoser* poser_;
  Pusher* pusher_;
  std::shared_ptr<const std::string> page_;
  std::string policy_;
  std::map<std::string, RunControl::Clock::time_point> sent_;  // when a viewer got frames last
};

}  // namespace stickslip
