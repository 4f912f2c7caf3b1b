#include "dispatch/reception.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace petrel::dispatch {
namespace {

using Next = Reception::Next;
using policy::FailureKind;
using policy::Outcome;

constexpr Reception::Standing kNew{.is_reused = false, .is_written = true};
constexpr Reception::Standing kReused{.is_reused = true, .is_written = true};
constexpr Reception::Standing kReusedUnwritten{.is_reused = true, .is_written = false};
constexpr Reception::Standing kNewUnwritten{.is_reused = false, .is_written = false};

struct Half {
  ResponseReader reader;
  Reception reception{reader};
};

TEST(Reception, DialsAnewOnlyForARequestThatAUsedConnectionDidNotTakeWhole) {
  EXPECT_EQ(Half().reception.on_end(kReusedUnwritten), Next::DialAnew);
  EXPECT_EQ(Half().reception.on_broken(EPIPE, kReusedUnwritten), Next::DialAnew);
  EXPECT_EQ(Half().reception.on_end(kReused), Next::Fail);
  EXPECT_EQ(Half().reception.on_broken(ECONNRESET, kReused), Next::Fail);
  EXPECT_EQ(Half().reception.on_end(kNewUnwritten), Next::Fail);

  Half begun;
  ASSERT_EQ(begun.reception.on_bytes("HTTP/1.1 4", kReusedUnwritten), Next::Wait);
  EXPECT_EQ(begun.reception.on_end(kReusedUnwritten), Next::Fail);
  EXPECT_FALSE(begun.reception.is_stale());
}

TEST(Reception, CallsACloseWithoutAResponseStaleOnAUsedConnectionAlone) {
  Half reused;
  ASSERT_EQ(reused.reception.on_end(kReused), Next::Fail);
  EXPECT_EQ(reused.reception.failure().outcome, Outcome::failed(FailureKind::Reset));
  EXPECT_TRUE(reused.reception.is_stale());

  Half fresh;
  ASSERT_EQ(fresh.reception.on_end(kNew), Next::Fail);
  EXPECT_EQ(fresh.reception.failure().outcome, Outcome::failed(FailureKind::Reset));
  EXPECT_FALSE(fresh.reception.is_stale());

  Half shortage;
  ASSERT_EQ(shortage.reception.on_broken(ENOBUFS, kReused), Next::Fail);
  EXPECT_EQ(shortage.reception.failure().outcome, Outcome::our_fault());
  EXPECT_FALSE(shortage.reception.is_stale());
}

TEST(Reception, NeverFailsAfterACompleteSuccessHeader) {
  const std::string_view head = "HTTP/1.1 204 No\r\n\r\n";
  EXPECT_EQ(Half().reception.on_bytes(head, kNew), Next::AnswerAndReuse);
  EXPECT_EQ(Half().reception.on_bytes(head, kNewUnwritten), Next::Answer);

  const std::string_view chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  Half malformed;
  ASSERT_EQ(malformed.reception.on_bytes(chunked, kNew), Next::Wait);
  EXPECT_EQ(malformed.reception.on_bytes("zz", kNew), Next::Answer);
  Half ended;
  ASSERT_EQ(ended.reception.on_bytes(chunked, kNew), Next::Wait);
  EXPECT_EQ(ended.reception.on_end(kNew), Next::Answer);
  Half broken;
  ASSERT_EQ(broken.reception.on_bytes(chunked, kReused), Next::Wait);
  EXPECT_EQ(broken.reception.on_broken(ECONNRESET, kReused), Next::Answer);
  Half late;
  ASSERT_EQ(late.reception.on_bytes(chunked, kNew), Next::Wait);
  EXPECT_EQ(late.reception.on_failure(failed(FailureKind::Timeout, "late")), Next::Answer);
}

TEST(Reception, FailsAfterTheHeaderOfAnythingElse) {
  const std::string_view chunked = "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n";
  Half malformed;
  ASSERT_EQ(malformed.reception.on_bytes(chunked, kNew), Next::Wait);
  EXPECT_EQ(malformed.reception.on_bytes("zz", kNew), Next::Fail);
  EXPECT_EQ(malformed.reception.failure().outcome, Outcome::failed(FailureKind::Protocol));
  Half late;
  ASSERT_EQ(late.reception.on_bytes(chunked, kNew), Next::Wait);
  EXPECT_EQ(late.reception.on_failure(failed(FailureKind::Timeout, "late")), Next::Fail);
  EXPECT_EQ(late.reception.failure().outcome, Outcome::failed(FailureKind::Timeout));
}

}  // namespace
}  // namespace petrel::dispatch
