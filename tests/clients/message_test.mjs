import assert from "node:assert/strict";

import { isV1, messageInRaw, StandardWebhook } from "./harness/library.mjs";
import { refused, refusedAt, suite, verify } from "./harness/suite.mjs";
import { later, waitUntil } from "./harness/wait.mjs";

const idsOf = ({ data }) => data.map(({ id }) => id);

suite("message", (world, { operation, feature }) => {
  operation("message.create", "gives back what was asked for", async () => {
    const application = await world.application();
    const fields = { eventType: "order.paid", eventId: world.uid(), channels: ["north", "a:b+c"] };
    const message = { ...fields, payload: { order: 17 } };
    const made = await world.api.message.create(application.id, message, { withContent: true });
    assert.equal(world.wire.status, 202);
    assert.match(made.id, /^msg_[0-9A-Za-z]{27}$/);
    assert.equal(made.eventType, fields.eventType);
    assert.equal(made.eventId, fields.eventId);
    assert.deepEqual(made.channels.sort(), fields.channels.sort());
    assert.deepEqual(made.payload, message.payload);
    assert.ok(Math.abs(made.timestamp - Date.now()) < 60_000);
  });

  operation("message.create", "gives the payload back only if asked to", async () => {
    const application = await world.application();
    const message = { eventType: "order.paid", payload: { order: 17 } };
    const made = await world.api.message.create(application.id, message);
    assert.deepEqual(JSON.parse(world.wire.last.answer).payload, {});
    assert.deepEqual(made.payload, isV1 ? { order: 17 } : {}, "1.x fills it in by itself");
  });

  operation("message.create", "delivers the payload as it stood in the request", async () => {
    const { application, hook, secret } = await world.delivery();
    const text = 'Grüße, "😀"\n\u2028';
    const payload = { text, tiny: 1e-300, list: [null, true, -0.5], "": {} };
    const { id } = await world.send(application, { payload });
    assert.ok(world.wire.last.body.includes(JSON.stringify(payload)));
    const request = await hook.of(id);
    assert.equal(request.body, JSON.stringify(payload));
    assert.match(request.headers["content-type"], /^application\/json/);
    verify(request, secret);
  });

  operation("message.create", "refuses an eventId that is taken", async () => {
    const application = await world.application();
    const eventId = world.uid();
    await world.send(application, { eventId });
    assert.equal((await refused(409, world.send(application, { eventId }))).code, "conflict");
    await world.send(await world.application(), { eventId });
  });

  operation("message.create", "names the field that is wrong", async () => {
    const application = await world.application();
    const at = (fields) => refusedAt(world.send(application, fields));
    assert.equal(await at({ eventType: undefined }), "body.eventType");
    assert.equal(await at({ eventType: "no spaces" }), "body.eventType");
    assert.equal(await at({ payload: undefined }), "body.payload");
    assert.equal(await at({ payload: [1] }), "body.payload");
    assert.equal(await at({ eventId: "msg_x" }), "body.eventId");
    assert.match(await at({ channels: [] }), /^body\.channels/);
    await refused(404, world.send({ id: "nobody" }));
  });

  operation("message.create", "refuses what is too large", async () => {
    const application = await world.application();
    for (const size of [1_100_000, 5_000_000]) {
      const call = world.send(application, { payload: { text: "x".repeat(size) } });
      assert.equal((await refused(413, call)).code, "payload_too_large");
    }
  });

  operation("message.get", "goes by id and by eventId, with and without content", async () => {
    const application = await world.application({ uid: world.uid() });
    const eventId = world.uid();
    const { id } = await world.send(application, { eventId });
    const get = (at, withContent) => world.api.message.get(application.uid, at, { withContent });
    const found = await get(id, true);
    assert.equal(world.wire.status, 200);
    assert.deepEqual(found.payload, { order: 17 });
    assert.deepEqual(await get(eventId, true), found);
    assert.deepEqual((await get(id, false)).payload, {});
    const byDefault = await world.api.message.get(application.id, id);
    assert.deepEqual(byDefault.payload, isV1 ? { order: 17 } : {});
    await refused(404, get("nobody", true));
  });

  operation("message.list", "filters", async () => {
    const application = await world.application();
    const start = new Date(Date.now() - 60_000);
    const end = new Date(Date.now() + 60_000);
    const sent = await world.send(application, { eventType: "order.sent" });
    await later();
    const north = await world.send(application, { channels: ["north"] });
    await later();
    const plain = await world.send(application);
    const list = (options) => world.api.message.list(application.id, options);
    assert.deepEqual(idsOf(await list({})), [plain.id, north.id, sent.id]);
    assert.deepEqual(idsOf(await list({ eventTypes: ["order.sent"] })), [sent.id]);
    const both = await list({ eventTypes: ["order.sent", "order.paid"] });
    assert.deepEqual(idsOf(both), [plain.id, north.id, sent.id]);
    assert.deepEqual(idsOf(await list({ channel: "north" })), [north.id]);
    assert.deepEqual(idsOf(await list({ before: start })), []);
    assert.deepEqual(idsOf(await list({ after: end })), []);
    assert.equal((await list({ after: start, before: end })).data.length, 3);
    const full = await list({ withContent: true });
    assert.deepEqual(full.data[0].payload, { order: 17 });
    assert.deepEqual((await list({ withContent: false })).data[0].payload, {});
  });

  operation("message.expungeContent", "leaves the message without its payload", async () => {
    const application = await world.application();
    const { id } = await world.send(application);
    await world.api.message.expungeContent(application.id, id);
    assert.equal(world.wire.status, 204);
    const found = await world.api.message.get(application.id, id, { withContent: true });
    assert.deepEqual(found.payload, { expired: true });
    await refused(404, world.api.message.expungeContent(application.id, "nobody"));
  });

  operation("message.expungeAllContents", "empties all messages there are", async () => {
    const application = await world.application();
    const { id } = await world.send(application);
    await world.api.message.expungeAllContents(application.id);
    assert.equal(world.wire.status, 202);
    const get = () => world.api.message.get(application.id, id, { withContent: true });
    await waitUntil("the payload gone", async () => (await get()).payload.expired === true);
  });

  if (!isV1) {
    operation("message.bulkExpungeContent", "empties the messages it names", async () => {
      const application = await world.application();
      const [gone, stays] = [await world.send(application), await world.send(application)];
      const named = { ids: [gone.id] };
      const { results } = await world.api.message.bulkExpungeContent(application.id, named);
      assert.deepEqual(Object.keys(results), [gone.id]);
      const get = ({ id }) => world.api.message.get(application.id, id, { withContent: true });
      assert.deepEqual((await get(gone)).payload, { expired: true });
      assert.deepEqual((await get(stays)).payload, { order: 17 });
    });
  }

  operation("message.precheck", "says whether anybody would get it", async () => {
    await world.eventTypes("order.paid", "order.sent");
    const { application } = await world.delivery(200, { eventTypes: ["order.paid"] });
    const active = async (eventType) =>
      (await world.api.message.precheck(application.id, { eventType })).active;
    assert.equal(await active("order.paid"), true);
    assert.equal(await active("order.sent"), false);
  });

  feature("message.create: tags", "are kept and can be searched for", async () => {
    const application = await world.application();
    const tagged = await world.send(application, { tags: ["red", "blue"] });
    await world.send(application, { tags: ["red"] });
    const found = await world.api.message.get(application.id, tagged.id);
    assert.deepEqual(found.tags?.sort(), ["blue", "red"]);
    const page = await world.api.message.list(application.id, { tag: "blue" });
    assert.deepEqual(idsOf(page), [tagged.id]);
  });

  feature("message.create: deliverAt", "holds it back", async () => {
    const { application, hook } = await world.delivery();
    const deliverAt = new Date(Date.now() + 3_600_000);
    const late = await world.send(application, { deliverAt });
    assert.equal(late.deliverAt?.getTime(), deliverAt.getTime());
    const { id } = await world.send(application);
    await hook.of(id);
    assert.equal(hook.requests.length, 1);
    const past = { deliverAt: new Date(Date.now() - 3_600_000) };
    assert.equal(await refusedAt(world.send(application, past)), "body.deliverAt");
  });

  feature("message.create: application", "makes the application on the way", async () => {
    const uid = world.uid();
    const application = { name: "Acme", uid };
    const made = await world.send({ id: uid }, { application });
    assert.match(made.id, /^msg_/);
    assert.equal((await world.api.application.get(uid)).name, "Acme");
    const other = { application: { name: "Acme", uid: world.uid() } };
    await refused(422, world.send({ id: world.uid() }, other));
  });

  feature("message.create: rawPayload", "is delivered to the byte", async () => {
    const { application, hook, secret } = await world.delivery();
    const raw = messageInRaw("order.paid", "a = b\n", "text/plain");
    const { id } = await world.api.message.create(application.id, raw);
    const request = await hook.of(id);
    assert.equal(request.body, "a = b\n");
    assert.match(request.headers["content-type"], /^text\/plain/);
    new StandardWebhook(secret).verify(request.body, request.headers, { jsonParse: false });
  });

  feature("message.create: payloadRetentionPeriod", "has its limits", async () => {
    const application = await world.application();
    await world.send(application, { payloadRetentionPeriod: 30 });
    const refusal = refusedAt(world.send(application, { payloadRetentionPeriod: 9999 }));
    assert.equal(await refusal, "body.payloadRetentionPeriod");
  });
});
