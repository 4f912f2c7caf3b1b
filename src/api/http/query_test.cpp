#include "api/http/query.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

using List = std::vector<std::string>;

TEST(Query, DecodesNamesAndValues) {
  const Query query("a=1&b%20c=x+y%2Bz&empty=&novalue&=x&a=2");
  EXPECT_EQ(query.text("a"), "2");
  EXPECT_EQ(query.text("b c"), "x y+z");
  EXPECT_EQ(query.text("empty"), "");
  EXPECT_EQ(query.text("novalue"), "");
  EXPECT_EQ(query.text("other"), "");
}

TEST(Query, APercentSignThatBeginsNothingStays) {
  EXPECT_EQ(percent_decoded("100%"), "100%");
  EXPECT_EQ(percent_decoded("%4"), "%4");
  EXPECT_EQ(percent_decoded("%zz%41%6a"), "%zzAj");
  EXPECT_EQ(percent_decoded("a+b"), "a+b");
}

TEST(Query, ListsComeInEveryFormThatClientsUse) {
  EXPECT_EQ(Query("t=a,b").list("t"), (List{"a", "b"}));
  EXPECT_EQ(Query("t=a&t=b").list("t"), (List{"a", "b"}));
  EXPECT_EQ(Query("t[]=a&t%5B%5D=b").list("t"), (List{"a", "b"}));
  EXPECT_EQ(Query("t[0]=a&t[1]=b,c").list("t"), (List{"a", "b", "c"}));
  EXPECT_EQ(Query("t=,a,&tt=b&t[x]=c").list("t"), (List{"a"}));
  EXPECT_EQ(Query("").list("t"), List{});
}

TEST(Query, FlagsAreTrueOrFalse) {
  EXPECT_TRUE(*Query("f=true").flag("f", false));
  EXPECT_FALSE(*Query("f=False").flag("f", true));
  EXPECT_TRUE(*Query("").flag("f", true));
  EXPECT_EQ(Query("f=1").flag("f", true).error().text(), "query.f: must be true or false");
}

TEST(Query, NumbersAreWhole) {
  EXPECT_EQ(*Query("n=12").number("n"), 12);
  EXPECT_EQ(*Query("").number("n"), std::nullopt);
  for (const char* text : {"n=-1", "n=1.5", "n=x", "n=%20"}) {
    EXPECT_EQ(Query(text).number("n").error().text(), "query.n: must be a whole number");
  }
}

TEST(Query, TimesMayHaveAnyOffsetEvenAnUnencodedOne) {
  const std::optional<WallTime> noon = wall_from_unix_seconds(1'800'014'400);
  EXPECT_EQ(*Query("t=2027-01-15T12:00:00Z").time("t"), noon);
  EXPECT_EQ(*Query("t=2027-01-15T13:00:00%2B01:00").time("t"), noon);
  EXPECT_EQ(*Query("t=2027-01-15T13:00:00+01:00").time("t"), noon);
  EXPECT_EQ(*Query("t=2027-01-15+12:00:00").time("t"), noon);
  EXPECT_EQ(*Query("t=2027-01-15T12:00:00").time("t"), noon);
  EXPECT_EQ(*Query("").time("t"), std::nullopt);
  EXPECT_EQ(Query("t=noon").time("t").error().field, "query.t");
}

}  // namespace
}  // namespace petrel::api
