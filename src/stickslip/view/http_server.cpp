// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/http_server.h"

#include <utility>  // Boost.Beast 1.74 uses std::exchange without it
// (before the next lines)
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <string_view>
#include <thread>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using ErrorCode = boost::system::error_code;

constexpr std::size_t kMostUnread = std::size_t{1} << 17;  // [bytes] twice what one read brings
constexpr auto kPatience = std::chrono::seconds(10);       // with a silent client, between requests and within one
constexpr auto kSendingTime = std::chrono::seconds(60);    // 50 MB at a megabyte a second
constexpr auto kLeaving = std::chrono::seconds(1);         // until a client with its answer closes
constexpr auto kAskEvery = std::chrono::milliseconds(5);   // a handler that had no answer yet: a sixth of a frame

std::string make_token() {
  std::array<unsigned char, 16> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw InputError("the system gives no random numbers");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// In a time that does not depend on where they differ.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

HttpResponse refusal(int status, const char* why) {
  HttpResponse response;
  response.status = status;
  response.body = std::make_shared<const std::string>(std::string(why) + "\n");
  return response;
}

std::string_view to_view(beast::string_view text) {
  return {text.data(), text.size()};
}

class Session;

/// What all connections share. Used by the server's thread alone once that runs.
struct Door {
  HttpHandler handler;
  std::string token;
  std::string host;    // "127.0.0.1:PORT"
  std::string origin;  // "http://127.0.0.1:PORT"
  int connections = 0;
  std::list<Session*> strangers;  // that have not shown the token yet, the oldest first

  /// Whether a request may come in; `request` is then what it asks.
  std::optional<HttpResponse> refuse(const http::request<http::string_body>& message, HttpRequest& request) const {
    if (message.count(http::field::host) != 1 || to_view(message[http::field::host]) != host) {
      return refusal(403, "this host is not served here");
    }
    if (message.count(http::field::origin) > 0 &&
        (message.count(http::field::origin) > 1 || to_view(message[http::field::origin]) != origin)) {
      return refusal(403, "other sites are not served");
    }
    std::string_view target = to_view(message.target());
    if (target.size() < token.size() + 2 || target[0] != '/' || !is_same(target.substr(1, token.size()), token) ||
        target[token.size() + 1] != '/') {
      return refusal(404, "nothing is here");
    }
    if (message.method() != http::verb::get && message.method() != http::verb::post) {
      return refusal(405, "GET or POST");
    }
    target.remove_prefix(token.size() + 2);
    const std::size_t mark = target.find('?');
    request.method = message.method() == http::verb::get ? "GET" : "POST";
    request.path = target.substr(0, mark);
    request.query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
    request.body = message.body();
    return std::nullopt;
  }
};

/// One connection: reads a request, answers it, and so on.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket&& socket, Door& door) : stream_(std::move(socket)), timer_(stream_.get_executor()), door_(door) {
    ++door_.connections;
    place_ = door_.strangers.insert(door_.strangers.end(), this);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    be_known();
    --door_.connections;
  }

  /// Makes room for others.
  void leave() {
    be_known();
    close();
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(HttpServer::kMostHeader);
    parser_->body_limit(HttpServer::kMostBody);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](ErrorCode error, std::size_t) { self->take(error); });
  }

 private:
  void be_known() {
    if (place_) door_.strangers.erase(*place_);
    place_.reset();
  }

  void take(ErrorCode error) {
    if (error == http::error::header_limit) return send(refusal(431, "too long a header"), false);
    if (error == http::error::body_limit || error == http::error::buffer_overflow)
      return send(refusal(413, "too long a body"), false);
    if (error && error.category() == make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return send(refusal(400, "no request"), false);
    }
    if (error) return close();
    keep_ = parser_->get().keep_alive();
    request_ = {};
    if (const auto refused = door_.refuse(parser_->get(), request_)) return send(*refused, false);
    be_known();
    came_ = Clock::now();
    answer();
  }

  void answer() {
    request_.waited = std::chrono::duration<double>(Clock::now() - came_).count();
    std::optional<HttpResponse> response;
    try {
      response = door_.handler(request_);
    } catch (const std::exception& error) {
      response = refusal(500, error.what());
    }
    if (response) return send(*response, keep_);
    if (is_gone()) return close();
    stream_.expires_never();
    timer_.expires_after(kAskEvery);
    timer_.async_wait([self = shared_from_this()](ErrorCode error) {
      if (!error) self->answer();
    });
  }

  /// Whether the client has closed the connection while it waits.
  bool is_gone() {
    char byte = 0;
    return ::recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  void send(const HttpResponse& response, bool keep) {
    body_ = response.body ? response.body : std::make_shared<const std::string>();
    message_.emplace();
    message_->version(11);
    message_->result(static_cast<unsigned>(response.status));
    message_->set(http::field::content_type, response.type);
    message_->set(http::field::cache_control, "no-store");
    message_->set("Content-Security-Policy", response.policy);
    message_->set("X-Content-Type-Options", "nosniff");
    message_->set("Referrer-Policy", "same-origin");
    message_->set("Cross-Origin-Resource-Policy", "same-origin");
    message_->set("Cross-Origin-Opener-Policy", "same-origin");
    message_->keep_alive(keep);
    message_->body() = {reinterpret_cast<const std::uint8_t*>(body_->data()), body_->size()};
    message_->prepare_payload();
    stream_.expires_after(kSendingTime);
    http::async_write(stream_, *message_, [self = shared_from_this(), keep](ErrorCode error, std::size_t) {
      if (error) return self->close();
      if (!keep) return self->finish();
      self->read();
    });
  }

  void close() { stream_.close(); }

  /// Ends what is sent, and waits a little for the client to end: closed at once, with bytes unread, the answer would
  /// be lost.
  void finish() {
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kLeaving);
    drain();
  }
  void drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(HttpServer::kMostBody),
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              if (error) return self->close();
                              self->drain();
                            });
  }

  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  Door& door_;
  std::optional<std::list<Session*>::iterator> place_;  // among the strangers
  // Of what is not parsed yet: the extension of a chunk may go on for ever, and counts as no body.
  beast::flat_buffer buffer_{kMostUnread};
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest request_;
  bool keep_ = true;
  Clock::time_point came_;
  std::shared_ptr<const std::string> body_;
  std::optional<http::response<http::span_body<const std::uint8_t>>> message_;
};

}  // namespace

