/**
 * The report of an error to the user: its exit code, its cause and the next commands. `createErrorReport` reads anything that
 * was thrown, by its class in `fullReport`; `write-error.ts` shows the report to people, and `errorObject` to programs.
 */
import { BadBaseUrl, BadProxy } from '../../client/addresses.ts';
import {
  AcceptedUnread,
  ApiError,
  ModeMismatch,
  OutcomeUnknown,
  Unreachable,
  Unsupported,
} from '../../client/errors.ts';
import { parseJson } from '../../client/incomplete-responses.ts';
import type { Feature } from '../../client/service-features.ts';
import { errorTable, isErrorCode } from '../../contract/errors.ts';
import { type CommandSpec, flagLabel, isBlank, positionalLabel } from '../kit/args/command-input.ts';
import { Failure, type Fault, type FlagFault } from '../kit/errors/failure.ts';
import {
  dashed,
  didYouMean,
  formatText,
  type Invocation,
  invocation,
  invocationsIn,
  joinedTexts,
  type MessageFormat,
  type NextStep,
  phrase,
  plainText,
  stepObject,
  type Text,
  withCommands,
  withoutCommands,
  withValues,
} from '../kit/result/message.ts';
import { documentResult, type Result, textResult } from '../kit/result/result.ts';
import { listOfKind, otherKindError } from '../records.ts';
import { availableSteps, categoryOf, resumeText, serviceErrors, stepsText } from './error-codes.ts';

/** An error, ready to be shown to people or programs. */
export interface ErrorReport {
  exit: number;
  code: string;
  message: Text;
  why: Text | null;
  hint: Text | null;
  /** The flag, positional or field at fault, if any. */
  param: string | null;
  status: number | null;
  request_id: string | null;
  /** Seconds. */
  retry_after: number | null;
  missing: readonly string[];
  choices: readonly string[];
  details: readonly FlagFault[];
  next: readonly NextStep[];
  /** Why each provider declined; only in JSON, and only if there are any. */
  reasons: readonly object[];
  /** The records that the input may mean; only in JSON, and only if there are any. */
  matches: readonly object[];
}

const emptyReport = {
  why: null,
  hint: null,
  param: null,
  status: null,
  request_id: null,
  retry_after: null,
  missing: [],
  choices: [],
  details: [],
  next: [],
  reasons: [],
  matches: [],
} satisfies Partial<ErrorReport>;

/** Creates the report of anything thrown. The command maps faults to its flags. */
export function createErrorReport(
  error: unknown,
  command: CommandSpec | null = null,
  has: Has = () => true,
): ErrorReport {
  const report = fullReport(error, command, has);
  const { hint, next } = report;
  return {
    ...report,
    hint: hint && withoutCommands(hint, (line) => availableSteps([line], has).length > 0),
    next: availableSteps([...next, ...stepsInHint(report)], has),
  };
}

/** The commands that only the hint names, for programs, which read `next`. One without its flags adds nothing. */
function stepsInHint({ hint, next }: ErrorReport): NextStep[] {
  return invocationsIn(hint ?? '')
    .filter((line) => !next.some(({ args }) => line.args.every((word, index) => args[index] === word)))
    .map((line) => ({ ...line, when: line.when ?? '' }));
}

/** Whether an error is reported with one of these codes, whether the service or the command line gave it. */
export function isReportedAs(error: unknown, ...codes: readonly string[]): boolean {
  return (error instanceof Failure || error instanceof ApiError) && codes.includes(error.code);
}

/** Whether a feature of the service is not known to be missing. */
type Has = (feature: Feature) => boolean;

function fullReport(error: unknown, command: CommandSpec | null, has: Has): ErrorReport {
  if (error instanceof Failure) return failureReport(error, command);
  if (error instanceof ModeMismatch) return modeMismatchReport(error, command);
  if (error instanceof Unsupported) return unsupportedReport(error, command);
  if (error instanceof ApiError) return apiErrorReport(error, command);
  if (error instanceof OutcomeUnknown) return outcomeUnknownReport(error, command, has);
  if (error instanceof AcceptedUnread) return unreadResponseReport(error);
  if (error instanceof Unreachable) return unreachableReport(error);
  if (error instanceof BadBaseUrl) return { ...emptyReport, exit: 2, code: 'usage', message: error.message };
  if (error instanceof BadProxy) return badProxyReport(error);
  return internalErrorReport(error);
}

