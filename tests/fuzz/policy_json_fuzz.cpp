// Retry policies as JSON: what parses is valid, and written out whole it parses as the same policy.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "policy/retry_policy_json.h"

namespace petrel::policy {
namespace {

void check_policy(std::string_view text) {
  Result<RetryPolicy> policy = parse_policy(text);
  if (!policy.ok()) {
    CHECK(policy.error().kind == ErrorKind::Invalid);
    CHECK(!policy.error().detail.empty());
    return;
  }
  CHECK(validate(*policy).ok());

  JsonWriter as_given;
  write_policy(*policy, as_given);
  CHECK(parse_policy(as_given.text()).value() == *policy);

  JsonWriter whole;
  write_policy_whole(*policy, whole);
  policy->preset.clear();
  CHECK(parse_policy(whole.text()).value() == *policy);
}

}  // namespace
}  // namespace petrel::policy

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  petrel::policy::check_policy({reinterpret_cast<const char*>(data), size});
  return 0;
}
