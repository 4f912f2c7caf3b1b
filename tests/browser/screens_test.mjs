// Every screen, light and dark, wide and narrow: accessible, within its width, and quiet.

import assert from "node:assert/strict";
import { it } from "node:test";

import { axe, quiet, shot } from "./harness/browser.mjs";
import { screens, tell } from "./harness/story.mjs";
import { world } from "./harness/world.mjs";

const w = world();
let told;
/** Told once, by whichever test comes first: hooks of a file run in no order that says so. */
const story = () => (told ??= tell(w.api, w.receiver));

async function look(tab, name, path) {
  await tab.at(path);
  await tab.page.locator("main h1").first().waitFor();
  await tab.page.locator("main [aria-busy]").first().waitFor({ state: "detached" });
  await shot(tab.page, name);
  assert.deepEqual(await axe(tab.page), [], `${name}: what axe finds`);
  const over = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${name} scrolls sideways by ${over}`);
}

for (const width of [1280, 360]) {
  for (const theme of ["light", "dark"]) {
    it(`are accessible, in bounds and quiet, ${theme}, ${width} px`, { timeout: 200_000 }, async () => {
      const tab = await w.tab({ width, theme });
      for (const [name, path] of Object.entries(screens(await story()))) await look(tab, `${name}-${theme}-${width}`, path);
      quiet(tab.troubles);
      await tab.context.close();
      const door = await w.tab({ width, theme, token: null });
      await look(door, `sign-in-${theme}-${width}`, "/");
      quiet(door.troubles);
      await door.context.close();
    });
  }
}
