// The records of the store: the first byte says of which kind the rest is. Whatever lies on a disk
// is read or is Corrupt, and what is read is the same after it was written again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/encoding.h"
#include "store/kept_lane.h"
#include "vault/vault.h"

namespace petrel::store {
namespace {

const vault::Vault& test_vault() {
  static const vault::Vault kVault({"the secret of the fuzzers"});
  return kVault;
}

// Only records that are found damaged are refused.
template <typename T>
bool is_read(const Result<T>& decoded) {
  CHECK(decoded.ok() || decoded.error().kind == ErrorKind::Corrupt ||
        decoded.error().kind == ErrorKind::Conflict);  // Sealed with a key that is not there.
  return decoded.ok();
}

template <typename Decode>
void check(std::string_view bytes, Decode decode) {
  const auto first = decode(bytes);
  if (!is_read(first)) return;
  std::string again;
  encode(*first, again);
  const auto second = decode(again);
  CHECK(second.ok());
  CHECK(*second == *first);
}

void check_endpoint(std::string_view bytes) {
  const auto first = decode_endpoint(EndpointId(), bytes, test_vault());
  (void)is_sealed_now(bytes, test_vault());
  (void)decode_endpoint_owner(bytes).ok();
  if (!is_read(first)) return;
  std::string again;
  encode(*first, test_vault(), again);
  CHECK(decode_endpoint(EndpointId(), again, test_vault()).ok());
}

void check_delivery(std::string_view bytes) {
  check(bytes, [](std::string_view from) { return decode_delivery({}, from); });
  const auto delivery = decode_delivery({}, bytes);
  if (!delivery.ok()) return;
  const auto head = decode_delivery_head(bytes);
  CHECK(head.ok());
  CHECK(*head == head_of(*delivery));
}

void check_payload(std::string_view bytes) {
  const auto first = decode_payload(bytes);
  if (!is_read(first)) return;
  std::string again;
  encode(*first, again);
  const auto second = decode_payload(again);
  CHECK(second.ok());
  CHECK(second->content == first->content && second->content_type == first->content_type);
  CHECK(second->application == first->application && second->expires_at == first->expires_at);
}

void check_lane(std::string_view bytes) {
  const auto first = decode_kept_lane(bytes);
  if (!is_read(first)) return;
  std::string again;
  encode(*first, again);
  CHECK(decode_kept_lane(again).ok());
}

void check_message(std::string_view bytes) {
  const auto first = decode_stored_message({}, {}, bytes);
  if (!is_read(first)) return;
  std::string again;
  encode(*first, again);
  const auto second = decode_stored_message({}, {}, again);
  CHECK(second.ok());
  CHECK(second->message == first->message);
  CHECK(second->payload_bytes == first->payload_bytes);
}

void check_record(std::uint8_t kind, std::string_view bytes) {
  switch (kind % 14) {
    case 0:
      return check(bytes, [](auto from) { return decode_application(ApplicationId(), from); });
    case 1:
      return check_endpoint(bytes);
    case 2:
      return check(bytes, [](auto from) { return decode_event_type({}, "a.b", from); });
    case 3:
      return check_message(bytes);
    case 4:
      return check_delivery(bytes);
    case 5:
      return check(bytes, [](auto from) { return decode_attempt({}, {}, from); });
    case 6:
      return check(bytes, [](auto from) { return decode_task({}, {}, from); });
    case 7:
      return check(bytes, [](auto from) { return decode_answer(from); });
    case 8:
      return check(bytes, [](auto from) { return decode_expiry(from); });
    case 9:
      return check(bytes, [](auto from) { return decode_attempt_mark(from); });
    case 10:
      return check(bytes, [](auto from) { return decode_tally(from); });
    case 11:
      return check_payload(bytes);
    case 13:
      return check(bytes, [](auto from) { return decode_suspect({}, from); });
    default:
      return check_lane(bytes);
  }
}

}  // namespace
}  // namespace petrel::store

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  petrel::store::check_record(data[0], bytes.substr(1));
  return 0;
}
