#include "dispatch/response_reader.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "base/time.h"
#include "model/attempt.h"

namespace petrel::dispatch {
namespace {

using Progress = ResponseReader::Progress;

// Feeds the text in pieces of this size until something else than NeedMore comes.
Progress feed(ResponseReader& reader, std::string_view text, std::size_t piece) {
  Progress progress = Progress::NeedMore;
  while (!text.empty() && progress == Progress::NeedMore) {
    progress = reader.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  return progress;
}

constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n1;ext=1\r\n!\r\n0\r\nRetry-After: 9\r\n\r\n";

TEST(ResponseReader, ReadsAnAnswerHoweverItIsCut) {
  const std::string plain =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Slow\r\nRetry-After: 7\r\nDate: now\r\n"
      "Content-Length: 5\r\n\r\nhello";
  for (std::size_t piece = 1; piece <= plain.size(); ++piece) {
    ResponseReader reader;
    ASSERT_EQ(feed(reader, plain, piece), Progress::Done) << piece;
    EXPECT_EQ(reader.status(), 429);
    EXPECT_EQ(reader.retry_after(), "7");
    EXPECT_EQ(reader.date(), "now");
    EXPECT_EQ(reader.take_body(), "hello");
    EXPECT_TRUE(reader.is_reusable());
  }
  for (std::size_t piece = 1; piece <= kChunked.size(); ++piece) {
    ResponseReader reader;
    ASSERT_EQ(feed(reader, kChunked, piece), Progress::Done) << piece;
    EXPECT_EQ(reader.take_body(), "hello!") << piece;
    EXPECT_EQ(reader.retry_after(), "") << "taken from a trailer";
    EXPECT_TRUE(reader.is_reusable());
  }
}

TEST(ResponseReader, JoinsWhatTheReceiverSaysOfDeliveriesAndBoundsIt) {
  const std::string wish = "wEbhook-Delivery: disable\r\n";
  const std::string long_wish = "webhook-delivery: " + std::string(300, 'x') + "\r\n";
  const std::string text =
      "HTTP/1.1 102 Wait\r\nwebhook-delivery: early\r\n\r\nHTTP/1.1 500 No\r\n" + wish + long_wish +
      "Webhook-Delivery:  abort-message, a \r\n" + "Transfer-Encoding: chunked\r\n\r\n0\r\n" +
      wish + "\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    ResponseReader reader;
    ASSERT_EQ(feed(reader, text, piece), Progress::Done) << piece;
    EXPECT_EQ(reader.webhook_delivery(), "disable,abort-message, a");
    reader.reset();
    EXPECT_EQ(reader.webhook_delivery(), "");
  }
}

TEST(ResponseReader, CanBeUsedAgain) {
  ResponseReader reader;
  ASSERT_EQ(feed(reader, "HTTP/1.1 500 X\r\nRetry-After: 1\r\nContent-Length: 2\r\n\r\nno", 100),
            Progress::Done);
  reader.reset();
  EXPECT_FALSE(reader.has_begun());
  EXPECT_FALSE(reader.has_header());
  ASSERT_EQ(feed(reader, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 100), Progress::Done);
  EXPECT_EQ(reader.status(), 200);
  EXPECT_EQ(reader.retry_after(), "");
  EXPECT_EQ(reader.take_body(), "");
}

TEST(ResponseReader, KnowsAnswersWithoutABody) {
  for (const char* text : {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n",
                           "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"}) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, text, 1000), Progress::Done) << text;
    EXPECT_TRUE(reader.is_reusable()) << text;
  }
}

TEST(ResponseReader, KnowsWhenAConnectionCannotBeUsedAgain) {
  for (const char* text : {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                           "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n"}) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, text, 1000), Progress::Done) << text;
    EXPECT_FALSE(reader.is_reusable()) << text;
  }
}

