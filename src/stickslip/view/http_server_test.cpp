// SPDX-License-Identifier: BSD-3-Clause
// Who gets in and who does not, by a client that writes its own bytes.
#include "stickslip/view/http_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "stickslip/base/input_error.h"
#include "tests/support/http_client.h"

namespace stickslip {
namespace {

using test::http_status;
using test::HttpClient;

HttpServer make_server() {
  return HttpServer(0, [](const HttpRequest& request) -> std::optional<HttpResponse> {
    HttpResponse response;
    response.body = std::make_shared<const std::string>(
        fmt::format("[{}|{}|{}|{}]", request.method, request.path, request.query, request.body));
    return response;
  });
}

TEST(HttpServer, AnswersWhoKnowsTheToken) {
  const HttpServer server = make_server();
  const HttpClient client(server.port());
  EXPECT_EQ(server.address(), fmt::format("http://{}/{}/", client.host(), server.token()));
  const std::string answer =
      client.ask(fmt::format("/{}/next?after=3", server.token()), fmt::format("Host: {}\r\n", client.host()));
  EXPECT_EQ(http_status(answer), 200) << answer;
  EXPECT_NE(answer.find("[GET|next|after=3|]"), std::string::npos) << answer;
  EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none'"), std::string::npos) << answer;
  EXPECT_NE(answer.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_NE(answer.find("Cache-Control: no-store"), std::string::npos);
}

TEST(HttpServer, KeepsConnectionsAndTakesBodies) {
  const HttpServer server = make_server();
  const HttpClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(fmt::format("POST /{}/pause HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\nContent-Length: 3\r\n\r\na={}",
                            server.token(), client.host(), client.host(), i));
    std::string answer;
    const std::string wanted = fmt::format("[POST|pause||a={}]", i);
    while (answer.find(wanted) == std::string::npos) {
      const std::string more = client.receive(1);
      ASSERT_FALSE(more.empty()) << answer;
      answer += more;
    }
  }
}

TEST(HttpServer, TokensAreNewAndLong) {
  std::set<std::string> tokens;
  for (int i = 0; i < 20; ++i) {
    const HttpServer server = make_server();
    EXPECT_EQ(server.token().size(), 32U);  // 128 bits in hexadecimal digits
    EXPECT_EQ(server.token().find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(tokens.insert(server.token()).second);
  }
}

TEST(HttpServer, NothingIsServedWithoutTheToken) {
  const HttpServer server = make_server();
  const std::string token = server.token();
  std::string other = token;
  other.back() = other.back() == '0' ? '1' : '0';
  std::vector<std::string> targets = {"/",
                                      "/next",
                                      "/" + other + "/",
                                      "/" + token,  // without the slash
                                      "/" + token.substr(0, 31) + "/",
                                      "/" + token + "0/",
                                      "//" + token + "/",
                                      "/x/" + token + "/",
                                      "/?" + token + "/",
                                      "/%2e%2e/" + token + "/",
                                      "/../" + token + "/",
                                      "*",
                                      "http://127.0.0.1/" + token + "/"};
  for (const std::string& target : targets) {
    const HttpClient client(server.port());
    const std::string answer = client.ask(target, fmt::format("Host: {}\r\n", client.host()));
    EXPECT_EQ(http_status(answer), 404) << target;
    EXPECT_EQ(answer.find("[GET"), std::string::npos) << target;
  }
}

TEST(HttpServer, OtherHostsAndOriginsAreRefused) {
  const HttpServer server = make_server();
  const std::string own = fmt::format("127.0.0.1:{}", server.port());
  const auto ask = [&](const std::string& lines) {
    const HttpClient client(server.port());
    return http_status(client.ask("/" + server.token() + "/", lines));
  };
  EXPECT_EQ(ask("Host: " + own + "\r\n"), 200);
  EXPECT_EQ(ask("Host: " + own + "\r\nOrigin: http://" + own + "\r\n"), 200);
  EXPECT_EQ(ask(""), 403);
  EXPECT_EQ(ask("Host: " + own + "\r\nHost: evil.example\r\n"), 403);
  for (const std::string& host : {std::string("evil.example"), fmt::format("evil.example:{}", server.port()),
                                  fmt::format("localhost:{}", server.port()), std::string("127.0.0.1"),
                                  fmt::format("127.0.0.1:{}", server.port() + 1),
                                  fmt::format("[::1]:{}", server.port()), own + ".evil.example"}) {
    EXPECT_EQ(ask("Host: " + host + "\r\n"), 403) << host;
  }
  for (const std::string& origin :
       {std::string("null"), std::string("http://evil.example"), std::string("https://") + own,
        fmt::format("http://127.0.0.1:{}", server.port() + 1), std::string("http://127.0.0.1"),
        fmt::format("http://localhost:{}", server.port()), std::string("file://"), std::string(),
        "http://" + own + ".evil.example", "http://" + own + ", null"}) {
    EXPECT_EQ(ask("Host: " + own + "\r\nOrigin: " + origin + "\r\n"), 403) << origin;
  }
  EXPECT_EQ(ask("Host: " + own + "\r\nOrigin: http://" + own + "\r\nOrigin: null\r\n"), 403);
}

TEST(HttpServer, OtherMethodsAreRefused) {
  const HttpServer server = make_server();
  for (const char* method : {"PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"}) {
    const HttpClient client(server.port());
    const std::string answer =
        client.ask("/" + server.token() + "/", fmt::format("Host: {}\r\n", client.host()), method);
    EXPECT_EQ(http_status(answer), 405) << method;
  }
}

/// Bytes that are no request, or too much of one: an answer or none, and the next client is served.
TEST(HttpServer, TakesNoHarmFromAnyBytes) {
  const HttpServer server = make_server();
  const std::string begin = fmt::format("POST /{}/x HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", server.token(), server.port());
  struct Case {
    std::string bytes;
    int status;  // -1: closed without a word
  };
  std::string garbage;
  for (int i = 0; i < 5000; ++i) garbage += static_cast<char>(i * 37 % 251);
  const std::vector<Case> cases = {
      {garbage + "\r\n\r\n", 400},
      {"\r\n\r\n\r\nGET\r\n\r\n", 400},
      {std::string(100, '\0') + "\r\n\r\n", 400},
      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400},  // who tries TLS
      {begin + "X: " + std::string(20000, 'a') + "\r\n\r\n", 431},
      {"GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n\r\n", 431},
      {begin + "Content-Length: 100000\r\n\r\n", 413},
      {begin + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
      {begin + "Content-Length: -1\r\n\r\n", 400},
      {begin + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400},
      {begin + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400},
      {begin + "Transfer-Encoding: chunked\r\n\r\n20000\r\n" + std::string(0x20000, 'a') + "\r\n0\r\n\r\n", 413},
  };
  for (const Case& c : cases) {
    const HttpClient client(server.port());
    client.send(c.bytes);
    EXPECT_EQ(http_status(client.receive()), c.status) << c.bytes.substr(0, 80);
  }
  { const HttpClient gone(server.port()); }  // says nothing
  {
    const HttpClient half(server.port());
    half.send(begin);
  }
  const HttpClient client(server.port());
  EXPECT_EQ(http_status(client.ask("/" + server.token() + "/", fmt::format("Host: {}\r\n", client.host()))), 200);
}

/// The extension counts neither as header nor as body.
TEST(HttpServer, AnEndlessExtensionOfAChunkIsRefused) {
  const HttpServer server = make_server();
  const HttpClient client(server.port());
  client.send(fmt::format("POST / HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n1;", client.host()));
  client.send(std::string(std::size_t{1} << 18, 'x'));
  EXPECT_EQ(http_status(client.receive(64)), 413);
}

/// Clients that say nothing, or do not read, keep nobody waiting, and there are so many connections at most.
TEST(HttpServer, SlowClientsKeepNobodyWaiting) {
  std::atomic<int> asked = 0;
  const auto large = std::make_shared<const std::string>(20'000'000, 'x');
  const HttpServer server(0, [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    ++asked;
    if (request.path == "never") return std::nullopt;
    HttpResponse response;
    response.body = request.path == "large" ? large : std::make_shared<const std::string>("small");
    return response;
  });
  const auto lines = [&](const HttpClient& client) {
    return fmt::format("Host: {}\r\nConnection: close\r\n\r\n", client.host());
  };
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<HttpClient>(server.port()));
    if (i % 2 == 0)
      slow.back()->send(fmt::format("GET /{}/large HTTP/1.1\r\n{}", server.token(), lines(*slow.back())));
    else
      slow.back()->send(fmt::format("GET /{}/never HTTP/1.1\r\n{}", server.token(), lines(*slow.back())));
  }
  const HttpClient client(server.port());
  EXPECT_NE(client.ask("/" + server.token() + "/", fmt::format("Host: {}\r\n", client.host())).find("small"),
            std::string::npos);
  // The answer is whole where the client reads after all.
  EXPECT_GT(slow[0]->receive().size(), large->size());
  for (int i = 0; i < HttpServer::kMostConnections; ++i) slow.push_back(std::make_unique<HttpClient>(server.port()));
  EXPECT_TRUE(slow[20]->receive().empty());  // of those that say nothing the oldest: closed
  // Who says nothing locks nobody out, and who waits for an answer stays.
  const HttpClient later(server.port());
  EXPECT_EQ(http_status(later.ask("/" + server.token() + "/", fmt::format("Host: {}\r\n", later.host()))), 200);
  EXPECT_GT(slow[2]->receive().size(), large->size());
}

TEST(HttpServer, SaysWhereAPortCannotBeHad) {
  const HttpServer server = make_server();
  EXPECT_THROW(HttpServer(server.port(), nullptr), InputError);
}

}  // namespace
}  // namespace stickslip
