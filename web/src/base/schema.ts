// The API's schemas. Made by types.mjs; not to be edited.

export type RetryPolicy = {
  strategy?: "fixed" | "linear" | "exponential" | "schedule";
  baseDelay?: string;
  multiplier?: number;
  maxDelay?: string;
  schedule?: Array<string>;
  jitter?: "none" | "full" | "equal" | "decorrelated" | "percent";
  jitterPercent?: number;
  maxAttempts?: number;
  giveUpAfter?: string;
  retryAfterCap?: string;
  rules?: Array<{
    on: string;
    action: "retry" | "fail" | "pause" | "success";
    maxAttempts?: number;
  }>;
};

export type ApplicationIn = {
  name: string;
  uid?: string;
  metadata?: Record<string, string>;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
  retention?: string | null;
  retentionPayloads?: string | null;
  retentionAttempts?: string | null;
  retentionDeadLetters?: string | null;
};

export type ApplicationPatch = {
  name?: string;
  uid?: string | null;
  metadata?: Record<string, string>;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
  retention?: string | null;
  retentionPayloads?: string | null;
  retentionAttempts?: string | null;
  retentionDeadLetters?: string | null;
};

export type ApplicationOut = {
  id: string;
  name: string;
  uid?: string;
  metadata: Record<string, string>;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
  retention?: string | null;
  retentionPayloads?: string | null;
  retentionAttempts?: string | null;
  retentionDeadLetters?: string | null;
  createdAt: string;
  updatedAt: string;
};

export type EndpointIn = {
  url: string;
  description?: string;
  uid?: string;
  disabled?: boolean;
  eventTypes?: Array<string> | null;
  filterTypes?: Array<string> | null;
  channels?: Array<string> | null;
  metadata?: Record<string, string>;
  version?: number;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
  secret?: string | null;
  headers?: Record<string, string>;
};

export type EndpointUpdate = {
  url: string;
  description?: string;
  uid?: string;
  disabled?: boolean;
  eventTypes?: Array<string> | null;
  filterTypes?: Array<string> | null;
  channels?: Array<string> | null;
  metadata?: Record<string, string>;
  version?: number;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
};

export type EndpointPatch = {
  url?: string;
  description?: string;
  uid?: string | null;
  disabled?: boolean;
  eventTypes?: Array<string> | null;
  filterTypes?: Array<string> | null;
  channels?: Array<string> | null;
  metadata?: Record<string, string>;
  version?: number;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
};

export type EndpointOut = {
  id: string;
  url: string;
  description: string;
  uid?: string;
  disabled: boolean;
  eventTypes?: Array<string> | null;
  filterTypes?: Array<string> | null;
  channels?: Array<string> | null;
  metadata: Record<string, string>;
  version: number;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
  pause?: {
    since?: string;
    reason?: string;
  } | null;
  createdAt: string;
  updatedAt: string;
};

export type EndpointSecretOut = {
  key: string;
};

export type EndpointSecretRotateIn = {
  key?: string | null;
  gracePeriodSeconds?: number | null;
};

export type EndpointHeadersIn = {
  headers: Record<string, string>;
};

export type EndpointHeadersPatchIn = {
  headers: Record<string, string | null>;
  deleteHeaders?: Array<string>;
};

export type EndpointHeadersOut = {
  headers: Record<string, string>;
  sensitive: Array<string>;
};

export type EndpointPauseIn = {
  reason?: string;
};

export type EndpointHealthOut = {
  circuit: {
    state: "closed" | "open" | "half_open";
    since: string;
    why: string | null;
    nextProbeAt: string | null;
  };
  inFlight: number;
  inFlightLimit: number;
  maxInFlight: number;
  throttleRate: number | null;
  ramp: {
    ratePerSecond?: number;
    inFlightLimit?: number;
  } | null;
  heldUntil: string | null;
  paused: boolean;
  disabled: boolean;
  waitsFor: string | null;
  queue: {
    fresh?: number;
    retrying?: number;
  };
  oldestAt: string | null;
  deadLetters: {
    total?: number;
    byReason?: Record<string, number>;
  };
  retryRatio15m: number;
  attempts1h: number;
  successRate1h: number | null;
  latencyMs1h: {
    p50?: number | null;
    p95?: number | null;
    p99?: number | null;
  };
};

export type ApplicationStorage = {
  messages: number;
  payloads: number;
  payloadBytes: number;
  retention: string;
  retentionPayloads: string;
  retentionAttempts: string;
  retentionDeadLetters: string;
};

export type EndpointStats = {
  success: number;
  pending: number;
  sending: number;
  fail: number;
  canceled: number;
};

export type EventExampleIn = {
  eventType: string;
  exampleIndex?: number | null;
};