function failureReport({ exit, code, text, details }: Failure, command: CommandSpec | null): ErrorReport {
  const { faults, cause, answer: _, ...given } = details;
  return {
    ...emptyReport,
    ...(cause instanceof ApiError ? responseDetails(cause, command) : {}),
    param: null,
    ...given,
    exit,
    code,
    message: text,
    ...(faults === undefined ? {} : { details: faults }),
  };
}

function responseDetails(error: ApiError, command: CommandSpec | null) {
  return {
    status: error.status,
    request_id: error.request_id,
    retry_after: error.retry_after_ms === null ? null : Math.ceil(error.retry_after_ms / 1000),
    details: error.details.map((fault) => namedFault(fault, command)),
    param: error.param === null ? null : (flagForPath(error.param, command) ?? error.param),
  };
}

function apiErrorReport(error: ApiError, command: CommandSpec | null): ErrorReport {
  const code = isErrorCode(error.code) ? error.code : null;
  const known = code === null ? null : serviceErrors[code];
  if (code === 'unauthorized' && error.param === 'x-api-key') return permissionReport(error);
  const steps =
    code === 'order_not_open'
      ? stepsForOrder(error.related_ids)
      : code === 'store_paused'
        ? error.related_ids.map((id) => ({ ...invocation('stores resume', [id]), when: resumeText }))
        : [];
  return {
    ...emptyReport,
    exit: known?.exit ?? (error.code === 'unexpected_answer' ? 7 : exitOfStatus(error.status)),
    code: error.code,
    message: error.message,
    why: code !== null && hasNoMessage(error) ? errorTable[code].when : null,
    hint: steps.length > 0 ? stepsText(steps) : (known?.hint ?? null),
    ...responseDetails(error, command),
    choices: error.choices,
    next: steps.length > 0 ? steps : (known?.next ?? []),
  };
}

/** The key is known and lacks the permission: no command may lead around that. */
function permissionReport(error: ApiError): ErrorReport {
  return {
    ...emptyReport,
    exit: 4,
    code: error.code,
    message: error.message,
    hint: 'Ask the owner of the account for a key with that permission.',
    status: error.status,
    request_id: error.request_id,
  };
}

/** True if the message only repeats the code: then the message of the table is used. */
function hasNoMessage({ message, code }: ApiError): boolean {
  return message.trim() === '' || message === code;
}

/** The key has another mode than the profile: says whether anything was changed. */
function modeMismatchReport(error: ModeMismatch, command: CommandSpec | null): ErrorReport {
  const { written } = error;
  const ids = written === null || written.length === 0 ? '' : ` It is about ${written.join(', ')}.`;
  const done =
    written === null
      ? 'The request that was answered changed nothing.'
      : `The change was made all the same, in the mode of the key.${ids}`;
  return {
    ...emptyReport,
    ...responseDetails(error, command),
    exit: 6,
    code: error.code,
    message: error.message,
    why: done,
    hint: "Use a key of the profile's mode, or store this key in another profile.",
    next: [{ ...invocation('login'), when: 'store a key with the mode that it has' }],
  };
}

/** The exit code for an unknown error code, by its HTTP status. */
function exitOfStatus(status: number): number {
  if (status === 401 || status === 403 || status === 407) return 4;
  if (status === 404) return 5;
  if (status === 409) return 6;
  if (status === 429) return 11;
  if (status === 400 || status === 422) return 2;
  return status >= 500 || status < 400 ? 7 : 1;
}

function unreachableReport(error: Unreachable): ErrorReport {
  return {
    ...emptyReport,
    exit: 7,
    code: 'unreachable',
    message: error.message,
    hint: 'Check the address and the network.',
    next: [{ ...invocation('doctor'), when: 'find the cause' }],
  };
}

function unsupportedReport(error: Unsupported, command: CommandSpec | null): ErrorReport {
  const whoami = invocation('whoami');
  return {
    ...emptyReport,
    ...responseDetails(error, command),
    exit: 6,
    code: error.code,
    message: error.message,
    hint: phrase`\`${whoami}\` shows what this service has.`,
    next: [{ ...whoami, when: 'see what this service has' }],
  };
}

/** Suggests to look up a write whose outcome is unknown before it is repeated. */
function outcomeUnknownReport(error: OutcomeUnknown, command: CommandSpec | null, has: Has): ErrorReport {
  const { cause } = error;
  const next = availableSteps(lookUpSteps(error.operation, error.params), has);
  const notRepeated = 'It was not repeated: this service has no idempotency keys';
  return {
    ...emptyReport,
    ...(cause instanceof ApiError ? responseDetails(cause, command) : {}),
    exit: 7,
    code: 'outcome_unknown',
    message: `${error.message.replace(/[^.!?]$/, '$&.')} The service may have received the request and done it.`,
    hint:
      next.length === 0
        ? `${notRepeated}, and does not show such records.`
        : phrase`${notRepeated}. Before you do: ${stepsText(next)}`,
    next,
  };
}

