/** The way of every request: its operation, key, body, due tasks and handler, until it has an answer. */
import { Problem } from '../../contract/errors.ts';
import { isAudited, type ReceivedRequest, type WireResponse } from '../../contract/operation.ts';
import { isFields } from '../../domain/fields.ts';
import { defaultRateLimits } from '../../domain/operator-settings.ts';
import type { Scope } from '../../storage/database.ts';
import type { ServiceContext, SharedContext } from '../runtime/context.ts';
import { createIds, exactPart, newRequestId, takeRandomPart } from '../runtime/ids.ts';
import { seededChance } from '../runtime/random.ts';
import type { Dialect } from '../runtime/service-ports.ts';
import { type Clock, instant } from '../runtime/time.ts';
import {
  type Admission,
  addressHolder,
  createAdmission,
  type Holder,
  keyHolder,
  linkHolder,
} from './admission.ts';
import { type Answer, errorAnswer, invalidField, refusalPage, toAnswer } from './answers.ts';
import { authenticate, type Callers, createNoteKeyUse, holdsPermission, nobody } from './authentication.ts';
import { forCaller } from './constant-answers.ts';
import type { CallBase, Caller, Endpoint } from './handler.ts';
import { createRateLimiter, type RateLimiter } from './rate-limits.ts';
import { readBodyText, readJsonBody } from './request-body.ts';
import { parseTarget, type Router } from './router.ts';
import { createStreamLimits, type TakeStream } from './stream-limits.ts';

/** A handled request, for the log and the metrics. */
export interface HandledRequest {
  /** Null if it reached no operation. */
  operation: string | null;
  /** Null without a valid key. */
  account_id: string | null;
  mode: 'test' | 'live' | null;
  /** The last four characters of the key. */
  key_end: string | null;
}

type ServiceResponse = WireResponse & { handled: HandledRequest };

export type Fetch = (request: ReceivedRequest) => Promise<ServiceResponse>;

/** The steps before an operation is executed, for tasks that became due since the last request. */
interface BeforeRequest {
  /** Reads clock changes of other processes. */
  refreshClock: (service: ServiceContext) => Promise<void>;
  /** The same, and executes a share of the due tasks. */
  runDueTasks: (service: ServiceContext, isRead: boolean) => Promise<void>;
}

interface FetchParts {
  shared: SharedContext;
  /** Finds the endpoint of a request. */
  route: Router;
  callers: Callers;
  before: BeforeRequest;
  /** Finds the address with a push token. Throws `record_not_found`. */
  findPushAddress: (push_token: string) => Promise<PushAddress>;
}

/** Handles requests: it has an answer for every path and never rejects. */
export function createFetch(parts: FetchParts): Fetch {
  const { shared } = parts;
  const { storage, monotonic, wall } = shared;
  const limits = { ...defaultRateLimits(shared), ...shared.rate_limits };
  const nextArrival = createArrivals(wall);
  const tools: FetchTools = {
    ...parts,
    admission: createAdmission(shared),
    anonymousAdmission: createAdmission(shared),
    limiter: createRateLimiter(monotonic, limits),
    takeStream: createStreamLimits(shared.max_streams ?? Number.POSITIVE_INFINITY),
    constantAnswers: createConstantAnswers(),
    noteKeyUse: createNoteKeyUse(storage, wall),
  };
  return async (request) => {
    const arrival = nextArrival();
    const { request_id } = arrival;
    const progress: Progress = {
      service: shared.inMode(0),
      handled: { operation: null, account_id: null, mode: null, key_end: null },
      headers: {},
    };
    const answer = await answerRequest(tools, { ...arrival, request }, progress).catch((fault: unknown) => {
      const page = refusalPage(fault, request.headers.accept);
      const report = (hidden: unknown) => progress.service.onFault?.(hidden, request_id);
      return page ?? errorAnswer(fault, request_id, report);
    });
    const { service, handled, headers: own } = progress;
    if (request.method !== 'GET') service.changes.notify();
    return {
      status: answer.status,
      body: answer.body,
      handled,
      ...optionalParts(answer),
      headers: { ...commonHeaders(request_id, service), ...own, ...answer.headers },
    };
  };
}

