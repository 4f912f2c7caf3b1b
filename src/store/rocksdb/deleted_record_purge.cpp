#include "store/rocksdb/deleted_record_purge.h"

#include <map>
#include <set>

#include "store/encoding.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

// Also if nobody can say.
Result<bool> has_live(Database& database, EndpointId endpoint) {
  Scan scan(database, Family::Due, Key().id(endpoint).slice(), Scan::OnDamage::Leap);
  scan.seek_first();
  if (Status status = scan.status(); !status.ok()) return status.error();
  return scan.is_valid() || scan.has_leapt();
}

Status forget_tallies(Database& database, EndpointId endpoint, rocksdb::WriteBatch& batch) {
  Scan scan(database, Family::Tally, Key().id(endpoint).slice(), Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    batch.Delete(database.family(Family::Tally), scan.key());
  }
  return scan.status();
}

// Applications that keep something for longer than the server does. One that cannot be read is told
// of when it is met.
using Longer = std::map<ApplicationId, Duration>;

Result<Longer> read_longer(Database& database, Duration retention) {
  Longer longer;
  Scan scan(database, Family::Application, {}, Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const ApplicationId id(ksuid_at(scan.key(), 0));
    const auto application = decode_application(id, view(scan.value()));
    if (!application.ok()) continue;
    const Duration longest =
        model::retention_of(application->retention, {.ended = retention}).longest();
    if (longest > retention) longer.emplace(id, longest);
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  return longer;
}

}  // namespace

Status forget_deleted(Database& database, WallTime now, Duration retention) {
  const Result<Longer> longer = read_longer(database, retention);
  if (!longer.ok()) return longer.error();
  const auto cutoff_of = [&](ApplicationId application) {
    const auto found = longer->find(application);
    return now - (found == longer->end() ? retention : found->second);
  };
  rocksdb::WriteBatch batch;
  std::set<ApplicationId> owners;  // Of the endpoints that stay.
  bool has_unknown_owner = false;
  Scan endpoints(database, Family::Endpoint, {}, Scan::OnDamage::Leap);
  for (endpoints.seek_first(); endpoints.is_valid(); endpoints.next()) {
    const EndpointId id(ksuid_at(endpoints.key(), 0));
    const Result<model::Endpoint> endpoint =
        decode_endpoint(id, view(endpoints.value()), database.vault());
    // One that cannot be read stays, and so may any application be its owner.
    if (!endpoint.ok() && endpoint.error().kind == ErrorKind::Corrupt) {
      database.note(endpoint.error(), "an endpoint");
      has_unknown_owner = true;
      continue;
    }
    if (!endpoint.ok()) return endpoint.error();
    bool stays = !endpoint->deleted_at || *endpoint->deleted_at >= cutoff_of(endpoint->application);
    if (!stays) {
      const Result<bool> is_live = has_live(database, id);
      if (!is_live.ok()) return is_live.error();
      stays = *is_live;
    }
    if (stays) {
      owners.insert(endpoint->application);
    } else {
      batch.Delete(database.family(Family::Endpoint), endpoints.key());
      if (Status gone = forget_tallies(database, id, batch); !gone.ok()) return gone;
    }
  }
  if (Status status = endpoints.status(); !status.ok()) return status;
  if (endpoints.has_leapt()) has_unknown_owner = true;

  Scan applications(database, Family::Application, {}, Scan::OnDamage::Leap);
  for (applications.seek_first(); applications.is_valid(); applications.next()) {
    const ApplicationId id(ksuid_at(applications.key(), 0));
    const auto application = decode_application(id, view(applications.value()));
    if (!application.ok() && application.error().kind == ErrorKind::Corrupt) {
      database.note(application.error(), "an application");
      continue;
    }
    if (!application.ok()) return application.error();
    const bool is_over = application->deleted_at && *application->deleted_at < cutoff_of(id);
    if (is_over && !has_unknown_owner && !owners.contains(id)) {
      batch.Delete(database.family(Family::Application), applications.key());
    }
  }
  if (Status status = applications.status(); !status.ok()) return status;

  if (batch.Count() == 0) return Done{};
  return database.write(batch);
}

}  // namespace petrel::store
