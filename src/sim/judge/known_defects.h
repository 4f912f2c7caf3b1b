// KnownDefects is where the node is known to break the contract, until that is mended: what the
// judge lets pass by name. Whoever mends one deletes its line here, and the simulation watches over
// it from then on.
//
// Thread: any. A value.

#pragma once

namespace petrel::sim::judge {

struct KnownDefects {};  // None.

}  // namespace petrel::sim::judge
