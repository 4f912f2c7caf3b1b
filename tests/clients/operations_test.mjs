// operations.mjs is complete, and true where it says that something is not served.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { LIBRARY, nameOf, Svix } from "./harness/library.mjs";
import { World } from "./harness/suite.mjs";
import { entryOf, OPERATIONS } from "./operations.mjs";

// Fits as an id in a path, as a body and as options.
const ANYTHING = { toString: () => "anything", events: [] };

/** [{path: ["endpoint", "getSecret"]}]: every operation that the library's client has. */
function operationsOf(object, prefix = []) {
  const prototype = Object.getPrototypeOf(object);
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== "constructor")
    .flatMap((name) => {
      const path = [...prefix, name];
      const isNoun = Object.getOwnPropertyDescriptor(prototype, name).get !== undefined;
      return isNoun ? operationsOf(object[name], path) : [path];
    });
}

const ALL = operationsOf(new Svix("token", { serverUrl: "http://127.0.0.1" }));

/** The name in OPERATIONS of what the library calls so. */
function listedName(path) {
  const renamed = (name) => nameOf(name) === path.at(-1) && name.split(".").length === path.length;
  const noun = path.slice(0, -1).join(".");
  const here = Object.keys(OPERATIONS).filter((name) => name.startsWith(noun + "."));
  return here.find(renamed) ?? path.join(".");
}

describe(`the list of operations, by ${LIBRARY}`, () => {
  const world = new World();
  before(() => world.start());
  after(() => world.stop());

  const call = async (path, token) => {
    const options = { serverUrl: world.server.url, fetch: world.wire.fetch };
    const svix = new Svix(token, options);
    const noun = path.slice(0, -1).reduce((object, name) => object[name], svix);
    const count = world.wire.calls.length;
    await noun[path.at(-1)](ANYTHING, ANYTHING, ANYTHING, ANYTHING).catch(() => undefined);
    assert.equal(world.wire.calls.length, count + 1, `${path.join(".")} asks the server once`);
    const { method, path: asked, status, answer } = world.wire.last;
    return { request: `${method} ${asked}`, status, answer };
  };

  /** Whether the server answers that there is no such route, or no such method on it. */
  const isUnknown = ({ status, answer }) => {
    const { code, detail } = status === 404 || status === 405 ? JSON.parse(answer) : {};
    const isMissing = status === 404 && code === "not_found" && /no such route/.test(detail);
    return isMissing || (status === 405 && code === "method_not_allowed" && detail !== "");
  };

  it("has every operation of the library", () => {
    assert.ok(ALL.length > 100, `only ${ALL.length} operations were found`);
    const missing = ALL.map(listedName).filter((name) => entryOf(name) === undefined);
    assert.deepEqual(missing, []);
  });

  it("gives a reason for whatever is not served", () => {
    for (const [name, entry] of Object.entries(OPERATIONS)) {
      assert.equal(typeof entry.isServed, "boolean", name);
      if (!entry.isServed) assert.ok(entry.reason, name);
    }
  });

  for (const path of ALL) {
    const name = listedName(path);
    const isServed = entryOf(name)?.isServed;
    it(`${name} is ${isServed ? "" : "not "}served`, async () => {
      // A token of its own for what may end a token.
      const isLast = path[0] === "authentication";
      const token = isLast ? await world.server.token("--expires", "1d") : world.token;
      const answer = await call(path, token);
      const hint = isServed ? "no longer served" : "now served: say so, and its tests will run";
      assert.equal(!isUnknown(answer), isServed, `${name} is ${hint}: ${JSON.stringify(answer)}`);
    });
  }
});
