// Calls verify() with the cases on stdin, and prints which of them it took.

import { readFileSync } from "node:fs";

import { verify } from "./verify.mjs";

const { secret, cases } = JSON.parse(readFileSync(0, "utf8"));
const isTaken = ([headers, body]) => {
  try {
    verify(secret, headers, Buffer.from(body, "base64"));
    return true;
  } catch {
    return false;
  }
};
console.log(JSON.stringify(cases.map(isTaken)));