interface FetchTools extends FetchParts {
  admission: Admission;
  /** Requests without a key wait in a queue of their own: they must not take the place of others. */
  anonymousAdmission: Admission;
  limiter: RateLimiter;
  takeStream: TakeStream;
  constantAnswers: ReturnType<typeof createConstantAnswers>;
  noteKeyUse: ReturnType<typeof createNoteKeyUse>;
}

/** What is known of a request so far. */
interface Progress {
  /** The live service until the key or the mode of a link is known: its clock cannot be changed. */
  service: ServiceContext;
  handled: HandledRequest;
  /** Headers of every answer to it, errors too: what is left of its limit, or that pages of any site may read it. */
  headers: Readonly<Record<string, string>>;
}

async function answerRequest(
  tools: FetchTools,
  arrived: Arrival & { request: ReceivedRequest },
  progress: Progress,
): Promise<Answer> {
  const { shared, callers, limiter } = tools;
  const { request } = arrived;
  const isRead = request.method === 'GET';
  const target = parseTarget(request.path);
  const push_token = pushTokenOf(request.method, target.path);
  if (push_token !== null) {
    progress.handled.operation = 'ReceiveCourierPush';
    return answerPush(tools, request, push_token, progress);
  }
  const { dialect } = shared;
  const { endpoint, params: given } = tools.route(request.method, target.path);
  const params = dialect === undefined ? given : withOwnNames(dialect, given);
  const query = dialect === undefined ? target.query : withOwnNames(dialect, target.query);
  progress.handled.operation = endpoint.operation.id;
  if (endpoint.operation.is_public === true) progress.headers = { 'access-control-allow-origin': '*' };
  // The body is read once it is known whose it is.
  const caller = await callerOf(callers, endpoint, request, limiter);
  if (caller !== nobody) {
    progress.headers = limiter.takeRequest(caller.scope);
    progress.service = shared.inMode(caller.scope.test_mode);
    Object.assign(progress.handled, shownCaller(caller));
  }
  const { service } = progress;
  const noting = isUse(request, caller) ? tools.noteKeyUse(caller) : null;
  const { run: inTurn } = caller === nobody ? tools.anonymousAdmission : tools.admission;
  const admit: Admission['run'] = (of, work) => (isLimited(request, endpoint) ? inTurn(of, work) : work());
  const holder = await holderOf(caller, { service, request, endpoint, params, admit, limiter, progress });
  // The body of a request without a key is read only if its link was found.
  const isIgnored = caller === nobody && endpoint.findOwner === undefined;
  const read = isIgnored ? {} : await readJsonBody(request, endpoint.operation, holder, shared.timers);
  const body = dialect === undefined ? read : dialect.readBody(read);
  const execute = () =>
    admit(holder, async () => {
      await beforeRequest(endpoint, tools.before)(service, isRead);
      const run = await endpoint.prepare({ params, query, body });
      const once = () => executeOnce({ ...arrived, progress, callers, caller, endpoint, params, body }, run);
      const { id, is_constant } = endpoint.operation;
      const answer = is_constant === true ? await tools.constantAnswers(id, once) : await once();
      if (is_constant === true || endpoint.operation.media === 'text/html') return forCaller(answer, request);
      return dialect === undefined ? answer : inDialect(dialect, answer, endpoint.operation);
    });
  const answered =
    endpoint.operation.media === eventStream && request.client_address !== undefined
      ? withinLimit(tools.takeStream(caller.scope, request.client_address), execute)
      : execute();
  // A read does not wait for other requests' writes.
  return isRead ? answered : answered.finally(() => noting);
}

/** The names of couriers in a path or query, as the service knows them. */
function withOwnNames({ readName }: Dialect, given: Record<string, string>): Record<string, string> {
  const named = ['name', 'service', 'provider', 'exclude_provider'];
  const entries = Object.entries(given).map(([name, text]) => [
    name,
    named.includes(name) ? text.split(',').map(readName).join(',') : text,
  ]);
  return Object.fromEntries(entries);
}

