// Writes the API's schemas as TypeScript types: node types.mjs [--check]
// From the server's own openapi_components.json into src/base/schema.ts.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const from = fileURLToPath(new URL("../src/api/embedded/openapi_components.json", import.meta.url));
const to = fileURLToPath(new URL("src/base/schema.ts", import.meta.url));

const nameOf = (ref) => ref.split("/").at(-1).replace(/\W/g, "_");
const WORDS = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

function typeOf(schema, depth = 0) {
  if (schema === true || schema === undefined) return "unknown";
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.map((each) => typeOf(each, depth)).join(" | ");
  if (schema.allOf) return schema.allOf.map((each) => typeOf(each, depth)).join(" & ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type }, depth)).join(" | ");
  }
  if (schema.type === "null") return "null";
  if (schema.type === "array") return `Array<${typeOf(schema.items, depth)}>`;
  if (schema.type === "object" || schema.properties) return objectOf(schema, depth);
  return WORDS[schema.type] ?? "unknown";
}

function objectOf(schema, depth) {
  if (!schema.properties) {
    const values = schema.additionalProperties;
    return `Record<string, ${typeof values === "object" ? typeOf(values, depth) : "unknown"}>`;
  }
  const pad = "  ".repeat(depth + 1);
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(
    ([name, each]) => `${pad}${name}${required.has(name) ? "" : "?"}: ${typeOf(each, depth + 1)};`,
  );
  return `{\n${fields.join("\n")}\n${"  ".repeat(depth)}}`;
}

const document = JSON.parse(readFileSync(from, "utf8"));
const lines = ["// The API's schemas. Made by types.mjs; not to be edited.", ""];
for (const [name, schema] of Object.entries(document.schemas)) {
  lines.push(`export type ${nameOf(name)} = ${typeOf(schema)};`, "");
}
const text = lines.join("\n");

if (process.argv.includes("--check")) {
  if (readFileSync(to, "utf8") !== text) {
    console.error("web: src/base/schema.ts is not what the API says; run node web/types.mjs");
    process.exit(1);
  }
} else {
  writeFileSync(to, text);
}
