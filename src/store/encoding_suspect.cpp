// The encoding of suspects.

#include "store/encoding.h"
#include "store/record_parts.h"

namespace petrel::store {
namespace {

constexpr std::uint8_t kSuspectVersion = 1;

}  // namespace

void encode(const model::Suspect& suspect, std::string& out) {
  ByteWriter to(out);
  to.byte(kSuspectVersion).id(suspect.application);
  to.signed_number(suspect.crashes).number(suspect.life).time(suspect.crashed_at);
  to.text(suspect.version).signed_number(suspect.attempts_total);
  write_optional(to, suspect.held, [&](const model::Suspect::Held& held) {
    to.time(held.since).time(held.since_unpaused);
  });
}

Result<model::Suspect> decode_suspect(const model::DeliveryKey& key, std::string_view bytes) {
  ByteReader in(bytes);
  const std::string name = key.endpoint.text() + ' ' + key.message.text();
  const Result<std::uint8_t> version = read_version(in, "suspect", kSuspectVersion);
  if (!version.ok()) return of(name, version.error());
  model::Suspect suspect;
  suspect.delivery = key;
  suspect.application = in.id<ApplicationId>();
  suspect.crashes = in.integer();
  suspect.life = in.number();
  suspect.crashed_at = in.time();
  suspect.version = in.string();
  suspect.attempts_total = in.integer();
  suspect.held = read_optional(in, [&] {
    const WallTime since = in.time();
    return model::Suspect::Held{.since = since, .since_unpaused = in.time()};
  });
  if (!in.ok()) return of(name, broken("suspect"));
  return suspect;
}

}  // namespace petrel::store