function inDialect(
  { statusOf, writeBody }: Dialect,
  answer: Answer,
  { id, media }: Endpoint['operation'],
): Answer {
  if (media !== undefined || answer.body === '') return answer;
  return { ...answer, status: statusOf(id, answer.status), body: writeBody(answer.body) };
}

const eventStream = 'text/event-stream';

/** Answers with a stream that gives its place back when it is closed. */
async function withinLimit(release: () => void, execute: () => Promise<Answer>): Promise<Answer> {
  const answer = await execute().catch((fault: unknown) => {
    release();
    throw fault;
  });
  const { stream } = answer;
  if (stream === undefined) {
    release();
    return answer;
  }
  const close = () => {
    release();
    stream.close();
  };
  return { ...answer, stream: { ...stream, close } };
}

/** The address of a connected courier, to which it sends requests that are not operations of the contract. */
export interface PushAddress {
  owner: Scope;
  /** The maximum size of a request. */
  max_bytes: number;
  receive: (push: CourierPush) => Promise<Answer>;
}

export interface CourierPush {
  headers: Record<string, string>;
  body: string;
  client_address: string | null;
}

/** The token of the address that a courier reports to; null for other requests. */
function pushTokenOf(method: string, path: string): string | null {
  const [, token = null] = /^\/couriers\/([\w-]+)$/.exec(path) ?? [];
  return method === 'POST' ? token : null;
}

/** Answers a courier's request, whose body is read once its address is found. */
async function answerPush(
  { anonymousAdmission: admission, findPushAddress, limiter }: FetchTools,
  request: ReceivedRequest,
  token: string,
  progress: Progress,
): Promise<Answer> {
  const { headers, client_address = null } = request;
  const { owner, max_bytes, receive } = await admission.run(addressHolder(request), () =>
    findPushAddress(token),
  );
  progress.headers = limiter.takePush(token);
  const holder = linkHolder(owner, token);
  const body = await readBodyText(request, max_bytes, holder);
  return admission.run(holder, () => receive({ headers, body, client_address }));
}

/** A request whose caller is known and whose body was read. */
interface AcceptedRequest extends Arrival {
  request: ReceivedRequest;
  progress: Progress;
  callers: Callers;
  caller: Caller;
  endpoint: Endpoint;
  params: Record<string, string>;
  body: unknown;
}

type Run = (base: CallBase) => Promise<unknown>;

/** Runs an operation, or answers with the stored answer of an earlier request with its idempotency key. */
async function executeOnce(accepted: AcceptedRequest, run: Run): Promise<Answer> {
  const { caller, endpoint, request, request_id } = accepted;
  const { service } = accepted.progress;
  const audited = await withAuditEntry(accepted, run);
  const remarks = new Set<string>();
  const base = await callBase(accepted, remarks);
  // Stored answers belong to an account.
  const key = caller === nobody ? null : idempotencyKey(request);
  if (key === null) return withRemarks(toAnswer(await audited(base('')), endpoint.operation), remarks);
  const { answerOnce } = await import('./idempotency.ts');
  const { scope } = caller;
  const fingerprint = fingerprintOf(accepted);
  const once = { service, endpoint, request_id, key, base, scope, fingerprint, run: audited };
  return withRemarks(await answerOnce(once), remarks);
}

/** Clients refuse longer headers. */
const max_remarks_length = 4000;

