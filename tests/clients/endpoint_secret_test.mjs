import assert from "node:assert/strict";
import { generateKeyPairSync, verify as verifyBytes } from "node:crypto";

import { StandardWebhook } from "./harness/library.mjs";
import { refused, refusedAt, suite, verify } from "./harness/suite.mjs";

const KEY = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/** The bytes of one half of an ed25519 key: "x" is the public one, "d" the private. */
const raw = (key, half) => Buffer.from(key.export({ format: "jwk" })[half], "base64url");

suite("endpoint secret", (world, { operation }) => {
  operation("endpoint.getSecret", "gives the one that was made", async () => {
    const { application, endpoint, secret } = await world.delivery(200, { uid: world.uid() });
    assert.match(secret, /^whsec_/);
    assert.ok(Buffer.from(secret.slice("whsec_".length), "base64").length >= 24);
    const again = await world.api.endpoint.getSecret(application.id, endpoint.uid);
    assert.equal(again.key, secret);
    await refused(404, world.api.endpoint.getSecret(application.id, "nobody"));
  });

  operation("endpoint.getSecret", "shows only the public half of a key pair", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const [seed, half] = [raw(privateKey, "d"), raw(publicKey, "x")];
    const secret = "whsk_" + Buffer.concat([seed, half]).toString("base64");
    const { application, hook, ...made } = await world.delivery(200, { secret });
    assert.equal(made.secret, "whpk_" + half.toString("base64"));
    const { id } = await world.send(application);
    const { body, headers } = await hook.of(id);
    const signed = Buffer.from(`${id}.${headers["webhook-timestamp"]}.${body}`);
    const [version, signature] = headers["webhook-signature"].split(",");
    assert.equal(version, "v1a");
    assert.ok(verifyBytes(null, signed, publicKey, Buffer.from(signature, "base64")));
  });

  operation("endpoint.rotateSecret", "signs with both while the old one lasts", async () => {
    const { application, hook, endpoint, secret } = await world.delivery();
    await world.api.endpoint.rotateSecret(application.id, endpoint.id, { key: KEY });
    assert.equal(world.wire.status, 200);
    const { key } = await world.api.endpoint.getSecret(application.id, endpoint.id);
    assert.equal(key, KEY);
    const request = await hook.of((await world.send(application)).id);
    verify(request, KEY);
    verify(request, secret);
  });

  operation("endpoint.rotateSecret", "makes a key if none is given", async () => {
    const { application, endpoint, secret } = await world.delivery();
    await world.api.endpoint.rotateSecret(application.id, endpoint.id, {});
    const { key } = await world.api.endpoint.getSecret(application.id, endpoint.id);
    assert.match(key, /^whsec_/);
    assert.notEqual(key, secret);
  });

  operation("endpoint.rotateSecret", "drops the old one at once without a grace", async () => {
    const { application, hook, endpoint, secret } = await world.delivery();
    const rotation = { gracePeriodSeconds: 0 };
    await world.api.endpoint.rotateSecret(application.id, endpoint.id, rotation);
    const { key } = await world.api.endpoint.getSecret(application.id, endpoint.id);
    const request = await hook.of((await world.send(application)).id);
    verify(request, key);
    const old = new StandardWebhook(secret);
    assert.throws(() => old.verify(request.body, request.headers), /No matching signature/);
  });

  operation("endpoint.rotateSecret", "names the field that is wrong", async () => {
    const { application, endpoint } = await world.delivery();
    const at = (fields) =>
      refusedAt(world.api.endpoint.rotateSecret(application.id, endpoint.id, fields));
    assert.equal(await at({ key: "whsec_short" }), "body.key");
    assert.equal(await at({ gracePeriodSeconds: -1 }), "body.gracePeriodSeconds");
    assert.equal(await at({ gracePeriodSeconds: 604_801 }), "body.gracePeriodSeconds");
    await refused(404, world.api.endpoint.rotateSecret(application.id, "nobody", {}));
  });
});
