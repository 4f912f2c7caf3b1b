// Webhooks of the server's own: what happens to endpoints and deliveries, told to the operator.

import assert from "node:assert/strict";

import { endpointIn, eventTypesOf } from "./harness/library.mjs";
import { refused, refusedAt, suite, verify } from "./harness/suite.mjs";
import { waitUntil } from "./harness/wait.mjs";

const NAME = "operationalWebhook.endpoint";
const URL = "https://example.com/operator";

suite("operational webhook", (world, { operation }) => {
  const endpoints = () => world.api.operationalWebhook.endpoint;
  const create = (fields) => endpoints().create(endpointIn({ url: URL, ...fields }));

  operation(`${NAME}.create ${NAME}.get`, "give back what was asked for", async () => {
    const fields = { uid: world.uid(), description: "mine", metadata: { a: "b" }, disabled: true };
    const made = await create({ ...fields, eventTypes: ["endpoint.created"] });
    assert.equal(world.wire.status, 201);
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(made[name], value, name);
    assert.deepEqual(eventTypesOf(made), ["endpoint.created"]);
    assert.deepEqual(await endpoints().get(made.id), made);
    assert.deepEqual(await endpoints().get(made.uid), made);
    await refused(404, endpoints().get("nobody"));
    assert.equal(await refusedAt(create({ url: "nowhere" })), "body.url");
    await refused(409, create({ uid: made.uid }));
  });

  operation(`${NAME}.upsert ${NAME}.delete ${NAME}.list`, "work", async () => {
    const made = await create({ uid: world.uid(), description: "mine" });
    const other = endpointIn({ url: "https://example.com/other", uid: made.uid });
    const changed = await endpoints().upsert(made.id, other);
    assert.equal(world.wire.status, 200);
    assert.equal(changed.url, "https://example.com/other");
    const ids = async () => (await endpoints().list({ limit: 250 })).data.map(({ id }) => id);
    assert.ok((await ids()).includes(made.id));
    await endpoints().delete(made.id);
    assert.equal(world.wire.status, 204);
    assert.ok(!(await ids()).includes(made.id));
    await refused(404, endpoints().get(made.id));
  });

  operation(`${NAME}.getSecret ${NAME}.rotateSecret`, "work", async () => {
    const { id } = await create({});
    const { key } = await endpoints().getSecret(id);
    assert.match(key, /^whsec_/);
    await endpoints().rotateSecret(id, {});
    assert.equal(world.wire.status, 200);
    assert.notEqual((await endpoints().getSecret(id)).key, key);
  });

  operation(`${NAME}.getHeaders ${NAME}.setHeaders`, "work", async () => {
    const { id } = await create({});
    await endpoints().setHeaders(id, { headers: { "X-A": "1", Authorization: "hush" } });
    assert.equal(world.wire.status, 204);
    const { headers, sensitive } = await endpoints().getHeaders(id);
    assert.deepEqual([headers, sensitive], [{ "X-A": "1" }, ["Authorization"]]);
  });

  operation(`${NAME}.create ${NAME}.getSecret`, "tell of a new endpoint", async () => {
    const hook = world.receiver.hook();
    const made = await create({ url: hook.url, eventTypes: ["endpoint.created"] });
    const { key } = await endpoints().getSecret(made.id);
    const application = await world.application({ uid: world.uid() });
    const endpoint = await world.endpoint(application, world.receiver.hook());
    const about = ({ body }) => JSON.parse(body).data.endpointId === endpoint.id;
    const request = await waitUntil("the news of it", () => hook.requests.find(about));
    verify(request, key);
    const { type, data } = JSON.parse(request.body);
    assert.equal(type, "endpoint.created");
    assert.equal(data.appId, application.id);
    assert.equal(data.appUid, application.uid);
  });

  operation(`${NAME}.list`, "is for the organisation only", async () => {
    const { id } = await world.application();
    const api = world.client(await world.server.token("--app", id));
    await refused(403, api.operationalWebhook.endpoint.list());
  });
});
