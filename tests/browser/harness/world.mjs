// A server, a receiver and a browser for the tests of one file.

import { after, before } from "node:test";

import { Server } from "../../clients/harness/server.mjs";
import { Api } from "./api.mjs";
import { hasBrowser, launch, open } from "./browser.mjs";
import { Receiver } from "./receiver.mjs";

if (!hasBrowser()) {
  // Where everything is installed, a test that does not run has failed.
  if (process.env.PETREL_NO_SKIP === "1") throw new Error("there is no Chromium here; scripts/bootstrap installs it");
  console.log("skipped: there is no Chromium here");
  process.exit(77);
}

export class World {
  async start(...options) {
    this.server = await Server.start(...options);
    this.receiver = await Receiver.start();
    this.token = await this.server.token();
    this.api = new Api(this.server.url, this.token);
    this.browser = await launch();
  }

  /** A signed-in tab, unless `token: null`. */
  async tab(options = {}) {
    const token = options.token === undefined ? this.token : options.token;
    this.last = await open(this.browser, this.server, { ...options, token });
    return this.last;
  }

  async stop() {
    await this.browser?.close();
    await this.receiver?.stop();
    await this.server?.stop();
  }
}

export function world(...options) {
  const made = new World();
  before(() => made.start(...options));
  after(() => made.stop());
  return made;
}
