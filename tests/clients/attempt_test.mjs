import assert from "node:assert/strict";

import { refused, suite, verify } from "./harness/suite.mjs";
import { later, waitUntil } from "./harness/wait.mjs";

const minutes = (count) => new Date(Date.now() + count * 60_000);

suite(
  "attempt",
  (world, { operation, feature }) => {
    const messageAttempt = () => world.api.messageAttempt;

    /** The attempts of a message, newest first, once there are `count` of them. */
    const attempts = (application, message, count) =>
      waitUntil(`${count} attempts of ${message.id}`, async () => {
        const options = { withContent: true };
        const page = await messageAttempt().listByMsg(application.id, message.id, options);
        return page.data.length === count && page.data;
      });

    /** A message that failed once and then arrived. */
    const retried = async () => {
      const delivery = await world.delivery(503);
      delivery.hook.answer = "later";
      const message = await world.send(delivery.application, { eventId: world.uid() });
      await delivery.hook.received(1);
      Object.assign(delivery.hook, { status: 200, answer: "noted" });
      return { ...delivery, message, found: await attempts(delivery.application, message, 2) };
    };

    operation("messageAttempt.listByMsg", "shows how it went, newest first", async () => {
      const { application, endpoint, hook, message, secret, found } = await retried();
      const told = found.map(({ status, statusText, responseStatusCode, response }) => [
        status,
        statusText,
        responseStatusCode,
        response,
      ]);
      assert.deepEqual(told, [
        [0, "success", 200, "noted"],
        [2, "fail", 503, "later"],
      ]);
      for (const each of found) {
        assert.match(each.id, /^atmpt_[0-9A-Za-z]{27}$/);
        const { msgId, endpointId, url, triggerType } = each;
        const expected = [message.id, endpoint.id, hook.url, 0];
        assert.deepEqual([msgId, endpointId, url, triggerType], expected);
        assert.ok(each.responseDurationMs >= 0);
      }
      assert.ok(found[0].timestamp > found[1].timestamp);
      for (const request of hook.requests) verify(request, secret);
      const byUid = await messageAttempt().listByMsg(application.id, message.eventId);
      assert.deepEqual(byUid.data.map(({ id }) => id), found.map(({ id }) => id));
      await refused(404, messageAttempt().listByMsg(application.id, "nobody"));
    });

    operation("messageAttempt.listByMsg", "filters", async () => {
      const { application, endpoint, message, found } = await retried();
      const [good, bad] = found.map(({ id }) => id);
      const ids = async (options) => {
        const page = await messageAttempt().listByMsg(application.id, message.id, options);
        return page.data.map(({ id }) => id);
      };
      assert.deepEqual(await ids({ status: 0 }), [good]);
      assert.deepEqual(await ids({ status: 2 }), [bad]);
      for (const status of [1, 3, 4]) assert.deepEqual(await ids({ status }), [], "never so");
      assert.deepEqual(await ids({ statusCodeClass: 500 }), [bad]);
      assert.deepEqual(await ids({ statusCodeClass: 200 }), [good]);
      assert.deepEqual(await ids({ statusCodeClass: 0 }), []);
      assert.deepEqual(await ids({ endpointId: endpoint.id }), [good, bad]);
      assert.deepEqual(await ids({ eventTypes: ["order.paid"] }), [good, bad]);
      assert.deepEqual(await ids({ eventTypes: ["order.sent"] }), []);
      assert.deepEqual(await ids({ channel: "north" }), []);
      assert.deepEqual(await ids({ after: minutes(-5), before: minutes(5) }), [good, bad]);
      assert.deepEqual(await ids({ before: minutes(-5) }), []);
      const without = { withContent: false };
      const { data } = await messageAttempt().listByMsg(application.id, message.id, without);
      assert.deepEqual(data.map(({ response }) => response), ["{}", "{}"]);
    });

    operation("messageAttempt.listByEndpoint", "has those of all messages", async () => {
      const { application, endpoint, message, found } = await retried();
      await later();
      const other = await world.send(application, { channels: ["north"] });
      const [last] = await attempts(application, other, 1);
      const ids = async (options) => {
        const page = await messageAttempt().listByEndpoint(application.id, endpoint.id, options);
        return page.data.map(({ id }) => id);
      };
      const [good, bad] = found.map(({ id }) => id);
      assert.equal(found[0].msgId, message.id);
      assert.deepEqual(await ids({}), [last.id, good, bad]);
      assert.deepEqual(await ids({ status: 2 }), [bad]);
      assert.deepEqual(await ids({ statusCodeClass: 500 }), [bad]);
      assert.deepEqual(await ids({ channel: "north" }), [last.id]);
      assert.deepEqual(await ids({ eventTypes: ["order.sent"] }), []);
      assert.deepEqual(await ids({ after: minutes(5) }), []);
      await refused(404, messageAttempt().listByEndpoint(application.id, "nobody"));
    });

    operation("messageAttempt.get", "gives one of them", async () => {
      const { application, message, found } = await retried();
      for (const at of [message.id, message.eventId]) {
        const one = await messageAttempt().get(application.id, at, found[1].id);
        assert.deepEqual(one, found[1]);
      }
      const none = "atmpt_" + "0".repeat(27);
      await refused(404, messageAttempt().get(application.id, message.id, none));
      const other = await world.send(application);
      await refused(404, messageAttempt().get(application.id, other.id, found[1].id));
    });

    operation("messageAttempt.listByMsg", "tells of a receiver that is not there", async () => {
      const application = await world.application();
      const fields = { url: "http://127.0.0.1:1/" };
      const endpoint = await world.api.endpoint.create(application.id, fields);
      const message = await world.send(application);
      const found = await attempts(application, message, 3);
      assert.equal(found[0].endpointId, endpoint.id);
      assert.equal(found[0].responseStatusCode, 0);
      assert.equal(found[0].statusText, "fail");
      assert.notEqual(found[0].response, "");
    });

    feature("messageAttempt.list: withMsg", "brings the message along", async () => {
      const { application, endpoint, message } = await retried();
      const options = { withMsg: true, withContent: true };
      const page = await messageAttempt().listByEndpoint(application.id, endpoint.id, options);
      for (const { msg } of page.data) {
        assert.equal(msg?.id, message.id);
        assert.equal(msg.eventType, "order.paid");
        assert.deepEqual(msg.payload, { order: 17 });
      }
    });

    feature("message.create: tags", "find attempts as well", async () => {
      const { application, endpoint } = await world.delivery();
      const tagged = await world.send(application, { tags: ["red"] });
      const plain = await world.send(application);
      for (const message of [tagged, plain]) await attempts(application, message, 1);
      const options = { tag: "red" };
      const page = await messageAttempt().listByEndpoint(application.id, endpoint.id, options);
      assert.deepEqual(page.data.map(({ msgId }) => msgId), [tagged.id]);
    });

    operation("messageAttempt.resend", "delivers once more", async () => {
      const { application, endpoint, hook, message, secret } = await retried();
      await messageAttempt().resend(application.id, message.eventId, endpoint.id);
      assert.equal(world.wire.status, 202);
      const [, , again] = await hook.received(3);
      assert.equal(again.headers["webhook-id"], message.id);
      verify(again, secret);
      const [last] = await attempts(application, message, 3);
      assert.equal(last.triggerType, 1);
      await refused(404, messageAttempt().resend(application.id, message.id, "nobody"));
      await refused(404, messageAttempt().resend(application.id, "nobody", endpoint.id));
    });

    operation("messageAttempt.listAttemptedMessages", "has their state", async () => {
      const { application, endpoint, message } = await retried();
      const list = (options) =>
        messageAttempt().listAttemptedMessages(application.id, endpoint.id, options);
      const { data, done } = await list({ withContent: true });
      assert.equal(done, true);
      assert.deepEqual(data.map(({ id }) => id), [message.id]);
      const [{ status, statusText, eventId, eventType, payload, nextAttempt }] = data;
      assert.deepEqual([status, statusText], [0, "success"]);
      assert.deepEqual([eventId, eventType], [message.eventId, "order.paid"]);
      assert.deepEqual(payload, { order: 17 });
      assert.equal(nextAttempt ?? null, null);
      assert.equal((await list({ status: 2 })).data.length, 0);
      assert.equal((await list({ status: 0 })).data.length, 1);
      assert.equal((await list({ eventTypes: ["order.sent"] })).data.length, 0);
      await refused(404, messageAttempt().listAttemptedMessages(application.id, "nobody"));
    });

    operation("messageAttempt.listAttemptedDestinations", "has their state", async () => {
      const { application, endpoint, hook, message } = await retried();
      const at = [application.id, message.id];
      const { data, done } = await messageAttempt().listAttemptedDestinations(...at);
      assert.equal(done, true);
      const told = data.map(({ id, url, statusText }) => [id, url, statusText]);
      assert.deepEqual(told, [[endpoint.id, hook.url, "success"]]);
      const none = messageAttempt().listAttemptedDestinations(application.id, "nobody");
      await refused(404, none);
    });

    operation("messageAttempt.expungeContent", "forgets the response", async () => {
      const { application, message, found } = await retried();
      const at = [application.id, message.id, found[0].id];
      await messageAttempt().expungeContent(...at);
      assert.equal(world.wire.status, 204);
      const left = await messageAttempt().get(...at);
      assert.equal(left.response, "EXPUNGED");
      assert.deepEqual({ ...left, response: "" }, { ...found[0], response: "" });
      const none = messageAttempt().expungeContent(application.id, message.id, "atmpt_x");
      await refused(404, none);
    });
  },
  "--retry-policy",
  '{"strategy": "fixed", "baseDelay": "200ms", "jitter": "none", "maxAttempts": 3}',
);
