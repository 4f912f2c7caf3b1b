// P12: whatever an embedded store lives through, no secret that it was ever given can be read in
// any of its files.

#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.h"
#include "faulty_disk.h"
#include "harness.h"
#include "plain_search.h"

namespace petrel::store {
namespace {

constexpr int kStepsMax = 120;

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Sets up endpoints with secrets in every field that takes one, and changes and deletes them again.
class SecretKeeper {
 public:
  explicit SecretKeeper(std::uint64_t seed) : random_(seed), make_(seed), secure_(seed) {
    application_ = make_.application();
  }

  Status begin(RocksStore& store) { return create(store, application_); }

  // False once the store does not answer any more.
  bool step(RocksStore& store) {
    switch (random_.below(8)) {
      case 0:
      case 1:
        return is_alive(add(store));
      case 2:
        return is_alive(edit(store, [&](model::Endpoint& endpoint) { rotate(endpoint); }));
      case 3:
        return is_alive(edit(store, [&](model::Endpoint& endpoint) { set_headers(endpoint); }));
      case 4:
        return is_alive(remove(store));
      case 5:
        return is_alive(store.compact());
      default:
        return is_alive(send(store));
    }
  }

  const PlainSearch& secrets() const { return secrets_; }

  // What may be read, so that it shows whether the search can see anything.
  const PlainSearch& open_texts() const { return open_texts_; }

 private:
  static bool is_alive(const Status& status) {
    return status.ok() || status.error().kind != ErrorKind::Unavailable;
  }

  std::string text(std::size_t length) {
    std::string drawn;
    while (drawn.size() < length) drawn += static_cast<char>('!' + random_.below(90));
    return drawn;
  }

  std::string secret_text(std::string_view name) {
    std::string drawn = text(24 + random_.below(100));
    secrets_.add(drawn, name);
    return drawn;
  }

  signature::Secret key() {
    using signature::Secret;
    const bool is_pair = random_.below(2) == 0;
    Secret drawn = is_pair ? Secret::generate_asymmetric(secure_) : Secret::generate(secure_);
    // The other half of a pair is public.
    const std::size_t secret_bytes = is_pair ? Secret::kSeedBytes : drawn.bytes().size();
    secrets_.add(text_of(drawn.bytes().first(secret_bytes)), "a signing key");
    return drawn;
  }

  void set_headers(model::Endpoint& endpoint) {
    endpoint.headers.clear();
    for (std::uint64_t left = random_.below(4); left > 0; --left) {
      endpoint.headers.emplace_back("x-" + std::to_string(left), secret_text("a header"));
    }
  }

  void rotate(model::Endpoint& endpoint) {
    const Duration grace = std::chrono::hours(random_.below(48));
    EXPECT_TRUE(
        endpoint.keys.rotate(key(), kNoon, random_.below(3) == 0 ? Duration() : grace).ok());
    endpoint.client_key_pem = secret_text("a client's key");
  }

  Status add(RocksStore& store) {
    model::Endpoint endpoint = make_.endpoint(application_.id);
    endpoint.keys = signature::KeyRing{key()};
    endpoint.client_key_pem = secret_text("a client's key");
    endpoint.description = text(40);
    open_texts_.add(endpoint.description, "a description");
    set_headers(endpoint);
    const Status status = create(store, endpoint);
    if (status.ok()) endpoints_.push_back(endpoint);
    return status;
  }

  template <typename Edit>
  Status edit(RocksStore& store, Edit edit) {
    if (endpoints_.empty()) return Done{};
    model::Endpoint& endpoint = endpoints_[random_.below(endpoints_.size())];
    if (endpoint.keys.old.size() >= signature::KeyRing::kOldMax) return Done{};
    edit(endpoint);
    return update(store, endpoint);
  }

  Status remove(RocksStore& store) {
    if (endpoints_.empty()) return Done{};
    const auto chosen =
        endpoints_.begin() + static_cast<std::ptrdiff_t>(random_.below(endpoints_.size()));
    const Status status = change(store, DeleteEndpoint{chosen->id, kNoon});
    endpoints_.erase(chosen);
    return status;
  }

