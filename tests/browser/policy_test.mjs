// The policy editor against the server's own words and the command line.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";

import { quiet } from "./harness/browser.mjs";
import { world } from "./harness/world.mjs";

const w = world();
const POLICY = { strategy: "exponential", baseDelay: "10s", multiplier: 3, maxDelay: "2h", jitter: "full", maxAttempts: 7, giveUpAfter: "1d", retryAfterCap: "1h" };

async function editor(uid) {
  const app = await w.api.application({ name: `App ${uid}`, uid: `app-${uid}` });
  const endpoint = await w.api.endpoint(app, { url: w.receiver.hook(uid).url, uid });
  const tab = await w.tab();
  await tab.at(`/app/${app.id}/endpoint/${endpoint.id}/policy`);
  await tab.page.getByRole("table", { name: "Attempt by attempt" }).waitFor();
  return { ...tab, app, endpoint };
}

it("puts the server's message beside the field that it is about, and does not save", async () => {
  const { page, troubles } = await editor("invalid");
  await page.getByLabel("attempts", { exact: true }).fill("0");
  const message = page.locator("#p-maxAttempts-err");
  await message.waitFor();
  assert.match(await message.innerText(), /\d/);
  assert.equal(await page.getByLabel("attempts", { exact: true }).getAttribute("aria-invalid"), "true");
  assert.ok(await page.getByRole("button", { name: "Save for invalid" }).isDisabled());
  await page.getByLabel("attempts", { exact: true }).fill("4");
  await message.waitFor({ state: "detached" });
  quiet(troubles, [/422/]);
});

it("shows the numbers of petrel policy preview, and saves what it showed", async () => {
  const { page, app, endpoint, troubles } = await editor("preview");
  await page.getByLabel("JSON").fill(JSON.stringify(POLICY));
  await page.locator(`table[data-ends] tbody tr`).nth(5).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("table[data-ends] tbody tr").length === 6);
  const shown = (await page.locator("table[data-ends] tbody tr").evaluateAll((rows) => rows.map((row) => JSON.parse(row.dataset.row))));
  const { stdout } = await promisify(execFile)(process.env.PETREL, ["policy", "preview", JSON.stringify(POLICY), "--json"]);
  assert.deepEqual(shown, JSON.parse(stdout).attempts.slice(1));

  await page.getByRole("button", { name: "Save for preview" }).click();
  await page.getByRole("button", { name: "Inherit again…" }).waitFor();
  const saved = await w.api.get(`/app/${app.id}/endpoint/${endpoint.id}`);
  assert.equal(saved.retryPolicy.maxAttempts, 7);
  quiet(troubles);
});
