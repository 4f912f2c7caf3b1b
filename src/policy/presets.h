// The presets: policies with a name, taken from what people already run.
//
// Thread: any.

#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "policy/retry_policy.h"

namespace petrel::policy {

// What the server uses when nothing else is set.
inline constexpr std::string_view kDefaultPreset = "standard-webhooks";

struct Preset {
  RetryPolicy policy;
  std::string_view summary;  // One line for a list.

  std::string_view name() const { return policy.preset; }
};

std::span<const Preset> presets();

// The error lists the names that there are; its field is left empty, for the caller to name.
Result<RetryPolicy> find_preset(std::string_view name);

}  // namespace petrel::policy
