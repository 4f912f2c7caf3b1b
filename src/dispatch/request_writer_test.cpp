#include "dispatch/request_writer.h"

#include <gtest/gtest.h>

#include "signature/verify.h"

namespace petrel::dispatch {
namespace {

using signature::KeyRing;
using signature::Secret;

constexpr WallTime kNow = wall_from_unix_seconds(1'700'000'000);

Secret secret(std::uint64_t seed) {
  SeededSecureRandom random(seed);
  return Secret::generate(random);
}

std::shared_ptr<model::Endpoint> endpoint(KeyRing keys = {.current = secret(1)}) {
  auto made = std::make_shared<model::Endpoint>(std::move(keys));
  made->url = "https://example.com:8443/hook?a=1";
  return made;
}

RequestWriter writer(EndpointPtr endpoint) {
  return *RequestWriter::make(std::move(endpoint), "Petrel/1.2.3");
}

std::string head(RequestWriter& writer, std::string_view body, WallTime at = kNow) {
  std::string out;
  writer.write_head(MessageId(Ksuid()), at, body, "", out);
  return out;
}

// What the signer itself says for these secrets.
std::string signatures(std::vector<Secret> secrets, std::string_view body, WallTime at = kNow) {
  return signature::Signer(secrets).sign(MessageId(Ksuid()).text(), at, body);
}

TEST(RequestWriter, WritesTheWholeHead) {
  const auto target = endpoint();
  target->headers = {{"X-Tenant", "acme"}, {"Authorization", "Bearer t"}};
  RequestWriter requests = writer(target);

  const std::string id = MessageId(Ksuid()).text();
  const std::string signed_as = signatures({secret(1)}, "{}");
  EXPECT_EQ(head(requests, "{}"),
            "POST /hook?a=1 HTTP/1.1\r\n"
            "host: example.com:8443\r\n"
            "user-agent: Petrel/1.2.3\r\n"
            "content-type: application/json\r\n"
            "content-length: 2\r\n"
            "webhook-id: " +
                id +
                "\r\n"
                "webhook-timestamp: 1700000000\r\n"
                "webhook-signature: " +
                signed_as +
                "\r\n"
                "svix-id: " +
                id +
                "\r\n"
                "svix-timestamp: 1700000000\r\n"
                "svix-signature: " +
                signed_as +
                "\r\n"
                "X-Tenant: acme\r\n"
                "Authorization: Bearer t\r\n"
                "\r\n");
  EXPECT_EQ(requests.pool_key(), "https://example.com:8443");
}

TEST(RequestWriter, SharesConnectionsByTlsMaterialToo) {
  const auto with = [](const std::string& url, const std::string& authorities) {
    const auto target = endpoint();
    target->url = url;
    target->ca_pem = authorities;
    return writer(target).pool_key();
  };
  EXPECT_EQ(with("https://a.example/1", "x"), with("https://a.example/2", "x"));
  EXPECT_NE(with("https://a.example/1", "x"), with("https://a.example/1", "y"));
  EXPECT_NE(with("https://a.example/1", "x"), with("https://a.example/1", ""));
  EXPECT_NE(with("https://a.example/1", "x"), with("https://b.example/1", "x"));
  EXPECT_EQ(with("http://a.example/1", "x"), with("http://a.example/1", "")) << "no TLS at all";
}

TEST(RequestWriter, LeavesOutHeadersThatWouldReplaceOursOrBreakOut) {
  const auto target = endpoint();
  RequestWriter plain = writer(target);
  const auto hostile = endpoint();
  hostile->headers = {{"host", "evil"},          {"Content-Length", "0"},
                      {"webhook-id", "other"},   {"x", "a\r\nhost: evil"},
                      {"a\r\nhost: evil", "x"},  {"Transfer-Encoding", "chunked"},
                      {"user-agent", "Mozilla"}, {"connection", "upgrade"}};
  RequestWriter guarded = writer(hostile);

  EXPECT_EQ(head(guarded, "{}"), head(plain, "{}"));
}

TEST(RequestWriter, AMessageMayHaveItsOwnContentType) {
  RequestWriter requests = writer(endpoint());
  std::string out;
  requests.write_head(MessageId(Ksuid()), kNow, "<a/>", "text/xml", out);
  EXPECT_NE(out.find("\r\ncontent-type: text/xml\r\ncontent-length: 4\r\n"), std::string::npos);
  EXPECT_EQ(out.find("application/json"), std::string::npos);
}

TEST(RequestWriter, AppendsToWhatIsThere) {
  RequestWriter requests = writer(endpoint());
  std::string out = "before";
  requests.write_head(MessageId(Ksuid()), kNow, "", "", out);
  EXPECT_TRUE(out.starts_with("beforePOST "));
  EXPECT_NE(out.find("\r\ncontent-length: 0\r\n"), std::string::npos);
}

TEST(RequestWriter, SignsWithTheSecretsThatAreValidAtTheTime) {
  KeyRing keys{.current = secret(1)};
  ASSERT_TRUE(keys.rotate(secret(2), kNow, std::chrono::hours(1)).ok());
  RequestWriter requests = writer(endpoint(keys));
  const auto line = [](const std::string& value) {
    return "\r\nwebhook-signature: " + value + "\r\n";
  };
  const WallTime later = kNow + std::chrono::hours(1);

  EXPECT_NE(head(requests, "{}").find(line(signatures({secret(2), secret(1)}, "{}"))),
            std::string::npos);
  EXPECT_NE(head(requests, "{}", later).find(line(signatures({secret(2)}, "{}", later))),
            std::string::npos);
  // The clock may step back.
  EXPECT_NE(head(requests, "{}").find(line(signatures({secret(2), secret(1)}, "{}"))),
            std::string::npos);
}

TEST(RequestWriter, SaysThatAUrlCannotBeUsed) {
  const auto target = endpoint();
  target->url = "http://127.1/";
  const auto made = RequestWriter::make(target, "x");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().field, "url");
}

}  // namespace
}  // namespace petrel::dispatch
