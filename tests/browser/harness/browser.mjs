// Debian's Chromium, and a page that remembers everything that should not have happened on it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { axeSource, chromium } from "./packages.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SHOTS = process.env.SHOTS ?? "";

export const hasBrowser = () => existsSync(CHROMIUM);

export async function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

/** A tab of its own session. `troubles` lists console errors, uncaught errors, CSP reports, foreign requests. */
export async function open(browser, server, options = {}) {
  const { width = 1280, height = 900, theme = "light", token } = options;
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url + "/") && !request.url().startsWith("blob:")) troubles.push(`foreign: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) troubles.push(`${response.status()}: ${response.url()}`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
  });
  if (token) await page.addInitScript((text) => { if (!sessionStorage.getItem("petrel.token")) sessionStorage.setItem("petrel.token", text); }, token);
  page.setDefaultTimeout(20_000);
  return { page, context, troubles, at: (path) => page.goto(server.url + path) };
}

export function quiet(troubles, allowed = []) {
  const left = troubles.filter((each) => !allowed.some((pattern) => pattern.test(each)));
  assert.deepEqual(left, [], "nothing happened on the page that should not have");
}

/** What axe finds, as lines. The page's own policy stays in force: the script comes by the debugger. */
export async function axe(page) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(async () => {
    const result = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
    return result.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.target.join(" ")).slice(0, 4).join(" | ")} ${each.nodes[0].any[0]?.message ?? ""}`);
  });
  return found;
}

export async function shot(page, name, options = {}) {
  if (!SHOTS) return;
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true, ...options });
}
