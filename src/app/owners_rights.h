// OwnersRights lets root open the store of a service without leaving files in it that the service
// cannot read: until it goes, the process has the rights of the store's owner.
//
// For any other user, and for root's own store, it does nothing.
//
// Thread: it changes the rights of all threads. One at a time.

#pragma once

#include <string>
#include <sys/types.h>

namespace petrel::app {

class OwnersRights {
 public:
  explicit OwnersRights(const std::string& store);
  ~OwnersRights();
  OwnersRights(const OwnersRights&) = delete;
  OwnersRights& operator=(const OwnersRights&) = delete;

 private:
  bool is_taken_ = false;
  gid_t group_ = 0;  // To go back to.
};

}  // namespace petrel::app
