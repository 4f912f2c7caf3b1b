#include "base/mailbox.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"

namespace petrel {
namespace {

class MailboxTest : public ::testing::Test {
 protected:
  HandClock clock{WallTime{}, MonoTime{}};
  HandLoop loop{clock};
  std::vector<std::vector<int>> read;
  std::unique_ptr<Mailbox<int>> mailbox = std::make_unique<Mailbox<int>>(
      loop, [this](std::vector<int> mail) { read.push_back(std::move(mail)); });
};

TEST_F(MailboxTest, IsReadOnTheLoopAndNotWithinSend) {
  mailbox->send(1);
  EXPECT_TRUE(read.empty());
  loop.run();
  EXPECT_EQ(read, (std::vector<std::vector<int>>{{1}}));
}

TEST_F(MailboxTest, WakesTheLoopOnceForAllThatWaits) {
  for (const int mail : {1, 2, 3}) mailbox->send(mail);
  EXPECT_EQ(loop.posted(), 1U);
  loop.run();
  mailbox->send(4);
  EXPECT_EQ(loop.posted(), 1U);
  loop.run();
  EXPECT_EQ(read, (std::vector<std::vector<int>>{{1, 2, 3}, {4}}));
}

TEST_F(MailboxTest, TakesMailWhileItIsRead) {
  mailbox = std::make_unique<Mailbox<int>>(loop, [this](std::vector<int> mail) {
    if (mail.front() < 3) mailbox->send(mail.front() + 1);
    read.push_back(std::move(mail));
  });
  mailbox->send(1);
  loop.run();
  EXPECT_EQ(read, (std::vector<std::vector<int>>{{1}, {2}, {3}}));
}

TEST_F(MailboxTest, IsNotReadOnceItIsGone) {
  mailbox->send(1);
  mailbox.reset();
  loop.run();
  EXPECT_TRUE(read.empty());
}

TEST(Mailbox, CarriesWhatCannotBeCopied) {
  HandClock clock{WallTime{}, MonoTime{}};
  HandLoop loop(clock);
  int seen = 0;
  Mailbox<std::unique_ptr<int>> mailbox(
      loop, [&](const std::vector<std::unique_ptr<int>>& mail) { seen = *mail.front(); });
  mailbox.send(std::make_unique<int>(7));
  loop.run();
  EXPECT_EQ(seen, 7);
}

}  // namespace
}  // namespace petrel
