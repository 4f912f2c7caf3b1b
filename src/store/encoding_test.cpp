#include "store/encoding.h"

#include <gtest/gtest.h>

#include "store/bytes.h"
#include "store/testing/random_records.h"

namespace petrel::store {
namespace {

const vault::Vault& test_vault() {
  static const vault::Vault kVault({"a secret"});
  return kVault;
}

std::string encoded(const model::Endpoint& endpoint) {
  std::string bytes;
  encode(endpoint, test_vault(), bytes);
  return bytes;
}

Result<model::Endpoint> decode(EndpointId id, std::string_view bytes) {
  return decode_endpoint(id, bytes, test_vault());
}

template <typename T>
std::string encoded(const T& record) {
  std::string bytes;
  encode(record, bytes);
  return bytes;
}

std::string encoded(const model::Message& message) { return encoded(StoredMessage{message}); }

// Every decoder, on bytes that may be anything. The answers do not matter, only that they come.
void decode_all(std::string_view bytes) {
  (void)decode_application(ApplicationId(), bytes).ok();
  (void)decode(EndpointId(), bytes).ok();
  (void)decode_message(ApplicationId(), MessageId(), bytes).ok();
  (void)decode_delivery({}, bytes).ok();
  (void)decode_delivery_head(bytes).ok();
  (void)decode_attempt(MessageId(), AttemptId(), bytes).ok();
  (void)decode_attempt_endpoint(bytes).ok();
  (void)decode_event_type(OrganisationId(), "", bytes).ok();
  (void)decode_task(OrganisationId(), TaskId(), bytes).ok();
  (void)decode_suspect({}, bytes).ok();
  (void)decode_endpoint_owner(bytes).ok();
  (void)decode_answer(bytes).ok();
  (void)decode_expiry(bytes).ok();
  (void)decode_tally(bytes).ok();
  (void)decode_attempt_mark(bytes).ok();
  (void)decode_payload(bytes).ok();
}

TEST(Encoding, GivesBackEveryRecord) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomRecords draw(seed);

    const model::Application application = draw.application();
    EXPECT_EQ(decode_application(application.id, encoded(application)).value(), application);
    const model::Endpoint endpoint = draw.endpoint();
    EXPECT_EQ(decode(endpoint.id, encoded(endpoint)).value(), endpoint);
    const model::Message message = draw.message();
    EXPECT_EQ(decode_message(message.application, message.id, encoded(message)).value(), message);
    const StoredMessage stored{message, seed % 2 == 0 ? std::optional(seed) : std::nullopt};
    const auto read = decode_stored_message(message.application, message.id, encoded(stored));
    EXPECT_EQ(read->message, message);
    EXPECT_EQ(read->payload_bytes, stored.payload_bytes);
    EXPECT_TRUE(read->knows_payload);
    const model::Delivery delivery = draw.delivery();
    EXPECT_EQ(decode_delivery(delivery.key, encoded(delivery)).value(), delivery);
    EXPECT_EQ(decode_delivery_head(encoded(delivery)).value(), head_of(delivery));
    const model::Attempt attempt = draw.attempt();
    EXPECT_EQ(decode_attempt(attempt.delivery.message, attempt.id, encoded(attempt)).value(),
              attempt);
    EXPECT_EQ(decode_attempt_endpoint(encoded(attempt)).value(), attempt.delivery.endpoint);
    const model::EventType type = draw.event_type();
    EXPECT_EQ(decode_event_type(type.organisation, type.name, encoded(type)).value(), type);
    EXPECT_EQ(decode_endpoint_owner(encoded(endpoint)).value(), endpoint.application);
    const model::Task task = draw.task();
    EXPECT_EQ(decode_task(task.organisation, task.id, encoded(task)).value(), task);
    const KnownAnswer of_message{
        .body_hash = draw.text(), .expires_at = draw.moment(), .message = MessageId(draw.ksuid())};
    EXPECT_EQ(decode_answer(encoded(of_message)).value(), of_message);
    const KnownAnswer of_change{.body_hash = draw.text(),
                                .expires_at = draw.moment(),
                                .status = draw.integer(),
                                .body = draw.text()};
    EXPECT_EQ(decode_answer(encoded(of_change)).value(), of_change);
    const TallyCounts counts = {seed, 0, ~std::uint64_t{0}, draw.random().below(300), 0, seed % 2};
    EXPECT_EQ(decode_tally(encoded(counts)).value(), counts);
    const Expiry expiry{draw.moment()};
    EXPECT_EQ(decode_expiry(encoded(expiry)).value(), expiry);
    const AttemptMark mark{MessageId(draw.ksuid()), static_cast<std::uint16_t>(seed)};
    EXPECT_EQ(decode_attempt_mark(encoded(mark)).value(), mark);
  }
}

