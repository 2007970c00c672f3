/** Exit codes, and for each error code its exit code, hint and next commands. */
import type { Feature } from '../../client/service-features.ts';
import { type ErrorCode, errorTable, isErrorCode } from '../../contract/errors.ts';
import type { ExitCode } from '../kit/errors/failure.ts';
import type { InterruptionStatus, Signal } from '../kit/host/host.ts';
import { escapedJson } from '../kit/output/safe-text.ts';
import {
  type Invocation,
  invocation,
  joinedTexts,
  type NextStep,
  phrase,
  shellLine,
  type Text,
  toArgv,
} from '../kit/result/message.ts';

/** The meaning of an exit code; `category` is its name in JSON errors. */
interface ExitMeaning {
  code: ExitCode;
  category: string;
  meaning: string;
}

/** Every exit code of the program. */
export const exits = [
  { code: 0, category: 'done', meaning: 'success (an empty list too)' },
  { code: 1, category: 'internal', meaning: 'internal error' },
  {
    code: 2,
    category: 'usage',
    meaning: 'usage error: unknown or missing flag, invalid input, confirmation required',
  },
  { code: 3, category: 'declined', meaning: 'declined at the prompt' },
  { code: 4, category: 'authentication', meaning: 'missing or invalid API key, or not permitted' },
  { code: 5, category: 'not_found', meaning: 'not found' },
  {
    code: 6,
    category: 'conflict',
    meaning:
      'conflict: route not draft, quote expired, wrong mode, above --max-cost or --max-fee, file already being imported',
  },
  { code: 7, category: 'unreachable', meaning: 'service unreachable, or 5xx after retries' },
  { code: 8, category: 'pending', meaning: 'timed out while still pending' },
  { code: 9, category: 'outcome', meaning: 'unsuccessful outcome: failed, canceled, returned, no quotes' },
  { code: 10, category: 'partial', meaning: 'some items of a bulk operation failed' },
  { code: 11, category: 'rate_limited', meaning: 'rate limited after retries' },
  { code: 129, category: 'interrupted', meaning: 'terminal closed (ended by SIGHUP)' },
  { code: 130, category: 'interrupted', meaning: 'interrupted with Ctrl+C (ended by SIGINT)' },
  { code: 143, category: 'interrupted', meaning: 'terminated (ended by SIGTERM)' },
] as const satisfies readonly ExitMeaning[];

/** The category of an exit code; a code outside the table is a fault of this program. */
export function categoryOf(code: number): string {
  return exits.find((exit) => exit.code === code)?.category ?? 'internal';
}

const signalExits = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The text printed when the process ends by a signal or by Ctrl+C at a prompt. */
export function interruptionText(signal: Signal, status: InterruptionStatus | null, isJson: boolean): string {
  const ended = signal === 'SIGINT' ? 'Interrupted.' : 'Terminated.';
  const message = `${ended} ${status?.text ?? ''}`.trimEnd();
  if (!isJson) return `${signal === 'SIGINT' ? '\n' : ''}${message}\n`;
  const exit = signalExits[signal];
  const next = (status?.next ?? []).map((line) => {
    return { command: shellLine(line), args: toArgv(line), when: line.when ?? 'go on' };
  });
  const error = {
    code: 'interrupted',
    message,
    category: categoryOf(exit),
    next,
    exit,
  };
  return `${escapedJson(JSON.stringify({ error }))}\n`;
}

/** The exit code, hint and next steps that the CLI adds to an error code of the service. */
interface ServiceError {
  exit: ExitCode;
  /** How to fix it. */
  hint: Text;
  next: readonly NextStep[];
}

/** Suggested commands with their purposes; an argument in capitals stands for that positional of the line. */
function withSteps(exit: ExitCode, ...next: readonly NextStep[]): ServiceError {
  return { exit, hint: stepsText(next), next };
}

function withHint(exit: ExitCode, hint: Text, ...next: readonly NextStep[]): ServiceError {
  return { exit, hint, next };
}

/** The steps as sentences. */
export function stepsText(next: readonly NextStep[]): Text {
  return joinedTexts(
    next.map(({ when, ...line }) => phrase`${when}: \`${line}\`.`),
    ' ',
  );
}

function step(when: string, command: string, args: readonly string[] = []): NextStep {
  return { ...invocation(command, args), when };
}

const explain = step('See its status and the next steps', 'deliveries explain', ['DELIVERY']);
const login = invocation('login');
const openapi = invocation('openapi');
const doctor = invocation('doctor');
const secretsStatus = invocation('secrets status');

/** The hint of `too_late`. */
export const lateHint =
  'Nothing was dispatched. Agree on a later time, or pass --late-ok: the recipient is promised the later one.';

