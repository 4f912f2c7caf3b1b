// Takes a picture of every screen, light and dark, wide and narrow, into the folder SHOTS.

import { Server } from "../clients/harness/server.mjs";
import { Api } from "./harness/api.mjs";
import { axe, launch, open, shot } from "./harness/browser.mjs";
import { Receiver } from "./harness/receiver.mjs";
import { screens, tell } from "./harness/story.mjs";

const only = process.argv.slice(2);
const server = await Server.start();
const receiver = await Receiver.start();
const browser = await launch();
try {
  const token = await server.token();
  const api = new Api(server.url, token);
  const empty = await server.token("--org", "org_23rb8YdGqMT0qIzpgGwdXfHirMu");
  const story = await tell(api, receiver);
  const list = Object.entries(screens(story)).filter(([name]) => only.length === 0 || only.includes(name));
  for (const [width, height] of [[1280, 900], [360, 740]]) {
    for (const theme of ["light", "dark"]) {
      const tab = await open(browser, server, { width, height, theme, token });
      for (const [name, path] of list) {
        await tab.at(path);
        await tab.page.locator("main h1").first().waitFor();
        await tab.page.waitForTimeout(1200);
        await shot(tab.page, `${name}-${theme}-${width}`);
        const found = await axe(tab.page);
        const wide = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) console.log(`${name} ${theme} ${width}: scrolls sideways by ${wide}`);
        for (const each of found) console.log(`${name} ${theme} ${width}: ${each}`);
      }
      for (const each of new Set(tab.troubles)) console.log(`${theme} ${width}: ${each}`);
      await tab.context.close();
      if (only.length > 0 && !only.includes("sign-in")) continue;
      const door = await open(browser, server, { width, height, theme, token: null });
      await door.at("/");
      await door.page.locator("h1").waitFor();
      await shot(door.page, `sign-in-${theme}-${width}`, { fullPage: false });
      for (const each of await axe(door.page)) console.log(`sign-in ${theme} ${width}: ${each}`);
      await door.context.close();
      const first = await open(browser, server, { width, height, theme, token: empty });
      await first.at("/");
      await first.page.locator("main h1 b").waitFor();
      await shot(first.page, `overview-empty-${theme}-${width}`);
      for (const each of await axe(first.page)) console.log(`empty ${theme} ${width}: ${each}`);
      await first.context.close();
    }
  }
} finally {
  await browser.close();
  await receiver.stop();
  await server.stop();
}
