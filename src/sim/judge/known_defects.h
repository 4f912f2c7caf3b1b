// KnownDefects is where the node is known to break the contract, until that is mended: what the
// judge lets pass by name. Whoever mends one deletes its line here, and the simulation watches over
// it from then on.
//
// Thread: any. A value.

#pragma once

namespace petrel::sim::judge {

struct KnownDefects {
  // Slots are not shared by the threshold of "Between endpoints": one lane may take all of them.
  bool slots_are_first_come = false;
};

}  // namespace petrel::sim::judge