class HttpServer::Listener {
 public:
  Listener(int port, HttpHandler handler) : acceptor_(context_) {
    ErrorCode error;
    const tcp::endpoint place(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
    acceptor_.open(place.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(place, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) throw InputError(fmt::format("--port {}: cannot be had: {}", port, error.message()));
    port_ = acceptor_.local_endpoint().port();
    door_.handler = std::move(handler);
    door_.token = make_token();
    constexpr int kPortOfHttp = 80;  // which a browser does not name
    door_.host = port_ == kPortOfHttp ? "127.0.0.1" : fmt::format("127.0.0.1:{}", port_);
    door_.origin = "http://" + door_.host;
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    context_.stop();
    thread_.join();
  }

  int port() const { return port_; }
  const Door& door() const { return door_; }

 private:
  void accept() {
    acceptor_.async_accept([this](ErrorCode error, tcp::socket socket) {
      const bool is_full = door_.connections >= kMostConnections;
      const bool has_room = !is_full || !door_.strangers.empty();
      if (!error && is_full && has_room) door_.strangers.front()->leave();
      if (!error && has_room) std::make_shared<Session>(std::move(socket), door_)->read();
      if (!error) return accept();
      // No descriptor is left, or the client has gone already: not at once again.
      pause_.expires_after(kAskEvery);
      pause_.async_wait([this](ErrorCode stopped) {
        if (!stopped) accept();
      });
    });
  }

  Door door_;  // outlives the connections, which go with the context
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_{context_};
  int port_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(int port, HttpHandler handler)
    : listener_(std::make_unique<Listener>(port, std::move(handler))) {
}
HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return listener_->port();
}
const std::string& HttpServer::token() const {
  return listener_->door().token;
}
std::string HttpServer::address() const {
  return fmt::format("{}/{}/", listener_->door().origin, token());
}

}  // namespace stickslip