/** The commands that show whether a write was executed if its response is lost. */
function lookUpSteps(operation: string, params: OutcomeUnknown['params'] = {}): NextStep[] {
  const route = String(params.route_id ?? 'ROUTE');
  const deliveries = { ...invocation('deliveries list'), when: 'Look whether the delivery is there' };
  switch (operation) {
    case 'CreateOrders':
      return [{ ...invocation('orders list'), when: 'Look whether the order is there' }, deliveries];
    case 'CreateRoute':
      return [{ ...invocation('routes list'), when: 'Look whether the route is there' }];
    case 'GetRouteQuotes':
      return [{ ...invocation('quotes list', [route]), when: 'Look whether the quotes come' }];
    default:
      return typeof params.deliveryid === 'string'
        ? [{ ...invocation('deliveries get', [params.deliveryid]), when: 'Look at the delivery' }]
        : [deliveries];
  }
}

/** For a flow that needs the unreadable response to continue. On its own, such a write is not an error. */
function unreadResponseReport(error: AcceptedUnread): ErrorReport {
  const next = lookUpSteps(error.operation);
  const code = 'unexpected_answer';
  return { ...emptyReport, exit: 7, code, message: error.message, hint: stepsText(next), next };
}

function badProxyReport({ message }: BadProxy): ErrorReport {
  const hint = 'Correct it, or name the service in NO_PROXY.';
  return { ...emptyReport, exit: 2, code: 'usage', message, hint };
}

function internalErrorReport(error: unknown): ErrorReport {
  const message = error instanceof Error ? error.message : String(error);
  const hint = 'This is a fault of waybill. Run it again with --debug to see where, and report it.';
  return { ...emptyReport, exit: 1, code: 'internal', message, hint };
}

/** A longer list of choices is left out if the hint already suggests one of them. */
export const max_choices = 8;

/** The error object that `--json` writes to stderr. */
export function errorObject(
  error: ErrorReport,
  messageFormat: MessageFormat,
): { error: Record<string, unknown> } {
  const { exit, code, message, why: _, hint, next, reasons, matches, ...rest } = error;
  const fields = {
    code,
    message: formatText(message, messageFormat),
    category: categoryOf(exit),
    hint: hint === null ? null : formatText(hint, messageFormat),
    ...rest,
    choices: hint !== null && rest.choices.length > max_choices ? [] : rest.choices,
    next: next.map((step) => stepObject(messageFormat.withContextFlags(step))),
    reasons,
    matches,
    exit,
  };
  const isSaid = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  // Scripts iterate over `next`, so it is there also without a step.
  const said = Object.entries(fields).filter(([field, value]) => field === 'next' || isSaid(value));
  return { error: Object.fromEntries(said) };
}

/**
 * Fills in the IDs of the line: `routes quote ROUTE` becomes `routes quote rte_…`. An empty one is left out. Values
 * typed as arguments are named as such.
 */
export function withPositionals(
  report: ErrorReport,
  { positionals }: CommandSpec,
  words: readonly string[],
): ErrorReport {
  const error = explainMissing(report, positionals, words);
  const given = new Map(
    Object.keys(positionals)
      .map((name, index) => [positionalLabel(name), words[index] ?? ''] as const)
      .filter(([, word]) => !isBlank(word)),
  );
  const fill = <T extends Invocation>(line: T) => withValues(line, given);
  const hint = error.hint === null ? null : withCommands(error.hint, fill);
  return {
    ...error,
    ...withTypedLabels(error, Object.keys(positionals).slice(0, words.length)),
    hint: suggestChoice(error, words) ?? hint,
    next: error.next.map(fill),
  };
}

/** Names a value by its argument instead of the flag that could have been typed for it: `URL`, not `--url`. */
function withTypedLabels({ details, param }: ErrorReport, typed: readonly string[]) {
  const labels = new Map(typed.map((name) => [flagLabel(name), positionalLabel(name)]));
  const label = (flag: string | null) => labels.get(flag ?? '') ?? flag;
  return { details: details.map((fault) => ({ ...fault, flag: label(fault.flag) })), param: label(param) };
}

