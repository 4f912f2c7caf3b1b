#include "net/shortage.h"

#include <cerrno>

namespace petrel::net {

bool is_shortage(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EADDRNOTAVAIL:  // No local port is left.
      return true;
    default:
      return false;
  }
}

}  // namespace petrel::net
