// The server's clock. Every response says what time it is there; countdowns go by that and not by
// the browser's clock, which may be wrong by minutes.

import { effect, signal } from "@preact/signals";

// Server time less browser time, in ms. The Date header has whole seconds: the response that was
// made just after a second began shows the least, so the largest difference seen is the best.
let offset = 0;
let hasOffset = false;
let observedAt = 0;

export function observeDate(header: string | null, sentAt: number): void {
  const server = header === null ? NaN : Date.parse(header);
  if (Number.isNaN(server)) return;
  const seen = server - sentAt;
  const isOld = Date.now() - observedAt > 600_000;
  // Whole seconds hide up to one: what differs by more means that a clock was set.
  if (!hasOffset || isOld || seen > offset || offset - seen > 2500) {
    offset = seen;
    hasOffset = true;
    observedAt = Date.now();
  }
}

export const serverNow = (): number => Date.now() + offset;

/** The server's time, once a second. */
export const now = signal(serverNow());

export function tick(): void {
  now.value = serverNow();
}
setInterval(tick, 1000);

/** Times are shown in UTC unless the reader wants their own zone. */
export const isUtc = signal(localStorage.getItem("petrel.zone") !== "local");
effect(() => localStorage.setItem("petrel.zone", isUtc.value ? "utc" : "local"));
