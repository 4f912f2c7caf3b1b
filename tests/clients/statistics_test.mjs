import assert from "node:assert/strict";

import { suite } from "./harness/suite.mjs";
import { waitUntil } from "./harness/wait.mjs";

suite("statistics", (world, { operation }) => {
  const finished = (id) =>
    waitUntil(`the task ${id} finished`, async () => {
      const task = await world.api.backgroundTask.get(id);
      return task.status === "finished" && task;
    });

  operation("statistics.aggregateAppStats backgroundTask.get", "count deliveries", async () => {
    const { application, hook } = await world.delivery();
    await world.send(application);
    await world.send(application);
    await hook.received(2);
    const hour = 3_600_000;
    const range = { since: new Date(Date.now() - hour), until: new Date(Date.now() + hour) };
    const appIds = [application.id, "nobody"];
    const asked = await world.api.statistics.aggregateAppStats({ ...range, appIds });
    assert.equal(asked.task, "application.stats");
    assert.deepEqual(asked.unresolvedAppIds, ["nobody"]);
    const { data } = await finished(asked.id);
    const found = data.appStats.find(({ appId }) => appId === application.id);
    assert.equal(found.messageDestinations, 2);
  });

  operation("statistics.aggregateEventTypes backgroundTask.get", "list wishes", async () => {
    await world.eventTypes("order.paid");
    const { application } = await world.delivery(200, { eventTypes: ["order.paid"] });
    const asked = await world.api.statistics.aggregateEventTypes();
    assert.equal(asked.task, "event-type.aggregate");
    const { data } = await finished(asked.id);
    const found = data.event_types.find(({ appId }) => appId === application.id);
    assert.deepEqual(found.explicitlySubscribedEventTypes, ["order.paid"]);
    assert.equal(found.hasCatchAllEndpoint, false);
  });
});