export type Guards = {
  openAfter?: number;
  openWindow?: string;
  openWindowAttempts?: number;
  openWindowPercent?: number;
  openExhausted?: number;
  openExhaustedWindow?: string;
  openTime?: string;
  openTimeMax?: string;
  rampStep?: string;
  rampPercent?: number;
  rampInFlight?: number;
  rampDivisor?: number;
  releaseAfterOutage?: boolean;
  pauseAfter?: number;
} | null;

export type ReplayIn = {
  since: string;
  until?: string | null;
  ratePerMinute?: number;
  maxRatePerMinute?: number | null;
  ramp?: boolean;
  dryRun?: boolean;
};

export type BulkReplayIn = {
  since: string;
  until?: string | null;
  eventTypes?: Array<string> | null;
  channel?: string | null;
  tag?: string | null;
  status?: number | null;
  statusCodeClass?: number | null;
  ratePerMinute?: number;
  maxRatePerMinute?: number | null;
  ramp?: boolean;
  dryRun?: boolean;
};

export type ReplayDeadIn = {
  endpointId?: string | null;
  eventTypes?: Array<string> | null;
  reasons?: Array<string> | null;
  since?: string | null;
  until?: string | null;
  ratePerMinute?: number;
  maxRatePerMinute?: number | null;
  ramp?: boolean;
  dryRun?: boolean;
};

export type BackgroundTaskOut = {
  id: string;
  status: "running" | "finished" | "failed";
  task: string;
  updatedAt: string;
  state?: "running" | "paused" | "finished" | "cancelled" | "failed";
  kind?: string;
  appId?: string | null;
  endpointId?: string | null;
  createdAt?: string;
  data: Record<string, unknown>;
};

export type AppUsageStatsIn = {
  since: string;
  until: string;
  appIds?: Array<string> | null;
};

export type AppUsageStatsOut = {
  id: string;
  status: "running" | "finished" | "failed";
  task: string;
  updatedAt: string;
  unresolvedAppIds: Array<string>;
};

export type BulkExpungeContentsIn = {
  ids?: Array<string>;
};

export type BulkExpungeContentsOut = {
  results: Record<string, unknown>;
};

export type DiscardIn = {
  endpointId?: string | null;
  eventTypes?: Array<string> | null;
  reasons?: Array<string> | null;
  since?: string | null;
  until?: string | null;
  dryRun?: boolean;
};

export type DeadLetterCountOut = {
  endpoints: Array<Record<string, unknown>>;
  total: number;
  reasons: Record<string, unknown>;
};

export type DeadLetterCountAllOut = {
  applications: Array<Record<string, unknown>>;
  total: number;
  reasons: Record<string, unknown>;
};