TEST(Encoding, KeepsThePayloadsExactBytesAndItsApplication) {
  RandomRecords draw(1);
  const std::string content = std::string("{\"a\":\0}", 7) + draw.text();
  const ApplicationId application(draw.ksuid());
  const WallTime later = wall_from_unix_seconds(2'000'000'000);
  const std::string bytes = encoded(PayloadView{.application = application,
                                                .expires_at = later,
                                                .content_type = "text/plain",
                                                .content = content});

  const Result<PayloadView> decoded = decode_payload(bytes);

  EXPECT_EQ(decoded->content, content);
  EXPECT_EQ(decoded->content_type, "text/plain");
  EXPECT_EQ(decoded->application, application);
  EXPECT_FALSE(decoded->is_there(later));
  EXPECT_TRUE(decoded->is_there(later - Duration(1)));
}

// Version 1 of a record that has only got more fields at its end since.
std::string first_version(std::string bytes, std::size_t more) {
  bytes[0] = 1;
  bytes.resize(bytes.size() - more);
  return bytes;
}

// As endpoints were before they were sealed.
std::string first_endpoint(const model::Endpoint& endpoint) {
  std::string bytes;
  ByteWriter to(bytes);
  to.byte(1).id(endpoint.application).text(endpoint.keys.current.reveal());
  to.number(endpoint.keys.old.size());
  for (const signature::ExpiringSecret& old : endpoint.keys.old) {
    to.text(old.secret.reveal()).time(old.expires_at);
  }
  to.text(endpoint.uid).text(endpoint.url).text(endpoint.description);
  for (const auto* list : {&endpoint.event_types, &endpoint.channels}) {
    to.number(list->size());
    for (const std::string& text : *list) to.text(text);
  }
  to.number(endpoint.headers.size());
  for (const auto& [name, value] : endpoint.headers) to.text(name).text(value);
  to.number(0).flag(endpoint.is_disabled);  // No metadata.
  to.flag(false).flag(false).flag(false).flag(false).flag(false);
  to.time(endpoint.created_at).time(endpoint.updated_at);
  return bytes;
}

TEST(Encoding, ReadsTheFirstVersionOfEveryRecord) {
  RandomRecords draw(4);
  model::Application application = draw.application();
  application.deleted_at.reset();
  application.guards.reset();
  application.retention = {};
  application.tokens_valid_from.reset();
  EXPECT_EQ(decode_application(application.id, first_version(encoded(application), 7)).value(),
            application);
  std::string second_application = first_version(encoded(application), 5);
  second_application[0] = 2;
  EXPECT_EQ(decode_application(application.id, second_application).value(), application);
  model::Endpoint endpoint = draw.endpoint();
  endpoint.deleted_at.reset();
  endpoint.guards.reset();
  endpoint.ca_pem = endpoint.client_certificate_pem = endpoint.client_key_pem = "";
  endpoint.metadata.clear();
  endpoint.pause.reset();
  endpoint.held = {};
  endpoint.throttle_rate.reset();
  endpoint.in_flight_max.reset();
  endpoint.timeout.reset();
  endpoint.retry_policy.reset();
  EXPECT_EQ(decode(endpoint.id, first_endpoint(endpoint)).value(), endpoint);
  std::string second_endpoint = first_version(encoded(endpoint), 1);
  second_endpoint[0] = 2;
  EXPECT_EQ(decode(endpoint.id, second_endpoint).value(), endpoint);

  model::Message message = draw.message();
  message.tags.clear();
  message.deliver_at.reset();
  message.content_type = "";
  message.payload_expires_at.reset();
  const std::string first_message = first_version(encoded(message), 5);
  EXPECT_EQ(decode_message(message.application, message.id, first_message).value(), message);
  std::string second_message = first_version(encoded(message), 1);
  second_message[0] = 2;
  const auto second = decode_stored_message(message.application, message.id, second_message);
  EXPECT_EQ(second->message, message);
  EXPECT_FALSE(second->knows_payload);
  model::Delivery delivery = draw.delivery();
  delivery.is_manual = delivery.is_scheduled = delivery.is_aborted = false;
  delivery.next.reset();
  EXPECT_EQ(decode_delivery(delivery.key, first_version(encoded(delivery), 4)).value(), delivery);
  for (const auto& [version, more] : {std::pair(2, 2), std::pair(3, 1)}) {
    std::string older = first_version(encoded(delivery), static_cast<std::size_t>(more));
    older[0] = static_cast<char>(version);
    EXPECT_EQ(decode_delivery(delivery.key, older).value(), delivery) << version;
  }

  const ApplicationId owner(draw.ksuid());
  std::string payload;
  ByteWriter(payload).byte(1).id(owner).raw("{}");
  EXPECT_EQ(decode_payload(payload)->application, owner);
  EXPECT_EQ(decode_payload(payload)->content, "{}");
  EXPECT_TRUE(decode_payload(payload)->is_there(WallTime::max()));

  std::string answer;
  ByteWriter(answer).byte(1).id(message.id).time(WallTime()).text("hash");
  EXPECT_EQ(decode_answer(answer).value(),
            (KnownAnswer{.body_hash = "hash", .expires_at = WallTime(), .message = message.id}));
}

TEST(Encoding, AnEndpointsSecretsAreSealedAndBoundToIt) {
  model::Endpoint endpoint = RandomRecords(6).endpoint();
  endpoint.headers = {{"x-api-key", "the value of a header"}};
  endpoint.client_key_pem = "the key of a certificate";
  const std::string bytes = encoded(endpoint);

  EXPECT_EQ(bytes.find(endpoint.keys.current.reveal()), std::string::npos);
  EXPECT_EQ(bytes.find("the value"), std::string::npos);
  EXPECT_EQ(bytes.find("the key"), std::string::npos);
  EXPECT_NE(bytes.find("x-api-key"), std::string::npos);
  const auto elsewhere = decode(EndpointId(RandomRecords(7).ksuid()), bytes);
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_EQ(elsewhere.error().kind, ErrorKind::Corrupt);
  EXPECT_TRUE(is_sealed_now(bytes, test_vault()));
  EXPECT_FALSE(is_sealed_now(bytes, vault::Vault({"another", "a secret"})));
  EXPECT_FALSE(is_sealed_now(first_endpoint(endpoint), test_vault()));
}

TEST(Encoding, ARecordOfANewerVersionIsCorruptAndSaysSo) {
  std::string bytes = encoded(RandomRecords(1).delivery());
  bytes[0] = 6;

  const Result<model::Delivery> decoded = decode_delivery({}, bytes);

  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().kind, ErrorKind::Corrupt);
  EXPECT_EQ(decoded.error().field, "delivery " + EndpointId().text() + ' ' + MessageId().text());
  EXPECT_EQ(decoded.error().detail,
            "the stored delivery has form 6, this Petrel knows 5: it was written by a "
            "newer version");
}

