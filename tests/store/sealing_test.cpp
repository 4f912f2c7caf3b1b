// What the embedded store promises about secrets on its disk.

#include <fstream>
#include <iterator>

#include "harness.h"
#include "store/bytes.h"
#include "store/encoding.h"

namespace petrel::store {
namespace {

constexpr std::string_view kHeaderValue = "the value of a header that nobody may read";
constexpr std::string_view kClientKey = "the key of a client certificate";

class SealingTest : public testing::Test {
 protected:
  SealingTest() {
    settings_.path = folder_.at("store");
    endpoint_.headers = {{"x-api-key", std::string(kHeaderValue)}};
    endpoint_.client_key_pem = kClientKey;
  }

  static std::shared_ptr<const vault::Vault> vault(const std::vector<std::string>& secrets) {
    return std::make_shared<const vault::Vault>(secrets);
  }

  std::unique_ptr<RocksStore> open(const std::vector<std::string>& secrets) {
    settings_.vault = vault(secrets);
    return open_rocks(settings_, clock_);
  }

  Error refusal(const std::vector<std::string>& secrets) {
    settings_.vault = vault(secrets);
    const auto opened = RocksStore::open(settings_, clock_);
    return opened.ok() ? Error{} : opened.error();
  }

  void make_store(const std::vector<std::string>& secrets) {
    const auto store = open(secrets);
    ASSERT_TRUE(create(*store, endpoint_).ok());
    ASSERT_TRUE(store->compact().ok());
  }

  // Puts these bytes in the place of the endpoint's record, behind the store's back.
  void put_record(const std::string& bytes) {
    const auto database = Database::open(settings_, clock_);
    ASSERT_TRUE(database.ok());
    rocksdb::WriteOptions synced;
    synced.sync = true;
    const Key key = Key().id(endpoint_.id);
    ASSERT_TRUE((*database)
                    ->db()
                    .Put(synced, (*database)->family(Family::Endpoint), key.slice(), bytes)
                    .ok());
  }

  std::string record() {
    const auto database = Database::open(settings_, clock_);
    rocksdb::PinnableSlice value;
    EXPECT_TRUE((*database)->get(Family::Endpoint, Key().id(endpoint_.id).slice(), value).value());
    return value.ToString();
  }

  bool is_in_the_folder(std::string_view text) const {
    for (const auto& entry : std::filesystem::directory_iterator(settings_.path)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      if (bytes.find(text) != std::string::npos) return true;
    }
    return false;
  }

  void expect_sealed_on_disk() const {
    EXPECT_FALSE(is_in_the_folder(endpoint_.keys.current.reveal()));
    EXPECT_FALSE(is_in_the_folder(kHeaderValue));
    EXPECT_FALSE(is_in_the_folder(kClientKey));
  }

  StillClock clock_;
  ScratchFolder folder_;
  RocksSettings settings_;
  Maker make_;
  model::Endpoint endpoint_ = make_.endpoint(make_.application_id(), "main");
};

TEST_F(SealingTest, NoSecretIsReadableInTheFolder) {
  make_store({"first"});

  expect_sealed_on_disk();
  EXPECT_TRUE(is_in_the_folder(endpoint_.url)) << "the test must see what is not sealed";
  EXPECT_EQ(open({"first"})->all_endpoints().value(), std::vector{endpoint_});
}

TEST_F(SealingTest, WithoutItsKeyAStoreDoesNotOpenAndSaysWhichKey) {
  make_store({"first"});

  const Error error = refusal({"second"});

  EXPECT_EQ(error.kind, ErrorKind::Conflict);
  EXPECT_EQ(error.detail, "the secrets of the stored endpoint " + endpoint_.id.text() +
                              ": sealed with key " + vault({"first"})->current_id() +
                              ", which this server does not have");
}

TEST_F(SealingTest, ANewKeyTakesOverWhatTheOldOneSealed) {
  make_store({"first"});

  EXPECT_EQ(open({"second", "first"})->all_endpoints().value(), std::vector{endpoint_});

  EXPECT_EQ(open({"second"})->all_endpoints().value(), std::vector{endpoint_});
  EXPECT_EQ(refusal({"first"}).kind, ErrorKind::Conflict);
}

TEST_F(SealingTest, AStoreFromBeforeAnythingWasSealedOpensAndIsSealed) {
  make_store({"first"});
  std::string clear;
  ByteWriter to(clear);
  to.byte(1).id(endpoint_.application).text(endpoint_.keys.current.reveal()).number(0);
  to.text(endpoint_.uid).text(endpoint_.url).text("").number(0).number(0);
  to.number(1).text("x-api-key").text(kHeaderValue).number(0).flag(false);
  to.flag(false).flag(false).flag(false).flag(false).flag(false);
  to.time(endpoint_.created_at).time(endpoint_.updated_at);
  put_record(clear);
  ASSERT_TRUE(is_in_the_folder(kHeaderValue));

  open({"first"})->close();

  endpoint_.client_key_pem = "";
  EXPECT_EQ(open({"first"})->all_endpoints().value(), std::vector{endpoint_});
  EXPECT_FALSE(is_in_the_folder(endpoint_.keys.current.reveal()));
  EXPECT_FALSE(is_in_the_folder(kHeaderValue));
}

TEST_F(SealingTest, AnEndpointThatWasTamperedWithIsLeftOutAndNamed) {
  make_store({"first"});
  std::string bytes = record();
  bytes[80] = static_cast<char>(bytes[80] ^ 1);  // Within what is sealed.
  put_record(bytes);

  const auto store = open({"first"});

  EXPECT_TRUE(store->all_endpoints()->empty());
  EXPECT_EQ(store->condition().damage.at(0).name, "endpoint " + endpoint_.id.text());
}

}  // namespace
}  // namespace petrel::store
