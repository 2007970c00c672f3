import { type ErrorCode, errorTable, isErrorCode } from '../../contract/errors.ts';
import type { ExitCode } from '../kit/errors/failure.ts';
import { invocation, type NextStep } from '../kit/result/invocation.ts';
import { joinedTexts, phrase, type Text } from '../kit/result/message.ts';
import type { OwnMeaning } from './own-codes.ts';

/** The exit code, hint and next steps that the CLI adds to an error code of the service. */
export interface ServiceError {
  exit: ExitCode;
  /** How to fix it. */
  hint: Text;
  next: readonly NextStep[];
}

/** Suggested commands with their purposes; an argument in capitals stands for that positional of the line. */
function steps(exit: ExitCode, ...next: readonly NextStep[]): ServiceError {
  return { exit, hint: stepsText(next), next };
}

function words(exit: ExitCode, hint: Text, ...next: readonly NextStep[]): ServiceError {
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

/** The exit code of each error code of the service, and the fix. */
export const serviceErrors: Readonly<Record<ErrorCode, ServiceError>> = {
  unauthorized: words(4, phrase`Run \`${login}\`, or set WAYBILL_API_KEY to a key with the permission.`, {
    ...login,
    when: 'Store a key in a profile',
  }),
  account_suspended: words(4, 'Ask the operator of the service to resume the account.'),
  forbidden: words(
    4,
    'Ask the operator of the service: `waybill serve --clock-owner ACCOUNT` permits an account.',
  ),
  last_admin_key: steps(6, step('Create another admin key first', 'keys create', ['--permission', 'admin'])),
  route_api_key_test_mode_mismatch: steps(
    6,
    step('Use a key of the mode the route was made in', 'profiles use', ['NAME']),
  ),
  record_not_found: steps(5, step('Check the id and the profile in use', 'whoami')),
  quote_not_found: steps(5, step("List the route's quotes", 'quotes list', ['ROUTE'])),
  invalid_request: words(2, 'Correct the fields named and send it again.'),
  address_not_geocodable: words(2, 'Give the address as `street, city, state, ZIP`.'),
  route_not_draft: steps(6, step('See its status', 'routes get', ['ROUTE'])),
  order_not_open: words(
    6,
    phrase`See its status: \`${invocation('orders get', ['ORDER'])}\`; a draft route gives its orders back when deleted.`,
    step('See its status', 'orders get', ['ORDER']),
  ),
  quote_expired: steps(6, step('Ask for fresh quotes', 'routes quote', ['ROUTE'])),
  quote_used: steps(6, step('Ask for quotes of another delivery', 'deliveries quote')),
  quotes_not_ready: words(
    8,
    phrase`Wait for them: \`${invocation('quotes list', ['ROUTE', '--watch'])}\` (ask first with \`${invocation('routes quote', ['ROUTE'])}\`).`,
    step('Wait for them', 'quotes list', ['ROUTE', '--watch']),
    step('Ask for quotes first', 'routes quote', ['ROUTE']),
  ),
  delivery_not_initiable: steps(6, explain),
  delivery_not_cancelable: steps(6, explain),
  delivery_not_disputable: steps(6, explain),
  cost_above_limit: words(6, 'Nothing was changed. Raise --max-cost, or try again later.'),
  dispute_not_open: steps(6, step('See its outcome', 'disputes get', ['DELIVERY'])),
  delivery_not_editable: steps(6, explain),
  idempotency_key_reuse: words(
    6,
    'Take a new key for a new request, or send the first request again unchanged.',
  ),
  idempotency_key_in_use: words(6, 'Send the same request again in a moment; it will get the first answer.'),
  delivery_not_assignable: steps(6, explain),
  delivery_not_reportable: steps(6, explain),
  delivery_not_locked: steps(6, explain),
  driver_has_stops: steps(6, step('See the stops of each driver', 'drivers list')),
  webhook_endpoint_disabled: steps(6, step('Enable it first', 'webhooks update', ['ENDPOINT', '--enable'])),
  simulation_not_allowed: words(6, 'Use a test key on a sandbox service.'),
  simulation_unknown: steps(2, step('See the names', 'sandbox scenarios')),
  step_not_legal: steps(6, step('See the steps it can take', 'sandbox steps', ['DELIVERY'])),
  clock_unreadable: steps(6, step('Reset the sandbox', 'sandbox reset')),
  failed_task_not_retryable: steps(6, step('Drop it', 'admin failed', ['dismiss', 'TASK'])),
  courier_unknown: steps(5, step('List the couriers', 'couriers list')),
  courier_not_connected: steps(6, step('Connect it first', 'couriers connect', ['COURIER'])),
  courier_has_deliveries: steps(
    6,
    step('Let them finish, without new ones', 'couriers disable', ['COURIER']),
    step('Remove it nevertheless', 'couriers remove', ['COURIER', '--force']),
  ),
  courier_check_failed: steps(6, step('Enter the settings again', 'couriers connect', ['COURIER'])),
  courier_mode_mismatch: steps(6, step('Use a profile of the other mode', 'profiles use', ['NAME'])),
  secret_key_missing: words(
    6,
    phrase`Run the service with its key in WAYBILL_SECRET_KEY or --secret-key-file; \`${secretsStatus}\` shows which keys its database needs.`,
    { ...secretsStatus, when: 'See which keys the database needs' },
  ),
  not_found: words(1, phrase`See the paths in \`${openapi}\`.`, {
    ...openapi,
    when: 'List the paths of the interface',
  }),
  method_not_allowed: words(1, phrase`See the methods in \`${openapi}\`.`, {
    ...openapi,
    when: 'List the paths and methods of the interface',
  }),
  payload_too_large: words(1, 'Send less in one request.'),
  unsupported_media_type: words(1, 'Send `Content-Type: application/json`.'),
  rate_limited: words(11, 'Wait as long as `Retry-After` says.'),
  internal_error: words(7, 'Try again; if it stays, report the request id.'),
  overloaded: words(7, 'Try again in a moment.'),
  not_ready: words(7, 'Wait until the service is ready.'),
  storage_unavailable: words(7, phrase`Try again in a moment; \`${doctor}\` looks at the storage.`, {
    ...doctor,
    when: 'Find the cause',
  }),
};

/** The meaning of each error code of the service, with the exit code. */
export const serviceMeanings: Readonly<Record<string, OwnMeaning>> = Object.fromEntries(
  Object.entries(serviceErrors).map(([code, { exit }]) => [code, { exit, when: whenOf(code) }]),
);

function whenOf(code: string): string {
  return isErrorCode(code) ? errorTable[code].when : '';
}
