// One accuser for each family of rules, each in a file of its name. What each of them holds a node
// to is said here; the sections are those of delivery.md.
//
// Thread: confined.

#pragma once

#include <memory>
#include <vector>

#include "sim/judge/accuser.h"

namespace petrel::sim::judge {

// All of them.
std::vector<std::unique_ptr<Accuser>> make_accusers(Bench bench);

// Told 202: there is a delivery on disk for each endpoint that wanted the message all the time
// between request and answer, and none for one that never did. At rest each has ended or is held.
std::unique_ptr<Accuser> lost(Bench bench);

// Attempts on record and requests pair one to one: endpoint, URL, outcome, times. The rest are
// faults of ours, or cut off by a death. Delivered means that a success was seen.
std::unique_ptr<Accuser> untrue_record(Bench bench);

// No request after a success that the node was told of, unless a crash came before it was on disk,
// or somebody sent it again; never two at once, nor one before the last outcome is on disk.
std::unique_ptr<Accuser> repeated(Bench bench);

// Attempts, a rule's own maximum, the give-up time; one end, for a reason that fits.
std::unique_ptr<Accuser> overspent(Bench bench);

// The due time on record lies within backoff, jitter, caps and Retry-After; no request before it
// but a probe; none before the latest hold ends.
std::unique_ptr<Accuser> too_early(Bench bench);

// No request while a circuit must be open but one probe, not before the open time; and that probe
// not much later than it if something waits.
std::unique_ptr<Accuser> circuit(Bench bench);

// No more than the largest ramp allows.
std::unique_ptr<Accuser> ramp(Bench bench);

// In flight: the maximum as set then and the largest adaptive limit; the cap of the authority.
std::unique_ptr<Accuser> in_flight(Bench bench);
std::unique_ptr<Accuser> authority(Bench bench);

// The buckets of the endpoint and of the application.
std::unique_ptr<Accuser> rate(Bench bench);

// Due and allowed by every model: it starts within the slack. If a ramp was there that has to be
// over, that is what is wrong.
std::unique_ptr<Accuser> slow(Bench bench);

// Never more in flight than there are slots, first ones and further ones each for themselves;
// further ones by the threshold, and at an authority only beside what is kept for other endpoints.
std::unique_ptr<Accuser> slots(Bench bench);

// Fresh and retry are taken in turn.
std::unique_ptr<Accuser> unfair(Bench bench);

// No request begins after a pause or a deletion is answered, before deliverAt, or with a payload
// that was expunged; what waits for a deleted endpoint or payload ends as cancelled. Every attempt
// has the same bytes.
std::unique_ptr<Accuser> forbidden(Bench bench);

// The node pauses an endpoint by itself if and only if the contract says so.
std::unique_ptr<Accuser> pausing(Bench bench);

// A drain ends in time, starts nothing and loses no outcome.
std::unique_ptr<Accuser> drain(Bench bench);

// After the ramp what failed in the outage is due at once, and nothing else is made due sooner.
std::unique_ptr<Accuser> release(Bench bench);

// A resend that was answered is on disk and due, or was sent since it was asked for.
std::unique_ptr<Accuser> resend(Bench bench);

// A task keeps its pace, stands still while an endpoint takes nothing, changes what it is about
// once, skips nothing, and does as people say.
std::unique_ptr<Accuser> replay(Bench bench);

// At rest the node shows what is on disk; requests go to a URL that the endpoint has; one key, one
// message.
std::unique_ptr<Accuser> catalogue_truth(Bench bench);

// Lanes, bytes, reads and turns stay within what there is to do.
std::unique_ptr<Accuser> unbounded(Bench bench);

// Retention drops nothing that is live, nothing before its period is over, and no payload of a dead
// letter that is kept; at rest nothing is there whose period is long over.
std::unique_ptr<Accuser> retention(Bench bench);

// Ids, numbers and times of attempts grow.
std::unique_ptr<Accuser> audit(Bench bench);

}  // namespace petrel::sim::judge
