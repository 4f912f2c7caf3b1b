// Builds the dashboard into files that the server can carry: node build.mjs PACKAGES OUT
//
// OUT/web.pack is all bytes behind each other; OUT/web_assets.cpp says what lies where. Names carry
// a hash of their contents, so browsers may keep them for ever. Text is also kept as gzip and
// brotli, whichever the browser takes.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [packages, out] = process.argv.slice(2).map((each) => resolve(each));
const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(packages, "node_modules");
const { build } = createRequire(join(modules, "from-here.js"))("esbuild");

// What a first visit fetches, as gzip. More than this is a mistake that slows everybody down.
const FIRST_LOAD_MAX = 100 * 1000;

const TYPES = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", svg: "image/svg+xml" };

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
const source = (name) => join(here, "src", name);

const built = await build({
  entryPoints: { main: source("main.tsx"), petrel: source("petrel.css") },
  bundle: true, splitting: true, format: "esm", target: "es2022", minify: true, write: false,
  jsx: "automatic", jsxImportSource: "preact", nodePaths: [modules], outdir: join(out, "assets"),
  entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]", legalComments: "none", metafile: true, logLevel: "warning",
});

const files = built.outputFiles.map(({ path, contents }) => ({ name: path.split("/").at(-1), bytes: Buffer.from(contents) }));
const icon = readFileSync(source("petrel.svg"));
files.push({ name: `petrel-${hash(icon)}.svg`, bytes: icon });

const named = (start, end) => files.find(({ name }) => name.startsWith(start) && name.endsWith(end)).name;
const page = readFileSync(source("index.html"), "utf8")
  .replace("assets/main.js", `assets/${named("main-", ".js")}`)
  .replace("assets/petrel.css", `assets/${named("petrel-", ".css")}`)
  .replace("assets/petrel.svg", `assets/${named("petrel-", ".svg")}`);

// What is imported without waiting comes with the first load.
const entry = Object.entries(built.metafile.outputs).find(([, each]) => each.entryPoint?.endsWith("main.tsx"));
const first = new Set([entry[0].split("/").at(-1), named("petrel-", ".css")]);
for (const { path, kind } of entry[1].imports) if (kind === "import-statement") first.add(path.split("/").at(-1));
const gzip = (bytes) => gzipSync(bytes, { level: 9 });
const brotli = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
const firstLoad = files.reduce((sum, { name, bytes }) => sum + (first.has(name) ? gzip(bytes).length : 0), gzip(Buffer.from(page)).length);
if (firstLoad > FIRST_LOAD_MAX) {
  console.error(`web: the first load is ${firstLoad} bytes as gzip, more than ${FIRST_LOAD_MAX}`);
  process.exit(1);
}

const pieces = [];
let size = 0;
/** Where the bytes lie in the pack: "{offset, size}". */
function kept(bytes) {
  const place = `{${size}, ${bytes.length}}`;
  pieces.push(bytes);
  size += bytes.length;
  return place;
}
const rows = files.map(({ name, bytes }) => {
  const type = TYPES[name.split(".").at(-1)];
  return `    {"${name}", "${type}", ${kept(bytes)}, ${kept(gzip(bytes))}, ${kept(brotli(bytes))}},`;
});
const shell = kept(Buffer.from(page));

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "web.pack"), Buffer.concat(pieces));
writeFileSync(
  join(out, "web_assets.cpp"),
  readFileSync(join(here, "web_assets.cpp.in"), "utf8")
    .replace("@PACK@", join(out, "web.pack"))
    .replace("@ROWS@", rows.join("\n"))
    .replaceAll("@COUNT@", String(rows.length))
    .replace("@SHELL@", shell),
);
console.log(`web: ${files.length} files, first load ${firstLoad} bytes as gzip`);
