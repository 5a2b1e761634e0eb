// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace stickslip::test {

/// A connection to a server on this machine that sends what it is told, byte by byte.
class HttpClient {
 public:
  explicit HttpClient(int port) : port_(port), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0) {
      ::close(socket_);
      throw std::runtime_error("nobody listens");
    }
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() { ::close(socket_); }

  void send(const std::string& bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return;  // refused meanwhile
      at += static_cast<std::size_t>(n);
    }
  }
  /// All that comes until the server closes, or until `enough` bytes are there.
  std::string receive(std::size_t enough = std::string::npos) const {
    std::string answer;
    std::array<char, 4096> buffer;
    while (answer.size() < enough) {
      const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (n <= 0) break;
      answer.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return answer;
  }
  std::string host() const { return fmt::format("127.0.0.1:{}", port_); }
  /// The whole answer to a request with these lines in its header, after which the server closes.
  std::string ask(const std::string& target, const std::string& lines, const std::string& method = "GET",
                  const std::string& body = "") const {
    const std::string length = method == "POST" ? fmt::format("Content-Length: {}\r\n", body.size()) : "";
    send(fmt::format("{} {} HTTP/1.1\r\n{}{}Connection: close\r\n\r\n{}", method, target, lines, length, body));
    return receive();
  }

 private:
  int port_;
  int socket_;
};

/// Of an answer; -1: there is none.
inline int http_status(const std::string& answer) {
  int status = 0;
  return std::sscanf(answer.c_str(), "HTTP/1.1 %d", &status) == 1 ? status : -1;
}

}  // namespace stickslip::test
