// Holds values against the TypeScript types that the client library declares for them.
//
// Only as much of TypeScript is read as the library's models are written in: interfaces of fields,
// enumerations, arrays, maps and unions.

import assert from "node:assert/strict";

import { source } from "./library.mjs";

const lowerFirst = (name) => name[0].toLowerCase() + name.slice(1);
const upperFirst = (name) => name[0].toUpperCase() + name.slice(1);
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");

const models = new Map();

/** {fields: [{name, isOptional, type}]} or {values: [...]}. */
function model(name) {
  if (!models.has(name)) models.set(name, readModel(name));
  return models.get(name);
}

function readModel(name) {
  const text = withoutComments(source(`models/${lowerFirst(name)}.ts`));
  const enumeration = new RegExp(`export enum ${name} \\{([^}]*)\\}`).exec(text);
  if (enumeration) {
    const values = [...enumeration[1].matchAll(/= ([^,\n]+)/g)].map(([, each]) => JSON.parse(each));
    assert.ok(values.length > 0, `the enumeration ${name} has no values`);
    return { values };
  }
  const body = new RegExp(`export interface ${name} \\{([\\s\\S]*?)\\n?\\}\\n`).exec(text);
  assert.ok(body, `the library has no model ${name}`);
  const fields = [...body[1].matchAll(/^ {2}(\w+)(\??):\s*([^;]+);/gm)];
  return {
    fields: fields.map(([, name, mark, type]) => ({ name, isOptional: mark === "?", type })),
  };
}

const PRIMITIVES = {
  any: (value) => value !== undefined,
  boolean: (value) => typeof value === "boolean",
  Date: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  null: (value) => value === null,
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
};

/** What is wrong with a value of the type, as a list of complaints. */
export function complaints(type, value, at = "it") {
  const alternatives = type.split(" | ");
  if (alternatives.length > 1) {
    const all = alternatives.map((each) => complaints(each, value, at));
    return all.some((each) => each.length === 0) ? [] : all[0];
  }
  if (PRIMITIVES[type]) {
    return PRIMITIVES[type](value) ? [] : [`${at} is ${String(value)}, not ${type}`];
  }
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) return [`${at} is ${String(value)}, not ${type}`];
    return value.flatMap((each, i) => complaints(type.slice(0, -2), each, `${at}[${i}]`));
  }
  if (value === null || value === undefined) return [`${at} is ${value}, not ${type}`];
  const map = /^\{ \[key: string\]: (.+) \}$/.exec(type);
  if (map) {
    const entries = Object.entries(value);
    return entries.flatMap(([key, each]) => complaints(map[1], each, `${at}.${key}`));
  }
  return complaintsOfModel(type, value, at);
}

function complaintsOfModel(name, value, at) {
  const { values, fields } = model(name);
  if (values) return values.includes(value) ? [] : [`${at} is ${String(value)}, no ${name}`];
  if (typeof value !== "object") return [`${at} is ${String(value)}, not ${name}`];
  return fields
    .filter(({ name, isOptional }) => !(isOptional && value[name] === undefined))
    .flatMap(({ name, type }) => complaints(type, value[name], `${at}.${name}`));
}

/**
 * The type that the library promises for an operation: `ApplicationOut`, or `void`. `noun` is
 * "application" or "operationalWebhook.endpoint"; `method` is the library's own word.
 */
export function promisedType(noun, method) {
  const [first, ...more] = noun.split(".");
  const text = source(`api/${first}${more.map(upperFirst).join("")}.ts`).replace(/= \{\}/g, "");
  const head = new RegExp(`public (?:async )?${method}\\([^{]*?\\): Promise<([^{]+)> \\{`);
  const found = head.exec(text);
  assert.ok(found, `cannot read what ${noun}.${method} promises`);
  return found[1].trim();
}
