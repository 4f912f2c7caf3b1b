// What RocksStore says of tasks.

#include "store/encoding.h"
#include "store/rocksdb/rocks_list.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

Result<model::Task> task_of(const Scan& scan) {
  const OrganisationId organisation(ksuid_at(scan.key(), 0));
  return decode_task(organisation, TaskId(last_ksuid_of(scan.key())), view(scan.value()));
}

}  // namespace

Result<model::Task> RocksStore::task(OrganisationId organisation, TaskId id) {
  return ask([&](Database& database) -> Result<model::Task> {
    rocksdb::PinnableSlice value;
    const Key key = task_key(organisation, id);
    const Result<bool> found = database.get(Family::Task, key.slice(), value);
    if (!found.ok()) return found.error();
    if (!*found) return not_found("there is no such task");
    return decode_task(organisation, id, view(value));
  });
}

Result<Listed<model::Task>> RocksStore::tasks(OrganisationId organisation, Page page) {
  return ask([&](Database& database) -> Result<Listed<model::Task>> {
    std::optional<Key> after;
    if (page.after) after = task_key(organisation, TaskId(*page.after));
    Scan scan(database, Family::Task, Key().id(organisation).slice(), Scan::OnDamage::Leap);
    scan.seek(page.order, after);
    using Found = std::optional<model::Task>;
    return gather<model::Task>(database, scan, page, [&]() -> Result<Found> {
      Result<model::Task> task = task_of(scan);
      if (!task.ok()) return task.error();
      return Found(*std::move(task));
    });
  });
}

Result<std::vector<model::Task>> RocksStore::tasks_under_way() {
  return ask([&](Database& database) -> Result<std::vector<model::Task>> {
    std::vector<model::Task> tasks;
    Scan scan(database, Family::Task, {}, Scan::OnDamage::Leap);
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      // One that cannot be read must not keep the others from going on.
      Result<model::Task> task = task_of(scan);
      if (!task.ok()) database.note(task.error(), "a task");
      if (task.ok() && !task->has_ended()) tasks.push_back(*std::move(task));
    }
    if (const Status status = scan.status(); !status.ok()) return status.error();
    return tasks;
  });
}

}  // namespace petrel::store
