// What is installed for these tests: PACKAGES/node_modules.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const installed = createRequire(join(process.env.PACKAGES, "node_modules", "from-here.js"));

export const { chromium } = installed("playwright-core");
export const axeSource = readFileSync(installed.resolve("axe-core/axe.min.js"), "utf8");
