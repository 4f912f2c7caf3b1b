// Whether a failed system call was our own want of descriptors, memory or ports: a fault of ours,
// never of the receiver.
//
// Thread: any.

#pragma once

namespace petrel::net {

bool is_shortage(int error);

}  // namespace petrel::net