TEST(Encoding, ASuspectComesBackAndIsCorruptIfCutShort) {
  RandomRecords draw(9);
  for (const bool is_held : {false, true}) {
    model::Suspect suspect{.delivery = draw.delivery().key,
                           .application = ApplicationId(draw.ksuid()),
                           .crashes = 3,
                           .life = ~std::uint64_t{0},
                           .crashed_at = draw.moment(),
                           .version = "0.1.0",
                           .attempts_total = 7};
    if (is_held) suspect.held = model::Suspect::Held{draw.moment(), draw.moment()};
    const std::string bytes = encoded(suspect);
    EXPECT_EQ(decode_suspect(suspect.delivery, bytes).value(), suspect);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode_suspect(suspect.delivery, bytes.substr(0, size)).ok());
    }
  }
}

TEST(Encoding, ARecordThatIsCutShortIsCorrupt) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomRecords draw(seed);
    const model::Delivery delivery = draw.delivery();
    const std::string of_delivery = encoded(delivery);
    for (std::size_t size = 0; size < of_delivery.size(); ++size) {
      const auto decoded = decode_delivery(delivery.key, of_delivery.substr(0, size));
      ASSERT_FALSE(decoded.ok());
      EXPECT_EQ(decoded.error().kind, ErrorKind::Corrupt);
    }
    const model::Endpoint endpoint = draw.endpoint();
    const std::string of_endpoint = encoded(endpoint);
    for (std::size_t size = 0; size < of_endpoint.size(); ++size) {
      EXPECT_FALSE(decode(endpoint.id, of_endpoint.substr(0, size)).ok());
    }
  }
}

