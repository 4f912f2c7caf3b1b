import assert from "node:assert/strict";

import { AppPortalCapability, isV1 } from "./harness/library.mjs";
import { refused, refusedAt, suite } from "./harness/suite.mjs";

suite("authentication", (world, { operation }) => {
  /** The token opens its own application and nothing else. */
  const opensOnly = async (token, application) => {
    const api = world.client(token);
    const other = await world.application();
    assert.equal((await api.application.get(application.id)).id, application.id);
    assert.deepEqual((await api.endpoint.list(application.id)).data, []);
    await refused(404, api.application.get(other.id));
    await refused(404, api.endpoint.list(other.id));
    for (const call of [
      () => api.application.list(),
      () => api.application.create({ name: "Mine" }),
      () => api.message.create(application.id, { eventType: "order.paid", payload: {} }),
    ]) {
      assert.equal((await refused(403, call())).code, "insufficient access");
    }
  };

  const portal = (application, fields = {}) =>
    world.api.authentication.appPortalAccess(application.id, fields);

  operation("application.list", "needs a good token", async () => {
    for (const token of ["", "nonsense", "a.b.c", world.token.slice(0, -3) + "AAA"]) {
      const { code } = await refused(401, world.client(token).application.list());
      assert.equal(code, "authentication_failed");
    }
    const brief = await world.server.token("--expires", "1d");
    assert.equal((await world.client(brief).application.list()).done, true);
  });

  operation("application.get", "knows nothing of other organisations", async () => {
    const application = await world.application({ uid: world.uid() });
    const token = await world.server.token("--org", "org_" + "A".repeat(27));
    const api = world.client(token);
    await refused(404, api.application.get(application.id));
    await refused(404, api.application.get(application.uid));
    assert.deepEqual((await api.application.list()).data, []);
    await api.application.create({ name: "Same uid", uid: application.uid });
  });

  operation("application.get endpoint.list message.create", "by an app's token", async () => {
    const application = await world.application();
    await opensOnly(await world.server.token("--app", application.id), application);
  });

  operation("endpoint.create endpoint.getSecret", "are open to the application", async () => {
    const application = await world.application();
    const api = world.client(await world.server.token("--app", application.id));
    const made = await api.endpoint.create(application.id, { url: "https://example.com/" });
    assert.match((await api.endpoint.getSecret(application.id, made.id)).key, /^whsec_/);
  });

  operation("authentication.appPortalAccess", "gives a token for the application", async () => {
    const application = await world.application();
    const { token, url } = await portal(application);
    assert.equal(world.wire.status, 200);
    assert.match(url, /^https?:\/\//);
    await opensOnly(token, application);
    const nobody = world.api.authentication.appPortalAccess("nobody", {});
    assert.equal((await refused(404, nobody)).code, "not_found");
  });

  operation("authentication.appPortalAccess", "makes the application on the way", async () => {
    const uid = world.uid();
    const { token } = await portal({ id: uid }, { application: { name: "Acme", uid } });
    assert.equal((await world.client(token).application.get(uid)).uid, uid);
  });

  operation("authentication.appPortalAccess", "is for the organisation only", async () => {
    const application = await world.application();
    const api = world.client(await world.server.token("--app", application.id));
    await refused(403, api.authentication.appPortalAccess(application.id, {}));
  });

  operation("authentication.appPortalAccess", "gives away no more than it says", async () => {
    const { application, endpoint } = await world.delivery();
    const at = [application.id, endpoint.id];
    const open = async (fields) => world.client((await portal(application, fields)).token).endpoint;
    const reader = await open({ readOnly: true });
    assert.equal((await reader.get(...at)).id, endpoint.id);
    await refused(403, reader.getSecret(...at));
    await refused(403, reader.patch(...at, { description: "mine" }));
    const auditor = await open({ capabilities: ["ViewBase", "ViewEndpointSecret"] });
    assert.match((await auditor.getSecret(...at)).key, /^whsec_/);
    await refused(403, auditor.rotateSecret(...at, {}));
    const manager = await open({ capabilities: Object.values(AppPortalCapability) });
    assert.equal((await manager.patch(...at, { description: "mine" })).description, "mine");
    await manager.rotateSecret(...at, {});
  });

  operation("authentication.appPortalAccess", "names the field that is wrong", async () => {
    const application = await world.application();
    const at = (fields) => refusedAt(portal(application, fields));
    assert.equal(await at({ expiry: 3_599 }), "body.expiry");
    assert.equal(await at({ expiry: 604_801 }), "body.expiry");
    assert.match(await at({ capabilities: ["Everything"] }), /^body\.capabilities/);
  });

  operation("authentication.logout", "ends this token and no other", async () => {
    const application = await world.application();
    const [one, other] = [await portal(application), await portal(application)];
    await world.client(one.token).authentication.logout();
    assert.equal(world.wire.status, 204);
    await refused(401, world.client(one.token).application.get(application.id));
    await world.client(other.token).application.get(application.id);
  });

  operation("authentication.expireAll", "ends all tokens of the application", async () => {
    const application = await world.application();
    const neighbour = await world.application();
    const [gone, stays] = [await portal(application), await portal(neighbour)];
    await world.api.authentication.expireAll(application.id, { expiry: 0 });
    assert.equal(world.wire.status, 204);
    await refused(401, world.client(gone.token).application.get(application.id));
    await world.client(stays.token).application.get(neighbour.id);
    await world.api.application.get(application.id);
  });

  if (isV1) {
    operation("authentication.dashboardAccess", "is an old name of the same", async () => {
      const application = await world.application();
      const { token } = await world.api.authentication.dashboardAccess(application.id);
      await opensOnly(token, application);
    });
  }
});
