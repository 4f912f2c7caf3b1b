// A receiver of webhooks that answers as it is told and remembers every request.

import { once } from "node:events";
import { createServer } from "node:http";

import { waitUntil } from "./wait.mjs";

/** One URL of the receiver. `status` and `answer` are what every request to it gets. */
class Hook {
  constructor(url) {
    this.url = url;
    this.status = 200;
    this.answer = "";
    this.requests = [];
  }

  /** All requests, as soon as there are `count` of them. */
  async received(count) {
    const what = () => `${count} requests to ${this.url}; ${this.requests.length} came`;
    await waitUntil(what, () => this.requests.length >= count);
    return this.requests;
  }

  /** The first request that carries a message's id. */
  of(messageId) {
    const carries = (request) => request.headers["webhook-id"] === messageId;
    return waitUntil(`a request with ${messageId}`, () => this.requests.find(carries));
  }
}

export class Receiver {
  static async start() {
    const receiver = new Receiver();
    receiver.hooks = new Map();
    receiver.server = createServer((request, response) => receiver.#take(request, response));
    receiver.server.listen(0, "127.0.0.1");
    await once(receiver.server, "listening");
    return receiver;
  }

  hook(status = 200, answer = "") {
    const path = `/hook/${this.hooks.size + 1}`;
    const hook = new Hook(`http://127.0.0.1:${this.server.address().port}${path}`);
    this.hooks.set(path, Object.assign(hook, { status, answer }));
    return hook;
  }

  #take(request, response) {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const hook = this.hooks.get(request.url);
      if (hook) {
        const { headers, rawHeaders } = request;
        hook.requests.push({ headers, rawHeaders, body: Buffer.concat(parts).toString() });
      }
      response.writeHead(hook?.status ?? 404, { "content-type": "text/plain" });
      response.end(hook?.answer ?? "");
    });
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}