TEST(Encoding, ARecordWithSomethingLeftOverIsCorrupt) {
  const model::Message message = RandomRecords(3).message();

  const auto decoded = decode_message(message.application, message.id, encoded(message) + "x");

  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().kind, ErrorKind::Corrupt);
}

TEST(Encoding, SurvivesAnyBytes) {
  Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    const std::uint64_t size = random.below(120);
    for (std::uint64_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(random.below(256)));
    if (!bytes.empty() && round % 2 == 0) bytes[0] = static_cast<char>(1 + random.below(3));
    decode_all(bytes);
  }
}

TEST(Encoding, SurvivesRecordsWithSomeBytesChanged) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    RandomRecords draw(seed);
    for (std::string bytes : {encoded(draw.endpoint()), encoded(draw.delivery()),
                              encoded(draw.attempt()), encoded(draw.message())}) {
      for (int change = 0; change < 3; ++change) {
        bytes[draw.random().below(bytes.size())] = static_cast<char>(draw.random().below(256));
      }
      decode_all(bytes);
    }
  }
}

TEST(Encoding, TimesSortAsTheirBytesDo) {
  RandomRecords draw(5);
  for (int round = 0; round < 1000; ++round) {
    const WallTime a = draw.moment();
    const WallTime b = draw.moment();
    std::string of_a;
    std::string of_b;
    ByteWriter(of_a).time(a);
    ByteWriter(of_b).time(b);
    EXPECT_EQ(a < b, of_a < of_b);
  }
}

TEST(Encoding, NumbersAtTheirEndsComeBack) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    std::string bytes;
    ByteWriter(bytes).number(number);
    ByteReader in(bytes);
    EXPECT_EQ(in.number(), number);
    EXPECT_TRUE(in.ok());
  }
  for (const std::int64_t number : {INT64_MIN, std::int64_t{-1}, std::int64_t{1}, INT64_MAX}) {
    std::string bytes;
    ByteWriter(bytes).signed_number(number);
    ByteReader in(bytes);
    EXPECT_EQ(in.signed_number(), number);
    EXPECT_TRUE(in.ok());
  }
}

TEST(Encoding, ANumberThatDoesNotFitIsRefused) {
  ByteReader in("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02");
  EXPECT_EQ(in.number(), 0U);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace petrel::store
