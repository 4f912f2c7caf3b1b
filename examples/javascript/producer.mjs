// Sends a message for each order that is given: node producer.mjs 17 18
//
// Needs PETREL (such as http://127.0.0.1:8071/api/v1) and TOKEN in the environment.

import { setTimeout as sleep } from "node:timers/promises";

const { PETREL, TOKEN } = process.env;
const ATTEMPTS = 10;

/** The message's id. The key makes it one message, however often the request is repeated. */
async function send(application, message, key) {
  for (let attempt = 0; attempt < ATTEMPTS; ++attempt) {
    let wait;
    try {
      const response = await fetch(`${PETREL}/app/${application}/msg`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "idempotency-key": key },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text).id;
      if (response.status !== 429 && response.status < 500) {
        console.error(`refused: ${response.status} ${text}`);
        process.exit(1);
      }
      wait = response.headers.get("retry-after");
    } catch {
      // No connection, or no answer: it may have been accepted all the same.
    }
    await sleep(wait ? Number(wait) * 1000 : Math.min(100 * 2 ** attempt, 30_000));
  }
  console.error(`not accepted after ${ATTEMPTS} attempts; run it again`);
  process.exit(1);
}

for (const order of process.argv.slice(2)) {
  const paid = { eventType: "order.paid", payload: { order: Number(order) } };
  console.log(order, await send("acme", paid, `order-${order}-paid`));
}
