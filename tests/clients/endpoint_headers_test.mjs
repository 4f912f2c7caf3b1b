import assert from "node:assert/strict";

import { isV1 } from "./harness/library.mjs";
import { refused, refusedAt, suite } from "./harness/suite.mjs";

const HEADERS = "endpoint.getHeaders endpoint.setHeaders endpoint.patchHeaders";

suite("endpoint headers", (world, { operation }) => {
  operation("endpoint.getHeaders", "shows those of the creation", async () => {
    const { application, endpoint } = await world.delivery(200, { headers: { "X-A": "1" } });
    const shown = await world.api.endpoint.getHeaders(application.id, endpoint.id);
    assert.deepEqual(shown, { headers: { "X-A": "1" }, sensitive: [] });
    await refused(404, world.api.endpoint.getHeaders(application.id, "nobody"));
  });

  operation("endpoint.getHeaders endpoint.setHeaders", "keep secrets to themselves", async () => {
    const { application, endpoint, hook } = await world.delivery(200, { uid: world.uid() });
    const headers = { Authorization: "Bearer hush", "X-Plain": "seen" };
    await world.api.endpoint.setHeaders(application.id, endpoint.uid, { headers });
    assert.equal(world.wire.status, 204);
    const shown = await world.api.endpoint.getHeaders(application.id, endpoint.id);
    assert.deepEqual(shown, { headers: { "X-Plain": "seen" }, sensitive: ["Authorization"] });
    const request = await hook.of((await world.send(application)).id);
    assert.equal(request.headers.authorization, "Bearer hush");
    assert.ok(request.rawHeaders.includes("X-Plain"), "in the case they were given in");
  });

  operation(HEADERS, "replace by PUT and merge by PATCH", async () => {
    const { application, endpoint } = await world.delivery();
    const { getHeaders, setHeaders, patchHeaders } = world.api.endpoint;
    const at = [application.id, endpoint.id];
    await setHeaders(...at, { headers: { "X-A": "1", "X-B": "2" } });
    await setHeaders(...at, { headers: { "X-B": "3", "X-C": "4" } });
    assert.deepEqual((await getHeaders(...at)).headers, { "X-B": "3", "X-C": "4" });
    await patchHeaders(...at, { headers: { "X-C": "5", "X-D": "6" } });
    assert.equal(world.wire.status, 204);
    assert.deepEqual((await getHeaders(...at)).headers, { "X-B": "3", "X-C": "5", "X-D": "6" });
    await patchHeaders(...at, { headers: { "X-D": "7" }, deleteHeaders: ["X-B"] });
    assert.deepEqual((await getHeaders(...at)).headers, { "X-C": "5", "X-D": "7" });
  });

  operation("endpoint.setHeaders endpoint.patchHeaders", "refuse names of ours", async () => {
    const { application, endpoint } = await world.delivery();
    const { setHeaders, patchHeaders } = world.api.endpoint;
    for (const name of ["svix-id", "webhook-id", "content-length", "Transfer-Encoding", "a b"]) {
      const fields = { headers: { [name]: "x" } };
      const set = setHeaders(application.id, endpoint.id, fields);
      assert.match(await refusedAt(set), /^body\.headers/, name);
      const patched = patchHeaders(application.id, endpoint.id, fields);
      assert.match(await refusedAt(patched), /^body\.headers/, name);
    }
  });

  if (isV1) {
    operation("endpoint.headersUpdate endpoint.headersPatch", "are old names", async () => {
      const { application, endpoint } = await world.delivery();
      const { getHeaders, headersUpdate, headersPatch } = world.api.endpoint;
      await headersUpdate(application.id, endpoint.id, { headers: { "X-A": "1" } });
      await headersPatch(application.id, endpoint.id, { headers: { "X-B": "2" } });
      const { headers } = await getHeaders(application.id, endpoint.id);
      assert.deepEqual(headers, { "X-A": "1", "X-B": "2" });
    });
  }
});
