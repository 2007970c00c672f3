import { listOf, object, orNull, withField, word } from '../shapes.ts';
import { answerOf, listedBy } from './fact.ts';

/** Results that are composed here and not part of the contract. */

const nextSteps = listOf(object({ command: 'string', args: listOf(word('string')), when: 'string' }));

export const importSummary = object({
  object: '"import"',
  file: 'string',
  rows: 'integer',
  made: 'integer',
  failed: 'integer',
  mode: 'test | live',
  batch_ids: listOf(word('string')),
  'counts?': object({
    pending: 'integer',
    dispatched: 'integer',
    unfulfilled: 'integer',
    failed: 'integer',
    canceled: 'integer',
  }),
  ok_file: 'string',
  failed_file: orNull(word('string')),
  journal_file: 'string',
});

export const importCheck = object({
  object: '"import_check"',
  file: 'string',
  rows: 'integer',
  tip: 'integer',
  order_value: 'integer',
});

const timelineStep = object({
  status: 'a status',
  at: orNull(word('time')),
  lasted_seconds: orNull(word('integer')),
  skipped: 'boolean',
});

const choice = object({
  batch_id: 'string',
  try: listedBy('tries.list'),
  earlier: listOf(listedBy('tries.list')),
});

export const explanation = object({
  object: '"explanation"',
  delivery: word('a delivery, as in deliveries get'),
  timeline: listOf(timelineStep),
  late_seconds: orNull(word('integer')),
  choice: orNull(choice),
  charges: listOf(listedBy('charges.list')),
  paid: 'integer',
  order_cost: orNull(
    object({ paid: 'integer', attempts: listOf(object({ delivery_id: 'string', paid: 'integer' })) }),
  ),
  cancellation: answerOf('deliveries.cancellation'),
  courier_place: orNull(object({ stop: 'pickup | dropoff', miles: 'number' })),
  notes: listOf(listedBy('deliveries.notes')),
  failed_task: orNull(listedBy('failedTasks.list')),
  next: nextSteps,
});

export const verdict = object({
  valid: 'boolean',
  id: 'string',
  type: 'string',
  timestamp: orNull(word('time')),
  age_seconds: orNull(word('integer')),
  reason: 'string',
});

/** The event's record may be of any kind. */
export const event = withField(answerOf('events.get'), 'data', word('the record it describes'));

const attempt = {
  event,
  url: 'string',
  status_code: orNull(word('integer')),
  duration_ms: 'integer',
  attempt: 'integer',
  'resent?': 'true',
} as const;

export const ready = object({
  type: '"ready"',
  profile: 'string',
  mode: 'test | live',
  forward_to: orNull(word('string')),
  routes: listOf(object({ pattern: 'string', url: 'string' })),
  events: orNull(listOf(word('string'))),
  sink: orNull(word('string')),
  'secret?': 'string',
});
export const forwarded = object({ type: '"forwarded"', ...attempt });
export const forwardFailed = object({
  type: '"failed"',
  ...attempt,
  reason: 'string',
  response: 'string',
  retry_in_ms: orNull(word('integer')),
});
export const shownEvent = object({ type: '"event"', event });
export const serverDown = object({ type: '"down"', url: 'string', reason: 'string' });
export const serverUp = object({ type: '"up"', url: 'string' });
export const arrivedAtSink = object({
  type: '"arrived"',
  number: 'integer',
  event_id: orNull(word('string')),
  event_type: orNull(word('string')),
  answer: 'string',
});
/** The hints that endless commands write to stderr. */
export const hint = object({
  type: '"hint"',
  code: 'string',
  message: 'string',
  next: nextSteps,
});
export const secretShown = object({ type: '"secret"', secret: 'string' });

export const served = object({
  type: '"ready"',
  url: 'string',
  database: 'string',
  keys: orNull(object({ test: 'string', live: 'string' })),
  metrics_url: orNull(word('string')),
});

export const courierCheck = object({
  name: 'string',
  title: 'string',
  works: 'boolean',
  problem: orNull(word('string')),
  checked_at: orNull(word('time')),
  last_push_at: orNull(word('time')),
  calls_paused_until: orNull(word('time')),
});

export const courierCase = object({
  case: 'string',
  status: '"passed" | "failed" | "skipped"',
  demand: 'string',
  found: 'string',
});

export const fleetPrices = object({ per_delivery: 'integer', per_mile: 'integer', ask_pin: 'boolean' });
export const boardLink = object({ type: '"ready"', url: 'string' });
export const tracked = object({ type: '"ready"', url: 'string', tracking_url: 'string' });

export const tourLine = object({
  type: '"step" | "status" | "done"',
  'step?': 'integer',
  'title?': 'string',
  'about?': 'string',
  'command?': 'string',
  'happened?': listOf(word('string')),
  'data?': 'object',
  'delivery_id?': 'string',
  'status?': 'a status',
  'created_at?': 'time',
  'courier_name?': orNull(word('string')),
  'progress?': 'number',
  'next?': nextSteps,
});

export const shownProfile = object({
  name: 'string',
  current: 'boolean',
  'base_url?': 'string',
  'embedded?': 'true',
  'mode?': 'test | live',
  'api_key?': 'string',
  'api_key_file?': 'string',
  'api_key_in?': 'string',
  'api_key_shown?': 'string',
  'insecure_storage?': 'true',
  'output?': 'string',
  'preferences?': 'object',
});

export const identity = object({
  profile: 'string',
  'base_url?': 'string',
  'embedded?': 'true',
  mode: 'test | live',
  api_key: 'string',
  api_key_from: 'flag | environment | profile | key_file | keychain',
  account: answerOf('account.get'),
});

export const finding = object({
  check: 'string',
  status: 'ok | warn | fail',
  found: 'string',
  remedy: 'string',
  command: orNull(word('string')),
  code: orNull(word('string')),
  exit_code: 'integer',
});

export const setting = object({
  key: 'string',
  value: orNull(word('string')),
  origin: 'flag | environment | profile | default',
  source: orNull(word('string')),
});

/** Text for people, as programs receive it. */
export const spoken = object({ text: 'string' });

/** A line of a help topic's table. */
export const topicRow = object({
  'code?': 'integer',
  'category?': 'string',
  'name?': 'string',
  'number?': 'string',
  'meaning?': 'string',
  'happens?': 'string',
  'money?': 'string',
});

export const commandOutline = object({
  command: 'string',
  aliases: listOf(word('string')),
  summary: 'string',
  description: orNull(word('string')),
  effect: 'none | read | write',
  positionals: 'array of objects',
  flags: 'array of objects',
  global_flags: listOf(word('string')),
  examples: listOf(object({ command: 'string', summary: 'string' })),
  json: 'array of objects',
  exit_codes: listOf(object({ code: 'integer', meaning: 'string' })),
  error_codes: listOf(word('string')),
  related: listOf(word('string')),
});

/** A message of the Model Context Protocol. */
export const protocolMessage = object({
  jsonrpc: '"2.0"',
  'id?': word('the id of the request'),
  'result?': word('the response to a request'),
  'error?': word('an error of the protocol'),
  'method?': 'string',
  'params?': word('the parameters of a notification'),
});

export const keyRotation = object({
  object: '"key_rotation"',
  profile: orNull(word('string')),
  key_id: 'string',
  key: orNull(word('string')),
  last_four: 'string',
  permission: 'read | write | admin',
  mode: 'test | live',
  revoked_key_id: orNull(word('string')),
});
