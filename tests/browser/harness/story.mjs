// One story on a running server, with real receivers: an endpoint that is down, one that refused
// for good, one that is paused, one that asks to be left alone, and several that are well.

import { waitUntil } from "../../clients/harness/wait.mjs";

const retry = { strategy: "exponential", baseDelay: "30s", multiplier: 2, maxDelay: "12h", jitter: "equal", maxAttempts: 12, giveUpAfter: "24h", retryAfterCap: "1h" };

export async function tell(api, receiver) {
  const story = { hooks: {}, apps: {}, endpoints: {}, messages: {} };
  for (const name of ["invoice.paid", "invoice.finalized", "credit_note.created", "payment.settled", "shipment.delayed", "referral.created"]) {
    await api.post("/event-type", { name, description: `Tells of ${name.replace(/[._]/g, " ")}`, groupName: name.split(".")[0] });
  }
  const make = async (app, uid, fields = {}) => {
    const hook = (story.hooks[uid] = receiver.hook(uid));
    story.endpoints[uid] = await api.endpoint(app, { url: hook.url, uid, ...fields });
    return hook;
  };
  const acme = (story.apps.acme = await api.application({ name: "Acme", uid: "acme" }));
  const kestrel = (story.apps.kestrel = await api.application({ name: "Kestrel Bank", uid: "kestrel" }));
  const lumen = (story.apps.lumen = await api.application({ name: "Lumen Health", uid: "lumen" }));
  const northwind = (story.apps.northwind = await api.application({ name: "Northwind", uid: "northwind" }));

  const billing = (await make(acme, "billing", { guards: { openAfter: 5, openTime: "30s" }, retryPolicy: retry })).says(503, {}, '{"error":"maintenance"}');
  await make(acme, "archive");
  const ledger = (await make(kestrel, "ledger", { eventTypes: ["payment.settled"] })).says(422, {}, '{"error":"unknown account"}');
  const records = (await make(lumen, "records")).says(410);
  const shipments = (await make(northwind, "shipments-eu", { retryPolicy: retry, eventTypes: ["shipment.delayed"] })).says(503, { "retry-after": "120" }, '{"error":"maintenance","ref":"9c1"}');
  await make(northwind, "crm");

  const send = (app, eventType, eventId, payload) => api.message(app, { eventType, eventId, payload });
  story.messages.crm = await send(northwind, "invoice.paid", "inv-1", { id: 1 });
  for (let i = 0; i < 12; i++) await send(kestrel, "payment.settled", `pay-${771900 + i}`, { account: `K-${i}`, amount: 1200 + i });
  story.messages.dead = await api.get(`/app/${kestrel.id}/msg/pay-771904`);
  for (let i = 0; i < 8; i++) story.messages.held = await send(acme, ["invoice.paid", "invoice.finalized", "credit_note.created"][i % 3], `inv-${88100 + i}`, { id: 88100 + i, lines: [{ sku: "A-1", count: i }] });
  for (let i = 0; i < 3; i++) story.messages.paused = await send(lumen, "referral.created", `ref-${2041 + i}`, { id: 2041 + i });
  story.messages.asked = await send(northwind, "shipment.delayed", "shp-88213", { type: "shipment.delayed", id: "shp-88213", carrier: "DB Schenker", route: ["GDN", "HAM", "RTM"], reason: "port congestion" });

  await waitUntil("an open circuit", async () => (await api.health(acme, story.endpoints.billing)).circuit.state === "open");
  for (let i = 0; i < 40; i++) await send(acme, "invoice.paid", `inv-${88110 + i}`, { id: 88110 + i });
  await waitUntil("twelve dead letters", async () => (await api.get(`/app/${kestrel.id}/dead-letter/count`)).total === 12);
  await waitUntil("a pause", async () => (await api.health(lumen, story.endpoints.records)).paused);
  await waitUntil("a hold", async () => (await api.health(northwind, story.endpoints["shipments-eu"])).heldUntil !== null);
  await waitUntil("all answered", () => billing.requests.length >= 5 && ledger.requests.length >= 12 && records.requests.length >= 1 && shipments.requests.length >= 1);
  return story;
}

/** Every screen of the dashboard, by name. */
export function screens(story) {
  const { apps, endpoints, messages } = story;
  const endpoint = (app, uid) => `/app/${apps[app].id}/endpoint/${endpoints[uid].id}`;
  const delivery = (app, message, uid) => `/app/${apps[app].id}/delivery/${messages[message].id}/${endpoints[uid].id}`;
  return {
    overview: "/",
    applications: "/app",
    application: `/app/${apps.acme.id}`,
    "endpoint-open": endpoint("acme", "billing"),
    "endpoint-paused": endpoint("lumen", "records"),
    "endpoint-held": endpoint("northwind", "shipments-eu"),
    "endpoint-healthy": endpoint("northwind", "crm"),
    message: `/app/${apps.northwind.id}/message/${messages.asked.id}`,
    "delivery-retrying": delivery("northwind", "asked", "shipments-eu"),
    "delivery-held": delivery("acme", "held", "billing"),
    "delivery-paused": delivery("lumen", "paused", "records"),
    "delivery-dead": delivery("kestrel", "dead", "ledger"),
    "delivery-delivered": delivery("northwind", "crm", "crm"),
    deliveries: `/app/${apps.acme.id}/deliveries`,
    "dead-letters": `/dead-letters?app=${apps.kestrel.id}`,
    "dead-letters-all": "/dead-letters",
    replays: "/replays",
    "event-types": "/event-types",
    policy: `${endpoint("northwind", "shipments-eu")}/policy`,
    system: "/system",
    more: "/more",
  };
}