  Status send(RocksStore& store) {
    std::vector<EndpointId> endpoints;
    for (const model::Endpoint& endpoint : endpoints_) endpoints.push_back(endpoint.id);
    Acceptance acceptance = make_.acceptance(application_.id, endpoints);
    acceptance.payload = std::make_shared<const std::string>(random_.below(30'000), 'x');
    const auto answers = accept(store, {acceptance});
    if (!answers.ok()) return answers.error();
    std::vector<model::Settlement> settlements;
    for (const model::Delivery& delivery : acceptance.deliveries) {
      settlements.push_back(make_.delivered(delivery));
    }
    const auto settled = settle(store, std::move(settlements));
    if (!settled.ok()) return settled.error();
    return petrel::Done{};
  }

  Random random_;
  Maker make_;
  SeededSecureRandom secure_;
  model::Application application_;
  std::vector<model::Endpoint> endpoints_;
  PlainSearch secrets_;
  PlainSearch open_texts_;
};

class SecrecyTest : public testing::TestWithParam<int> {
 protected:
  SecrecyTest() : disk_(std::make_shared<FaultyDisk>()), env_(env_on(disk_)) {
    settings_.path = folder_.at("store");
    settings_.vault = test_vault();
    settings_.env = env_.get();
    settings_.retention =
        std::chrono::years(100);  // The clock is real, the records' times are not.
    settings_.retry_pause = std::chrono::milliseconds(1);
    settings_.write_buffer_bytes = std::size_t{1} << 16U;  // Files are written all the time.
  }

  std::optional<std::string> found(const PlainSearch& search) {
    return search.find_in(settings_.path);
  }

  SystemClock clock_;
  ScratchFolder folder_;
  RocksSettings settings_;
  std::shared_ptr<FaultyDisk> disk_;
  std::unique_ptr<rocksdb::Env> env_;
};

TEST_P(SecrecyTest, P12_NoFileShowsASecretWhateverTheStoreLivesThrough) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  Random random(seed);
  SecretKeeper keeper(seed);
  ASSERT_TRUE(keeper.begin(*open_rocks(settings_, clock_)).ok());

  for (int life = 0; life < 4; ++life) {
    auto store = open_rocks(settings_, clock_);
    ASSERT_TRUE(store);
    disk_->cut_after(20 + random.below(600));
    for (int step = 0; step < kStepsMax && keeper.step(*store); ++step) {
    }
    EXPECT_EQ(found(keeper.secrets()), std::nullopt) << "while it is open";
    disk_->cut_after(1);
    store.reset();
    disk_->restart(random);
    EXPECT_EQ(found(keeper.secrets()), std::nullopt) << "after the power went";
  }
  open_rocks(settings_, clock_)->close();

  EXPECT_EQ(found(keeper.secrets()), std::nullopt);
  EXPECT_GE(keeper.secrets().size(), 20U);
  EXPECT_NE(found(keeper.open_texts()), std::nullopt) << "the search must see what is not sealed";
}

INSTANTIATE_TEST_SUITE_P(Seed, SecrecyTest, testing::Range(1, 5));

// The test above is worth something only if it can fail: a field that nobody seals shows the
// secret, in each form that it can have, in the journal of writes as in the sorted files.
TEST_F(SecrecyTest, P12_ASecretInAFieldThatIsNotSealedIsFoundInEveryForm) {
  Maker make;
  model::Endpoint endpoint = make.endpoint(make.application_id());
  const std::string secret(text_of(endpoint.keys.current.bytes()));
  PlainSearch search;
  search.add(secret, "its key");

  for (const std::string& form : PlainSearch::forms_of(secret)) {
    endpoint.description = "behind other bytes: " + form + ".";
    auto store = open_rocks(settings_, clock_);
    ASSERT_TRUE(create(*store, endpoint).ok());
    EXPECT_NE(found(search), std::nullopt) << "as soon as it is written: " << form;
    ASSERT_TRUE(store->compact().ok());
    store.reset();
    EXPECT_NE(found(search), std::nullopt) << "in a sorted file: " << form;
    std::filesystem::remove_all(settings_.path);
  }
}

// An encoding that forgets to seal one field of many.
TEST_F(SecrecyTest, P12_OneOldKeyThatIsNotSealedIsFound) {
  SecretKeeper keeper(1);
  auto store = open_rocks(settings_, clock_);
  ASSERT_TRUE(keeper.begin(*store).ok());
  for (int step = 0; step < kStepsMax; ++step) ASSERT_TRUE(keeper.step(*store));
  ASSERT_EQ(found(keeper.secrets()), std::nullopt);
  PlainSearch search = keeper.secrets();
  Maker make;
  model::Endpoint endpoint = make.endpoint(make.application_id());
  search.add(text_of(endpoint.keys.current.bytes()), "a signing key");
  ASSERT_TRUE(create(*store, endpoint).ok());
  ASSERT_EQ(found(search), std::nullopt);

  endpoint.metadata["old"] = endpoint.keys.current.reveal();
  ASSERT_TRUE(update(*store, endpoint).ok());

  EXPECT_NE(found(search), std::nullopt);
}

}  // namespace
}  // namespace petrel::store
