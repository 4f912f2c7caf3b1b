// Deliveries, held against the verification of the libraries themselves.

import assert from "node:assert/strict";

import { isV1, StandardWebhook, Webhook, WebhookVerificationError } from "./harness/library.mjs";
import { suite } from "./harness/suite.mjs";

suite("verification", (world, { operation }) => {
  const delivered = async () => {
    const { application, hook, secret } = await world.delivery();
    const message = await world.send(application, { payload: { order: 17, note: "à la carte" } });
    return { request: await hook.of(message.id), secret };
  };

  const verifiers = (secret) => [new Webhook(secret), new StandardWebhook(secret)];

  operation("message.create", "a delivery is genuine", async () => {
    const { request, secret } = await delivered();
    const parsed = new Webhook(secret).verify(request.body, request.headers);
    const payload = { order: 17, note: "à la carte" };
    assert.deepEqual(parsed, isV1 ? payload : undefined, "2.x only verifies");
    assert.deepEqual(new StandardWebhook(secret).verify(request.body, request.headers), payload);
  });

  operation("message.create", "one that was tampered with is not", async () => {
    const { request, secret } = await delivered();
    const { body, headers } = request;
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    const forgeries = [
      [body.replace("17", "18"), headers],
      [body + " ", headers],
      [body, { ...headers, "webhook-id": "msg_" + "0".repeat(27) }],
      [body, { ...headers, "webhook-timestamp": later }],
      [body, { ...headers, "webhook-signature": "v1,AAAA" }],
    ];
    for (const [forgedBody, forgedHeaders] of forgeries) {
      for (const verifier of verifiers(secret)) {
        const verify = () => verifier.verify(forgedBody, withoutSvix(forgedHeaders));
        assert.throws(verify, /No matching signature/);
      }
    }
    const verify = () => new Webhook(secret).verify(body + " ", headers);
    assert.throws(verify, WebhookVerificationError);
  });

  operation("message.create", "nor is one by another secret", async () => {
    const { request } = await delivered();
    const other = await delivered();
    for (const verifier of verifiers(other.secret)) {
      const verify = () => verifier.verify(request.body, request.headers);
      assert.throws(verify, /No matching signature/);
    }
  });

  operation("endpoint.create", "a secret of the caller's signs in the same way", async () => {
    const secret = "whsec_" + Buffer.alloc(32, 7).toString("base64");
    const { application, hook } = await world.delivery(200, { secret });
    const { id } = await world.send(application);
    const request = await hook.of(id);
    for (const verifier of verifiers(secret)) verifier.verify(request.body, request.headers);
    const at = new Date(Number(request.headers["webhook-timestamp"]) * 1000);
    const signature = new Webhook(secret).sign(id, at, request.body);
    assert.equal(request.headers["webhook-signature"], signature);
  });
});

/** The headers without a second family of the same, which would be taken instead. */
function withoutSvix(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("svix-")));
}
