import assert from "node:assert/strict";

import { refused, refusedAt, suite } from "./harness/suite.mjs";
import { later } from "./harness/wait.mjs";

suite("application", (world, { operation, feature }) => {
  operation("application.create", "gives back what was asked for", async () => {
    const uid = world.uid();
    const metadata = { plan: "gold", "überall": "ja" };
    const fields = { name: "Acme", uid, throttleRate: 10, metadata };
    const made = await world.api.application.create(fields);
    assert.equal(world.wire.status, 201);
    assert.match(made.id, /^app_[0-9A-Za-z]{27}$/);
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(made[name], value, name);
    assert.ok(Math.abs(made.createdAt - Date.now()) < 60_000);
  });

  operation("application.create", "needs nothing but a name", async () => {
    const made = await world.api.application.create({ name: "Acme" });
    assert.equal(made.uid ?? null, null);
    assert.equal(made.throttleRate ?? null, null);
    assert.deepEqual(made.metadata, {});
  });

  operation("application.create", "refuses a uid that is taken", async () => {
    const uid = world.uid();
    await world.application({ uid });
    const { code } = await refused(409, world.api.application.create({ name: "Other", uid }));
    assert.equal(code, "conflict");
  });

  operation("application.create", "names the field that is wrong", async () => {
    const create = (fields) => world.api.application.create({ name: "Acme", ...fields });
    assert.equal(await refusedAt(create({ name: undefined })), "body.name");
    assert.equal(await refusedAt(create({ name: "" })), "body.name");
    assert.equal(await refusedAt(create({ uid: "app_x" })), "body.uid");
    assert.equal(await refusedAt(create({ uid: "a b" })), "body.uid");
    assert.equal(await refusedAt(create({ throttleRate: 0 })), "body.throttleRate");
    assert.match(await refusedAt(create({ metadata: { a: 1 } })), /^body\.metadata/);
  });

  operation("application.getOrCreate", "makes it once", async () => {
    const uid = world.uid();
    const made = await world.api.application.getOrCreate({ name: "First", uid });
    assert.equal(world.wire.status, 201);
    const again = await world.api.application.getOrCreate({ name: "Second", uid });
    assert.equal(world.wire.status, 200);
    assert.deepEqual(again, made);
  });

  operation("application.get", "goes by id and by uid", async () => {
    const made = await world.application({ uid: world.uid() });
    assert.deepEqual(await world.api.application.get(made.id), made);
    assert.deepEqual(await world.api.application.get(made.uid), made);
  });

  operation("application.get", "says when there is none", async () => {
    assert.equal((await refused(404, world.api.application.get("nobody"))).code, "not_found");
    for (const id of ["app_" + "0".repeat(27), "a/b", "a b", "ü", "%"]) {
      assert.equal((await refused(404, world.api.application.get(id))).code, "not_found", id);
    }
  });

  operation("application.list", "goes by the order asked for", async () => {
    const made = [await world.application()];
    await later();
    made.push(await world.application());
    const ids = async (order) => {
      const page = await world.api.application.list({ order, limit: 250 });
      return page.data.map(({ id }) => id).filter((id) => made.some((each) => each.id === id));
    };
    assert.deepEqual(await ids("ascending"), [made[0].id, made[1].id]);
    assert.deepEqual(await ids("descending"), [made[1].id, made[0].id]);
    assert.deepEqual(await ids(undefined), [made[0].id, made[1].id]);
  });

  operation("application.list", "takes no other order", async () => {
    const list = world.api.application.list({ order: "sideways" });
    assert.equal(await refusedAt(list), "query.order");
  });

  const listed = async (application, options) => {
    const { data } = await world.api.application.list({ limit: 250, ...options });
    return data.some(({ id }) => id === application.id);
  };

  feature("application.list: excludeAppsWithNoEndpoints", "leaves them out", async () => {
    const [empty, { application }] = [await world.application(), await world.delivery()];
    assert.equal(await listed(empty, {}), true);
    assert.equal(await listed(application, { excludeAppsWithNoEndpoints: true }), true);
    assert.equal(await listed(empty, { excludeAppsWithNoEndpoints: true }), false);
  });

  feature("application.list: excludeAppsWithDisabledEndpoints", "leaves them out", async () => {
    const { application } = await world.delivery(200, { disabled: true });
    assert.equal(await listed(application, {}), true);
    assert.equal(await listed(application, { excludeAppsWithDisabledEndpoints: true }), false);
  });

  operation("application.upsert", "creates with 201 and updates with 200", async () => {
    const uid = world.uid();
    const made = await world.api.application.upsert(uid, { name: "First", uid, throttleRate: 5 });
    assert.equal(world.wire.status, 201);
    assert.equal(made.uid, uid);
    const changed = await world.api.application.upsert(uid, { name: "Second", uid });
    assert.equal(world.wire.status, 200);
    assert.equal(changed.id, made.id);
    assert.equal(changed.name, "Second");
    assert.equal(changed.throttleRate ?? null, null);
    assert.ok(changed.updatedAt >= made.updatedAt);
    assert.deepEqual(await world.api.application.get(made.id), changed);
  });

  operation("application.upsert", "refuses a uid that another one has", async () => {
    const [one, other] = [world.uid(), world.uid()];
    await world.application({ uid: one });
    const made = await world.application({ uid: other });
    await refused(409, world.api.application.upsert(made.id, { name: "Acme", uid: one }));
  });

  operation("application.patch", "leaves what is absent and clears what is null", async () => {
    const metadata = { plan: "gold" };
    const made = await world.application({ uid: world.uid(), throttleRate: 7, metadata });
    const renamed = await world.api.application.patch(made.uid, { name: "Other" });
    assert.equal(world.wire.status, 200);
    assert.deepEqual({ ...renamed, updatedAt: 0 }, { ...made, name: "Other", updatedAt: 0 });
    const cleared = await world.api.application.patch(made.id, { uid: null, throttleRate: null });
    assert.equal(cleared.uid ?? null, null);
    assert.equal(cleared.throttleRate ?? null, null);
    assert.deepEqual(cleared.metadata, metadata);
    await refused(404, world.api.application.get(made.uid));
  });

  operation("application.delete", "is final, and frees the uid", async () => {
    const uid = world.uid();
    const made = await world.application({ uid });
    await world.api.application.delete(uid);
    assert.equal(world.wire.status, 204);
    assert.equal(world.wire.last.answer, "");
    await refused(404, world.api.application.get(uid));
    await refused(404, world.api.application.get(made.id));
    await refused(404, world.api.application.delete(made.id));
    assert.notEqual((await world.application({ uid })).id, made.id);
  });
});