/** When a paused store is resumed. */
export const resumeText = 'Resume it, if whoever paused it agrees';

/** The exit code of each error code of the service, and the fix. */
export const serviceErrors: Readonly<Record<ErrorCode, ServiceError>> = {
  unauthorized: withHint(4, phrase`Run \`${login}\`, or set WAYBILL_API_KEY to a key with the permission.`, {
    ...login,
    when: 'Store a key in a profile',
  }),
  account_suspended: withHint(4, 'Ask the operator of the service to resume the account.'),
  forbidden: withHint(
    4,
    'Ask the operator of the service: `waybill serve --clock-owner ACCOUNT` permits an account.',
  ),
  last_admin_key: withSteps(
    6,
    step('Create another admin key first', 'keys create', ['--permission', 'admin']),
  ),
  route_api_key_test_mode_mismatch: withSteps(
    6,
    step('Use a key of the mode the route was made in', 'profiles use', ['NAME']),
  ),
  record_not_found: withSteps(5, step('Check the id and the profile in use', 'whoami')),
  quote_not_found: withSteps(5, step("List the route's quotes", 'quotes list', ['ROUTE'])),
  invalid_request: withHint(2, 'Correct the fields named and send it again.'),
  address_not_geocodable: withHint(2, 'Give the address as `street, city, state, ZIP`.'),
  route_not_draft: withSteps(6, step('See its status', 'routes get', ['ROUTE'])),
  order_not_open: withHint(
    6,
    phrase`See its status: \`${invocation('orders get', ['ORDER'])}\`; a draft route gives its orders back when deleted.`,
    step('See its status', 'orders get', ['ORDER']),
  ),
  quote_expired: withSteps(6, step('Ask for fresh quotes', 'routes quote', ['ROUTE'])),
  quote_used: withSteps(
    6,
    step('Ask for quotes of another delivery', 'deliveries quote'),
    step('Ask for fresh quotes of the route', 'routes quote', ['ROUTE']),
  ),
  quote_outdated: withSteps(6, step("List the route's quotes", 'quotes list', ['ROUTE'])),
  duplicate_ref: withHint(6, 'Nothing was created or sent. Look at the order that has the reference.'),
  quotes_not_ready: withHint(
    8,
    phrase`Wait for them: \`${invocation('quotes list', ['ROUTE', '--watch'])}\` (ask first with \`${invocation('routes quote', ['ROUTE'])}\`).`,
    step('Wait for them', 'quotes list', ['ROUTE', '--watch']),
    step('Ask for quotes first', 'routes quote', ['ROUTE']),
  ),
  store_paused: withSteps(6, step(resumeText, 'stores resume', ['STORE'])),
  delivery_not_initiable: withSteps(6, explain),
  delivery_not_cancelable: withSteps(6, explain),
  delivery_not_disputable: withSteps(6, explain),
  cost_above_limit: withHint(6, 'Nothing was dispatched. Prices change: try again later.'),
  too_late: withHint(6, lateHint),
  dispute_not_open: withSteps(6, step('See its outcome', 'disputes get', ['DELIVERY'])),
  delivery_not_editable: withSteps(6, explain),
  idempotency_key_reuse: withHint(
    6,
    'Take a new key for a new request, or send the first request again unchanged.',
  ),
  idempotency_key_in_use: withHint(
    6,
    'Send the same request again in a moment; it will get the first answer.',
  ),
  record_changed: withHint(6, 'Look at it again, then decide.'),
  delivery_not_assignable: withSteps(6, explain),
  delivery_not_reportable: withSteps(6, explain),
  delivery_not_locked: withSteps(6, explain),
  driver_has_stops: withSteps(6, step('See the stops of each driver', 'drivers list')),
  webhook_endpoint_disabled: withSteps(
    6,
    step('Enable it first', 'webhooks update', ['ENDPOINT', '--enable']),
  ),
  simulation_not_allowed: withHint(6, 'Use a test key on a sandbox service.'),
  simulation_unknown: withSteps(2, step('See the names', 'sandbox scenarios')),
  step_not_legal: withSteps(6, step('See the steps it can take', 'sandbox steps', ['DELIVERY'])),
  clock_unreadable: withSteps(6, step('Reset the sandbox', 'sandbox reset')),
  failed_task_not_retryable: withSteps(6, step('Drop it', 'admin failed', ['dismiss', 'TASK'])),
  courier_unknown: withSteps(
    5,
    step('List the couriers', 'couriers list'),
    step("Only ask others, for a store's orders", 'stores update', ['STORE', '--provider', 'NAMES']),
  ),
  courier_not_connected: withSteps(6, step('Connect it first', 'couriers connect', ['COURIER'])),
  courier_has_deliveries: withSteps(
    6,
    step('Let them finish, without new ones', 'couriers disable', ['COURIER']),
  ),
  courier_check_failed: withSteps(6, step('Enter the settings again', 'couriers connect', ['COURIER'])),
  courier_mode_mismatch: withSteps(6, step('Use a profile of the other mode', 'profiles use', ['NAME'])),
  secret_key_missing: withHint(
    6,
    phrase`Run the service with its key in WAYBILL_SECRET_KEY or --secret-key-file; \`${secretsStatus}\` shows which keys its database needs.`,
    { ...secretsStatus, when: 'See which keys the database needs' },
  ),
  not_found: withHint(1, phrase`See the paths in \`${openapi}\`.`, {
    ...openapi,
    when: 'List the paths of the interface',
  }),
  method_not_allowed: withHint(1, phrase`See the methods in \`${openapi}\`.`, {
    ...openapi,
    when: 'List the paths and methods of the interface',
  }),
  payload_too_large: withHint(1, 'Send less in one request.'),
  unsupported_media_type: withHint(1, 'Send `Content-Type: application/json`.'),
  rate_limited: withHint(11, 'Wait as long as `Retry-After` says.'),
  limit_reached: withHint(11, 'Try again when there is room below the limit.'),
  internal_error: withHint(7, 'Try again; if it stays, report the request id.'),
  overloaded: withHint(7, 'Try again in a moment.'),
  not_ready: withHint(7, 'Wait until the service is ready.'),
  storage_unavailable: withHint(7, phrase`Try again in a moment; \`${doctor}\` looks at the storage.`, {
    ...doctor,
    when: 'Find the cause',
  }),
};

