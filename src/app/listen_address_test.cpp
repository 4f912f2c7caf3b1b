#include "app/listen_address.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

TEST(ListenAddress, ReadsBothFamilies) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:8071")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen_address("127.0.0.1:8071")->port, 8071);
  EXPECT_EQ(parse_listen_address("[::1]:0")->host, "::1");
  EXPECT_EQ(parse_listen_address("[::1]:0")->port, 0);
}

TEST(ListenAddress, NoHostIsEveryAddressAndLocalhostIsThisMachine) {
  EXPECT_EQ(parse_listen_address(":8071")->host, "0.0.0.0");
  EXPECT_EQ(parse_listen_address(":8071")->port, 8071);
  EXPECT_EQ(parse_listen_address("localhost:8071")->host, "127.0.0.1");
}

TEST(ListenAddress, RefusesWhatIsNotAnAddressAndPort) {
  for (const std::string_view text :
       {"", "8071", ":", "example.com", "127.0.0.1", "127.0.0.1:", "::1:8071", "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1:80x"}) {
    const Result<ListenAddress> address = parse_listen_address(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().field, "listen");
  }
}

}  // namespace
}  // namespace petrel::app
