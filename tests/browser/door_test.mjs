// Signing in, what the first visit costs, and who sees what.

import assert from "node:assert/strict";
import { it } from "node:test";
import { gunzipSync } from "node:zlib";

import { quiet } from "./harness/browser.mjs";
import { world } from "./harness/world.mjs";

const w = world();
const FIRST_LOAD_MAX = 100_000;

/** The bytes of a file as gzip, without the library's own unpacking. */
async function packed(url) {
  const { get } = await import("node:http");
  return new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": "gzip" } }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => resolve({ bytes: Buffer.concat(parts), headers: response.headers, status: response.statusCode }));
    }).on("error", reject);
  });
}

it("loads at most 100 kB as gzip at first, without the charts", async () => {
  const tab = await w.tab();
  const loaded = [];
  tab.page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
  await tab.at("/");
  await tab.page.getByRole("heading", { level: 1 }).waitFor();
  const files = [...new Set(loaded.filter((path) => path.startsWith("/assets/") && !path.endsWith(".svg")))];
  assert.ok(files.some((path) => path.endsWith(".js")), "there is a script");
  let sum = (await packed(`${w.server.url}/`)).bytes.length;
  for (const path of files) {
    const file = await packed(w.server.url + path);
    assert.equal(file.headers["content-encoding"], "gzip", path);
    assert.match(file.headers["cache-control"], /immutable/);
    if (path.endsWith(".js")) assert.ok(!gunzipSync(file.bytes).toString().includes("u-legend"), `${path} holds no chart`);
    sum += file.bytes.length;
  }
  console.log(`first load: ${sum} bytes as gzip`);
  assert.ok(sum <= FIRST_LOAD_MAX, `${sum} bytes`);
});

it("shows what the server says of a bad token, and keeps a good one in this tab alone", async () => {
  const tab = await w.tab({ token: null });
  await tab.at("/app");
  const field = tab.page.getByLabel(/^token/);
  await field.fill("not.a.token");
  await tab.page.getByRole("button", { name: "Sign in" }).click();
  const answer = await fetch(`${w.server.url}/api/v1/event-type`, { headers: { authorization: "Bearer not.a.token" } });
  const { detail } = await answer.json();
  await tab.page.getByRole("alert").filter({ hasText: detail }).waitFor();

  await field.fill(w.token);
  await field.press("Enter");
  await tab.page.getByRole("navigation", { name: "Main", exact: true }).waitFor();
  assert.ok(tab.page.url().endsWith("/app"), "it stays where one wanted to go");
  assert.ok(!tab.page.url().includes(w.token));
  assert.ok(!(await tab.page.evaluate(() => JSON.stringify(localStorage))).includes(w.token));
  quiet(tab.troubles, [/401/]);
});

it("lets an application's token find no other application", async () => {
  const mine = await w.api.application({ name: "Mine", uid: "mine" });
  const other = await w.api.application({ name: "Otherwise", uid: "otherwise" });
  const message = await w.api.message(other, { eventId: "theirs-1" });
  const { token } = await w.api.post(`/auth/app-portal-access/${mine.id}`);
  const tab = await w.tab({ token });
  await tab.at("/");
  await tab.page.getByRole("heading", { level: 1 }).waitFor();
  for (const query of ["Otherwise", other.id, message.id, "theirs-1"]) {
    await tab.page.keyboard.press("Control+k");
    await tab.page.getByRole("combobox").fill(query);
    await tab.page.getByText("Nothing of that name or id.").waitFor();
    await tab.page.keyboard.press("Escape");
  }
  await tab.at(`/app/${other.id}`);
  await tab.page.getByText("There is no such application.").waitFor();
  assert.ok(!(await tab.page.locator("body").innerText()).includes("Otherwise"));
  quiet(tab.troubles, [/404/]);
});

it("offers nothing that changes anything to who may only look", async () => {
  const app = await w.api.application({ name: "Looked at", uid: "looked-at" });
  const hook = w.receiver.hook("looked-at").says(422);
  const endpoint = await w.api.endpoint(app, { url: hook.url, uid: "looked-at-ep" });
  const message = await w.api.message(app, {});
  const { token } = await w.api.post(`/auth/app-portal-access/${app.id}`, { readOnly: true });
  const tab = await w.tab({ token });
  const allowed = /^(Find anything|⌘K|Dark or light|Sign out|Copy|as table|as chart|clear|go on|Copy as curl, unsigned|With archived|local time|switch the keys off|\d+ new|.*422.*)$/;
  for (const path of ["/", `/app/${app.id}`, `/app/${app.id}/endpoint/${endpoint.id}`, `/app/${app.id}/delivery/${message.id}/${endpoint.id}`, `/app/${app.id}/message/${message.id}`, `/app/${app.id}/deliveries`, "/dead-letters", "/replays", "/event-types", "/more"]) {
    await tab.at(path);
    await tab.page.locator("main h1").first().waitFor();
    await tab.page.locator("main [aria-busy]").first().waitFor({ state: "detached" });
    const names = (await tab.page.getByRole("button").allInnerTexts()).map((each) => each.replace(/\s+/g, " ").trim());
    assert.deepEqual(names.filter((each) => each !== "" && !allowed.test(each) && !each.startsWith("Find anything")), [], path);
  }
  quiet(tab.troubles);
});

it("finds a message by id and event id, an endpoint by uid, with one Enter each", async () => {
  const app = await w.api.application({ name: "Found", uid: "found" });
  const endpoint = await w.api.endpoint(app, { url: w.receiver.hook("found").url, uid: "found-endpoint" });
  const message = await w.api.message(app, { eventId: "found-event" });
  const tab = await w.tab();
  await tab.at("/app");
  await tab.page.getByRole("link", { name: "Found" }).waitFor();
  for (const [query, path] of [[message.id, `/message/${message.id}`], ["found-event", `/message/${message.id}`], ["found-endpoint", `/endpoint/${endpoint.id}`]]) {
    await tab.page.keyboard.press("Control+k");
    await tab.page.getByRole("combobox").fill(query);
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForURL((url) => url.pathname.endsWith(path));
  }
});

it("asks again for the page but not for its files, and serves every address below the same page", async () => {
  const first = await fetch(`${w.server.url}/app/anything/at/all`);
  assert.equal(first.status, 200);
  const again = await fetch(`${w.server.url}/`, { headers: { "if-none-match": first.headers.get("etag") } });
  assert.equal(again.status, 304);
  assert.equal((await fetch(`${w.server.url}/api/v1/nothing`)).status, 404);
  assert.equal((await fetch(`${w.server.url}/assets/nothing.js`)).status, 404);
});
