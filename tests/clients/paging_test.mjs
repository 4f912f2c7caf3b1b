// Lists of every kind are read to the end, and back again.

import assert from "node:assert/strict";

import { endpointIn } from "./harness/library.mjs";
import { refusedAt, suite } from "./harness/suite.mjs";
import { later, waitUntil } from "./harness/wait.mjs";

const COUNT = 5;
const PAGES_MAX = 20;

suite("paging", (world, { operation }) => {
  const keyOf = ({ id, name }) => id ?? name;

  /** All pages of a list, read by its iterator until it is done. */
  const pages = async (list, limit) => {
    const read = [];
    let iterator;
    for (let count = 0; count < PAGES_MAX; count++) {
      const page = await list({ limit, iterator });
      assert.ok(page.data.length <= limit);
      read.push(page);
      if (page.done) return read;
      assert.notEqual(page.iterator, iterator, "the iterator moves on");
      iterator = page.iterator;
    }
    assert.fail(`not done after ${PAGES_MAX} pages`);
  };

  /** `list(options)` holds exactly these, in this order, whichever way it is read. */
  const readsAs = async (list, expected) => {
    for (const limit of [1, 2, 3, expected.length, 250]) {
      const read = await pages(list, limit);
      const all = read.flatMap(({ data }) => data.map(keyOf));
      assert.deepEqual(all, expected, `with pages of ${limit}`);
      for (let at = read.length - 1; at > 0; at--) {
        if (read[at].data.length === 0) continue;
        const back = await list({ limit, iterator: read[at].prevIterator });
        assert.deepEqual(back.data.map(keyOf), read[at - 1].data.map(keyOf), "and back");
      }
    }
    assert.equal(await refusedAt(list({ limit: 0 })), "query.limit");
    assert.equal(await refusedAt(list({ limit: 251 })), "query.limit");
  };

  const times = async (make) => {
    const made = [];
    for (let number = 0; number < COUNT; number++) {
      made.push(keyOf(await make(number)));
      await later();
    }
    return made;
  };

  operation("application.list", "oldest first, or the other way", async () => {
    const token = await world.server.token("--org", "org_" + "P".repeat(27));
    const { application } = world.client(token);
    const made = await times((number) => application.create({ name: `App ${number}` }));
    await readsAs((options) => application.list(options), made);
    const backwards = (options) => application.list({ order: "descending", ...options });
    await readsAs(backwards, [...made].reverse());
    await readsAs((options) => application.list({ order: "ascending", ...options }), made);
  });

  operation("endpoint.list", "newest first, or the other way", async () => {
    const { id } = await world.application();
    const { endpoint } = world.api;
    const url = (number) => `https://example.com/${number}`;
    const made = await times((number) => endpoint.create(id, endpointIn({ url: url(number) })));
    await readsAs((options) => endpoint.list(id, options), [...made].reverse());
    await readsAs((options) => endpoint.list(id, { order: "ascending", ...options }), made);
  });

  operation("message.list", "newest first", async () => {
    const application = await world.application();
    const made = await times(() => world.send(application));
    const list = (options) => world.api.message.list(application.id, options);
    await readsAs(list, made.reverse());
    assert.equal(await refusedAt(list({ iterator: "nonsense" })), "query.iterator");
    assert.equal(await refusedAt(list({ iterator: "msg_!!" })), "query.iterator");
  });

  operation("message.list", "an empty list is done", async () => {
    const { id } = await world.application();
    const page = await world.api.message.list(id);
    assert.deepEqual([page.data, page.done, page.iterator], [[], true, null]);
  });

  operation("message.list", "with a filter that fits some", async () => {
    const application = await world.application();
    const type = (number) => (number % 2 ? "order.sent" : "order.paid");
    const made = await times((number) => world.send(application, { eventType: type(number) }));
    const expected = made.filter((_, number) => number % 2 === 0).reverse();
    const eventTypes = ["order.paid"];
    const list = (options) => world.api.message.list(application.id, { eventTypes, ...options });
    await readsAs(list, expected);
  });

  operation("messageAttempt.listByEndpoint", "newest first", async () => {
    const { application, endpoint } = await world.delivery();
    await times(() => world.send(application));
    const list = (options) =>
      world.api.messageAttempt.listByEndpoint(application.id, endpoint.id, options);
    const all = await waitUntil("all attempts", async () => {
      const { data } = await list({});
      return data.length === COUNT && data;
    });
    const ids = all.map(keyOf);
    assert.deepEqual(ids, [...ids].sort().reverse());
    await readsAs(list, ids);
  });

  operation("messageAttempt.listByMsg", "newest first, over all endpoints", async () => {
    const application = await world.application();
    const hooks = Array.from({ length: COUNT }, () => world.receiver.hook());
    for (const hook of hooks) await world.endpoint(application, hook);
    const message = await world.send(application);
    const list = (options) =>
      world.api.messageAttempt.listByMsg(application.id, message.id, options);
    const all = await waitUntil("all attempts", async () => {
      const { data } = await list({});
      return data.length === COUNT && data;
    });
    await readsAs(list, all.map(keyOf));
  });

  operation("eventType.create eventType.list", "by name", async () => {
    const token = await world.server.token("--org", "org_" + "T".repeat(27));
    const { eventType } = world.client(token);
    const names = ["b.two", "a.one", "c", "a.two", "b.one"];
    for (const name of names) await eventType.create({ name, description: name });
    await readsAs((options) => eventType.list(options), [...names].sort());
  });

  operation("messageAttempt.listAttemptedMessages", "newest first", async () => {
    const { application, endpoint, hook } = await world.delivery();
    const made = await times(() => world.send(application));
    await hook.received(COUNT);
    const list = (options) =>
      world.api.messageAttempt.listAttemptedMessages(application.id, endpoint.id, options);
    await waitUntil("all of them", async () => (await list({})).data.length === COUNT);
    await readsAs(list, made.reverse());
  });

  operation("messageAttempt.listAttemptedDestinations", "to the end", async () => {
    const application = await world.application();
    const hooks = Array.from({ length: COUNT }, () => world.receiver.hook());
    const made = [];
    for (const hook of hooks) made.push((await world.endpoint(application, hook)).id);
    const message = await world.send(application);
    const list = (options) =>
      world.api.messageAttempt.listAttemptedDestinations(application.id, message.id, options);
    await waitUntil("all of them", async () => (await list({})).data.length === COUNT);
    const read = (await pages(list, 2)).flatMap(({ data }) => data.map(keyOf));
    assert.deepEqual(read.sort(), made.sort());
  });
});
