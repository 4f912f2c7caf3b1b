#include "store/rocksdb/rocks_error.h"

#include "base/check.h"

namespace petrel::store {

Error to_error(const rocksdb::Status& status) {
  CHECK(!status.ok());
  const std::string said = status.ToString();
  if (status.IsNoSpace()) return unavailable("the store's disk is full: " + said);
  if (status.IsCorruption()) return corrupt("the store is damaged: " + said);
  if (status.IsIOError()) return unavailable("the store's disk failed: " + said);
  if (status.IsNotFound()) return not_found("there is no such record");
  return unavailable("the store cannot do this now: " + said);
}

Error to_open_error(const rocksdb::Status& status, const std::string& path) {
  const std::string said = status.ToString();
  if (status.IsIOError() && said.find("/LOCK") != std::string::npos &&
      said.find("lock") != std::string::npos) {
    return unavailable("another petrel process uses this folder: " + path);
  }
  Error error = to_error(status);
  error.detail = "the store in " + path + " does not open: " + error.detail;
  return error;
}

}  // namespace petrel::store
