import { correctable, type ErrorCode } from './errors.ts';
import type { Operation } from './operation.ts';

/** The response headers, as components of the description. */
export const headerComponents = {
  'x-request-id': header('Id of the request, also in the log of the service', { type: 'string' }),
  'x-service-time': header('Service time in the mode of the key, to compute ages and remaining times from', {
    type: 'string',
    format: 'date-time',
  }),
  'idempotent-replayed': header('The response is that of an earlier request with the same Idempotency-Key', {
    const: 'true',
  }),
  'retry-after': header('Seconds to wait before retrying the request', { type: 'integer', minimum: 1 }),
  ratelimit: header('The policy, the number of requests left, and the seconds until more are available', {
    type: 'string',
  }),
  'ratelimit-policy': header('The number of requests allowed, and the window in seconds', {
    type: 'string',
  }),
};

type HeaderName = keyof typeof headerComponents;

/** The request headers, as parameters. The API key is a security scheme. */
export function requestHeaders({ method, errors, media }: Operation) {
  return [
    ...(media === 'text/event-stream' ? [lastEventId] : []),
    ...(method === 'POST' ? [idempotencyKey] : []),
    ...(method === 'POST' && errors.includes('simulation_unknown') ? [simulation] : []),
  ];
}

/** The headers of a response; `codes` are the error codes of its status, empty for a success. */
export function answerHeaders({ method }: Operation, codes: readonly ErrorCode[]) {
  const isKept = codes.length === 0 || codes.some((code) => !neverKept.includes(code));
  const isLimit = codes.includes('rate_limited');
  const names: readonly HeaderName[] = [
    'x-request-id',
    'x-service-time',
    ...(method === 'POST' && isKept ? (['idempotent-replayed'] as const) : []),
    ...(codes.some((code) => waiting.includes(code)) ? (['retry-after'] as const) : []),
    ...(isLimit ? (['ratelimit', 'ratelimit-policy'] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Errors that state when to retry. */
const waiting: readonly ErrorCode[] = [
  'rate_limited',
  'idempotency_key_in_use',
  'overloaded',
  'not_ready',
  'storage_unavailable',
];

/** Errors that precede the operation or that a retry may resolve: they are never replayed. */
const neverKept: readonly ErrorCode[] = [
  ...correctable,
  'unauthorized',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'overloaded',
  'not_ready',
  'storage_unavailable',
  'idempotency_key_in_use',
  'idempotency_key_reuse',
];

const idempotencyKey = parameter(
  'Idempotency-Key',
  'A repeat with the same key within 24 hours returns the first response and has no further effect. Also accepted as x-idempotency-key.',
  { type: 'string', maxLength: 155 },
);

const simulation = parameter(
  'x-simulation',
  'The scenario of the order, as `name; key=value`. Requires a test key on a sandbox.',
  { type: 'string' },
);

const lastEventId = parameter(
  'Last-Event-ID',
  'Continue after the event with this id; takes precedence over `since`. Browsers send it automatically.',
  { type: 'string' },
);

function parameter<S>(name: string, description: string, schema: S) {
  return { name, in: 'header', required: false, description, schema };
}

function header<S>(description: string, schema: S) {
  return { description, schema };
}
