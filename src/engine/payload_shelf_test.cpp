#include "engine/payload_shelf.h"

#include <gtest/gtest.h>

#include "engine/testing/samples.h"

namespace petrel::engine {
namespace {

constexpr std::size_t kSize = 100'000;

class PayloadShelfTest : public testing::Test {
 protected:
  store::LoadedPayload keep(int message, std::size_t size = kSize,
                            std::optional<WallTime> expires_at = std::nullopt) {
    const std::string content(size, 'x');
    return shelf.keep(message_id(message), {application, content, "text/plain", expires_at},
                      shelf.edition());
  }

  const ApplicationId application = nth<ApplicationId>(1);
  std::shared_ptr<MemoryBudget> memory = MemoryBudget::make(8 * kSize);
  PayloadShelf shelf{memory};
};

TEST_F(PayloadShelfTest, APayloadIsFoundForAsLongAsSomebodyHasIt) {
  store::LoadedPayload kept = keep(1);
  EXPECT_EQ(shelf.find(message_id(1), kWallStart), kept);
  EXPECT_EQ(shelf.find(message_id(1), kWallStart).content_type, "text/plain");
  kept = {};
  EXPECT_EQ(shelf.find(message_id(1), kWallStart), store::LoadedPayload());
  EXPECT_EQ(memory->used(MemoryUse::Payloads), 0U);
}

TEST_F(PayloadShelfTest, OneThatIsReadTwiceAtOnceIsThereOnce) {
  const auto first = keep(1);
  EXPECT_EQ(keep(1).bytes, first.bytes);
  EXPECT_EQ(memory->used(MemoryUse::Payloads), kSize);
}

TEST_F(PayloadShelfTest, OneThatHasNoRoomIsNotKept) {
  const auto first = keep(1);
  const auto second = keep(2);
  const auto third = keep(3);
  const store::LoadedPayload fourth = keep(4);
  EXPECT_EQ(fourth.bytes, nullptr);
  EXPECT_EQ(fourth.no_room_for, kSize);
  EXPECT_FALSE(shelf.has_room(application, kSize));
  EXPECT_TRUE(shelf.has_room(nth<ApplicationId>(2), kSize));
}

TEST_F(PayloadShelfTest, OneThatExpiresIsNotFoundAfterThat) {
  const auto kept = keep(1, kSize, kWallStart + std::chrono::seconds(1));
  EXPECT_NE(shelf.find(message_id(1), kWallStart).bytes, nullptr);
  EXPECT_EQ(shelf.find(message_id(1), kWallStart + std::chrono::seconds(1)).bytes, nullptr);
}

TEST_F(PayloadShelfTest, OneThatWasExpungedIsNotFoundAnyMore) {
  const auto kept = keep(1);
  shelf.forget(message_id(1));
  EXPECT_EQ(shelf.find(message_id(1), kWallStart).bytes, nullptr);
}

TEST_F(PayloadShelfTest, OneThatWasExpungedWhileItWasReadIsNotShelved) {
  const std::uint64_t edition = shelf.edition();
  shelf.forget(message_id(1));
  const std::string content(kSize, 'x');
  const auto kept = shelf.keep(message_id(1), {application, content, "", {}}, edition);
  EXPECT_NE(kept.bytes, nullptr);
  EXPECT_EQ(shelf.find(message_id(1), kWallStart).bytes, nullptr);
}

TEST_F(PayloadShelfTest, OneThatWasAcceptedIsSharedWithWhatIsReadLater) {
  const auto accepted = std::make_shared<const std::string>(kSize, 'x');
  shelf.put(message_id(1), accepted, "");
  EXPECT_EQ(shelf.find(message_id(1), kWallStart).bytes, accepted);
  EXPECT_EQ(keep(1).bytes, accepted);
}

TEST_F(PayloadShelfTest, SmallOnesAreCopiedAndCounted) {
  const auto first = keep(1, 100);
  const auto second = keep(1, 100);
  EXPECT_NE(first.bytes, second.bytes);
  EXPECT_EQ(memory->used(MemoryUse::Payloads), 200U);
}

}  // namespace
}  // namespace petrel::engine
