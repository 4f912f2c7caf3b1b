import assert from "node:assert/strict";

import { refused, refusedAt, suite } from "./harness/suite.mjs";

const SCHEMAS = {
  1: {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Paid",
    type: "object",
    properties: { amount: { type: "number", minimum: 0.5 }, "ü": { enum: [1, null, "x"] } },
    required: ["amount"],
    examples: [{ amount: 12.5 }],
  },
  2: { type: "object", additionalProperties: false },
};

suite("event type", (world, { operation }) => {
  const types = () => world.api.eventType;
  const create = (fields) =>
    types().create({ name: world.uid("order"), description: "an order", ...fields });

  operation("eventType.create", "gives back what was asked for, schemas exactly", async () => {
    const fields = { schemas: SCHEMAS, featureFlags: ["beta"], groupName: "orders" };
    const made = await create({ ...fields, deprecated: true });
    assert.equal(world.wire.status, 201);
    assert.equal(made.description, "an order");
    assert.equal(made.archived, false);
    assert.equal(made.deprecated, true);
    assert.deepEqual(made.schemas, SCHEMAS);
    assert.deepEqual(made.featureFlags, ["beta"]);
    assert.equal(made.groupName, "orders");
    assert.deepEqual(await types().get(made.name), made);
  });

  operation("eventType.create", "refuses a name that is taken", async () => {
    const { name } = await create();
    assert.equal((await refused(409, create({ name }))).code, "event_type_exists");
  });

  operation("eventType.create", "names the field that is wrong", async () => {
    assert.equal(await refusedAt(create({ name: undefined })), "body.name");
    assert.equal(await refusedAt(create({ name: "no spaces" })), "body.name");
    assert.equal(await refusedAt(create({ description: undefined })), "body.description");
    assert.match(await refusedAt(create({ schemas: [1] })), /^body\.schemas/);
  });

  operation("eventType.get", "says when there is none", async () => {
    assert.equal((await refused(404, types().get("nothing.like.it"))).code, "not_found");
  });

  operation("eventType.upsert", "creates with 201 and updates with 200", async () => {
    const name = world.uid("order");
    const made = await types().upsert(name, { description: "first", featureFlags: ["beta"] });
    assert.equal(world.wire.status, 201);
    assert.equal(made.name, name);
    const changed = await types().upsert(name, { description: "second" });
    assert.equal(world.wire.status, 200);
    assert.equal(changed.description, "second");
    assert.equal(changed.featureFlags ?? null, null);
    assert.deepEqual(changed.createdAt, made.createdAt);
  });

  operation("eventType.patch", "leaves what is absent and clears what is null", async () => {
    const fields = { schemas: SCHEMAS, featureFlags: ["beta"], groupName: "orders" };
    const made = await create(fields);
    const changed = await types().patch(made.name, { description: "other" });
    assert.equal(world.wire.status, 200);
    assert.deepEqual({ ...changed, updatedAt: 0 }, { ...made, description: "other", updatedAt: 0 });
    const nothing = { schemas: null, featureFlags: null, groupName: null };
    const cleared = await types().patch(made.name, nothing);
    assert.equal(cleared.schemas ?? null, null);
    assert.equal(cleared.featureFlags ?? null, null);
    assert.equal(cleared.groupName ?? null, null);
    assert.equal(cleared.description, "other");
    await refused(404, types().patch("nothing.like.it", { description: "x" }));
  });

  operation("eventType.list", "goes by name, with and without schemas", async () => {
    const made = await create({ schemas: SCHEMAS });
    const find = async (options) => {
      const { data } = await types().list({ limit: 250, ...options });
      const names = data.map(({ name }) => name);
      assert.deepEqual(names, [...names].sort());
      return data.find(({ name }) => name === made.name);
    };
    assert.equal((await find({ withContent: false })).schemas ?? null, null);
    assert.deepEqual((await find({ withContent: true })).schemas, SCHEMAS);
  });

  operation("eventType.delete", "archives; a new one of the name revives it", async () => {
    const { name } = await create();
    await types().delete(name);
    assert.equal(world.wire.status, 204);
    assert.equal((await types().get(name)).archived, true);
    const listed = async (options) => {
      const { data } = await types().list({ limit: 250, ...options });
      return data.some((each) => each.name === name);
    };
    assert.equal(await listed({}), false);
    assert.equal(await listed({ includeArchived: true }), true);
    const revived = await create({ name });
    assert.equal(world.wire.status, 201);
    assert.equal(revived.archived, false);
    await refused(404, types().delete("nothing.like.it"));
  });

  operation("eventType.delete", "forgets it altogether if told to", async () => {
    const { name } = await create();
    await types().delete(name, { expunge: true });
    assert.equal(world.wire.status, 204);
    await refused(404, types().get(name));
  });

  operation("eventType.list authentication.appPortalAccess", "hide by feature flag", async () => {
    const [open, flagged] = [await create(), await create({ featureFlags: ["beta"] })];
    const application = await world.application();
    const names = async (featureFlags) => {
      const access = { featureFlags };
      const { token } = await world.api.authentication.appPortalAccess(application.id, access);
      const { data } = await world.client(token).eventType.list({ limit: 250 });
      return [open, flagged].map(({ name }) => data.some((each) => each.name === name));
    };
    assert.deepEqual(await names([]), [true, false]);
    assert.deepEqual(await names(["beta"]), [true, true]);
  });
});
