// What the client libraries can ask for, and whether Petrel serves it.
//
// Every operation of both generations has its line here; operations_test.mjs sees to that, and to
// it that what is not served is answered as such. Names are those of 2.x, and those of 1.x where
// 2.x has dropped the operation. A name that ends in a star stands for all that begin like it.

const SERVED = { isServed: true };
const not = (reason) => ({ isServed: false, reason });

export const OPERATIONS = {
  "application.list": SERVED,
  "application.create": SERVED,
  "application.getOrCreate": SERVED,
  "application.get": SERVED,
  "application.upsert": SERVED,
  "application.patch": SERVED,
  "application.delete": SERVED,

  "endpoint.list": SERVED,
  "endpoint.create": SERVED,
  "endpoint.get": SERVED,
  "endpoint.upsert": SERVED,
  "endpoint.patch": SERVED,
  "endpoint.delete": SERVED,
  "endpoint.getSecret": SERVED,
  "endpoint.rotateSecret": SERVED,
  "endpoint.getHeaders": SERVED,
  "endpoint.setHeaders": SERVED,
  "endpoint.headersUpdate": SERVED,
  "endpoint.patchHeaders": SERVED,
  "endpoint.headersPatch": SERVED,
  "endpoint.getStats": SERVED,
  "endpoint.sendExample": SERVED,
  "endpoint.recover": SERVED,
  "endpoint.replayMissing": SERVED,
  "endpoint.bulkReplay": SERVED,
  "endpoint.transformation*": not("Petrel runs no customers' code"),
  "endpoint.patchTransformation": not("Petrel runs no customers' code"),

  "eventType.list": SERVED,
  "eventType.create": SERVED,
  "eventType.get": SERVED,
  "eventType.upsert": SERVED,
  "eventType.patch": SERVED,
  "eventType.delete": SERVED,
  "eventType.importOpenapi": not("schemas are written by their own operations"),

  "message.list": SERVED,
  "message.create": SERVED,
  "message.get": SERVED,
  "message.expungeContent": SERVED,
  "message.precheck": SERVED,
  "message.bulkExpungeContent": SERVED,
  "message.expungeAllContents": SERVED,
  "message.poller*": not("Petrel pushes; nobody polls it"),

  "messageAttempt.listByEndpoint": SERVED,
  "messageAttempt.listByMsg": SERVED,
  "messageAttempt.get": SERVED,
  "messageAttempt.listAttemptedMessages": SERVED,
  "messageAttempt.listAttemptedDestinations": SERVED,
  "messageAttempt.resend": SERVED,
  "messageAttempt.expungeContent": SERVED,

  "authentication.appPortalAccess": SERVED,
  "authentication.dashboardAccess": SERVED,
  "authentication.expireAll": SERVED,
  "authentication.logout": SERVED,
  "authentication.stream*": not("streams are a product of their own"),
  "authentication.getStreamPollerToken": not("streams are a product of their own"),
  "authentication.rotateStreamPollerToken": not("streams are a product of their own"),

  "backgroundTask.list": SERVED,
  "backgroundTask.listByEndpoint": SERVED,
  "backgroundTask.get": SERVED,

  "operationalWebhook.endpoint.list": SERVED,
  "operationalWebhook.endpoint.create": SERVED,
  "operationalWebhook.endpoint.get": SERVED,
  "operationalWebhook.endpoint.upsert": SERVED,
  "operationalWebhook.endpoint.delete": SERVED,
  "operationalWebhook.endpoint.getSecret": SERVED,
  "operationalWebhook.endpoint.rotateSecret": SERVED,
  "operationalWebhook.endpoint.getHeaders": SERVED,
  "operationalWebhook.endpoint.setHeaders": SERVED,
  "operationalWebhookEndpoint*": SERVED, // 1.x has all of them under this name too.

  "statistics.aggregateAppStats": SERVED,
  "statistics.aggregateEventTypes": SERVED,

  "health.get": SERVED,

  "autoconfigSubscription*": not("a service that receivers would have to know"),
  "connector*": not("templates of a portal that Petrel does not have"),
  "destination*": not("Petrel delivers to URLs only"),
  "environment*": not("`petrel backup` and `petrel restore` carry everything over"),
  "ingest*": not("Petrel sends webhooks and takes in none"),
  "integration*": not("an application's token does what an integration's key would"),
  "streaming*": not("streams are a product of their own"),
};

// What a served operation is to do besides. One that is not served is tried all the same, and has
// to fail: so that this list, too, cannot go stale.
export const FEATURES = {
  "application.create: Idempotency-Key": SERVED,
  "application.list: excludeAppsWithNoEndpoints": not("ignored, as by Svix's own server"),
  "application.list: excludeAppsWithDisabledEndpoints": not("ignored, as by Svix's own server"),
  "endpoint.create: Idempotency-Key": SERVED,
  "endpoint.create: secret without a prefix": not("the prefix says which kind of secret it is"),
  "endpoint.patch: secret": SERVED, // 1.x only.
  "message.create: tags": SERVED,
  "message.create: deliverAt": SERVED,
  "message.create: application": SERVED,
  "message.create: rawPayload": SERVED,
  "message.create: payloadRetentionPeriod": SERVED,
  "messageAttempt.list: withMsg": SERVED,
};

/** The entry of an operation, or undefined. */
export function entryOf(operation) {
  if (OPERATIONS[operation]) return OPERATIONS[operation];
  const stars = Object.keys(OPERATIONS).filter((each) => each.endsWith("*"));
  return OPERATIONS[stars.find((each) => operation.startsWith(each.slice(0, -1)))];
}
