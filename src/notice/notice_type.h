// NoticeType is what a notice is about, by the names that the client libraries know.
//
// Thread: any.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace petrel::notice {

enum class NoticeType : std::uint8_t {
  EndpointCreated,
  EndpointUpdated,   // Something that a person sets: also its secret, or its headers.
  EndpointDeleted,   // By itself, not with its application.
  EndpointDisabled,  // Switched off or paused, by a person or by us.
  EndpointEnabled,
  AttemptFailing,    // A delivery has failed several times, and is tried again.
  AttemptExhausted,  // A delivery is dead, and no person wanted it so.
  AttemptRecovered,  // A delivery that was failing has arrived.
  TaskFinished,      // To its end, or as far as it could.
};

inline constexpr std::array<std::pair<NoticeType, std::string_view>, 9> kNoticeTypes = {{
    {NoticeType::EndpointCreated, "endpoint.created"},
    {NoticeType::EndpointUpdated, "endpoint.updated"},
    {NoticeType::EndpointDeleted, "endpoint.deleted"},
    {NoticeType::EndpointDisabled, "endpoint.disabled"},
    {NoticeType::EndpointEnabled, "endpoint.enabled"},
    {NoticeType::AttemptFailing, "message.attempt.failing"},
    {NoticeType::AttemptExhausted, "message.attempt.exhausted"},
    {NoticeType::AttemptRecovered, "message.attempt.recovered"},
    {NoticeType::TaskFinished, "background_task.finished"},
}};

std::string_view name_of(NoticeType type);

// Empty if there is none of this name.
std::optional<NoticeType> find_notice_type(std::string_view name);

}  // namespace petrel::notice
