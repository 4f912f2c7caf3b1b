#include "net/http_request_reader.h"

#include <vector>

#include <gtest/gtest.h>

namespace petrel::net {
namespace {

using Stage = HttpRequestReader::Stage;

// What a reader makes of bytes that come in pieces: "GET /a [body]" for each request, and the
// refusal if there is one.
std::vector<std::string> read(std::string_view bytes, std::size_t piece,
                              const HttpLimits& limits = {}) {
  HttpRequestReader reader(limits);
  std::vector<std::string> seen;
  while (!bytes.empty()) {
    reader.add(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (reader.advance() == Stage::Ready) {
      const HttpRequest request = reader.take();
      seen.push_back(request.method + " " + request.target + " [" + request.body + "]");
    }
    if (reader.stage() == Stage::Refused) {
      seen.push_back(std::to_string(reader.refusal().status) + " " +
                     std::string(reader.refusal().detail));
      break;
    }
  }
  return seen;
}

// The same, however the bytes are cut.
std::vector<std::string> read_all_ways(std::string_view bytes, const HttpLimits& limits = {}) {
  const std::vector<std::string> whole = read(bytes, bytes.size(), limits);
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
    EXPECT_EQ(read(bytes, piece, limits), whole) << "in pieces of " << piece;
  }
  return whole;
}

using Seen = std::vector<std::string>;

std::string chunked(std::string_view chunks) {
  return "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(chunks);
}

TEST(HttpRequestReader, ReadsRequestsOneAfterTheOther) {
  EXPECT_EQ(read_all_ways("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
                          "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" +
                          chunked("3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n") +
                          "GET /d HTTP/1.1\r\nHost: x\r\n\r\n"),
            (Seen{"GET /a []", "POST /b [hello]", "POST /c [abc0123456789]", "GET /d []"}));
}

TEST(HttpRequestReader, PassesOverWhatStandsBesideChunks) {
  EXPECT_EQ(
      read_all_ways(chunked("1;a=b;c=\"d\"\r\nx\r\n000;e\r\nAuthorization: y\r\nB: z\r\n\r\n")),
      Seen{"POST /c [x]"});
}

TEST(HttpRequestReader, RefusesChunksThatAreNotWellFormed) {
  const Seen bad_size{"400 a chunk's size is not well-formed"};
  for (const char* chunks : {"\r\n", ";\r\n", "x\r\n", "-1\r\n", "+1\r\nx", " 1\r\nx", "1 \r\nx",
                             "0x1\r\nx", "1\nx", "1\rx", "1,1\r\nx", "1_0\r\n"}) {
    EXPECT_EQ(read_all_ways(chunked(chunks)), bad_size) << chunks;
  }
  const Seen bad_end{"400 a chunk does not end where its size says"};
  EXPECT_EQ(read_all_ways(chunked("1\r\nxy\r\n0\r\n\r\n")), bad_end);
  EXPECT_EQ(read_all_ways(chunked("1\r\nx\n0\r\n\r\n")), bad_end);
  EXPECT_EQ(read_all_ways(chunked("1\r\nx\r0\r\n\r\n")), bad_end);
  EXPECT_EQ(read_all_ways(chunked("0\r\nA: b\rC: d\r\n\r\n")), bad_end);
  const Seen bad_trailer{"400 a header after the last chunk is not well-formed"};
  EXPECT_EQ(read_all_ways(chunked("0\r\nA: b\n\r\n\r\n")), bad_trailer);
  EXPECT_EQ(read_all_ways(chunked("0\r\n folded\r\n\r\n")), bad_trailer);
  EXPECT_EQ(read_all_ways(chunked("0\r\n\n")), bad_trailer);
  EXPECT_EQ(read_all_ways(chunked("1;\x01\r\nx")),
            Seen{"400 a chunk's extension holds a control byte"});
}

TEST(HttpRequestReader, HoldsChunksToTheBodysLimit) {
  HttpLimits limits;
  limits.body_bytes_max = 17;
  EXPECT_EQ(read_all_ways(chunked("11\r\n12345678901234567\r\n0\r\n\r\n"), limits),
            Seen{"POST /c [12345678901234567]"});
  const Seen too_large{"413 the request's body is too large"};
  EXPECT_EQ(read_all_ways(chunked("12\r\n"), limits), too_large);
  EXPECT_EQ(read_all_ways(chunked("9\r\n123456789\r\n9\r\n"), limits), too_large);
  EXPECT_EQ(read_all_ways(chunked("10000000000000001\r\n"), limits), too_large);
  EXPECT_EQ(read_all_ways(chunked("ffffffffffffffffffffffffffff\r\n"), limits), too_large);
}

TEST(HttpRequestReader, BoundsWhatStandsBesideChunks) {
  const Seen too_much{"400 too much stands beside a chunk of the body"};
  const std::string much(ChunkedBody::kBesidesMax, '0');
  EXPECT_EQ(read(chunked(much + "1\r\nx"), 1000), too_much);
  EXPECT_EQ(read(chunked("1;" + much + "\r\nx"), 1000), too_much);
  EXPECT_EQ(read(chunked("0\r\nA: " + much + "\r\n\r\n"), 1000), too_much);
}

TEST(HttpRequestReader, HoldsHeadersToTheirLimit) {
  HttpLimits limits;
  limits.header_bytes_max = 60;
  const std::string start = "GET / HTTP/1.1\r\nHost: x\r\nX: ";
  const std::string fits = start + std::string(60 - start.size() - 4, 'x') + "\r\n\r\n";
  EXPECT_EQ(read_all_ways(fits, limits), Seen{"GET / []"});
  EXPECT_EQ(read_all_ways(fits.substr(0, 56) + "x\r\n\r\n", limits),
            Seen{"431 the request's headers are too large"});
}

TEST(HttpRequestReader, RefusesWhatIsNoRequestAtItsFirstByte) {
  const Seen no_request{"400 this is not a well-formed HTTP/1.1 request"};
  EXPECT_EQ(read(std::string(1, '\0'), 1), no_request);
  EXPECT_EQ(read("\x16\x03\x01", 3), no_request);  // TLS.
  EXPECT_EQ(read("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 2), no_request);
}

TEST(HttpRequestReader, SaysWhetherTheBodyHasBegun) {
  HttpRequestReader reader((HttpLimits()));
  reader.add("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(reader.advance(), Stage::Body);
  EXPECT_FALSE(reader.has_begun_body());
  reader.add("a");
  EXPECT_EQ(reader.advance(), Stage::Body);
  EXPECT_TRUE(reader.has_begun_body());
  EXPECT_FALSE(reader.has_input());
  reader.add("bGET");
  EXPECT_EQ(reader.advance(), Stage::Ready);
  EXPECT_TRUE(reader.has_input());
}

TEST(HttpRequestReader, GivesItsMemoryBackWhenItIsGivenUp) {
  HttpLimits limits;
  limits.body_bytes_max = 300'000;
  HttpRequestReader reader(limits);
  reader.add("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" +
             std::string(200'000, 'x'));
  EXPECT_EQ(reader.advance(), Stage::Body);
  EXPECT_GE(reader.bytes_held(), 200'000U);
  reader.give_up();
  EXPECT_LT(reader.bytes_held(), 100U);
  reader.add("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(reader.advance(), Stage::Ready);
}

TEST(HttpRequestReader, TakesNoMoreMemoryThanABodyAnnounces) {
  HttpLimits limits;
  limits.body_bytes_max = 300'000;
  HttpRequestReader reader(limits);
  reader.add("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n");
  for (int i = 0; i < 29; ++i) {
    reader.add(std::string(10'000, 'x'));
    EXPECT_EQ(reader.advance(), Stage::Body);
    EXPECT_LE(reader.bytes_held(), 340'000U);
  }
}

TEST(HttpRequestReader, KeepsNothingOfWhatItIsDoneWith) {
  const std::string request = "GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string many;
  while (many.size() < 16 * 1024) many += request;
  HttpRequestReader reader((HttpLimits()));
  // Cut so that the end of a piece is always the beginning of a request.
  reader.add("G");
  for (int i = 0; i < 1000; ++i) {
    reader.add(many.substr(1) + "G");
    while (reader.advance() == Stage::Ready) reader.take();
  }
  EXPECT_EQ(reader.stage(), Stage::Head);
  EXPECT_LT(reader.bytes_held(), 64U * 1024);
}

}  // namespace
}  // namespace petrel::net
