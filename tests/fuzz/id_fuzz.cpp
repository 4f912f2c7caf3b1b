// Ids: what parses is printed as the same text, whatever it names.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/id.h"

namespace petrel {
namespace {

template <typename Id>
void check_id(std::string_view text) {
  const Result<Id> id = Id::parse(text);
  if (id.ok()) {
    CHECK(id->text() == text);
    return;
  }
  CHECK(id.error().kind == ErrorKind::Invalid);
  CHECK(id.error().text().find(Id::kPrefix) != std::string::npos);
}

void check_ksuid(std::string_view text) {
  const std::optional<Ksuid> ksuid = Ksuid::parse(text);
  if (!ksuid) return;
  CHECK(ksuid->text() == text);
  CHECK(Ksuid::first_at(ksuid->time()).time() <= ksuid->time());
}

// The other way round: bytes to text and back.
void check_bytes(std::string_view text) {
  if (text.size() < Ksuid::kBytes) return;
  Ksuid::Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(text[i]);
  CHECK(Ksuid::parse(Ksuid(bytes).text()) == Ksuid(bytes));
}

}  // namespace
}  // namespace petrel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  petrel::check_id<petrel::OrganisationId>(text);
  petrel::check_id<petrel::ApplicationId>(text);
  petrel::check_id<petrel::EndpointId>(text);
  petrel::check_id<petrel::MessageId>(text);
  petrel::check_id<petrel::AttemptId>(text);
  petrel::check_id<petrel::TaskId>(text);
  petrel::check_ksuid(text);
  petrel::check_bytes(text);
  return 0;
}
