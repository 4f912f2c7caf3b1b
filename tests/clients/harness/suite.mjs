// The tests of one noun: a server and a receiver for all of them, and the ways to write one.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";

import { entryOf, FEATURES } from "../operations.mjs";
import { client, Wire } from "./client.mjs";
import { ApiException, endpointIn, LIBRARY, StandardWebhook, Webhook } from "./library.mjs";
import { Receiver } from "./receiver.mjs";
import { Server } from "./server.mjs";

const TEST_DEADLINE_MS = 120_000;

export class World {
  async start(...options) {
    this.server = await Server.start(...options);
    this.receiver = await Receiver.start();
    this.wire = new Wire();
    this.token = await this.server.token();
    this.api = this.client(this.token);
  }

  async stop() {
    await this.receiver?.stop();
    await this.server?.stop();
    // The libraries ask again after a 5xx, so that nobody else would see it.
    const broken = this.wire?.calls.filter(({ status }) => status >= 500);
    assert.deepEqual(broken, [], "answers that the server is to blame for");
  }

  client(token) {
    return client(this.server.url, token, this.wire);
  }

  /** A uid that nothing else has. */
  uid(word = "uid") {
    return `${word}-${randomUUID()}`;
  }

  application(fields = {}) {
    return this.api.application.create({ name: "Acme", ...fields });
  }

  /** An endpoint of the application for a hook of the receiver. */
  endpoint(application, hook, fields = {}) {
    return this.api.endpoint.create(application.id, endpointIn({ url: hook.url, ...fields }));
  }

  send(application, fields = {}) {
    const message = { eventType: "order.paid", payload: { order: 17 }, ...fields };
    return this.api.message.create(application.id, message);
  }

  /** Makes event types known, where that is needed before a filter may name them. */
  async eventTypes(...names) {
    if (!entryOf("eventType.upsert").isServed) return;
    for (const name of names) await this.api.eventType.upsert(name, { description: name });
  }

  /** An application with one endpoint at one hook, and what signs for it. */
  async delivery(status = 200, fields = {}) {
    const application = await this.application();
    const hook = this.receiver.hook(status, "noted");
    const endpoint = await this.endpoint(application, hook, fields);
    const secret = (await this.api.endpoint.getSecret(application.id, endpoint.id)).key;
    return { application, hook, endpoint, secret };
  }
}

/** Fails unless both this library and the reference one take the request for genuine. */
export function verify(request, secret) {
  new Webhook(secret).verify(request.body, request.headers);
  new StandardWebhook(secret).verify(request.body, request.headers);
}

/** The body of the error that a call has to end in. */
export async function refused(code, call) {
  const error = await call.then(
    () => assert.fail(`it was not refused with ${code}`),
    (each) => each,
  );
  if (!(error instanceof ApiException)) throw error;
  assert.equal(error.code, code, JSON.stringify(error.body));
  if (code !== 422) {
    assert.equal(typeof error.body.code, "string");
    assert.equal(typeof error.body.detail, "string");
    return error.body;
  }
  assert.ok(error.body.detail.length > 0, "a 422 has details");
  for (const each of error.body.detail) {
    assert.ok(each.loc.every((part) => typeof part === "string"));
    assert.equal(typeof each.msg, "string");
    assert.equal(typeof each.type, "string");
  }
  return error.body;
}

/** The place that a 422 complains about first, such as "body.name". */
export async function refusedAt(call) {
  return (await refused(422, call)).detail[0].loc.join(".");
}

async function mustFail(test, feature, body) {
  const why = await body().then(
    () => assert.fail(`"${feature}" works: say so in FEATURES of operations.mjs`),
    (error) => error,
  );
  const isAnswer = why instanceof ApiException || why instanceof assert.AssertionError;
  if (!isAnswer) throw why;
  test.diagnostic(why.body ? JSON.stringify(why.body) : why.message);
}

/**
 * The tests of a noun. `define(world, { operation, feature })`:
 *   operation("noun.verb …", "does so", body)   skipped unless all that it names are served;
 *   feature("noun.verb: what", "does so", body)   has to fail unless FEATURES says served.
 */
export function suite(noun, define, ...options) {
  describe(`${noun}, by ${LIBRARY}`, () => {
    const world = new World();
    before(() => world.start(...options));
    after(() => world.stop());

    const operation = (names, rule, body) => {
      const missing = names.split(" ").filter((name) => !entryOf(name)?.isServed);
      const skip = missing.map((name) => `${name}: ${entryOf(name)?.reason}`).join("; ") || false;
      it(`${names}: ${rule}`, { skip, timeout: TEST_DEADLINE_MS }, body);
    };
    const feature = (name, rule, body) => {
      assert.ok(FEATURES[name], `"${name}" is not in FEATURES`);
      const { isServed, reason } = FEATURES[name];
      const run = isServed ? body : (test) => mustFail(test, name, body);
      const title = isServed ? rule : `not served: ${reason}`;
      it(`${name}: ${title}`, { timeout: TEST_DEADLINE_MS }, run);
    };
    define(world, { operation, feature });
  });
}
