// Dead letters: counted, replayed by the row and as a whole, and never more than was shown.

import assert from "node:assert/strict";
import { it } from "node:test";

import { waitUntil } from "../clients/harness/wait.mjs";
import { quiet } from "./harness/browser.mjs";
import { world } from "./harness/world.mjs";

const w = world();

/** An application whose endpoint has refused `n` messages for good, and now takes everything. */
async function refused(uid, n, fields = () => ({})) {
  const app = await w.api.application({ name: `App ${uid}`, uid: `app-${uid}` });
  const hook = w.receiver.hook(uid).says(422);
  const endpoint = await w.api.endpoint(app, { url: hook.url, uid });
  for (let i = 0; i < n; i++) await w.api.message(app, { eventId: `${uid}-${i}`, ...fields(i) });
  await waitUntil(`${n} dead letters`, async () => (await w.api.get(`/app/${app.id}/dead-letter/count`)).total === n);
  hook.says(200);
  hook.requests.length = 0;
  return { app, hook, endpoint };
}

it("replays a dead letter by one click on its row, and shows that it was delivered", async () => {
  const { app, hook } = await refused("row", 3);
  const tab = await w.tab();
  await tab.at(`/dead-letters?app=${app.id}`);
  const row = tab.page.getByRole("row").filter({ hasText: "row-1" });
  await row.getByRole("button", { name: "Replay" }).click();
  await row.locator('[data-state="delivered"]').waitFor();
  assert.equal(hook.requests.length, 1);
  quiet(tab.troubles);
});

it("counts by dry run what the list shows for the same filter, whatever the filter is", async () => {
  const { app } = await refused("count", 9, (i) => ({ eventType: i % 3 === 0 ? "a.b" : "c.d" }));
  const tab = await w.tab();
  for (const [filter, expected] of [["", 9], ["&type=a.b", 3], ["&reason=permanent", 9], ["&reason=exhausted", 0]]) {
    await tab.at(`/dead-letters?app=${app.id}${filter}`);
    const matched = tab.page.locator("[data-matched]");
    await matched.waitFor();
    assert.equal(Number(await matched.getAttribute("data-matched")), expected, filter);
    await tab.page.waitForFunction((n) => document.querySelectorAll("tr[data-row]").length === n, expected);
  }
  // Died in the future: none; until then: all.
  await tab.at(`/dead-letters?app=${app.id}&since=2999-01-01+00:00`);
  await tab.page.locator('[data-matched="0"]').or(tab.page.getByText("The server said")).waitFor();
  assert.equal(await tab.page.locator("tr[data-row]").count(), 0);
});

it("refuses to replay by a filter that a replay cannot express, and says why", async () => {
  const { app } = await refused("tagged", 2, (i) => ({ tags: [`t${i}`] }));
  const tab = await w.tab();
  await tab.at(`/dead-letters?app=${app.id}&tag=t1`);
  await tab.page.waitForFunction(() => document.querySelectorAll("tr[data-row]").length === 1);
  await tab.page.getByText(/A replay cannot go by a tag/).waitFor();
  assert.ok(await tab.page.getByRole("button", { name: "Replay all that match" }).isDisabled());
  quiet(tab.troubles);
});

it("replays all that match by keyboard, keeps its curve over a reload, and ends with the receiver's count", async () => {
  const n = 40;
  const { app, hook } = await refused("all", n);
  const tab = await w.tab();
  const { page } = tab;
  await tab.at(`/dead-letters?app=${app.id}`);
  await page.locator(`[data-matched="${n}"]`).waitFor();
  const slider = page.getByLabel("begin with");
  await slider.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight"); // 100, 200, 500, 1,000 a minute.
  await page.getByText("1,000 /min").first().waitFor();
  const start = page.getByRole("button", { name: `Replay ${n}`, exact: true });
  await start.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/replays\/qtask_/);
  const curve = page.locator("svg[data-samples]");
  await curve.waitFor();
  const seen = Number(await curve.getAttribute("data-samples"));
  await page.reload();
  await curve.waitFor();
  assert.ok(Number(await curve.getAttribute("data-samples")) >= seen, "the curve goes on where it was");
  await page.locator('[data-share="100"]').waitFor({ timeout: 60_000 });
  await page.locator(`[data-succeeded="${n}"]`).waitFor({ timeout: 30_000 });
  await page.locator('h1[data-state="finished"]').waitFor({ timeout: 30_000 });
  assert.equal(hook.requests.length, n);
  quiet(tab.troubles);
});
