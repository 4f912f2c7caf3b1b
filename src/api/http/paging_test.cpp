#include "api/http/paging.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

using store::Order;

Ksuid number(std::uint8_t n) {
  Ksuid::Bytes bytes{};
  bytes.back() = n;
  return Ksuid(bytes);
}

struct Item {
  MessageId id;
};

std::vector<Item> items(std::initializer_list<std::uint8_t> numbers) {
  std::vector<Item> made;
  for (const std::uint8_t n : numbers) made.push_back({MessageId(number(n))});
  return made;
}

std::string numbers(const std::vector<Item>& list) {
  std::string text;
  for (const Item& item : list) text += std::to_string(item.id.ksuid().bytes().back()) + " ";
  return text;
}

TEST(Paging, ReadsLimitAndIterator) {
  const auto plain = read_page(Query(""), "msg_", Order::Descending);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->page.limit, 50U);
  EXPECT_EQ(plain->page.after, std::nullopt);
  EXPECT_EQ(plain->page.order, Order::Descending);

  const std::string id = MessageId(number(7)).text();
  const auto back = read_page(Query("limit=250&iterator=-" + id), "msg_", Order::Descending);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->page.limit, 250U);
  EXPECT_EQ(back->page.after, number(7));
  EXPECT_EQ(back->page.order, Order::Ascending);
  EXPECT_TRUE(back->is_backwards);
}

TEST(Paging, NamesWhatIsMalformed) {
  const auto problem = [](std::string_view query) {
    return read_ordered_page(Query(query), "msg_", Order::Ascending).error().field;
  };
  EXPECT_EQ(problem("limit=0"), "query.limit");
  EXPECT_EQ(problem("limit=251"), "query.limit");
  EXPECT_EQ(problem("iterator=msg_1"), "query.iterator");
  EXPECT_EQ(problem("iterator=-"), "query.iterator");
  EXPECT_EQ(problem("order=up"), "query.order");
}

TEST(Paging, AWindowIsWhatFollowsInItsOrder) {
  const auto shown = [](store::Page page) {
    const auto listed =
        window(items({1, 2, 3, 4}), page, [](const Item& item) { return item.id.ksuid(); });
    return numbers(listed.items) + (listed.has_more ? "more" : "end");
  };
  EXPECT_EQ(shown({std::nullopt, Order::Ascending, 3}), "1 2 3 more");
  EXPECT_EQ(shown({std::nullopt, Order::Ascending, 4}), "1 2 3 4 end");
  EXPECT_EQ(shown({number(2), Order::Ascending, 3}), "3 4 end");
  EXPECT_EQ(shown({number(3), Order::Descending, 1}), "2 more");
  EXPECT_EQ(shown({number(9), Order::Descending, 2}), "4 3 more");
  EXPECT_EQ(shown({number(9), Order::Ascending, 2}), "end");
}

TEST(Paging, APageSaysHowToGoOnAndBack) {
  const auto text = [](const Shown<Item>& shown, bool is_backwards) {
    return page_text(
        shown, {{}, is_backwards}, [](const Item& item) { return item.id; },
        [](const Item&, JsonWriter& json) { json.value(1); });
  };
  const std::string one = MessageId(number(1)).text();
  const std::string two = MessageId(number(2)).text();
  const std::string nine = MessageId(number(9)).text();

  EXPECT_EQ(text({items({2, 1}), true, std::nullopt}, false), R"({"data":[1,1],"iterator":")" +
                                                                  one + R"(","prevIterator":"-)" +
                                                                  two + R"(","done":false})");
  EXPECT_EQ(text({{}, false, std::nullopt}, false), R"({"data":[],"iterator":null,"done":true})");
  EXPECT_EQ(
      text({items({2}), true, number(9)}, false),
      R"({"data":[1],"iterator":")" + nine + R"(","prevIterator":"-)" + two + R"(","done":false})");
  EXPECT_EQ(
      text({items({2}), true, number(9)}, true),
      R"({"data":[1],"iterator":")" + two + R"(","prevIterator":"-)" + nine + R"(","done":false})");
}

TEST(Paging, AScanGoesOnUntilThePageIsFull) {
  int fetched = 0;
  const auto fetch = [&](const store::Page& page) -> Result<store::Listed<Item>> {
    ++fetched;
    return window(items({1, 2, 3, 4, 5, 6, 7, 8}), page,
                  [](const Item& item) { return item.id.ksuid(); });
  };
  const auto is_even = [](const Item& item) -> Result<bool> {
    return item.id.ksuid().bytes().back() % 2 == 0;
  };
  const auto found = scan<Item>({std::nullopt, Order::Ascending, 2}, fetch, is_even);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(numbers(found->items), "2 4 ");
  EXPECT_TRUE(found->has_more);
  EXPECT_EQ(found->looked_until, std::nullopt);
  EXPECT_EQ(fetched, 2);

  const auto rest = scan<Item>({number(4), Order::Ascending, 2}, fetch, is_even);
  EXPECT_EQ(numbers(rest->items), "6 8 ");
  EXPECT_FALSE(rest->has_more);
}

}  // namespace
}  // namespace petrel::api
