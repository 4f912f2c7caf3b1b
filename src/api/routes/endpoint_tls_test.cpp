#include <memory>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "api/json/tls_material.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

template <typename Write>
std::string pem_of(Write write) {
  const std::unique_ptr<BIO, int (*)(BIO*)> sink(BIO_new(BIO_s_mem()), BIO_free);
  EXPECT_EQ(write(sink.get()), 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(sink.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

// A key, and a certificate that only it vouches for.
struct Identity {
  Identity() {
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> pair(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    EXPECT_EQ(X509_set_pubkey(made.get(), pair.get()), 1);
    EXPECT_GT(X509_sign(made.get(), pair.get(), EVP_sha256()), 0);
    certificate = pem_of([&](BIO* sink) { return PEM_write_bio_X509(sink, made.get()); });
    key = pem_of([&](BIO* sink) {
      return PEM_write_bio_PrivateKey(sink, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }

  std::string certificate;
  std::string key;
};

std::string quoted(const std::string& text) {
  JsonWriter json;
  json.value(text);
  return json.take();
}

struct EndpointTls : testing::Test {
  Reply patch(const std::string& body) { return world.ask("PATCH", path, {.body = body}); }
  store::EndpointPtr endpoint() const { return world.catalogue.endpoint(*EndpointId::parse(id)); }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string id = world.make_endpoint("acme");
  const std::string path = "/api/v1/app/acme/endpoint/" + id;
  const Identity one;
  const Identity other;
};

// A value of DER: its tag, its length, its bytes.
std::string der(char tag, const std::string& bytes) {
  const auto size = bytes.size();
  return std::string{tag, '\x82', static_cast<char>(size >> 8U), static_cast<char>(size & 0xFFU)} +
         bytes;
}

// A DSA key whose numbers have this many bytes.
std::string large_dsa_key(std::size_t bytes) {
  const std::string number = der(2, "\x7f" + std::string(bytes - 1, '\x55'));
  const std::string dsa("\x06\x07\x2a\x86\x48\xce\x38\x04\x01", 9);
  const std::string parameters = der(0x30, number + number + number);
  const std::string key =
      der(0x30, der(2, std::string(1, '\0')) + der(0x30, dsa + parameters) + der(4, number));
  return pem_of([&](BIO* sink) {
    const auto* data = reinterpret_cast<const unsigned char*>(key.data());
    return PEM_write_bio(sink, "PRIVATE KEY", "", data, static_cast<long>(key.size())) > 0 ? 1 : 0;
  });
}

// The library would compute its public half before its size could be looked at.
TEST_F(EndpointTls, AKeyThatTakesLongToReadIsRefusedUnread) {
  const std::string key = large_dsa_key(2500);
  ASSERT_LE(key.size(), kKeyPemBytesMax);
  const Reply reply = patch(R"({"clientCertificate":)" + quoted(one.certificate) +
                            R"(,"clientKey":)" + quoted(key) + "}");
  EXPECT_EQ(reply.status, 422);
  EXPECT_LT(world.dearest_step, std::chrono::milliseconds(500));
}

TEST_F(EndpointTls, KeysOfTheUsualKindsAreTaken) {
  const auto pem = [](EVP_PKEY* made, bool is_old) {
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(made, EVP_PKEY_free);
    return pem_of([&](BIO* sink) {
      return is_old
                 ? PEM_write_bio_PrivateKey_traditional(sink, key.get(), nullptr, nullptr, 0,
                                                        nullptr, nullptr)
                 : PEM_write_bio_PrivateKey(sink, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  };
  EXPECT_TRUE(check_private_key(pem(EVP_RSA_gen(2048), false)).ok());
  EXPECT_TRUE(check_private_key(pem(EVP_RSA_gen(2048), true)).ok());
  EXPECT_TRUE(check_private_key(pem(EVP_EC_gen("P-384"), false)).ok());
  EXPECT_TRUE(check_private_key(pem(EVP_EC_gen("P-256"), true)).ok());
  EXPECT_TRUE(check_private_key(pem(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), false)).ok());
}

TEST_F(EndpointTls, CertificatesAreKeptAndTheKeyNeverShown) {
  const Reply reply =
      patch(R"({"caCertificate":)" + quoted(one.certificate + "\n" + other.certificate) +
            R"(,"clientCertificate":)" + quoted(one.certificate) + R"(,"clientKey":)" +
            quoted(one.key) + "}");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.field("clientCertificate"), one.certificate);
  EXPECT_EQ(reply.body.find("PRIVATE KEY"), std::string::npos);
  EXPECT_EQ(reply.body.find("clientKey"), std::string::npos);
  EXPECT_EQ(endpoint()->client_key_pem, one.key);
  EXPECT_EQ(endpoint()->ca_pem, one.certificate + "\n" + other.certificate);

  const Reply cleared =
      patch(R"({"caCertificate":null,"clientCertificate":null,"clientKey":null})");
  EXPECT_EQ(cleared.status, 200);
  EXPECT_EQ(cleared.body.find("ertificate"), std::string::npos);
  EXPECT_TRUE(endpoint()->client_key_pem.empty());
}

TEST_F(EndpointTls, WhatDoesNotFitTogetherIsRefused) {
  const std::string certificate = R"("clientCertificate":)" + quoted(one.certificate);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("caCertificate":"no PEM")", "caCertificate"},
      {R"("caCertificate":)" + quoted(one.key), "caCertificate"},
      {R"("caCertificate":)" + quoted(one.certificate.substr(0, 200)), "caCertificate"},
      {R"("caCertificate":)" + quoted(one.certificate + one.certificate.substr(0, 200)),
       "caCertificate"},
      {R"("caCertificate":)" + quoted(one.certificate + one.key), "caCertificate"},
      {certificate, "clientKey"},
      {R"("clientKey":)" + quoted(one.key), "clientCertificate"},
      {certificate + R"(,"clientKey":"no PEM")", "clientKey"},
      {certificate + R"(,"clientKey":)" + quoted(other.key), "clientKey"},
      {R"("caCertificate":")" + std::string(kPemBytesMax + 1, 'a') + "\"", "caCertificate"},
  };
  for (const auto& [fields, name] : cases) {
    const Reply reply = patch("{" + fields + "}");
    EXPECT_EQ(reply.status, 422) << fields;
    EXPECT_NE(reply.body.find(R"("loc":["body",")" + name + "\"]"), std::string::npos)
        << reply.body;
    EXPECT_EQ(reply.body.find("BEGIN"), std::string::npos);
  }
  EXPECT_TRUE(endpoint()->ca_pem.empty());
}

TEST_F(EndpointTls, AReplacementTakesThemOver) {
  const auto put = [&](const std::string& fields) {
    return world.ask("PUT", path, {.body = R"({"url":"https://example.com")" + fields + "}"});
  };
  EXPECT_EQ(put(R"(,"caCertificate":)" + quoted(one.certificate)).status, 200);
  EXPECT_EQ(endpoint()->ca_pem, one.certificate);
  EXPECT_EQ(put("").status, 200);
  EXPECT_TRUE(endpoint()->ca_pem.empty());
}

}  // namespace
}  // namespace petrel::api