/** The remarks as an array of texts in JSON, in ASCII; a long one ends with how many there are besides. */
function withRemarks(answer: Answer, remarks: ReadonlySet<string>): Answer {
  if (remarks.size === 0) return answer;
  const shown: string[] = [];
  let length = 0;
  for (const remark of remarks) {
    const text = JSON.stringify(remark).replace(
      /[^ -~]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    length += text.length + 1;
    if (length > max_remarks_length) break;
    shown.push(text);
  }
  const left = remarks.size - shown.length;
  const more = left === 0 ? [] : [JSON.stringify(`and ${left} more, which POST /v2/places says`)];
  return { ...answer, headers: { ...answer.headers, 'x-remarks': `[${[...shown, ...more].join(',')}]` } };
}

async function withAuditEntry(accepted: AcceptedRequest, run: Run): Promise<Run> {
  const { endpoint, caller, request, params, body, request_id, received_at } = accepted;
  const { operation } = endpoint;
  // Handlers of links write entries of their own: whose the record is, is known to them.
  if (!isAudited(operation) || caller === nobody) return run;
  const { withAudit } = await import('./audit.ts');
  const { client_address } = request;
  return withAudit({ operation, caller, params, body, request_id, received_at, client_address }, run);
}

function shownCaller({ scope, test_mode, key_last_four }: Caller): Omit<HandledRequest, 'operation'> {
  return { account_id: scope.account_id, mode: test_mode ? 'test' : 'live', key_end: key_last_four };
}

/** The parts of a request that must be equal for it to be a repeat. */
function fingerprintOf({ params, body, request }: AcceptedRequest): string[] {
  return [JSON.stringify(params), JSON.stringify(body, sortFields), request.headers['x-simulation'] ?? ''];
}

/** Sorts the fields of objects while they are written as JSON: their order has no meaning. */
function sortFields(_name: string, value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function commonHeaders(request_id: string, { clock }: ServiceContext): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    // Responses contain personal data and secrets.
    'cache-control': 'no-store',
    'x-request-id': request_id,
    'x-service-time': instant(clock.now()),
  };
}

function optionalParts({ encoding, stream }: Answer): Pick<WireResponse, 'encoding' | 'stream'> {
  return { ...(encoding === undefined ? {} : { encoding }), ...(stream === undefined ? {} : { stream }) };
}

/**
 * Whether a request counts as a use of its key. Reads by commands of the embedded service do not: they leave its
 * database as it is.
 */
function isUse({ method, client_address }: ReceivedRequest, caller: Caller): boolean {
  return caller !== nobody && (method !== 'GET' || client_address !== undefined);
}

/** Requests over HTTP are limited. Probes are not: they say whether the service works, not how busy it is. */
function isLimited({ client_address }: ReceivedRequest, { operation }: Endpoint): boolean {
  return client_address !== undefined && operation.is_probe !== true;
}

/** Computes the answer of a constant operation once, also for concurrent requests; errors are not cached. */
function createConstantAnswers() {
  const answers = new Map<string, Promise<Answer>>();
  return (id: string, make: () => Promise<Answer>): Promise<Answer> => {
    const made = answers.get(id) ?? make();
    answers.set(id, made);
    made.catch(() => answers.delete(id));
    return made;
  };
}

/** The step before an operation is executed. */
function beforeRequest(
  { operation }: Endpoint,
  { refreshClock, runDueTasks }: BeforeRequest,
): BeforeRequest['runDueTasks'] {
  // Probes are answered independently of due tasks and storage.
  if (operation.is_probe === true) return async () => {};
  // A stream executes due tasks once it is open, so that it delivers their events.
  return operation.media === eventStream ? refreshClock : runDueTasks;
}

async function callerOf(
  callers: Callers,
  endpoint: Endpoint,
  request: ReceivedRequest,
  limiter: RateLimiter,
): Promise<Caller> {
  const { permission } = endpoint.operation;
  if (permission === null) return nobody;
  const key = request.headers['x-api-key'];
  const { client_address } = request;
  if (key === undefined && request.headers.authorization !== undefined)
    throw new Problem('unauthorized', 'Send the API key in the x-api-key header, not as Authorization.');
  return authenticate(callers, key, permission, limiter.admitKey(client_address));
}

