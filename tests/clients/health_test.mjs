import assert from "node:assert/strict";

import { suite } from "./harness/suite.mjs";

suite("health", (world, { operation }) => {
  operation("health.get", "answers, token or not", async () => {
    await world.api.health.get();
    assert.equal(world.wire.status, 200);
    await world.client("no token at all").health.get();
    const answer = JSON.parse(world.wire.last.answer);
    for (const part of ["database", "queue", "cache"]) assert.equal(answer[part].status, "ok");
  });
});
