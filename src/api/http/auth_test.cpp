#include "api/http/auth.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace petrel::api {
namespace {

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);
constexpr std::string_view kSecret = "a secret of some length";
constexpr Duration kSecond = std::chrono::seconds(1);

std::string encoded(std::string_view text) {
  return to_base64url({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// A token with these parts, signed with HMAC-SHA256 whatever its header says.
std::string token(std::string_view header, std::string_view claims,
                  std::string_view secret = kSecret) {
  const std::string content = encoded(header) + "." + encoded(claims);
  signature::HmacKey key({reinterpret_cast<const std::uint8_t*>(secret.data()), secret.size()});
  const std::string_view part = content;
  const auto tag = key.tag({&part, 1});
  return content + "." + to_base64url(tag);
}

constexpr std::string_view kHeader = R"({"alg":"HS256","typ":"JWT"})";
constexpr std::string_view kClaims =
    R"({"exp":1800000060,"sub":"org_23rb8YdGqMT0qIzpgGwdXfHirMu"})";

struct AuthTest : testing::Test {
  std::string problem(const std::string& bearer, WallTime now = kNow) {
    const Result<Session> caller = auth.identify("Bearer " + bearer, now);
    return caller.ok() ? "" : caller.error().text();
  }

  Auth auth{std::string(kSecret)};
  OrganisationId organisation = *OrganisationId::parse(kDefaultOrganisation);
  ApplicationId application = *ApplicationId::parse("app_23rb8YdGqMT0qIzpgGwdXfHirMu");
};

TEST_F(AuthTest, KnowsWhoAGoodTokenIsFrom) {
  const Caller whole{.organisation = organisation};
  const Caller part{.organisation = organisation, .application = application};
  for (int i = 0; i < 2; ++i) {  // The second time it is known already.
    const auto first = auth.identify("Bearer " + auth.mint(whole, kNow, kSecond), kNow);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->caller, whole);
    const auto second = auth.identify("bearer  " + auth.mint(part, kNow, kSecond), kNow);
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->caller, part);
  }
}

TEST_F(AuthTest, TakesClaimsInTheFormThatOtherServersMint) {
  EXPECT_EQ(problem(token(R"({"typ":"JWT","alg":"HS256"})",
                          R"({"iat":1700000000,"exp":2015360000,"nbf":1700000000,)"
                          R"("iss":"svix-server","sub":"org_23rb8YdGqMT0qIzpgGwdXfHirMu"})")),
            "");
  EXPECT_EQ(problem(token(kHeader, kClaims)), "");
}

TEST_F(AuthTest, ATokenThatNeverEndsIsRefused) {
  const std::string endless =
      "the token does not say when it expires: it needs an exp; `petrel "
      "token create` makes one that has it";
  EXPECT_EQ(problem(token(kHeader, R"({"sub":"org_23rb8YdGqMT0qIzpgGwdXfHirMu"})")), endless);
  EXPECT_EQ(problem(token(kHeader, R"({"exp":null,"sub":"org_23rb8YdGqMT0qIzpgGwdXfHirMu"})")),
            endless);
}

TEST_F(AuthTest, TheTimesOfATokenHaveAMinuteOfLeeway) {
  const std::string minted = auth.mint({organisation, std::nullopt}, kNow, 10 * kSecond);
  EXPECT_EQ(problem(minted, kNow + 69 * kSecond), "");
  EXPECT_EQ(problem(minted, kNow + 70 * kSecond), "the token has expired");
  EXPECT_EQ(problem(minted, kNow - 60 * kSecond), "");
  EXPECT_EQ(problem(minted, kNow - 61 * kSecond), "the token is not valid yet");
}

TEST_F(AuthTest, OnlyHs256Counts) {
  const std::string wrong = "the token's algorithm must be HS256";
  EXPECT_EQ(problem(token(R"({"alg":"none"})", kClaims)), wrong);
  EXPECT_EQ(problem(token(R"({"alg":"HS512"})", kClaims)), wrong);
  EXPECT_EQ(problem(token(R"({"alg":"hs256"})", kClaims)), wrong);
  EXPECT_EQ(problem(token(R"({"typ":"JWT"})", kClaims)), wrong);
  EXPECT_EQ(problem(token(R"({"alg":["HS256"]})", kClaims)), wrong);
  EXPECT_EQ(problem(encoded(R"({"alg":"none"})") + "." + encoded(kClaims) + "."), wrong);
}

TEST_F(AuthTest, ATokenThatWasTamperedWithIsRefused) {
  const std::string good = token(kHeader, kClaims);
  ASSERT_EQ(problem(good), "");
  const std::string wrong = "the token's signature is wrong";
  const std::size_t dot = good.rfind('.');
  const std::string other =
      encoded(R"({"exp":1800000060,"sub":"org_23rb8YdGqMT0qIzpgGwdXfHirMv"})");
  EXPECT_EQ(problem(encoded(kHeader) + "." + other + good.substr(dot)), wrong);
  EXPECT_EQ(problem(token(kHeader, kClaims, "another secret")), wrong);
  EXPECT_EQ(problem(good.substr(0, dot + 1)), wrong);
  EXPECT_EQ(problem(good + "A"), wrong);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(problem(changed), "") << i;
  }
}