TEST(ResponseReader, TakesTheEndOfTheStreamForTheEndOfABodyWithoutALength) {
  ResponseReader reader;
  ASSERT_EQ(feed(reader, "HTTP/1.1 200 OK\r\n\r\nsome", 100), Progress::NeedMore);
  EXPECT_EQ(reader.end(), Progress::Done);
  EXPECT_EQ(reader.take_body(), "some");
  EXPECT_FALSE(reader.is_reusable());
}

TEST(ResponseReader, RefusesAnAnswerThatIsCutShort) {
  for (const char* text : {"H", "HTTP/1.1 200 OK\r\nX: y\r\n", "HTTP/1.1 103 Hints\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"}) {
    ResponseReader reader;
    ASSERT_EQ(feed(reader, text, 1000), Progress::NeedMore) << text;
    EXPECT_EQ(reader.end(), Progress::Malformed) << text;
  }
}

TEST(ResponseReader, CutsABodyOffAtItsLimitAndKeepsTheBeginning) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  const std::string just = std::string(ResponseReader::kBodyReadMax, 'x');
  ResponseReader full;
  EXPECT_EQ(feed(full, head + "Content-Length: 65536\r\n\r\n" + just, 16384), Progress::Done);
  EXPECT_EQ(full.take_body().size(), model::kResponseKeptBytes);
  EXPECT_TRUE(full.is_reusable());

  for (const std::string& more :
       {head + "Content-Length: 999999999\r\n\r\n" + just + "x", head + "\r\n" + just + "x",
        head + "Transfer-Encoding: chunked\r\n\r\n10001\r\n" + just + "x"}) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, more, 16384), Progress::CutOff) << more.substr(0, 50);
    EXPECT_EQ(reader.status(), 200);
    EXPECT_EQ(reader.take_body().size(), model::kResponseKeptBytes);
  }
}

TEST(ResponseReader, CutsOffChunksThatAreMostlyWrapping) {
  std::string text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 400; ++i) text += "1;x=" + std::string(1000, 'y') + "\r\nz\r\n";
  ResponseReader many;
  EXPECT_EQ(feed(many, text, 16384), Progress::CutOff);
  ResponseReader one;
  EXPECT_EQ(
      feed(one,
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=" + std::string(400'000, 'y'),
           16384),
      Progress::CutOff);
}

