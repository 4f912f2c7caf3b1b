// Takes webhooks, verifies them, and prints each order once. Needs SECRET (whsec_…) and PORT.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { SECRET, PORT } = process.env;
const BODY_MAX = 1024 * 1024;
const seen = new Set(); // A real receiver keeps the ids with its data, for some days.

/** Throws unless `body`, a Buffer with the raw bytes, was signed with `secret` just now. */
function verify(secret, headers, body) {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
  if (!id || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) {
    throw new Error("the webhook is too old, or not one");
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${mac.digest("base64")}`);
  const isExpected = (signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  if (!(headers["webhook-signature"] ?? "").split(" ").some(isExpected)) {
    throw new Error("the signature is wrong");
  }
}

/** The raw bytes of the body, or null if there are too many. */
async function read(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > BODY_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function take(request) {
  const body = await read(request);
  if (body === null) return 413;
  try {
    verify(SECRET, request.headers, body);
  } catch (error) {
    console.error(error.message);
    return 400;
  }
  const id = request.headers["webhook-id"];
  if (!seen.has(id)) {
    console.log("order", JSON.parse(body).order); // The work.
    seen.add(id);
  }
  return 204;
}

const server = createServer((request, response) => {
  take(request)
    .catch((error) => {
      console.error(error);
      return 500; // Petrel tries again.
    })
    .then((status) => response.writeHead(status).end());
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
