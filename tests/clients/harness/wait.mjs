// Waiting for something that is known to come, and saying what it was if it does not.

// Nothing that works takes this long, whatever else the machine is doing.
export const DEADLINE_MS = 30_000;

/** The first truthy answer of `isSo`. `what` is words, or a function that gives them. */
export async function waitUntil(what, isSo, deadlineMs = DEADLINE_MS) {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await isSo();
    if (found) return found;
    if (Date.now() > end) {
      const words = typeof what === "function" ? what() : what;
      throw new Error(`not within ${deadlineMs} ms: ${words}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Ids made from here on sort behind all that were made before: their clock has steps of 4 ms. */
export async function later() {
  const start = Date.now();
  await waitUntil("the clock to move on", () => Date.now() > start + 8);
}
