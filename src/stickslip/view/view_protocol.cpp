// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/view_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <optional>
#include <string_view>

#include "stickslip/base/json.h"
#include "stickslip/report/report.h"

namespace stickslip {
namespace {

constexpr std::size_t kMostFrameBytes = 4'000'000;  // [bytes] of an answer
constexpr double kLongest = 1.0;                    // [s] an answer without news waits
constexpr std::size_t kLongestName = 64;            // [characters] of a viewer
constexpr std::size_t kMostNumbers = 8;             // [-] of a joint or a push
constexpr std::size_t kMostRemembered = 1000;       // [-] whose last answer is remembered

std::string_view name_of(ViewPhase phase) {
  constexpr std::array<std::string_view, 5> kNames = {"preparing", "running", "ended", "growing", "result"};
  return kNames[static_cast<std::size_t>(phase)];
}

HttpResponse plain(int status, const std::string& text) {
  HttpResponse response;
  response.status = status;
  response.body = std::make_shared<const std::string>(text + "\n");
  return response;
}

HttpResponse packed(std::shared_ptr<const std::string> body) {
  HttpResponse response;
  response.type = "application/octet-stream";
  response.body = std::move(body);
  return response;
}

/// "a=1&b=2"
std::map<std::string, std::string> parse_query(std::string_view query) {
  std::map<std::string, std::string> found;
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(item.size() + 1, query.size()));
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) found.emplace(item.substr(0, equals), item.substr(equals + 1));
  }
  return found;
}

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t integer_of(const std::map<std::string, std::string>& query, const char* name) {
  const auto found = query.find(name);
  return found == query.end() ? 0 : parse<std::int64_t>(found->second).value_or(0);
}

void set_state(PageData& page, const LiveData::View& view, const RunControl::State& control,
               const std::vector<ViewParameter>& parameters, bool may_control, bool is_posable) {
  const auto set_number = [&page](const char* name, auto value) { page.set(name, fmt::format("{}", value)); };
  set_number("version", view.version);
  set_number("revision", view.revision + control.revision);
  set_number("last", view.last);
  set_number("transient", view.is_transient);
  set_number("more", view.is_more);
  page.set("phase", to_json(name_of(view.phase)));
  page.set("message", to_json(view.message));
  set_number("controls", may_control);
  set_number("paused", control.paused);
  page.set("pace", to_json(std::string_view(control.pace == Pace::real ? "real" : "fast")));
  set_number("viewers", control.viewers);
  set_number("posable", is_posable);
  page.set("time", to_json(view.progress.time));
  page.set("share", to_json(view.progress.share));
  set_number("steps", view.progress.steps);
  set_number("rows", view.progress.rows);
  set_number("left_out", view.progress.left_out);
  page.set("rate", to_json(view.progress.steps_per_second));
  if (!view.progress.certificate.empty()) page.set("certificate", view.progress.certificate);
  std::string list;
  for (const ViewParameter& p : parameters) {
    list += fmt::format("{}[{},{}]", list.empty() ? "" : ",", to_json(p.name), to_json(p.value));
  }
  page.set("parameters", '[' + list + ']');
}

/// "NUMBER NUMBER ...", all finite and not many; none where they are not.
std::optional<std::vector<double>> parse_numbers(std::string_view rest) {
  std::vector<double> numbers;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    const auto number = parse<double>(word);
    if (!number || !std::isfinite(*number) || numbers.size() == kMostNumbers) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// "K=NUMBER NUMBER ..." of a joint; false where it is not.
bool parse_start(std::string_view text, JointStarts& starts) {
  const std::size_t equals = text.find('=');
  const auto joint = parse<int>(text.substr(0, equals));
  if (!joint || equals == std::string_view::npos) return false;
  std::optional<std::vector<double>> numbers = parse_numbers(text.substr(equals + 1));
  if (!numbers || numbers->empty()) return false;
  starts[*joint] = std::move(*numbers);
  return true;
}

/// How a viewer wants a scene with these parameters; none: the complaint says why.
std::optional<RunControl::Restart> parse_restart(const std::string& body, std::vector<ViewParameter> parameters,
                                                 std::string& complaint) {
  constexpr std::string_view kJoint = "joint ";
  RunControl::Restart wanted;
  std::string_view rest = body;
  while (!rest.empty() && complaint.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty()) continue;
    if (line.starts_with(kJoint)) {
      if (!parse_start(line.substr(kJoint.size()), wanted.starts)) complaint = "a joint's start: numbers";
      continue;
    }
    const std::size_t equals = line.find('=');
    const std::string_view name = line.substr(0, equals);
    const auto parameter = std::ranges::find(parameters, name, &ViewParameter::name);
    const auto value = parse<double>(equals == std::string_view::npos ? "" : line.substr(equals + 1));
    if (parameter == parameters.end()) {
      complaint = "no parameter of this scene";
    } else if (!value || !std::isfinite(*value)) {
      complaint = fmt::format("{}: a number", parameter->name);
    } else {
      parameter->value = *value;
    }
  }
  if (!complaint.empty()) return std::nullopt;
  for (const ViewParameter& p : parameters) wanted.parameters[p.name] = p.value;
  return wanted;
}

PageData to_page(const StartPose& pose) {
  PageData page;
  page.add("pose", std::span<const double>(pose.poses));
  std::string joints;
  for (const PosableJoint& joint : pose.joints) {
    std::string coordinates;
    for (const double x : joint.coordinates) coordinates += (coordinates.empty() ? "" : ",") + to_json(x);
    const auto& limits = joint.limits;
    joints += fmt::format("{}[{},{},{},[{}],{},{}]", joints.empty() ? "" : ",", joint.index, to_json(joint.name),
                          to_json(joint_type_name(joint.type)), coordinates,
                          limits ? fmt::format("[{},{}]", to_json(limits->low), to_json(limits->high)) : "null",
                          joint.is_given);
  }
  page.set("joints", '[' + joints + ']');
  page.set("toml", to_json(pose.toml));
  return page;
}

}  // namespace

