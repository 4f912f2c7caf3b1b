// What can be done about deliveries of the past: count them, try them again, try one out.

import assert from "node:assert/strict";

import { refused, refusedAt, suite, verify } from "./harness/suite.mjs";
import { waitUntil } from "./harness/wait.mjs";

const minutes = (count) => new Date(Date.now() + count * 60_000);

suite(
  "endpoint replay",
  (world, { operation }) => {
    /** A delivery that has failed for good, at a hook that is well again. */
    const failed = async () => {
      const delivery = await world.delivery(500);
      const message = await world.send(delivery.application);
      await waitUntil("the failure on record", async () => {
        const { application, endpoint } = delivery;
        const page = await world.api.messageAttempt.listByEndpoint(application.id, endpoint.id);
        return page.data.length === 1;
      });
      delivery.hook.status = 200;
      return { ...delivery, message };
    };

    operation("endpoint.getStats", "counts what became of the messages", async () => {
      const { application, endpoint, hook } = await failed();
      const { id } = await world.send(application);
      await hook.of(id);
      const stats = () => world.api.endpoint.getStats(application.id, endpoint.id);
      const counted = await waitUntil("the success counted", async () => {
        const found = await stats();
        return found.success === 1 && found.pending === 0 && found;
      });
      const expected = { success: 1, pending: 0, sending: 0, fail: 1, canceled: 0 };
      assert.deepEqual({ ...counted }, expected);
      // Far enough back to be in other hours than now: whole ones are counted.
      const range = { since: minutes(-180), until: minutes(-120) };
      const before = await world.api.endpoint.getStats(application.id, endpoint.id, range);
      assert.equal(before.success + before.fail, 0);
      await refused(404, world.api.endpoint.getStats(application.id, "nobody"));
    });

    operation("endpoint.sendExample eventType.create", "sends the first example", async () => {
      const { application, endpoint, hook, secret } = await world.delivery();
      const examples = [{ order: 1 }, { order: 2 }];
      const name = world.uid("example");
      const schemas = { 1: { type: "object", examples } };
      await world.api.eventType.create({ name, description: "an example", schemas });
      const example = { eventType: name };
      const sent = await world.api.endpoint.sendExample(application.id, endpoint.id, example);
      assert.equal(sent.eventType, name);
      const request = await hook.of(sent.id);
      assert.deepEqual(JSON.parse(request.body), examples[0]);
      verify(request, secret);
    });

    operation("endpoint.sendExample eventType.patch", "sends the one asked for", async () => {
      const { application, endpoint, hook } = await world.delivery();
      const eventType = world.uid("example");
      const schemas = { 1: { type: "object", examples: [{ order: 1 }, { order: 2 }] } };
      await world.api.eventType.create({ name: eventType, description: "an example", schemas });
      const send = (exampleIndex) =>
        world.api.endpoint.sendExample(application.id, endpoint.id, { eventType, exampleIndex });
      const request = await hook.of((await send(1)).id);
      assert.deepEqual(JSON.parse(request.body), { order: 2 });
      assert.equal(await refusedAt(send(2)), "body.exampleIndex");
      await world.api.eventType.patch(eventType, { schemas: null });
      assert.equal((await refused(400, send(0))).code, "invalid_scheme");
    });

    operation("endpoint.recover", "tries again what has failed", async () => {
      const { application, endpoint, hook, message, secret } = await failed();
      const range = { since: minutes(-10) };
      const task = await world.api.endpoint.recover(application.id, endpoint.id, range);
      assert.equal(world.wire.status, 202);
      assert.equal(task.task, "endpoint.recover");
      const [, again] = await hook.received(2);
      assert.equal(again.headers["webhook-id"], message.id);
      verify(again, secret);
    });

    operation("endpoint.recover", "refuses a range that is too long", async () => {
      const { application, endpoint } = await world.delivery();
      const range = { since: minutes(-60 * 24 * 20) };
      const call = world.api.endpoint.recover(application.id, endpoint.id, range);
      assert.match(await refusedAt(call), /^body\.since/);
      await refused(404, world.api.endpoint.recover(application.id, "nobody", range));
    });

    operation("endpoint.replayMissing", "sends what was never attempted", async () => {
      const application = await world.application();
      const message = await world.send(application);
      const hook = world.receiver.hook();
      const endpoint = await world.endpoint(application, hook);
      const range = { since: minutes(-10) };
      const task = await world.api.endpoint.replayMissing(application.id, endpoint.id, range);
      assert.equal(world.wire.status, 202);
      assert.equal(task.task, "endpoint.replay");
      await hook.of(message.id);
    });

    operation("endpoint.bulkReplay", "sends again what fits the filters", async () => {
      const { application, endpoint, hook } = await world.delivery();
      const paid = await world.send(application, { eventType: "order.paid" });
      const sent = await world.send(application, { eventType: "order.sent" });
      await hook.received(2);
      const filters = { since: minutes(-10), eventTypes: ["order.paid"] };
      const task = await world.api.endpoint.bulkReplay(application.id, endpoint.id, filters);
      assert.equal(world.wire.status, 202);
      assert.equal(task.task, "endpoint.bulk-replay");
      const ids = (await hook.received(3)).map(({ headers }) => headers["webhook-id"]);
      assert.equal(ids.filter((id) => id === paid.id).length, 2);
      assert.equal(ids.filter((id) => id === sent.id).length, 1);
    });

    operation("endpoint.recover backgroundTask.get backgroundTask.list", "show it", async () => {
      const { application, endpoint, hook } = await failed();
      const range = { since: minutes(-10) };
      const { id } = await world.api.endpoint.recover(application.id, endpoint.id, range);
      await hook.received(2);
      const task = await waitUntil("the task finished", async () => {
        const found = await world.api.backgroundTask.get(id);
        return found.status === "finished" && found;
      });
      assert.equal(task.task, "endpoint.recover");
      const finished = { status: "finished", task: "endpoint.recover" };
      const { data } = await world.api.backgroundTask.list(finished);
      assert.ok(data.some((each) => each.id === id));
      const running = { status: "running", task: "endpoint.replay" };
      const others = await world.api.backgroundTask.list(running);
      assert.ok(others.data.every((each) => each.id !== id));
      assert.equal((await refused(404, world.api.backgroundTask.get("qtask_x"))).code, "not_found");
    });
  },
  "--retry-policy",
  '{"maxAttempts": 1}',
);
