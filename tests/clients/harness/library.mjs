// The client library that this run is about: PACKAGES/node_modules/LIBRARY, svix1 or svix2.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PACKAGES = process.env.PACKAGES;
export const LIBRARY = process.env.LIBRARY ?? "svix2";
const installed = createRequire(join(PACKAGES, "node_modules", "from-here.js"));

const load = (name) => import(pathToFileURL(installed.resolve(name)));
const module = await load(LIBRARY);

export const { ApiException, Svix, Webhook, WebhookVerificationError, messageInRaw } = module;
export const { AppPortalCapability } = module;
export const StandardWebhook = (await load("standardwebhooks")).Webhook;
export const isV1 = LIBRARY === "svix1";

/** A source file of the package, which has the types that its declarations are made from. */
export function source(path) {
  return readFileSync(join(PACKAGES, "node_modules", LIBRARY, "src", path), "utf8");
}

/** Operations go by their names in 2.x; these had another one before. */
const NAMES_IN_V1 = {
  "application.upsert": "update",
  "endpoint.setHeaders": "updateHeaders",
  "endpoint.upsert": "update",
  "eventType.upsert": "update",
  "operationalWebhook.endpoint.setHeaders": "updateHeaders",
  "operationalWebhook.endpoint.upsert": "update",
};

/** The last word of an operation's name, as this library has it. */
export function nameOf(operation) {
  return (isV1 && NAMES_IN_V1[operation]) || operation.split(".").at(-1);
}

/** The fields of an endpoint that were renamed, both ways. */
export function endpointIn({ eventTypes, ...rest }) {
  return isV1 ? { ...rest, filterTypes: eventTypes } : { ...rest, eventTypes };
}
export const eventTypesOf = (endpoint) => (isV1 ? endpoint.filterTypes : endpoint.eventTypes);
