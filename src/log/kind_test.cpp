#include "log/kind.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace petrel::log {
namespace {

TEST(Kind, EachHasItsOwnRowAndName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kKinds[i].kind), i) << kKinds[i].name;
    EXPECT_TRUE(names.insert(kKinds[i].name).second) << kKinds[i].name;
  }
  EXPECT_EQ(static_cast<std::size_t>(Kind::LogDropped) + 1, kKinds.size());
}

TEST(Kind, ANameIsAThingAndWhatBecameOfIt) {
  for (const KindSpec& spec : kKinds) {
    const std::size_t dot = spec.name.find('.');
    ASSERT_NE(dot, std::string_view::npos) << spec.name;
    EXPECT_EQ(spec.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_."), std::string_view::npos)
        << spec.name;
    EXPECT_EQ(spec.name.find('.', dot + 1), std::string_view::npos) << spec.name;
  }
}

TEST(Kind, WhatEveryAttemptWritesIsSeenByThoseWhoAskForItOnly) {
  EXPECT_EQ(level_of(Kind::AttemptEnded), Level::Debug);
}

}  // namespace
}  // namespace petrel::log