TEST_F(AuthTest, NamesWhatIsMissingOrMalformed) {
  const std::string missing = "a token is missing: send it as \"Authorization: Bearer …\"";
  EXPECT_EQ(auth.identify("", kNow).error().text(), missing);
  EXPECT_EQ(auth.identify("Basic abc", kNow).error().text(), missing);
  EXPECT_EQ(problem(""), missing);
  EXPECT_EQ(problem("abc"), "the token is malformed");
  EXPECT_EQ(problem("a.b"), "the token is malformed");
  EXPECT_EQ(problem("%%.%%.%%"), "the token is malformed");
  EXPECT_EQ(problem(std::string(9000, 'a') + ".b.c"), "the token is malformed");
  EXPECT_EQ(problem(token(kHeader, "[]")), "the token is malformed");
  EXPECT_EQ(problem(token(kHeader, R"({"sub":"org_1"})")),
            "the token's sub is not the id of an organisation");
  EXPECT_EQ(problem(token(kHeader, "{}")), "the token's sub is not the id of an organisation");
  EXPECT_EQ(problem(token(kHeader, R"({"sub":"app_23rb8YdGqMT0qIzpgGwdXfHirMu"})")),
            "the token's org is not the id of an organisation");
  EXPECT_EQ(problem(token(kHeader, R"({"sub":"app_1","org":"org_23rb8YdGqMT0qIzpgGwdXfHirMu"})")),
            "the token's sub is not the id of an application");
  EXPECT_EQ(problem(token(kHeader, R"({"exp":"soon","sub":"org_23rb8YdGqMT0qIzpgGwdXfHirMu"})")),
            "a time in the token is malformed");
  EXPECT_EQ(problem(token(kHeader, R"({"exp":1e300,"sub":"org_23rb8YdGqMT0qIzpgGwdXfHirMu"})")),
            "");
}

TEST_F(AuthTest, TheSecretItselfIsNoToken) {
  EXPECT_EQ(problem(std::string(kSecret)),
            "this is the secret that tokens are signed with, not a token; make one with "
            "`petrel token create`, and keep the secret to the server");
}

TEST_F(AuthTest, LimitsAreKeptInTheToken) {
  Caller caller{.organisation = organisation, .application = application};
  caller.feature_flags = {"beta", "eu"};
  caller.capabilities = Capabilities();
  caller.capabilities->add(Capability::ViewBase);
  caller.capabilities->add(Capability::CreateAttempts);
  const WallTime now = kNow + std::chrono::microseconds(123'456);
  const auto session = auth.identify("Bearer " + auth.mint(caller, now, kSecond), now);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->caller, caller);
  EXPECT_EQ(session->issued_at, now);
  EXPECT_EQ(session->expires_at, kNow + kSecond);
}

TEST_F(AuthTest, CapabilitiesThatCannotBeReadGiveNone) {
  const std::string who =
      R"({"org":"org_23rb8YdGqMT0qIzpgGwdXfHirMu",)"
      R"("sub":"app_23rb8YdGqMT0qIzpgGwdXfHirMu","exp":1800000060,"capabilities":)";
  EXPECT_EQ(problem(token(kHeader, who + "7}")), "the token's capabilities are malformed");
  const auto session =
      auth.identify("Bearer " + token(kHeader, who + R"(["Fly",7,"ViewBase"]})"), kNow);
  ASSERT_TRUE(session.ok());
  Capabilities base;
  base.add(Capability::ViewBase);
  EXPECT_EQ(session->caller.capabilities, base);
}

}  // namespace
}  // namespace petrel::api