ViewProtocol::ViewProtocol(LiveData& data, RunControl& control, std::vector<ViewParameter> parameters, bool may_control,
                           StartPoser* poser, Pusher* pusher)
    : data_(data),
      control_(control),
      parameters_(std::move(parameters)),
      may_control_(may_control),
      poser_(poser),
      pusher_(pusher) {
  ServedPage page = page_for_server();
  policy_ = std::move(page.policy);
  page_ = std::make_shared<const std::string>(std::move(page.text));
}

std::optional<HttpResponse> ViewProtocol::answer(const HttpRequest& request) {
  if (request.method == "POST") return command(request);
  if (request.path.empty()) {
    HttpResponse response;
    response.type = "text/html; charset=utf-8";
    response.body = page_;
    response.policy = policy_;
    return response;
  }
  if (request.path == "data") {
    auto beginning = data_.beginning();
    return beginning ? packed(std::move(beginning)) : plain(404, "there is nothing to show yet");
  }
  if (request.path == "next") return next(request);
  return plain(404, "nothing is here");
}

std::optional<HttpResponse> ViewProtocol::next(const HttpRequest& request) {
  const auto query = parse_query(request.query);
  const auto named = query.find("viewer");
  const std::string viewer = named == query.end() ? "" : named->second.substr(0, kLongestName);
  control_.see_viewer(viewer);
  const auto now = RunControl::Clock::now();
  const auto sent = sent_.find(viewer);
  if (sent != sent_.end() && now - sent->second < kFramePeriod) return std::nullopt;
  const std::int64_t version = integer_of(query, "version");
  const LiveData::View view = data_.look(version, integer_of(query, "after"), kMostFrameBytes);
  const RunControl::State control = control_.state();
  const bool is_news = view.version != version || !view.frames.empty() ||
                       view.revision + control.revision != integer_of(query, "revision");
  if (!is_news && request.waited < kLongest) return std::nullopt;
  if (!view.frames.empty() && !view.is_more) {
    if (sent_.size() >= kMostRemembered) sent_.clear();
    sent_[viewer] = now;
  }
  PageData page = join_frames(view.frames);
  set_state(page, view, control, parameters(), may_control_, poser_ != nullptr);
  return packed(std::make_shared<const std::string>(pack(page)));
}

HttpResponse ViewProtocol::command(const HttpRequest& request) {
  if (!may_control_) return plain(404, "there is no run to steer");
  control_.see_viewer("");
  if (request.path == "pause") {
    control_.pause();
  } else if (request.path == "resume") {
    control_.resume();
  } else if (request.path == "step") {
    control_.step();
  } else if (request.path == "stop") {
    control_.stop();
  } else if (request.path == "real") {
    control_.set_pace(Pace::real);
  } else if (request.path == "fast") {
    control_.set_pace(Pace::fast);
  } else if (request.path == "restart") {
    return restart(request.body);
  } else if (request.path == "pose") {
    return pose(request.body);
  } else if (request.path == "push") {
    return push(request.body);
  } else {
    return plain(404, "nothing is here");
  }
  return plain(200, "done");
}

HttpResponse ViewProtocol::restart(const std::string& body) {
  std::string complaint;
  const std::optional<RunControl::Restart> wanted = parse_restart(body, parameters(), complaint);
  if (!wanted) return plain(400, complaint);
  if (poser_ != nullptr && !wanted->starts.empty()) {
    try {
      poser_->pose(wanted->parameters, wanted->starts);
    } catch (const std::exception& error) {
      return plain(400, error.what());
    }
  }
  control_.restart(wanted->parameters, wanted->starts);
  return plain(200, "done");
}

HttpResponse ViewProtocol::pose(const std::string& body) {
  std::string complaint;
  const std::optional<RunControl::Restart> wanted = parse_restart(body, parameters(), complaint);
  if (!wanted) return plain(400, complaint);
  if (poser_ == nullptr) return plain(404, "there is no scene to pose");
  try {
    return packed(std::make_shared<const std::string>(pack(to_page(poser_->pose(wanted->parameters, wanted->starts)))));
  } catch (const std::exception& error) {
    return plain(400, error.what());
  }
}

HttpResponse ViewProtocol::push(const std::string& body) {
  if (pusher_ == nullptr) return plain(404, "there is nothing to push");
  if (body.empty()) {
    pusher_->release();
    return plain(200, "done");
  }
  constexpr std::size_t kPlaces = 6;  // [-] numbers of two points
  const std::size_t blank = body.find(' ');
  const auto of_body = parse<int>(std::string_view(body).substr(0, blank));
  const auto places = parse_numbers(blank == std::string::npos ? "" : std::string_view(body).substr(blank + 1));
  if (!of_body || !places || places->size() != kPlaces) return plain(400, "a push: a body and six numbers");
  const std::string defect = pusher_->push({*of_body, Vector3(places->data()), Vector3(places->data() + 3)});
  return defect.empty() ? plain(200, "done") : plain(400, defect);
}

void ViewProtocol::accept(const RunControl::Parameters& parameters) {
  const std::lock_guard lock(mutex_);
  for (ViewParameter& p : parameters_) {
    if (const auto found = parameters.find(p.name); found != parameters.end()) p.value = found->second;
  }
}

std::vector<ViewParameter> ViewProtocol::parameters() const {
  const std::lock_guard lock(mutex_);
  return parameters_;
}

}  // namespace stickslip
