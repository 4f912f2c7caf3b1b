// The yardstick itself: what it has to find wrong, and what not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { LIBRARY } from "./harness/library.mjs";
import { complaints, promisedType } from "./harness/types.mjs";

const ATTEMPT = {
  id: "atmpt_1",
  msgId: "msg_1",
  endpointId: "ep_1",
  url: "https://example.com/",
  response: "",
  responseStatusCode: 200,
  responseDurationMs: 3,
  status: 0,
  statusText: "success",
  triggerType: 0,
  timestamp: new Date(),
};

describe(`the types, by ${LIBRARY}`, () => {
  const wrong = (fields) => complaints("MessageAttemptOut", { ...ATTEMPT, ...fields });

  it("take what is right", () => {
    assert.deepEqual(wrong({}), []);
    assert.deepEqual(wrong({ msg: null }), []);
    const page = { data: [ATTEMPT], iterator: null, done: true };
    assert.deepEqual(complaints("ListResponseMessageAttemptOut", page), []);
  });

  it("find what is missing or of another type", () => {
    for (const name of Object.keys(ATTEMPT)) {
      assert.equal(wrong({ [name]: undefined }).length, 1, name);
      assert.equal(wrong({ [name]: ["no such thing"] }).length, 1, name);
    }
    assert.equal(wrong({ timestamp: new Date("never") }).length, 1);
    assert.equal(wrong({ status: 9 }).length, 1);
    assert.equal(wrong({ statusText: "fine" }).length, 1);
    assert.ok(wrong({ msg: {} }).length > 1);
  });

  it("look into lists and maps", () => {
    const page = { data: [ATTEMPT, { ...ATTEMPT, url: 1 }], iterator: null, done: true };
    const found = complaints("ListResponseMessageAttemptOut", page);
    assert.deepEqual(found, ["it.data[1].url is 1, not string"]);
    const headers = { headers: { a: 1 }, sensitive: [2] };
    assert.equal(complaints("EndpointHeadersOut", headers).length, 2);
  });

  it("know what each operation promises", () => {
    assert.equal(promisedType("application", "create"), "ApplicationOut");
    assert.equal(promisedType("endpoint", "rotateSecret"), "void");
    const type = promisedType("operationalWebhook.endpoint", "list");
    assert.equal(type, "ListResponseOperationalWebhookEndpointOut");
  });
});
