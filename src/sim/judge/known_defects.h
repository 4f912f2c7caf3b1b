// KnownDefects is where the node is known to break the contract, until that is mended: what the
// judge lets pass by name. Whoever mends one deletes its line here, and the simulation watches over
// it from then on.
//
// Thread: any. A value.

#pragma once

namespace petrel::sim::judge {

struct KnownDefects {
  // Lanes stay until a restart, whether they have work or not ("Between endpoints").
  bool lanes_stay = false;

  // The cap of an authority grows with its largest maxInFlight, and never shrinks ("Authority
  // cap").
  bool authority_cap_only_grows = false;

  // With a throttleRate a ramp is over after its first good step, since nobody asks it while the
  // endpoint's own rate has no token ("Ramp").
  bool ramp_ends_early_with_a_rate = false;

  // A delivery whose time runs out while it waits does not count as exhausted ("Breaker").
  bool waiting_that_expires_is_not_counted = false;
};

}  // namespace petrel::sim::judge