TEST(ResponseReader, BoundsTheHeader) {
  std::string fields = "HTTP/1.1 200 OK\r\n";
  while (fields.size() < 40'000) fields += "x: 0123456789\r\n";
  const std::string line = "HTTP/1.1 200 OK\r\nx: " + std::string(40'000, 'y');
  const std::string reason = "HTTP/1.1 200 " + std::string(40'000, 'y');
  for (const std::string& text : {fields, line, reason}) {
    for (const std::size_t piece : {std::size_t{1000}, text.size()}) {
      ResponseReader reader;
      EXPECT_EQ(feed(reader, text, piece), Progress::Malformed) << text.substr(0, 30) << piece;
      EXPECT_EQ(reader.why(), "the response's headers are longer than 32 KiB");
    }
  }
}

TEST(ResponseReader, BoundsInterimAnswers) {
  const std::string interim = "HTTP/1.1 102 Processing\r\n\r\n";
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += interim;
  ResponseReader just;
  EXPECT_EQ(feed(just, ten + "HTTP/1.1 204 OK\r\n\r\n", 7), Progress::Done);
  ResponseReader over;
  EXPECT_EQ(feed(over, ten + interim, 7), Progress::Malformed);
}

std::string long_interim(std::size_t bytes) {
  return "HTTP/1.1 103 E\r\nlink: " + std::string(bytes, 'x') + "\r\n\r\n";
}

TEST(ResponseReader, BoundsTheBytesOfInterimAnswersTogether) {
  const std::string start = "HTTP/1.1 103 E\r\nlink: " + std::string(20'000, 'x');
  std::string four;
  for (int i = 0; i < 4; ++i) four += long_interim(30'000);
  for (const std::size_t piece : {std::size_t{16'384}, four.size()}) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, four + start, piece), Progress::Malformed);
    EXPECT_FALSE(reader.has_header());
    EXPECT_EQ(reader.why(), "interim responses (1xx) of more than 32 KiB together");
  }
}

TEST(ResponseReader, InterimAnswersTakeNothingFromTheAnswersOwnLimits) {
  const std::string interim = long_interim(30'000);
  const std::string header = "x: " + std::string(30'000, 'y') + "\r\n";
  const std::string body(ResponseReader::kBodyReadMax, 'z');
  const std::string answer =
      "HTTP/1.1 500 No\r\n" + header + "Content-Length: 65536\r\n\r\n" + body;
  for (const std::size_t piece : {std::size_t{1'000}, std::size_t{200'000}}) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, interim + answer, piece), Progress::Done);
    EXPECT_EQ(reader.status(), 500);
    EXPECT_TRUE(reader.is_reusable());
  }
}

TEST(ResponseReader, RefusesWhatIsNotHttp) {
  for (const char* text : {"\r\n\r\n\r\n\r\n\r\n",
                           "220 smtp.example ESMTP\r\n",
                           "HTTP/3 200 OK\r\n\r\n",
                           "HTTP/1.1 2000 OK\r\n\r\n",
                           "HTTP/1.1 abc OK\r\n\r\n",
                           "HTTP/1.1 000 OK\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nx : y\r\n\r\n",
                           "HTTP/1.1 200 OK\r\n folded: first\r\n\r\n",
                           "HTTP/1.1 200 OK\r\n: empty\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nx: \x01\r\n\r\n",
                           "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                           "HTTP/1.1 99 OK\r\n\r\n",
                           "HTTP/1.1 200OK\r\n\r\n",
                           "HTTP/1.1  200 OK\r\n\r\n",
                           "HTTP/1.2 200 OK\r\n\r\n",
                           "<html>",
                           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzzzz\r\n"}) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, text, 1000), Progress::Malformed) << text;
    EXPECT_NE(reader.why(), "");
  }
}

TEST(ResponseReader, RefusesANulInAHeader) {
  using namespace std::string_view_literals;
  ResponseReader reader;
  EXPECT_EQ(feed(reader, "HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n"sv, 1000), Progress::Malformed);
}

TEST(ResponseReader, KeepsTheStatusOfAHeadThatContradictsItselfAboutItsBody) {
  for (const char* fields :
       {"Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: -1\r\n",
        "Content-Length: +1\r\n", "Content-Length: \r\n", "Content-Length: 1,1\r\n",
        "Content-Length: 99999999999999999999\r\n", "Content-Length: 1\r\n 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: chunked\r\n x\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
      ResponseReader reader;
      const std::string text = std::string("HTTP/1.1 200 OK\r\n") + fields + "\r\nok";
      EXPECT_EQ(feed(reader, text, piece), Progress::CutOff) << fields;
      EXPECT_EQ(reader.status(), 200);
      EXPECT_FALSE(reader.is_reusable());
    }
  }
}

TEST(ResponseReader, TakesWhatHonestServersSend) {
  for (const char* text :
       {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 \r\nContent-Length:0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx: a\r\n\tb\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 \xc3\xa9\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n"}) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, text, 3), Progress::Done) << text;
    EXPECT_EQ(reader.status(), 200);
    EXPECT_TRUE(reader.is_reusable()) << text;
  }
}

TEST(ResponseReader, LeavesOutAHeaderThatIsFoldedOverLines) {
  ResponseReader reader;
  ASSERT_EQ(feed(reader,
                 "HTTP/1.1 503 No\r\nRetry-After: 1\r\n 00\r\nwebhook-delivery: abort\r\n"
                 " -message\r\nContent-Length: 0\r\n\r\n",
                 1000),
            Progress::Done);
  EXPECT_EQ(reader.retry_after(), "");
  EXPECT_EQ(reader.webhook_delivery(), "");
}

TEST(ResponseReader, ReadsHowLongTheReceiverKeepsAConnection) {
  using std::chrono::seconds;
  const auto timeout = [](std::string_view field) {
    ResponseReader reader;
    feed(reader, "HTTP/1.1 204 No\r\n" + std::string(field) + "\r\n\r\n", 1000);
    return reader.keep_alive_timeout();
  };
  EXPECT_EQ(timeout("Keep-Alive: timeout=5"), seconds(5));
  EXPECT_EQ(timeout("keep-alive: max=100 , TIMEOUT = 15"), seconds(15));
  EXPECT_EQ(timeout("Keep-Alive: timeout=999999999999"), std::chrono::hours(7 * 24));
  EXPECT_EQ(timeout("Keep-Alive: timeout=-5"), std::nullopt);
  EXPECT_EQ(timeout("Keep-Alive: timeout"), std::nullopt);
  EXPECT_EQ(timeout("Keep-Alive: timeouts=5,=,,"), std::nullopt);
}

Duration processor_time() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return std::chrono::seconds(used.ru_utime.tv_sec) + Duration(used.ru_utime.tv_usec);
}

// Ten times what it takes on a slow machine; a reader that went over its input again and again
// would need minutes.
TEST(ResponseReader, TakesLittleTimeHoweverTheInputIsMadeAndCut) {
  constexpr std::size_t kBytes = 1024 * 1024;
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  const auto repeated = [](const std::string& start, std::string_view part) {
    std::string text = start;
    while (text.size() < kBytes) text += part;
    return text;
  };
  for (const std::string& text :
       {repeated(ok, "x: y\r\n"), repeated(ok + "x: ", "y"), repeated(ok, "x:\r\n"),
        repeated(ok + "Connection: ", "a,"), repeated(ok + "Keep-Alive: ", "timeout=1,"),
        repeated(ok + "x: y\r\n", " z\r\n"), repeated("", "HTTP/1.1 103 E\r\n\r\n"),
        repeated(chunked, "1\r\nx\r\n"), repeated(chunked + "1;", "x"),
        repeated(chunked + "0\r\n", "x: y\r\n"), repeated(ok + "\r\n", "x"),
        repeated(ok + "\r\n", "\r"), repeated("HTTP/1.1 200 ", "\r")}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{16'384}, kBytes}) {
      ResponseReader reader;
      const Duration before = processor_time();
      EXPECT_NE(feed(reader, text, piece), Progress::NeedMore) << text.substr(0, 40);
      EXPECT_LT(processor_time() - before, std::chrono::milliseconds(50)) << text.substr(0, 40);
    }
  }
}

TEST(ResponseReader, KeepsNoMoreWhenItIsToldTo) {
  ResponseReader reader;
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + std::string(1000, 'x')),
            Progress::NeedMore);
  reader.keep_no_more();
  EXPECT_EQ(reader.feed(std::string(3000, 'y')), Progress::Done);
  EXPECT_TRUE(reader.is_reusable());
  EXPECT_EQ(reader.take_body(), std::string(1000, 'x'));
}

TEST(ResponseReader, GivesItsMemoryBackWhenItIsReset) {
  ResponseReader reader;
  reader.feed("HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x'));
  EXPECT_GE(reader.bytes_held(), 20'000U);
  reader.reset();
  EXPECT_LT(reader.bytes_held(), 100U);
}

TEST(ResponseReader, StaysAsItHasEnded) {
  ResponseReader reader;
  ASSERT_EQ(feed(reader, "rubbish", 1000), Progress::Malformed);
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\n\r\n"), Progress::Malformed);
  EXPECT_EQ(reader.end(), Progress::Malformed);
  EXPECT_EQ(reader.status(), 0);
  reader.reset();
  EXPECT_EQ(reader.end(), Progress::Malformed) << "nothing came";
}

}  // namespace
}  // namespace petrel::dispatch
