// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace stickslip {

/// What a client asks, behind the token: "/TOKEN/next?after=3" has path "next" and query "after=3". Nothing is decoded.
struct HttpRequest {
  std::string method;  // "GET" or "POST"
  std::string path;
  std::string query;
  std::string body;     // at most HttpServer::kMostBody bytes
  double waited = 0.0;  // [s] since it came
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;    // none: empty
  std::string policy = "default-src 'none'";  // Content-Security-Policy
};

/// Answers a request; none: not yet, ask again. Called by the server's own thread.
using HttpHandler = std::function<std::optional<HttpResponse>(const HttpRequest&)>;

/// Serves a page to browsers on this machine, by a thread of its own, by HTTP/1.1.
///
/// Listens on 127.0.0.1 only. A request needs the token, 128 random bits that are new with each server, first in its
/// path. The Host must be 127.0.0.1 with this port, and an Origin, if there is one, that of the page: other sites in
/// the same browser, also on this machine, and other names of this machine are refused. No request names a file.
/// Headers, bodies and connections are bounded by the constants below, and a client that is silent, or does not take an
/// answer, is disconnected after a while. Beyond kMostConnections the oldest that has not shown the token is closed, or
/// the new one if all have.
class HttpServer {
 public:
  static constexpr int kMostBody = 65536;      // [bytes]
  static constexpr int kMostHeader = 8192;     // [bytes]
  static constexpr int kMostConnections = 64;  // [-]

  /// port: 0 takes a free one. Throws InputError where it cannot be had.
  HttpServer(int port, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  int port() const;
  const std::string& token() const;
  /// "http://127.0.0.1:PORT/TOKEN/"
  std::string address() const;

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace stickslip
