// Lists: filters in the address, many rows, and updates that leave the reader alone.

import assert from "node:assert/strict";
import { it } from "node:test";

import { quiet } from "./harness/browser.mjs";
import { world } from "./harness/world.mjs";

const w = world();

it("keeps filters over a reload, on the way back and in a new tab", async () => {
  const app = await w.api.application({ name: "Filters", uid: "filters" });
  await w.api.endpoint(app, { url: w.receiver.hook("filters").url, uid: "filters-ep" });
  await w.api.message(app, { eventType: "kept.type" });
  const tab = await w.tab();
  const { page } = tab;
  await tab.at(`/app/${app.id}/deliveries`);
  await page.locator('select[data-filter="status"]').selectOption("delivered");
  await page.locator('input[data-filter="type"]').fill("kept.type");
  await page.keyboard.press("Enter");
  await page.waitForURL(/type=kept\.type/);
  const link = page.getByRole("link", { name: "kept.type" });
  await link.waitFor();
  const expectFilters = async (where) => {
    await where.locator('select[data-filter="status"]').waitFor();
    assert.equal(await where.locator('select[data-filter="status"]').inputValue(), "delivered");
    assert.equal(await where.locator('input[data-filter="type"]').inputValue(), "kept.type");
  };
  await page.reload();
  await expectFilters(page);
  await link.click();
  await page.waitForURL(/\/delivery\//);
  await page.goBack();
  await expectFilters(page);
  const other = await w.tab();
  await other.page.goto(page.url());
  await expectFilters(other.page);
  quiet(tab.troubles);
});

it("scrolls through thousands of deliveries with at most 300 rows in the page", async () => {
  const app = await w.api.application({ name: "Many", uid: "many" });
  for (let i = 0; i < 20; i++) {
    const endpoint = await w.api.endpoint(app, { url: w.receiver.hook(`many-${i}`).url, uid: `many-${i}` });
    await w.api.post(`/app/${app.id}/endpoint/${endpoint.id}/pause`);
  }
  for (let i = 0; i < 200; i += 20) await Promise.all(Array.from({ length: 20 }, (_, k) => w.api.message(app, { eventId: `many-${i + k}` })));
  const tab = await w.tab();
  const { page } = tab;
  await tab.at(`/app/${app.id}/deliveries`);
  await page.locator("tbody tr:not(.pad)").first().waitFor();
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => { for (const each of list.getEntries()) window.longest = Math.max(window.longest, each.duration); }).observe({ entryTypes: ["longtask"] });
  });
  const rowCount = () => page.locator("table[aria-rowcount]").getAttribute("aria-rowcount").then(Number);
  for (let i = 0; i < 200 && (await rowCount()) < 4001; i++) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const nodes = await page.locator("tbody tr").count();
    assert.ok(nodes <= 300, `${nodes} rows exist`);
    await page.waitForTimeout(30);
  }
  assert.equal(await rowCount(), 4001);
  // Told, not asserted: on a machine that others use it says more about them.
  console.log(`longest task: ${await page.evaluate(() => window.longest)} ms`);
  quiet(tab.troubles);
});

it("updates without touching focus, selection, dialog or scroll", async () => {
  const app = await w.api.application({ name: "Live", uid: "live" });
  const hook = w.receiver.hook("live").says(500);
  const endpoint = await w.api.endpoint(app, { url: hook.url, uid: "live-ep" });
  await w.api.message(app, {});
  const tab = await w.tab({ height: 500 });
  const { page } = tab;
  await tab.at(`/app/${app.id}/endpoint/${endpoint.id}`);
  await page.getByRole("button", { name: "Edit…" }).click();
  await page.getByLabel("description").fill("half-written");
  await page.getByLabel("description").evaluate((each) => each.setSelectionRange(2, 6));
  const attempts = () => w.api.get(`/app/${app.id}/attempt/endpoint/${endpoint.id}`).then((found) => found.data.length);
  const before = await attempts();
  let asked = 0;
  page.on("response", (response) => { if (response.url().includes("/health")) asked++; });
  await w.api.message(app, {});
  while ((await attempts()) === before || asked < 3) await page.waitForTimeout(50);
  const field = page.getByLabel("description");
  assert.equal(await field.inputValue(), "half-written");
  assert.ok(await field.evaluate((each) => each === document.activeElement), "the focus stays");
  assert.deepEqual(await field.evaluate((each) => [each.selectionStart, each.selectionEnd]), [2, 6]);
  await page.keyboard.press("Escape");
  await page.evaluate(() => scrollTo(0, 400));
  const top = await page.evaluate(() => scrollY);
  asked = 0;
  while (asked < 3) await page.waitForTimeout(50);
  assert.equal(await page.evaluate(() => scrollY), top, "the scroll stays");
  quiet(tab.troubles);
});
