// `petrel serve` in a scratch folder, on a free port of the loopback.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { DEADLINE_MS } from "./wait.mjs";

const PETREL = process.env.PETREL ?? "build/release/petrel";
const LISTENS = /petrel listens on (http:\/\/\S+)\n/;

export class Server {
  static async start(...options) {
    const server = new Server();
    server.folder = await mkdtemp(join(tmpdir(), "petrel-clients-"));
    server.store = join(server.folder, "store");
    const command = ["serve", "--listen", "127.0.0.1:0", "--store", server.store];
    command.push("--allow-subnets", "127.0.0.0/8", ...options);
    server.process = spawn(PETREL, command, { stdio: ["ignore", "pipe", "pipe"] });
    // However this ends, the server does not outlive it.
    process.once("exit", () => server.process.kill("SIGKILL"));
    server.errors = "";
    server.process.stderr.on("data", (part) => (server.errors += part));
    server.ended = new Promise((resolve) => server.process.once("close", resolve));
    server.url = await server.#listening();
    return server;
  }

  #listening() {
    return new Promise((resolve, reject) => {
      let said = "";
      const fail = (why) => reject(new Error(`${why}: ${said}${this.errors}`));
      const timer = setTimeout(() => fail("petrel does not listen"), DEADLINE_MS);
      this.process.once("error", reject);
      this.process.once("close", (code) => fail(`petrel ended with ${code}`));
      this.process.stdout.on("data", (part) => {
        said += part;
        const found = LISTENS.exec(said);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[1]);
      });
    });
  }

  /** A token of an organisation, or of one of its applications: `--org`, `--app`, `--expires`. */
  async token(...options) {
    const command = ["token", "create", "--store", this.store, ...options];
    const { stdout } = await promisify(execFile)(PETREL, command, { timeout: DEADLINE_MS });
    return stdout.trim();
  }

  async stop() {
    this.process.kill("SIGTERM");
    const timer = setTimeout(() => this.process.kill("SIGKILL"), DEADLINE_MS);
    const code = await this.ended;
    clearTimeout(timer);
    await rm(this.folder, { recursive: true, force: true });
    if (code !== 0) throw new Error(`petrel ended with ${code}: ${this.errors}`);
  }
}