/** The call of a request; `again` makes its ids differ from those of an earlier use of the same key. */
async function callBase(
  { progress, callers, caller, request, request_id }: AcceptedRequest,
  remarks: Set<string>,
): Promise<(again: string) => CallBase> {
  const { service } = progress;
  const now = service.clock.now();
  const idempotency_key = idempotencyKey(request);
  const request_key = idempotency_key ?? request_id;
  // Only writes of an account create ids, and only ids need the seed.
  const isRead = request.method === 'GET' || caller === nobody;
  const chance = isRead ? seededChance(request_id) : await service.chance();
  const number = isRead ? 0 : await service.requestOrder(now);
  const count = isRead || idempotency_key !== null ? null : await service.countRequest(caller.scope);
  const { account_id, test_mode } = caller.scope;
  const origin = [
    takeRandomPart(account_id),
    String(test_mode),
    originPart({ idempotency_key, count, request_id }),
  ];
  return (again) => ({
    service,
    caller,
    now,
    request_key,
    simulation: request.headers['x-simulation'] ?? null,
    last_event_id: request.headers['last-event-id'] || null,
    accept_language: request.headers['accept-language'] ?? null,
    client_address: request.client_address ?? null,
    remarks,
    actIn: (test_mode) => {
      progress.service = service.inMode(test_mode);
      return progress.service;
    },
    isAllowed: () => holdsPermission(callers, request.headers['x-api-key'], caller.permission),
    ...createIds(chance, { at: now, request: number }, [...origin, again]),
    commit: service.storage.transaction,
  });
}

/**
 * The part of ids that tells a request from others: its idempotency key, otherwise its number, which is null if the seed
 * was not chosen. A key never gives the part of a number: see `exactPart`.
 */
function originPart(request: {
  idempotency_key: string | null;
  count: number | null;
  request_id: string;
}): string {
  const { idempotency_key, count, request_id } = request;
  if (idempotency_key !== null) return exactPart(idempotency_key);
  return count === null ? request_id : `=${count}`;
}

/** A request as it arrives. */
interface Arrival {
  /** Ids of the same millisecond sort in the order of their requests. */
  request_id: string;
  /** Wall time. */
  received_at: number;
}

function createArrivals(wall: Clock): () => Arrival {
  let latest = { at: Number.NaN, number: 0 };
  return () => {
    const at = wall.now();
    latest = { at, number: at === latest.at ? latest.number + 1 : 0 };
    return { request_id: newRequestId(at, latest.number), received_at: at };
  };
}

interface HeldRequest {
  service: ServiceContext;
  request: ReceivedRequest;
  endpoint: Endpoint;
  params: Readonly<Record<string, string>>;
  admit: Admission['run'];
  limiter: RateLimiter;
  progress: Progress;
}

/**
 * Whose share a request takes: see `admission.ts`. A write by a link is counted once the link was looked up. Throws
 * `record_not_found` and `rate_limited`.
 */
async function holderOf(caller: Caller, held: HeldRequest): Promise<Holder> {
  if (caller !== nobody) return keyHolder(caller.scope);
  const { service, request, endpoint, params, admit, limiter, progress } = held;
  const { findOwner, operation } = endpoint;
  const { token } = params;
  const { client_address } = request;
  const address = addressHolder(request);
  if (findOwner === undefined || token === undefined) return address;
  const owner = await admit(address, () => findOwner(service, token)).catch((fault: unknown) => {
    const isUnknown = fault instanceof Problem && fault.code === 'record_not_found';
    if (isUnknown) limiter.takeUnknownLink(client_address);
    throw fault;
  });
  progress.headers = limiter.takeLink({ operation, token, client_address });
  return linkHolder(owner, token);
}

/** The idempotency key of a POST, or null. */
function idempotencyKey(request: ReceivedRequest): string | null {
  if (request.method !== 'POST') return null;
  const key = request.headers['idempotency-key'] ?? request.headers['x-idempotency-key'];
  if (key === undefined) return null;
  // A client that forgot to fill it in would repeat its request without protection.
  if (key.trim() === '')
    throw invalidField('Idempotency-Key', 'must not be empty', 'The Idempotency-Key header is empty.');
  if (key.length <= 155) return key;
  const message = 'The Idempotency-Key header is longer than 155 characters.';
  throw invalidField('Idempotency-Key', 'must not have more than 155 characters', message);
}
