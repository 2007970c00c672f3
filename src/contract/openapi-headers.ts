import { correctable, type ErrorCode } from './errors.ts';
import type { Operation } from './operation.ts';

/** The headers of answers, as components of the description. */
export const headerComponents = {
  'x-request-id': header('Names the request, in the log of the service as well', { type: 'string' }),
  'x-service-time': header('The time in the mode of the key: ages and time left are counted from it', {
    type: 'string',
    format: 'date-time',
  }),
  'idempotent-replayed': header('The answer is that of an earlier request with the same Idempotency-Key', {
    const: 'true',
  }),
  'retry-after': header('Seconds to wait before the request is sent again', { type: 'integer', minimum: 1 }),
  ratelimit: header('The policy, how many requests are left, and the seconds until there are more', {
    type: 'string',
  }),
  'ratelimit-policy': header('How many requests may come at once, and in how many seconds', {
    type: 'string',
  }),
};

type HeaderName = keyof typeof headerComponents;

/** Headers that a request may carry, as parameters. The key itself is a security scheme. */
export function requestHeaders({ method, errors, media }: Operation) {
  return [
    ...(media === 'text/event-stream' ? [lastEventId] : []),
    ...(method === 'POST' ? [idempotencyKey] : []),
    ...(method === 'POST' && errors.includes('simulation_unknown') ? [simulation] : []),
  ];
}

/** The headers of an answer: `codes` are those that its status stands for, none where it is done. */
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

/** Refusals that say when to send the request again. */
const waiting: readonly ErrorCode[] = ['rate_limited', 'idempotency_key_in_use', 'storage_unavailable'];

/** Refusals that come before a request runs or that another try may pass: no repeat is given them. */
const neverKept: readonly ErrorCode[] = [
  ...correctable,
  'unauthorized',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'storage_unavailable',
  'idempotency_key_in_use',
  'idempotency_key_reuse',
];

const idempotencyKey = parameter(
  'Idempotency-Key',
  'The same key for 24 hours gives the first answer again and makes nothing twice. Also as x-idempotency-key.',
  { type: 'string', maxLength: 155 },
);

const simulation = parameter(
  'x-simulation',
  'With a test key on a sandbox: what becomes of the order, as `name; key=value`.',
  { type: 'string' },
);

const lastEventId = parameter(
  'Last-Event-ID',
  'Goes on behind the event with this id, whatever `since` says. A browser sends it by itself.',
  { type: 'string' },
);

function parameter<S>(name: string, description: string, schema: S) {
  return { name, in: 'header', required: false, description, schema };
}

function header<S>(description: string, schema: S) {
  return { description, schema };
}
