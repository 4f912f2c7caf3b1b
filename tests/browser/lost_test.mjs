// A server that goes away: the page says since when, and goes on by itself when it is back.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { it } from "node:test";

import { world } from "./harness/world.mjs";

const w = world();

/** Stands between browser and server, and can go away and come back at the same port. */
class Door {
  sockets = new Set();

  async open(target, port = 0) {
    const { hostname, port: to } = new URL(target);
    this.server = createServer((inner) => {
      const outer = connect(Number(to), hostname);
      for (const each of [inner, outer]) {
        this.sockets.add(each);
        each.on("error", () => undefined).on("close", () => { inner.destroy(); outer.destroy(); this.sockets.delete(each); });
      }
      inner.pipe(outer).pipe(inner);
    });
    this.server.listen(port, "127.0.0.1");
    await once(this.server, "listening");
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
  }

  async close() {
    for (const each of this.sockets) each.destroy();
    this.server.close();
    await once(this.server, "close");
  }
}

it("says within 5 s that the server is away, and recovers by itself", async () => {
  await w.api.application({ name: "Steady", uid: "steady" });
  const door = new Door();
  await door.open(w.server.url);
  const tab = await w.tab();
  await tab.page.goto(`${door.url}/app`);
  await tab.page.getByRole("link", { name: "Steady" }).waitFor();
  await door.close();
  const start = Date.now();
  await tab.page.getByText(/Petrel has not answered since \d\d:\d\d:\d\d/).waitFor({ timeout: 8000 });
  assert.ok(Date.now() - start <= 5000, `${Date.now() - start} ms`);
  assert.ok(await tab.page.getByRole("link", { name: "Steady" }).isVisible(), "what was there stays");
  await door.open(w.server.url, door.port);
  await tab.page.getByText(/Petrel has not answered/).waitFor({ state: "detached", timeout: 10_000 });
  await tab.context.close();
  await door.close();
});
