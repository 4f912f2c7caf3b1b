// The library's client with two things added: every answer is held against the type that the
// library declares for it, and the last exchange on the wire can be looked at.

import assert from "node:assert/strict";

import { nameOf, Svix } from "./library.mjs";
import { complaints, promisedType } from "./types.mjs";

/** What went over the wire: `calls` is every request with its answer, the last one last. */
export class Wire {
  calls = [];

  fetch = async (url, init) => {
    const answer = await fetch(url, init);
    const { pathname, search } = new URL(url);
    this.calls.push({
      method: init.method,
      path: pathname + search,
      body: init.body,
      key: init.headers["idempotency-key"],
      status: answer.status,
      answer: await answer.clone().text(),
    });
    return answer;
  };

  get last() {
    return this.calls.at(-1);
  }

  /** The status of the last answer. */
  get status() {
    return this.last?.status;
  }
}

function checked(target, operation) {
  const method = nameOf(operation);
  const type = promisedType(operation.split(".").slice(0, -1).join("."), method);
  return async (...values) => {
    const result = await target[method](...values);
    if (type === "void") assert.equal(result, undefined, `${operation} gives nothing`);
    else assert.deepEqual(complaints(type, result), [], `what ${operation} gives is no ${type}`);
    return result;
  };
}

function facade(target, prefix) {
  return new Proxy(target, {
    get(_, name) {
      const operation = prefix + name;
      const value = target[nameOf(operation)];
      if (typeof value === "function") return checked(target, operation);
      return value && facade(value, operation + ".");
    },
  });
}

/** A client for a server's URL, whose operations have the names of 2.x in both generations. */
export function client(url, token, wire) {
  return facade(new Svix(token, { serverUrl: url, fetch: wire.fetch }), "");
}
