#include "net/http_head.h"

#include <gtest/gtest.h>

namespace petrel::net {
namespace {

HttpHead accepted(const std::string& text, const HttpLimits& limits = {}) {
  auto parsed = parse_http_head(text, limits);
  const auto* refusal = std::get_if<HttpRefusal>(&parsed);
  EXPECT_EQ(refusal, nullptr) << text << ": " << refusal->detail;
  return refusal == nullptr ? std::get<HttpHead>(parsed) : HttpHead{};
}

// "400 the request has no Host", or "taken".
std::string refused(const std::string& text, const HttpLimits& limits = {}) {
  const auto parsed = parse_http_head(text, limits);
  const auto* refusal = std::get_if<HttpRefusal>(&parsed);
  if (refusal == nullptr) return "taken";
  return std::to_string(refusal->status) + " " + std::string(refusal->detail);
}

std::string post(const std::string& headers) {
  return "POST /a HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

TEST(HttpHead, HoldsMethodTargetAndHeadersAsTheyWereSent) {
  const HttpHead head =
      accepted("PUT /a?b=%20c HTTP/1.1\r\nHost:x\r\nX-Odd: \t caf\xc3\xa9\t1 \r\n\r\n");
  EXPECT_EQ(head.request.method, "PUT");
  EXPECT_EQ(head.request.target, "/a?b=%20c");
  EXPECT_EQ(head.request.headers, (HttpHeaders{{"Host", "x"}, {"X-Odd", "caf\xc3\xa9\t1"}}));
  EXPECT_EQ(head.content_length, 0U);
  EXPECT_FALSE(head.is_chunked);
  EXPECT_FALSE(head.expects_continue);
}

TEST(HttpHead, SaysHowTheBodyComes) {
  EXPECT_EQ(accepted(post("Content-Length: 007\r\n")).content_length, 7U);
  EXPECT_TRUE(accepted(post("transfer-encoding: Chunked\r\n")).is_chunked);
  EXPECT_TRUE(accepted(post("Expect: 100-Continue\r\n")).expects_continue);
  EXPECT_FALSE(accepted("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").expects_continue);
}

TEST(HttpHead, SaysWhetherTheConnectionStays) {
  EXPECT_TRUE(accepted(post("")).keeps_alive);
  EXPECT_FALSE(accepted(post("Connection: close\r\n")).keeps_alive);
  EXPECT_FALSE(accepted(post("Connection: keep-alive,  Close\r\n")).keeps_alive);
  EXPECT_FALSE(accepted("GET / HTTP/1.0\r\n\r\n").keeps_alive);
  EXPECT_TRUE(accepted("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keeps_alive);
}

TEST(HttpHead, RefusesBodiesThatTwoReadersCouldCutDifferently) {
  const std::string length = "Content-Length: 5\r\n";
  EXPECT_EQ(refused(post(length + "Transfer-Encoding: chunked\r\n")),
            "400 the request has both a Content-Length and a Transfer-Encoding");
  EXPECT_EQ(refused(post("Transfer-Encoding: chunked\r\n" + length)),
            "400 the request has both a Content-Length and a Transfer-Encoding");
  EXPECT_EQ(refused(post(length + length)), "400 the request has two Content-Lengths");
  for (const char* value : {"", "+5", "-5", "5, 5", "5 5", "0x5", "5.0", "5;"}) {
    EXPECT_EQ(refused(post("Content-Length: " + std::string(value) + "\r\n")),
              "400 the Content-Length is not a number")
        << value;
  }
  for (const char* value : {"", "gzip", "gzip, chunked", "chunked, chunked", "chunked, identity",
                            "identity", "xchunked", "chunked;q=1", "\"chunked\""}) {
    EXPECT_EQ(refused(post("Transfer-Encoding: " + std::string(value) + "\r\n")),
              "400 the only Transfer-Encoding that is taken is chunked, once")
        << value;
  }
  EXPECT_EQ(refused(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")),
            "400 the only Transfer-Encoding that is taken is chunked, once");
  EXPECT_EQ(refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "400 HTTP/1.0 has no Transfer-Encoding");
}

TEST(HttpHead, RefusesHeadersThatTwoReadersCouldCutDifferently) {
  EXPECT_EQ(refused(post("A: b\r\n c\r\n")), "400 a header is folded over lines");
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n Host: x\r\n\r\n"), "400 a header is folded over lines");
  for (const std::string& line :
       {std::string("Content-Length : 5"), std::string("Content Length: 5"), std::string(": 5"),
        std::string("no colon"), std::string("caf\xc3\xa9: 5"), std::string("A\0: 5", 5),
        std::string("A\n: 5")}) {
    EXPECT_EQ(refused(post(line + "\r\n")), "400 a header's name is not well-formed") << line;
  }
  for (const std::string& value :
       {std::string("a\0b", 3), std::string("a\nContent-Length: 5"), std::string("a\rb"),
        std::string("\x7f"), std::string("\x1b[2J")}) {
    EXPECT_EQ(refused(post("A: " + value + "\r\n")), "400 a header holds a control byte") << value;
  }
}

TEST(HttpHead, WantsOneHost) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), "400 the request has no Host");
  EXPECT_EQ(refused(post("host: y\r\n")), "400 the request has more than one Host");
}

TEST(HttpHead, RefusesRequestLinesThatAreNotOneMethodOnePathAndOneVersion) {
  for (const char* line :
       {"", " ", "GET", "GET /", "GET / ", "GET  HTTP/1.1 ", " GET / HTTP/1.1", "G\tT / HTTP/1.1",
        "GET / http/1.1", "GET / FTP/1.1", "GET\t/\tHTTP/1.1", "rubbish"}) {
    EXPECT_EQ(refused(std::string(line) + "\r\nHost: x\r\n\r\n"),
              "400 this is not a well-formed HTTP/1.1 request")
        << line;
  }
  for (const char* line :
       {"GET / HTTP/2.0", "GET / HTTP/1.10", "GET / HTTP/1.1\t", "GET / HTTP/"}) {
    EXPECT_EQ(refused(std::string(line) + "\r\nHost: x\r\n\r\n"),
              "505 only HTTP/1.1 and HTTP/1.0 are spoken here")
        << line;
  }
}

TEST(HttpHead, RefusesTargetsThatAreNoPath) {
  for (const char* target : {"http://other/", "HTTP://x/", "other:80", "*", "a", "?a=1"}) {
    EXPECT_EQ(refused("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n"),
              "400 the request's target must be a path that begins with a slash")
        << target;
  }
  for (const char* target : {"/a b", "/caf\xc3\xa9", "/\x01", "/a\r", "/a\nb"}) {
    EXPECT_EQ(refused("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n"),
              "400 the request's target holds a byte that must be escaped")
        << target;
  }
  EXPECT_EQ(accepted("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").request.target, "*");
}

TEST(HttpHead, NamesTheLimitThatWasHit) {
  HttpLimits limits;
  limits.header_count_max = 2;
  limits.target_bytes_max = 4;
  limits.body_bytes_max = 10;
  EXPECT_EQ(refused(post("A: 1\r\n"), limits), "taken");
  EXPECT_EQ(refused(post("A: 1\r\nB: 2\r\n"), limits), "431 the request has too many headers");
  EXPECT_EQ(refused("GET /1234 HTTP/1.1\r\nHost: x\r\n\r\n", limits),
            "414 the request's target is too long");
  EXPECT_EQ(refused(post("Content-Length: 10\r\n"), limits), "taken");
  for (const char* length : {"11", "18446744073709551616", "99999999999999999999999999999999999"}) {
    EXPECT_EQ(refused(post("Content-Length: " + std::string(length) + "\r\n"), limits),
              "413 the request's body is too large");
  }
  EXPECT_EQ(refused(post("Expect: gifts\r\n")),
            "417 the only expectation that is met is 100-continue");
}

}  // namespace
}  // namespace petrel::net
