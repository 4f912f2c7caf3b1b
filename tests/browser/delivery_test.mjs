// What a person is told about one delivery, held against what the receiver saw.

import assert from "node:assert/strict";
import { it } from "node:test";

import { waitUntil } from "../clients/harness/wait.mjs";
import { quiet } from "./harness/browser.mjs";
import { world } from "./harness/world.mjs";

const w = world();
const href = (app, message, endpoint) => `/app/${app.id}/delivery/${message.id}/${endpoint.id}`;

async function scene(uid, hookSays, fields = {}) {
  const app = await w.api.application({ name: `App ${uid}`, uid: `app-${uid}` });
  const hook = w.receiver.hook(uid);
  hookSays?.(hook);
  const endpoint = await w.api.endpoint(app, { url: hook.url, uid, ...fields });
  return { app, hook, endpoint };
}

it("creates an endpoint and sends it an example by keyboard alone, and sees it delivered", async () => {
  const app = await w.api.application({ name: "By keyboard", uid: "by-keyboard" });
  const hook = w.receiver.hook("by-keyboard");
  const tab = await w.tab();
  const { page } = tab;
  await tab.at(`/app/${app.id}`);
  const press = async (name) => {
    const button = page.getByRole("button", { name, exact: true });
    await button.waitFor();
    for (let i = 0; i < 60; i++) {
      if (await button.evaluate((each) => each === document.activeElement)) return page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
    }
    assert.fail(`the keyboard does not reach ${name}`);
  };
  await press("New endpoint…");
  await page.getByLabel("URL").waitFor();
  await page.keyboard.type(hook.url);
  await page.keyboard.press("Tab");
  await page.keyboard.type("keyboarded");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: /keyboarded/ }).waitFor();
  await page.evaluate(() => (window.isSamePage = true));
  await press("Send example…");
  const start = Date.now();
  await press("Send");
  await page.locator('h1[data-status="delivered"]').waitFor({ timeout: 5000 });
  const took = Date.now() - start;
  assert.ok(took <= 2000, `seen delivered after ${took} ms`);
  assert.equal(await page.evaluate(() => window.isSamePage), true, "without a reload");
  assert.equal(hook.requests.length, 1);
  quiet(tab.troubles);
});

it("counts down to the receiver's next hit", async () => {
  const policy = { strategy: "fixed", baseDelay: "6s", jitter: "none", maxAttempts: 5 };
  const { app, hook, endpoint } = await scene("countdown", (each) => each.says(500), { retryPolicy: policy });
  const message = await w.api.message(app, {});
  await waitUntil("the first attempt", () => hook.requests.length === 1);
  const tab = await w.tab();
  await tab.at(href(app, message, endpoint));
  await tab.page.locator("[data-countdown]").waitFor();
  // When the figure says that less than a second is left, by the page's own clock.
  const zero = await tab.page.evaluate(() => new Promise((resolve) => {
    const deadline = Date.now() + 15_000;
    const look = () => {
      if (Date.now() > deadline) return resolve(null);
      const left = document.querySelector("[data-countdown]")?.dataset.countdown;
      if (left === "1") return resolve(Date.now() + 1000);
      if (left === "0") return resolve(Date.now());
      requestAnimationFrame(look);
    };
    look();
  }));
  assert.ok(zero, "the countdown comes to its end");
  await waitUntil("the second attempt", () => hook.requests.length === 2);
  const off = Math.abs(hook.requests[1].at - zero);
  assert.ok(off <= 1000, `off by ${off} ms`);
});

it("names Retry-After as the cause", async () => {
  const { app, hook, endpoint } = await scene("retry-after", (each) => each.says(503, { "retry-after": "30" }), { retryPolicy: { strategy: "fixed", baseDelay: "2s", jitter: "none" } });
  const message = await w.api.message(app, {});
  await waitUntil("the first attempt", () => hook.requests.length === 1);
  const tab = await w.tab();
  await tab.at(href(app, message, endpoint));
  await tab.page.getByRole("heading", { level: 1, name: /because the receiver asked for 30 s/ }).waitFor();
  await tab.page.locator('tr.decides[data-why="retryAfter"]').waitFor();
  quiet(tab.troubles);
});