/** Suggests which argument was mistyped, from the choices that the service returned. */
function suggestChoice({ status, choices }: ErrorReport, words: readonly string[]): Text | undefined {
  if (status === null) return undefined;
  return words.map((word) => didYouMean(word, choices)).find((found) => found !== undefined);
}

/** Kinds of records that people look for by the reference of an order in them. */
const kindsWithOrders: readonly string[] = ['route', 'batch'];

/**
 * The next steps for an order that is not open, from the IDs in the refusal: the order, and the record that holds it.
 * Empty without an order.
 */
export function stepsForOrder([order, holder = '']: readonly string[]): NextStep[] {
  if (order === undefined) return [];
  const look = { ...invocation('orders get', [order]), when: 'See its status' };
  switch (holder.split('_')[0]) {
    case 'bat':
      return [{ ...invocation('batches get', [holder]), when: 'See how far auto dispatch is' }];
    case 'rte':
      return [look, { ...invocation('routes get', [holder]), when: 'See its route' }];
    case 'dlv':
      return [
        look,
        { ...invocation('deliveries explain', [holder]), when: 'See its delivery and the next steps' },
      ];
    default:
      return [look];
  }
}

/**
 * Explains why the service has no record for an argument: it is the ID of another kind of record, or no ID at all.
 * Returns any other error unchanged.
 */
function explainMissing(
  error: ErrorReport,
  positionals: CommandSpec['positionals'],
  words: readonly string[],
): ErrorReport {
  if (error.code !== 'record_not_found' || error.status === null) return error;
  const message = plainText(error.message);
  for (const [index, { kind }] of Object.values(positionals).entries()) {
    const word = words[index] ?? '';
    if (word === '' || !message.includes(word)) continue;
    const other = otherKindError(word, kind);
    if (other !== null) return { ...error, ...other, hint: null };
    return { ...error, next: [...findSteps(word, kind), ...error.next] };
  }
  return error;
}

function findSteps(word: string, kind: string): NextStep[] {
  const list = listOfKind(kind);
  const isId = /^[a-z]{2,3}_/.test(word);
  const find = { ...invocation('deliveries get', [word]), when: 'find a delivery by your reference' };
  return [...(kindsWithOrders.includes(kind) && !isId ? [find] : []), ...(list === null ? [] : [list])];
}

/** The result of an accepted write: the service's response, and how to look up its outcome. */
export function acceptedResult(error: AcceptedUnread, has: (feature: Feature) => boolean): Result {
  const steps = availableSteps(lookUpSteps(error.operation), has);
  const notes = [joinedTexts([`Warning: ${error.message}`, stepsText(steps)], ' ')];
  const data = parseJson(error.body);
  return data === undefined ? textResult(error.body, { notes }) : documentResult(data, { notes });
}

/** Adds the flag to a fault: the one it names, or the one that its path belongs to. */
function namedFault(fault: Fault, command: CommandSpec | null): FlagFault {
  if (isNamed(fault)) return fault;
  const { path, message, conflicts_with } = fault;
  const other = conflicts_with === undefined ? null : flagForPath(conflicts_with, command);
  const named = other === null ? message : `cannot be given together with ${other}`;
  return { path, message: named, flag: flagForPath(path, command) };
}

function isNamed(fault: Fault): fault is FlagFault {
  return 'flag' in fault && (fault.flag === null || typeof fault.flag === 'string');
}

/** The flag or positional for `orders[0].dropoff_phone_number`: `--dropoff-phone-number`. */
function flagForPath(path: string, command: CommandSpec | null): string | null {
  if (command === null) return null;
  const fields = path.split(/[.[\]]+/).filter((part) => part !== '' && !/^\d+$/.test(part));
  for (const field of fields.reverse()) {
    const label = labelOf(field, command);
    if (label !== null) return label;
  }
  return null;
}

function labelOf(field: string, { flags, positionals }: CommandSpec): string | null {
  const names = [
    field.replaceAll('-', '_'),
    field.replace(/s$/, ''),
    field.replace(/_ids?$/, ''),
    field.replace(/_ids$/, 's'),
  ];
  const isSame = (name: string) => names.includes(dashed(name).replaceAll('-', '_'));
  const flag = Object.keys(flags).find((name) => isSame(name) || flags[name]?.aliases.some(isSame));
  if (flag !== undefined) return flagLabel(flag);
  const isOfKind = ({ kind }: { kind: string }) => field.endsWith(`_${kind}`);
  const positional = Object.entries(positionals).find(([name, spec]) => isSame(name) || isOfKind(spec));
  return positional === undefined ? null : positionalLabel(positional[0]);
}