export type ListResponse_BackgroundTaskOut_ = {
  data: Array<BackgroundTaskOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type EmptyResponse = {

};

export type EventTypeIn = {
  name: string;
  description: string;
  archived?: boolean;
  deprecated?: boolean;
  schemas?: Record<string, unknown> | null;
  featureFlag?: string | null;
  featureFlags?: Array<string> | null;
  groupName?: string | null;
};

export type EventTypeUpdate = {
  description: string;
  archived?: boolean;
  deprecated?: boolean;
  schemas?: Record<string, unknown> | null;
  featureFlag?: string | null;
  featureFlags?: Array<string> | null;
  groupName?: string | null;
};

export type EventTypePatch = {
  description?: string;
  archived?: boolean;
  deprecated?: boolean;
  schemas?: Record<string, unknown> | null;
  featureFlag?: string | null;
  featureFlags?: Array<string> | null;
  groupName?: string | null;
};

export type EventTypeOut = {
  name: string;
  description: string;
  archived?: boolean;
  deprecated: boolean;
  schemas?: Record<string, unknown> | null;
  featureFlag?: string | null;
  featureFlags?: Array<string> | null;
  groupName?: string | null;
  createdAt: string;
  updatedAt: string;
};

export type AppPortalAccessIn = {
  application?: ApplicationIn;
  featureFlags?: Array<string>;
  expiry?: number | null;
  readOnly?: boolean | null;
};

export type AppPortalAccessOut = {
  url: string;
  token: string;
};

export type MessageIn = {
  eventType: string;
  payload: Record<string, unknown>;
  eventId?: string | null;
  channels?: Array<string> | null;
  tags?: Array<string> | null;
  deliverAt?: string | null;
  payloadRetentionPeriod?: number | null;
  payloadRetentionHours?: number | null;
  application?: ApplicationIn;
  transformationsParams?: {
    rawPayload?: string | null;
    headers?: Record<string, string>;
  } | null;
};

export type MessageOut = {
  id: string;
  eventId?: string | null;
  eventType: string;
  payload: Record<string, unknown>;
  channels?: Array<string> | null;
  tags?: Array<string>;
  deliverAt?: string;
  timestamp: string;
};

export type MessagePrecheckIn = {
  eventType: string;
  channels?: Array<string> | null;
};

export type MessagePrecheckOut = {
  active: boolean;
};

export type MessageAttemptOut = {
  id: string;
  msgId: string;
  endpointId: string;
  url: string;
  response: string;
  responseStatusCode: number;
  responseDurationMs: number;
  status: 0 | 1 | 2 | 3 | 4;
  statusText: "success" | "pending" | "fail" | "sending" | "canceled";
  triggerType: 0 | 1;
  timestamp: string;
  msg?: MessageOut;
};

export type EndpointMessageOut = {
  id: string;
  eventId?: string | null;
  eventType: string;
  payload: Record<string, unknown>;
  channels?: Array<string> | null;
  tags?: Array<string>;
  deliverAt?: string;
  timestamp: string;
  status: 0 | 1 | 2 | 3 | 4;
  statusText: "success" | "pending" | "fail" | "sending" | "canceled";
  nextAttempt?: string | null;
};

export type MessageEndpointOut = {
  id: string;
  url: string;
  description: string;
  uid?: string;
  disabled: boolean;
  eventTypes?: Array<string> | null;
  filterTypes?: Array<string> | null;
  channels?: Array<string> | null;
  metadata: Record<string, string>;
  version: number;
  throttleRate?: number | null;
  rateLimit?: number | null;
  retryPolicy?: string | RetryPolicy | null;
  guards?: Guards;
  maxInFlight?: number | null;
  timeout?: string | null;
  pause?: {
    since?: string;
    reason?: string;
  } | null;
  createdAt: string;
  updatedAt: string;
  status: 0 | 1 | 2 | 3 | 4;
  statusText: "success" | "pending" | "fail" | "sending" | "canceled";
  nextAttempt?: string | null;
};

export type DeliveryOut = {
  appId: string;
  msgId: string;
  endpointId: string;
  eventType: string | null;
  eventId: string | null;
  acceptedAt: string | null;
  endpointUrl: string | null;
  status: "pending" | "sending" | "held" | "retrying" | "delivered" | "dead" | "discarded";
  reason: string | null;
  why: string;
  attempt: number;
  maxAttempts: number;
  attemptsTotal: number;
  isManual: boolean;
  nextAttemptAt: string | null;
  next: null | {
    basis: "schedule" | "retryAfter" | "probe" | "release" | "resend" | "replay";
    nominalMs: number;
    jitterMs: number;
    retryAfterMs: number | null;
    notBefore: string | null;
  };
  giveUpAt: string | null;
  lastStatus: number | null;
  lastError: string | null;
  updatedAt: string;
};

export type RetryPolicyPresetOut = {
  name: string;
  summary: string;
  isDefault: boolean;
  policy: RetryPolicy;
};

export type RetryPolicyPreviewIn = {
  policy: string | RetryPolicy;
  samples?: number | null;
  failures?: number;
};

export type RetryPolicyPreviewOut = {
  attempts: Array<{
    n: number;
    minMs: number;
    meanMs: number;
    p99Ms: number;
    maxMs: number;
    cumulativeMeanMs: number;
  }>;
  ends: string;
};

export type OpenApiDocument = {
  openapi: string;
  info: Record<string, unknown>;
  paths: Record<string, unknown>;
  components: Record<string, unknown>;
};

export type StateOut = {
  status: "ok" | "error";
  problems: Array<string>;
};

export type HealthOut = {
  problems: Array<string>;
  database: {
    status: "ok" | "error";
  };
  queue: {
    status: "ok" | "error";
  };
  cache: {
    status: "ok" | "error";
  };
};

export type ListResponse_ApplicationOut_ = {
  data: Array<ApplicationOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_EndpointOut_ = {
  data: Array<EndpointOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_EventTypeOut_ = {
  data: Array<EventTypeOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_MessageOut_ = {
  data: Array<MessageOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_MessageAttemptOut_ = {
  data: Array<MessageAttemptOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_EndpointMessageOut_ = {
  data: Array<EndpointMessageOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_MessageEndpointOut_ = {
  data: Array<MessageEndpointOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_DeliveryOut_ = {
  data: Array<DeliveryOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type ListResponse_RetryPolicyPresetOut_ = {
  data: Array<RetryPolicyPresetOut>;
  iterator: string | null;
  prevIterator?: string;
  done: boolean;
};

export type HttpErrorOut = {
  code: string;
  detail: string;
};

export type HTTPValidationError = {
  detail: Array<{
    loc: Array<string>;
    msg: string;
    type: string;
  }>;
};