it("says of an open circuit that it is held, counts to the probe, lets the give-up clock run, and adds a frame for a probe", async () => {
  const { app, hook, endpoint } = await scene("open", (each) => each.says(503), { guards: { openAfter: 3, openTime: "60s" }, retryPolicy: { strategy: "fixed", baseDelay: "1s", jitter: "none", maxAttempts: 20 } });
  const messages = [];
  for (let i = 0; i < 4; i++) messages.push(await w.api.message(app, {}));
  const health = await waitUntil("an open circuit", async () => {
    const now = await w.api.health(app, endpoint);
    return now.circuit.state === "open" && now;
  });
  const tried = await waitUntil("a delivery that was tried", async () => {
    for (const each of messages) {
      const delivery = await w.api.delivery(app, each, endpoint);
      if (delivery.attempt > 0 && delivery.status === "held") return each;
    }
  });
  const tab = await w.tab();
  await tab.at(href(app, tried, endpoint));
  await tab.page.locator('h1[data-status="held"]').filter({ hasText: "that clock runs on" }).waitFor();
  const left = Number(await tab.page.locator("[data-countdown]").getAttribute("data-countdown"));
  const expected = (Date.parse(health.circuit.nextProbeAt) - Date.now()) / 1000;
  assert.ok(Math.abs(left - expected) < 3, `counts ${left} s to a probe in ${expected} s`);
  assert.match(await tab.page.locator('tr[data-why="giveUp"] td').last().innerText(), /\d\d:\d\d/);

  await tab.at(`/app/${app.id}/endpoint/${endpoint.id}`);
  const story = tab.page.locator(".story");
  await story.waitFor();
  const before = Number(await story.getAttribute("data-frames"));
  const hits = hook.requests.length;
  await tab.page.getByRole("button", { name: "Probe now" }).click();
  const start = Date.now();
  await tab.page.locator(`.story[data-frames="${before + 1}"]`).waitFor({ timeout: 4000 });
  assert.ok(Date.now() - start <= 2000, `${Date.now() - start} ms`);
  assert.equal(hook.requests.length, hits + 1);
  quiet(tab.troubles);
});

it("says of a paused endpoint that the give-up clock stands still", async () => {
  const { app, hook, endpoint } = await scene("paused", (each) => each.says(500), { retryPolicy: { strategy: "fixed", baseDelay: "20s", jitter: "none" } });
  const message = await w.api.message(app, {});
  await waitUntil("the first attempt", () => hook.requests.length === 1);
  const tab = await w.tab();
  await tab.at(`/app/${app.id}/endpoint/${endpoint.id}`);
  await tab.page.getByRole("button", { name: "Pause…" }).click();
  await tab.page.getByLabel(/^why/).fill("moving house");
  await tab.page.getByRole("button", { name: "Pause", exact: true }).click();
  await tab.page.getByRole("heading", { level: 1, name: /is paused/ }).waitFor();
  await tab.at(href(app, message, endpoint));
  await tab.page.getByRole("heading", { level: 1, name: /Its give-up clock stands still/ }).waitFor();
  assert.equal(await tab.page.locator('tr[data-why="giveUp"] td').last().innerText(), "–");
  quiet(tab.troubles);
});

it("shows hostile payloads as text, and copies them byte for byte", async () => {
  const { app, hook, endpoint } = await scene("hostile", (each) => each.says(500, {}, "<img src=x onerror=alert(1)>"), { retryPolicy: { strategy: "fixed", baseDelay: "1h" } });
  const large = "x".repeat(1024 * 1024 - 2000);
  const payload = `{"script": "<script>window.isHacked = true</script>",  "bidi":"a\u202Eb\u200Bc", "big": 9223372036854775808, "exact": 1.10, "large":"${large}"}`;
  const message = await w.api.call("POST", `/app/${app.id}/msg`, `{"eventType":"hostile.event","payload":${payload}}`);
  await waitUntil("the first attempt", () => hook.requests.length === 1);
  assert.equal(hook.requests[0].body, payload, "sent to the byte");
  const tab = await w.tab();
  await tab.at(href(app, message, endpoint));
  const shown = tab.page.locator("pre.bytes").first();
  await shown.waitFor();
  const text = await shown.innerText();
  for (const part of ["<script>window.isHacked = true</script>", "a⟨U+202E⟩b⟨U+200B⟩c", "9223372036854775808", "1.10"]) assert.ok(text.includes(part), part);
  assert.ok(text.length < 70_000, "folded");
  await tab.page.getByRole("button", { name: "Copy", exact: true }).first().click();
  assert.equal(await tab.page.evaluate(() => navigator.clipboard.readText()), payload);
  assert.equal(await tab.page.evaluate(() => window.isHacked), undefined);
  await tab.page.getByText("<img src=x onerror=alert(1)>").waitFor();
  quiet(tab.troubles);
});
