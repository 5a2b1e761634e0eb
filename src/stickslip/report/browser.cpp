// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/browser.h"

#include <fmt/format.h>
#include <unistd.h>

#include "stickslip/base/base64.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/json.h"

namespace stickslip {
namespace {

constexpr double kReply = 60.0;  // [s] for one reply: a loaded machine draws a large page in some seconds

/// The text of a member whose value has no escaped characters: identifiers, Base64.
std::string find_text(const std::string& json, std::string_view member) {
  const std::string key = fmt::format("\"{}\":\"", member);
  const std::size_t at = json.find(key);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

std::vector<std::string> command_line(const std::string& program, const std::filesystem::path& profile) {
  std::vector<std::string> arguments = {program,
                                        "--headless",
                                        "--remote-debugging-pipe",
                                        "--no-first-run",
                                        "--hide-scrollbars",
                                        "--disable-dev-shm-usage",
                                        "--use-gl=angle",
                                        "--use-angle=swiftshader",
                                        "--enable-unsafe-swiftshader",
                                        "--user-data-dir=" + profile.string()};
  if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");  // Chromium has no sandbox for root
  arguments.emplace_back("about:blank");
  return arguments;
}

}  // namespace

std::vector<std::string> Browser::names() {
  return {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"};
}

Browser::Browser(const std::string& program, const std::filesystem::path& profile, int width, int height,
                 StopToken stop)
    : stop_(stop), process_(command_line(program, profile), {3, 4}, true) {
  const std::string target = find_text(call("Target.createTarget", "{\"url\":\"about:blank\"}"), "targetId");
  session_ = find_text(
      call("Target.attachToTarget", fmt::format("{{\"targetId\":{},\"flatten\":true}}", to_json(target))), "sessionId");
  call("Emulation.setDeviceMetricsOverride",
       fmt::format("{{\"width\":{},\"height\":{},\"deviceScaleFactor\":1,\"mobile\":false}}", width, height));
}

std::string Browser::call(std::string_view method, std::string_view params) {
  const int id = ++calls_;
  const std::string session = session_.empty() ? "" : fmt::format(",\"sessionId\":{}", to_json(session_));
  std::string message =
      fmt::format("{{\"id\":{},\"method\":{},\"params\":{}{}}}", id, to_json(method), params, session);
  message += '\0';
  if (!process_.write(message)) throw InputError(fmt::format("--video: the browser ended at {}", method));
  const std::string wanted = fmt::format("{{\"id\":{},", id);
  while (true) {
    const std::size_t end = pending_.find('\0');
    if (end == std::string::npos) {
      const std::string more = process_.read(kReply, stop_);
      if (more.empty()) throw InputError(fmt::format("--video: the browser did not answer {}", method));
      pending_ += more;
      continue;
    }
    const std::string reply = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    if (!reply.starts_with(wanted)) continue;  // an event, or an answer that nobody waits for
    if (reply.starts_with(wanted + "\"error\"")) {
      throw InputError(fmt::format("--video: the browser refused {}: {}", method, find_text(reply, "message")));
    }
    return reply;
  }
}

void Browser::open(const std::filesystem::path& page, std::string_view fragment) {
  std::string url = "file://";
  for (const char c : std::filesystem::absolute(page).string()) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' ||
                       c == '.' || c == '-' || c == '_';
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  call("Page.navigate", fmt::format("{{\"url\":{}}}", to_json(fmt::format("{}#{}", url, fragment))));
}

bool Browser::is_true(std::string_view expression) {
  const std::string reply =
      call("Runtime.evaluate",
           fmt::format("{{\"expression\":{},\"awaitPromise\":true,\"returnByValue\":true}}", to_json(expression)));
  return reply.find("\"value\":true") != std::string::npos;
}

std::string Browser::take_picture() {
  const std::string picture = find_text(call("Page.captureScreenshot", "{\"format\":\"png\"}"), "data");
  return from_base64(picture);
}

}  // namespace stickslip