/** The meaning of each error code of the service, with the exit code. */
export const serviceMeanings: Readonly<Record<string, OwnMeaning>> = Object.fromEntries(
  Object.entries(serviceErrors).map(([code, { exit }]) => [code, { exit, when: meaningInContract(code) }]),
);

function meaningInContract(code: string): string {
  return isErrorCode(code) ? errorTable[code].when : '';
}

/** The meaning of an error code of this program; those of the service are in the contract's table. */
export interface OwnMeaning {
  exit: ExitCode;
  when: string;
}

/** Codes that any command can fail with. */
export const usualCodes = {
  internal: { exit: 1, when: 'Internal error.' },
  output_failed: { exit: 1, when: 'The output could not be written, for example because the disk is full.' },
  usage: { exit: 2, when: 'Conflicting or unknown arguments.' },
  unknown_command: { exit: 2, when: 'Unknown command.' },
  unknown_flag: { exit: 2, when: 'Unknown flag.' },
  unknown_field: { exit: 2, when: 'Unknown output field.' },
  bad_expression: { exit: 2, when: 'Invalid --jq filter.' },
  expression_failed: { exit: 2, when: 'The --jq filter failed on this output.' },
  missing_input: { exit: 2, when: 'Missing input; `missing` lists it.' },
  missing_value: { exit: 2, when: 'A flag is missing its value.' },
  bad_value: { exit: 2, when: 'Invalid value.' },
  confirmation_needed: { exit: 2, when: 'Confirmation required, but there is no terminal for a prompt.' },
  settings_broken: { exit: 2, when: 'The settings file is invalid.' },
  settings_unusable: { exit: 2, when: 'The settings file cannot be read or written.' },
  declined: { exit: 3, when: 'Declined at the prompt.' },
  no_api_key: { exit: 4, when: 'No API key is configured.' },
  keychain_empty: { exit: 4, when: 'The key is missing from the system keychain.' },
  keychain_unreadable: { exit: 4, when: 'The system keychain does not respond.' },
  profile_not_found: { exit: 5, when: 'No such profile.' },
  not_supported: { exit: 6, when: 'The service does not have this operation.' },
  unreachable: { exit: 7, when: 'The service did not respond.' },
  outcome_unknown: { exit: 7, when: 'The response was lost: the service may have executed the request.' },
  unexpected_answer: { exit: 7, when: 'The response is not from a waybill service.' },
  storage_damaged: { exit: 7, when: 'The database of the embedded service is damaged.' },
  interrupted: {
    exit: 130,
    when: 'Interrupted with Ctrl+C or by the end of stdin at a prompt; 143 for SIGTERM, 129 for SIGHUP.',
  },
} as const satisfies Record<string, OwnMeaning>;

