import assert from "node:assert/strict";

import { endpointIn, eventTypesOf, isV1 } from "./harness/library.mjs";
import { refused, refusedAt, suite, verify } from "./harness/suite.mjs";

const URL = "https://example.com/hook";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

suite("endpoint", (world, { operation, feature }) => {
  const create = (application, fields) =>
    world.api.endpoint.create(application.id, endpointIn({ url: URL, ...fields }));

  operation("endpoint.create", "gives back what was asked for", async () => {
    await world.eventTypes("order.paid", "order.sent");
    const application = await world.application();
    const fields = {
      uid: world.uid(),
      description: "the till",
      throttleRate: 20,
      disabled: true,
      channels: ["north", "south"],
      metadata: { team: "till" },
    };
    const made = await create(application, { ...fields, eventTypes: ["order.paid", "order.sent"] });
    assert.equal(world.wire.status, 201);
    assert.match(made.id, /^ep_[0-9A-Za-z]{27}$/);
    assert.equal(made.url, URL);
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(made[name], value, name);
    assert.deepEqual(eventTypesOf(made).sort(), ["order.paid", "order.sent"]);
    if (isV1) assert.equal(made.version, 1);
  });

  operation("endpoint.create", "needs nothing but a URL", async () => {
    const made = await create(await world.application(), { url: "https://Example.com" });
    assert.equal(made.url, "https://example.com/");
    assert.equal(made.description, "");
    assert.equal(made.disabled, false);
    assert.equal(eventTypesOf(made) ?? null, null);
    assert.equal(made.channels ?? null, null);
    assert.deepEqual(made.metadata, {});
  });

  operation("endpoint.create", "takes a secret and headers, and delivers with them", async () => {
    const headers = { "X-Till": "seven" };
    const { application, hook, secret } = await world.delivery(200, { secret: SECRET, headers });
    assert.equal(secret, SECRET);
    const message = await world.send(application);
    const request = await hook.of(message.id);
    assert.equal(request.headers["x-till"], "seven");
    verify(request, SECRET);
  });

  feature("endpoint.create: secret without a prefix", "is a symmetric one", async () => {
    const bare = SECRET.slice("whsec_".length);
    const { secret } = await world.delivery(200, { secret: bare });
    assert.equal(secret, SECRET);
  });

  if (isV1) {
    operation("endpoint.create", "knows the old name of the rate", async () => {
      const made = await create(await world.application(), { rateLimit: 5 });
      assert.deepEqual([made.rateLimit, made.throttleRate], [5, 5]);
    });

    feature("endpoint.patch: secret", "replaces it", async () => {
      const { application, endpoint } = await world.delivery();
      await world.api.endpoint.patch(application.id, endpoint.id, { secret: SECRET });
      const { key } = await world.api.endpoint.getSecret(application.id, endpoint.id);
      assert.equal(key, SECRET);
    });
  }

  operation("endpoint.create", "refuses a uid that is taken in the application", async () => {
    const [one, other] = [await world.application(), await world.application()];
    const uid = world.uid();
    await create(one, { uid });
    assert.equal((await refused(409, create(one, { uid }))).code, "conflict");
    await create(other, { uid });
  });

  operation("endpoint.create", "names the field that is wrong", async () => {
    const application = await world.application();
    const types = isV1 ? /^body\.(eventTypes|filterTypes)/ : /^body\.eventTypes/;
    const at = (fields) => refusedAt(create(application, fields));
    assert.equal(await at({ url: undefined }), "body.url");
    assert.equal(await at({ url: "not a url" }), "body.url");
    assert.equal(await at({ url: "ftp://example.com/" }), "body.url");
    assert.equal(await at({ uid: "ep_x" }), "body.uid");
    assert.equal(await at({ throttleRate: 0 }), "body.throttleRate");
    assert.equal(await at({ secret: "whsec_short" }), "body.secret");
    assert.match(await at({ channels: [] }), /^body\.channels/);
    assert.match(await at({ eventTypes: [] }), types);
    assert.match(await at({ headers: { "svix-id": "mine" } }), /^body\.headers/);
  });

  operation("endpoint.create endpoint.list", "need an application", async () => {
    await refused(404, create({ id: "nobody" }, {}));
    await refused(404, world.api.endpoint.list("nobody"));
  });

  operation("endpoint.get", "goes by ids and by uids", async () => {
    const application = await world.application({ uid: world.uid() });
    const made = await create(application, { uid: world.uid() });
    for (const app of [application.id, application.uid]) {
      for (const endpoint of [made.id, made.uid]) {
        assert.deepEqual(await world.api.endpoint.get(app, endpoint), made);
      }
    }
    await refused(404, world.api.endpoint.get(application.id, "nobody"));
    await refused(404, world.api.endpoint.get((await world.application()).id, made.id));
  });

  operation("endpoint.patch", "leaves what is absent and clears what is null", async () => {
    await world.eventTypes("order.paid");
    const application = await world.application();
    const fields = { uid: world.uid(), throttleRate: 9, channels: ["north"], description: "till" };
    const made = await create(application, { ...fields, eventTypes: ["order.paid"] });
    const patch = (fields) => world.api.endpoint.patch(application.id, made.id, endpointIn(fields));

    const changed = await patch({ description: "desk", metadata: { a: "b" } });
    assert.equal(world.wire.status, 200);
    const expected = { ...made, description: "desk", metadata: { a: "b" }, updatedAt: 0 };
    assert.deepEqual({ ...changed, updatedAt: 0 }, expected);
    assert.ok(changed.updatedAt >= made.updatedAt);

    const nothing = { uid: null, throttleRate: null, channels: null, eventTypes: null };
    const cleared = await patch(nothing);
    assert.equal(cleared.uid ?? null, null);
    assert.equal(cleared.throttleRate ?? null, null);
    assert.equal(cleared.channels ?? null, null);
    assert.equal(eventTypesOf(cleared) ?? null, null);
    assert.equal(cleared.description, "desk");
    assert.deepEqual(await world.api.endpoint.get(application.id, made.id), cleared);
    await refused(404, world.api.endpoint.get(application.id, made.uid));
  });

  operation("endpoint.patch", "takes effect on the next message", async () => {
    const { application, hook, endpoint } = await world.delivery();
    const patch = (fields) => world.api.endpoint.patch(application.id, endpoint.id, fields);
    await patch({ disabled: true });
    const missed = await world.send(application);
    await patch({ disabled: false });
    const { id } = await world.send(application);
    await hook.of(id);
    assert.ok(hook.requests.every((each) => each.headers["webhook-id"] !== missed.id));
    assert.equal(await refusedAt(patch({ url: "nowhere" })), "body.url");
    assert.equal(await refusedAt(patch({ url: null })), "body.url");
    await world.endpoint(application, hook, { uid: "taken" });
    assert.equal((await refused(409, patch({ uid: "taken" }))).code, "conflict");
    await refused(404, world.api.endpoint.patch(application.id, "nobody", { disabled: true }));
  });

  operation("endpoint.create message.create", "filter by event type and by channel", async () => {
    await world.eventTypes("order.paid", "order.sent");
    const application = await world.application();
    const hooks = [0, 1, 2].map(() => world.receiver.hook());
    await world.endpoint(application, hooks[0], { eventTypes: ["order.paid"] });
    await world.endpoint(application, hooks[1], { channels: ["north"] });
    await world.endpoint(application, hooks[2]);
    const sent = [
      await world.send(application, { eventType: "order.sent" }),
      await world.send(application, { channels: ["north", "south"] }),
      await world.send(application, { channels: ["south"] }),
      await world.send(application, { eventType: "order.sent", channels: ["north"] }),
    ];
    const came = async (hook, count) => {
      const ids = (await hook.received(count)).map(({ headers }) => headers["webhook-id"]);
      return sent.map(({ id }) => ids.filter((each) => each === id).length);
    };
    assert.deepEqual(await came(hooks[2], 4), [1, 1, 1, 1]);
    assert.deepEqual(await came(hooks[0], 2), [0, 1, 1, 0]);
    assert.deepEqual(await came(hooks[1], 2), [0, 1, 0, 1]);
  });

  operation("endpoint.upsert", "creates with 201 and updates with 200", async () => {
    const application = await world.application();
    const uid = world.uid();
    const upsert = (fields) =>
      world.api.endpoint.upsert(application.id, uid, endpointIn({ url: URL, uid, ...fields }));
    const made = await upsert({ description: "till", throttleRate: 4, channels: ["north"] });
    assert.equal(world.wire.status, 201);
    assert.equal(made.uid, uid);
    const before = await world.api.endpoint.getSecret(application.id, uid);
    const changed = await upsert({ url: "https://example.com/other" });
    assert.equal(world.wire.status, 200);
    assert.equal(changed.id, made.id);
    assert.equal(changed.url, "https://example.com/other");
    assert.equal(changed.throttleRate ?? null, null);
    assert.equal(changed.channels ?? null, null);
    assert.equal(changed.description, "");
    assert.deepEqual(await world.api.endpoint.getSecret(application.id, made.id), before);
  });

  operation("endpoint.delete", "ends its deliveries, and frees the uid", async () => {
    const application = await world.application();
    const [gone, stays] = [world.receiver.hook(), world.receiver.hook()];
    const uid = world.uid();
    const made = await world.endpoint(application, gone, { uid });
    await world.endpoint(application, stays);
    await world.api.endpoint.delete(application.id, uid);
    assert.equal(world.wire.status, 204);
    await stays.of((await world.send(application)).id);
    assert.equal(gone.requests.length, 0);
    await refused(404, world.api.endpoint.get(application.id, made.id));
    await refused(404, world.api.endpoint.delete(application.id, made.id));
    assert.deepEqual((await world.api.endpoint.list(application.id)).data.length, 1);
    await world.endpoint(application, gone, { uid });
  });
});
