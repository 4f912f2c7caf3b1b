#include "app/owners_rights.h"

#include <sys/stat.h>

#include <unistd.h>

#include "base/check.h"

namespace petrel::app {

OwnersRights::OwnersRights(const std::string& store) : group_(::getegid()) {
  struct stat folder {};
  if (::geteuid() != 0 || ::stat(store.c_str(), &folder) != 0 || folder.st_uid == 0) return;
  // The group first: it takes root to change it.
  is_taken_ = ::setegid(folder.st_gid) == 0 && ::seteuid(folder.st_uid) == 0;
}

OwnersRights::~OwnersRights() {
  if (!is_taken_) return;
  // Ours: root may always be root again, and going on with less would fail in odd places.
  CHECK(::seteuid(0) == 0 && ::setegid(group_) == 0);
}

}  // namespace petrel::app
