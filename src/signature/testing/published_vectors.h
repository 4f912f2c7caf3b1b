// The signatures that the Standard Webhooks libraries publish in their tests, for ours: the same
// message must get the same signature here, to the byte.

#pragma once

#include <cstdint>
#include <string_view>

namespace petrel::signature {

struct PublishedVector {
  std::string_view secret;
  std::string_view id;
  std::int64_t timestamp;
  std::string_view body;
  std::string_view signature;
};

inline constexpr PublishedVector kPublishedV1 = {
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
    R"({"test": 2432232314})", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="};

inline constexpr PublishedVector kPublishedV1Other = {
    "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk", 1649367553,
    R"({"email":"test@example.com","username":"test_user"})",
    "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw="};

inline constexpr PublishedVector kPublishedV1a = {
    "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==",
    "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})",
    "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=="};

inline constexpr std::string_view kPublishedV1aPublicKey =
    "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";

}  // namespace petrel::signature
