import assert from "node:assert/strict";

import { endpointIn } from "./harness/library.mjs";
import { refused, suite } from "./harness/suite.mjs";

suite("idempotency", (world, { operation, feature }) => {
  const message = (order = 17) => ({ eventType: "order.paid", payload: { order } });

  operation("message.create", "with a key happens once", async () => {
    const { application, hook } = await world.delivery();
    const options = { idempotencyKey: world.uid("key") };
    const create = (body) => world.api.message.create(application.id, body, options);
    const first = await create(message());
    assert.equal(world.wire.last.key, options.idempotencyKey);
    const { answer, status } = world.wire.last;
    assert.deepEqual(await create(message()), first);
    assert.deepEqual([world.wire.last.answer, world.wire.status], [answer, status]);
    assert.equal((await world.api.message.list(application.id)).data.length, 1);
    await hook.of((await world.send(application)).id);
    const count = hook.requests.filter((each) => each.headers["webhook-id"] === first.id).length;
    assert.equal(count, 1);
  });

  operation("message.create", "with a used key and another body is refused", async () => {
    const application = await world.application();
    const options = { idempotencyKey: world.uid("key") };
    await world.api.message.create(application.id, message(1), options);
    const other = world.api.message.create(application.id, message(2), options);
    assert.equal((await refused(409, other)).code, "conflict");
  });

  operation("message.create", "has its own keys in every application", async () => {
    const options = { idempotencyKey: world.uid("key") };
    const made = [];
    for (const application of [await world.application(), await world.application()]) {
      made.push(await world.api.message.create(application.id, message(), options));
    }
    assert.notEqual(made[0].id, made[1].id);
  });

  operation("message.create", "leaves the key free if it is refused", async () => {
    const application = await world.application();
    const options = { idempotencyKey: world.uid("key") };
    const wrong = { eventType: "no spaces", payload: {} };
    await refused(422, world.api.message.create(application.id, wrong, options));
    await world.api.message.create(application.id, message(), options);
  });

  operation("message.create", "answers the same to many at once", async () => {
    const application = await world.application();
    const options = { idempotencyKey: world.uid("key") };
    const create = () => world.api.message.create(application.id, message(), options);
    const made = await Promise.all(Array.from({ length: 8 }, create));
    assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  });

  feature("application.create: Idempotency-Key", "makes one", async () => {
    const options = { idempotencyKey: world.uid("key") };
    const create = (name) => world.api.application.create({ name }, options);
    const first = await create("Acme");
    assert.deepEqual(await create("Acme"), first);
    assert.equal((await refused(409, create("Other"))).code, "conflict");
  });

  feature("endpoint.create: Idempotency-Key", "makes one", async () => {
    const application = await world.application();
    const options = { idempotencyKey: world.uid("key") };
    const create = (url) => world.api.endpoint.create(application.id, endpointIn({ url }), options);
    const first = await create("https://example.com/a");
    assert.deepEqual(await create("https://example.com/a"), first);
    assert.equal((await refused(409, create("https://example.com/b"))).code, "conflict");
  });
});