/** Codes of particular commands. */
export const ownCodes = {
  bad_rows: { exit: 2, when: 'The file has invalid rows; nothing was sent.' },
  file_unwritable: { exit: 2, when: 'A result file next to the imported file cannot be written.' },
  plan_broken: { exit: 2, when: 'The saved wizard progress cannot be read.' },
  plan_unusable: { exit: 2, when: 'Wizard progress cannot be saved.' },
  nothing_to_resume: { exit: 5, when: 'There is no saved wizard progress.' },
  above_max_cost: { exit: 6, when: 'The quote and the tip cost more than --max-cost.' },
  fee_not_agreed: { exit: 6, when: 'The cancellation fee is not the one that was agreed to.' },
  above_max_fee: { exit: 6, when: 'Canceling costs more than --max-fee.' },
  migrations_pending: { exit: 6, when: 'The database lacks migrations of this version.' },
  account_not_empty: { exit: 6, when: 'The account has records, so it cannot be deleted.' },
  search_incomplete: {
    exit: 6,
    when: 'Nothing was found, but the service may have records that cannot be searched.',
  },
  profile_settled: { exit: 6, when: 'The URL of a profile with a key cannot be changed.' },
  profile_exists: { exit: 6, when: 'The profile already exists.' },
  import_begun: {
    exit: 6,
    when: 'The file was imported before, in part or whole: `next` says how to go on.',
  },
  import_running: { exit: 6, when: 'The file is being imported.' },
  wizard_running: { exit: 6, when: 'The unfinished delivery is open in another terminal.' },
  import_differs: { exit: 6, when: 'The file or its options have changed since the import was started.' },
  journal_damaged: { exit: 6, when: 'The import journal cannot be read.' },
  still_pending: { exit: 8, when: 'Timed out while still pending.' },
  bad_outcome: { exit: 9, when: 'Ended unsuccessfully.' },
  no_quotes: { exit: 9, when: 'No provider offers a quote; `reasons` says why.' },
  delivery_failed: { exit: 9, when: 'The delivery failed at once (10: only some of several did).' },
  delivery_STATUS: { exit: 9, when: 'The delivery has this status and can no longer reach the other one.' },
  order_STATUS: { exit: 9, when: 'The order has this status and can no longer reach the other one.' },
  route_STATUS: { exit: 9, when: 'The route has this status and can no longer reach the other one.' },
  batch_not_dispatched: { exit: 9, when: 'No order of the batch was dispatched.' },
  no_webhook_endpoint: { exit: 9, when: 'No endpoint subscribes to this event type.' },
  webhook_attempt_failed: { exit: 9, when: 'The endpoint did not accept the event.' },
  webhook_not_valid: { exit: 9, when: 'The signature or age is invalid.' },
  batch_partly_dispatched: { exit: 10, when: 'Some orders of the batch were not dispatched.' },
  rows_failed: { exit: 10, when: 'Some rows failed.' },
  some_not_changed: { exit: 10, when: 'Some deliveries were refused or failed.' },
  some_not_resent: { exit: 10, when: 'Some events were not sent.' },
} as const satisfies Record<string, OwnMeaning>;

/** An error code of this program. */
export type OwnCode = keyof typeof ownCodes | keyof typeof usualCodes;

/** Leaves out commands that need a feature which the service is known to lack. */
export function availableSteps<T extends Invocation>(
  suggested: readonly T[],
  has: (feature: Feature) => boolean,
): T[] {
  return suggested.filter(({ command, args }) => {
    const [group = '', verb = args[0] ?? ''] = command.split(' ');
    // A copy is made of the order.
    if (args.includes('--like') && !has('orders')) return false;
    if (args.includes('--driver') && !has('drivers')) return false;
    const isChange = group === 'deliveries' && deliveryChanges.includes(verb);
    const known = lookupVerbs.includes(verb) ? lookupFeatures[group] : undefined;
    const feature = isChange ? 'idempotency' : (known ?? groupFeatures[group]);
    return feature === undefined || has(feature);
  });
}

const lookupVerbs: readonly string[] = ['list', 'get', 'wait', 'attempts'];

/** Groups of which a service may lack the look-ups only. */
const lookupFeatures: Readonly<Record<string, Feature>> = {
  orders: 'orders',
  routes: 'routes',
  batches: 'batches',
};

/** Changes of a delivery that only a service with the whole contract, and so with idempotency keys, is known to have. */
const deliveryChanges: readonly string[] = [
  ...['assign', 'dispute', 'edit', 'initiate', 'note', 'report', 'retry', 'unlock'],
];

const groupFeatures: Readonly<Record<string, Feature>> = {
  audit: 'keys',
  charges: 'charges',
  couriers: 'couriers',
  disputes: 'idempotency',
  drivers: 'drivers',
  events: 'stream',
  keys: 'keys',
  listen: 'webhooks',
  sandbox: 'sandbox',
  stores: 'stores',
  webhooks: 'webhooks',
};
