// A receiver of webhooks whose answers the test decides, request by request.

import { once } from "node:events";
import { createServer } from "node:http";

/** One URL of the receiver. `answer(request, n)` gives {status, headers, body, afterMs}. */
class Hook {
  requests = []; // {at, id, body, headers}
  answer = () => ({ status: 200 });

  constructor(url) {
    this.url = url;
  }

  /** Every request from now on gets this status, with these headers. */
  says(status, headers = {}, body = "") {
    this.answer = () => ({ status, headers, body });
    return this;
  }
}

export class Receiver {
  static async start() {
    const receiver = new Receiver();
    receiver.hooks = new Map();
    receiver.server = createServer((request, response) => receiver.#take(request, response));
    receiver.server.listen(0, "127.0.0.1");
    await once(receiver.server, "listening");
    receiver.url = `http://127.0.0.1:${receiver.server.address().port}`;
    return receiver;
  }

  hook(name) {
    const path = `/hooks/${name}`;
    const hook = new Hook(this.url + path);
    this.hooks.set(path, hook);
    return hook;
  }

  #take(request, response) {
    const at = Date.now();
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const hook = this.hooks.get(request.url);
      if (!hook) return response.writeHead(404).end();
      const body = Buffer.concat(parts).toString();
      hook.requests.push({ at, id: request.headers["webhook-id"], body, headers: request.headers });
      const { status = 200, headers = {}, body: text = "", afterMs = 0 } = hook.answer(request, hook.requests.length);
      const send = () => response.writeHead(status, headers).end(text);
      if (afterMs > 0) setTimeout(send, afterMs);
      else send();
    });
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}
