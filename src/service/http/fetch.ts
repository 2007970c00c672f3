/**
 * Answers every request of the service, over HTTP or in the same process. The steps are in `answerRequest`: the operation
 * (`router.ts`), the caller (`authentication.ts`), the holder whose share the request takes (`fair-share.ts`), the body, its
 * turn (`admission.ts`), and the execution (`execute-request.ts`).
 */
import { Problem } from '../../contract/errors.ts';
import type { ReceivedRequest, WireResponse } from '../../contract/operation.ts';
import { defaultRateLimits } from '../../domain/operator-settings.ts';
import type { Scope } from '../../storage/database.ts';
import type { ServiceContext, SharedContext } from '../runtime/context.ts';
import { newRequestId } from '../runtime/ids.ts';
import type { Dialect } from '../runtime/service-ports.ts';
import { type Clock, instant } from '../runtime/time.ts';
import { type Admission, createAdmission } from './admission.ts';
import { type Answer, errorAnswer, refusalPage } from './answers.ts';
import { authenticate, type Callers, createNoteKeyUse, nobody } from './authentication.ts';
import { createConstantAnswers, forCaller } from './constant-answers.ts';
import { type Arrival, executeRequest } from './execute-request.ts';
import { addressHolder, type Holder, keyHolder, linkHolder } from './fair-share.ts';
import type { CallBase, Caller, Endpoint, RawParts } from './handler.ts';
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
  /** Reads clock changes of other processes, and executes a share of the due tasks. */
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
    const { service, handled, headers } = progress;
    if (request.method !== 'GET') service.changes.notify();
    return {
      status: answer.status,
      body: answer.body,
      handled,
      ...optionalParts(answer),
      headers: { ...commonHeaders(request_id, service), ...headers, ...answer.headers },
    };
  };
}

/** A request whose operation and caller are known. */
interface KnownRequest extends Arrival {
  request: ReceivedRequest;
  endpoint: Endpoint;
  params: Record<string, string>;
  caller: Caller;
  progress: Progress;
}

const eventStream = 'text/event-stream';

async function answerRequest(
  tools: FetchTools,
  { request, ...arrival }: Arrival & { request: ReceivedRequest },
  progress: Progress,
): Promise<Answer> {
  const target = parseTarget(request.path);
  const push_token = pushTokenOf(request.method, target.path);
  if (push_token !== null) return answerPush(tools, request, push_token, progress);
  const { endpoint, params: given } = tools.route(request.method, target.path);
  const { operation } = endpoint;
  const { dialect } = tools.shared;
  const params = withOwnNames(dialect, given);
  progress.handled.operation = operation.id;
  if (operation.is_public === true) progress.headers = { 'access-control-allow-origin': '*' };
  const caller = await identifyCaller(tools, endpoint, request, progress);
  const key_use = isUse(request, caller) ? tools.noteKeyUse(caller) : null;
  const known = { ...arrival, request, endpoint, params, caller, progress };
  // The body is read once it is known whose it is.
  const holder = await findHolder(tools, known);
  const raw = {
    params,
    query: withOwnNames(dialect, target.query),
    body: await readBody(tools, known, holder),
  };
  const execute = () => admit(tools, known, holder, () => executeAdmitted(tools, known, raw));
  const isStream = operation.media === eventStream && request.client_address !== undefined;
  const answered = isStream
    ? withinLimit(tools.takeStream(caller.scope, request.client_address ?? ''), execute)
    : execute();
  // A read does not wait for other requests' writes.
  return request.method === 'GET' ? answered : answered.finally(() => key_use);
}

/** Runs work in the turn of its holder. Probes have no turn: they say whether the service works, not how busy it is. */
function admit<T>(
  { admission, anonymousAdmission }: FetchTools,
  { caller, request, endpoint }: KnownRequest,
  holder: Holder,
  work: () => Promise<T>,
): Promise<T> {
  const isLimited = request.client_address !== undefined && endpoint.operation.is_probe !== true;
  if (!isLimited) return work();
  return (caller === nobody ? anonymousAdmission : admission).run(holder, work);
}

/** The body of a request; `{}` if there is none, or neither a key nor a link says whose it is. */
async function readBody({ shared }: FetchTools, known: KnownRequest, holder: Holder): Promise<unknown> {
  const { caller, endpoint, request } = known;
  const isIgnored = caller === nobody && endpoint.findOwner === undefined;
  const body = isIgnored ? {} : await readJsonBody(request, endpoint.operation, holder, shared.timers);
  return shared.dialect === undefined ? body : shared.dialect.readBody(body);
}

async function executeAdmitted(tools: FetchTools, known: KnownRequest, raw: RawParts): Promise<Answer> {
  const { shared, before, callers, constantAnswers } = tools;
  const { endpoint, request, progress } = known;
  const { operation } = endpoint;
  const { service } = progress;
  await beforeRequest(operation, before)(service, request.method === 'GET');
  const run = await endpoint.prepare(raw);
  const actIn: CallBase['actIn'] = (test_mode) => {
    progress.service = shared.inMode(test_mode);
    return progress.service;
  };
  const execute = () => executeRequest({ ...known, service, actIn, callers, body: raw.body }, run);
  const isConstant = operation.is_constant === true;
  const answer = isConstant ? await constantAnswers(operation.id, execute) : await execute();
  if (isConstant || operation.media === 'text/html') return forCaller(answer, request);
  return inDialect(shared.dialect, answer, operation);
}

/** The names of couriers in a path or query, as the service knows them. */
function withOwnNames(dialect: Dialect | undefined, parts: Record<string, string>): Record<string, string> {
  if (dialect === undefined) return parts;
  const named = ['name', 'service', 'provider', 'exclude_provider'];
  const entries = Object.entries(parts).map(([name, text]) => [
    name,
    named.includes(name) ? text.split(',').map(dialect.readName).join(',') : text,
  ]);
  return Object.fromEntries(entries);
}

/** An answer in JSON as programs for the other service of a dialect expect it. */
function inDialect(
  dialect: Dialect | undefined,
  answer: Answer,
  { id, media }: Endpoint['operation'],
): Answer {
  if (dialect === undefined || media !== undefined || answer.body === '') return answer;
  const { statusOf, writeBody } = dialect;
  return { ...answer, status: statusOf(id, answer.status), body: writeBody(answer.body) };
}

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
  progress.handled.operation = 'ReceiveCourierPush';
  const { headers, client_address = null } = request;
  const { owner, max_bytes, receive } = await admission.run(addressHolder(request), () =>
    findPushAddress(token),
  );
  progress.headers = limiter.takePush(token);
  const holder = linkHolder(owner, token);
  const body = await readBodyText(request, max_bytes, holder);
  return admission.run(holder, () => receive({ headers, body, client_address }));
}

function shownCaller({ scope, test_mode, key_last_four }: Caller): Omit<HandledRequest, 'operation'> {
  return { account_id: scope.account_id, mode: test_mode ? 'test' : 'live', key_end: key_last_four };
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

/** The step before an operation is executed. */
function beforeRequest(
  operation: Endpoint['operation'],
  { refreshClock, runDueTasks }: BeforeRequest,
): BeforeRequest['runDueTasks'] {
  // Probes are answered independently of due tasks and storage.
  if (operation.is_probe === true) return async () => {};
  // A stream executes due tasks once it is open, so that it delivers their events.
  return operation.media === eventStream ? refreshClock : runDueTasks;
}

/** The caller of a request by its key, or `nobody`. The answer then has the time of the key's mode, and its limits. */
async function identifyCaller(
  { callers, limiter, shared }: FetchTools,
  { operation: { permission } }: Endpoint,
  { headers, client_address }: ReceivedRequest,
  progress: Progress,
): Promise<Caller> {
  if (permission === null) return nobody;
  const key = headers['x-api-key'];
  if (key === undefined && headers.authorization !== undefined)
    throw new Problem('unauthorized', 'Send the API key in the x-api-key header, not as Authorization.');
  const caller = await authenticate(callers, key, permission, limiter.admitKey(client_address));
  progress.headers = limiter.takeRequest(caller.scope);
  progress.service = shared.inMode(caller.scope.test_mode);
  Object.assign(progress.handled, shownCaller(caller));
  return caller;
}

function createArrivals(wall: Clock): () => Arrival {
  let latest = { at: Number.NaN, number: 0 };
  return () => {
    const at = wall.now();
    latest = { at, number: at === latest.at ? latest.number + 1 : 0 };
    return { request_id: newRequestId(at, latest.number), received_at: at };
  };
}

/**
 * The holder whose share a request takes. A write by a link is counted once the link was looked up. Throws
 * `record_not_found` and `rate_limited`.
 */
async function findHolder(tools: FetchTools, known: KnownRequest): Promise<Holder> {
  const { caller, request, endpoint, params, progress } = known;
  if (caller !== nobody) return keyHolder(caller.scope);
  const { findOwner, operation } = endpoint;
  const { token } = params;
  const { client_address } = request;
  const address = addressHolder(request);
  if (findOwner === undefined || token === undefined) return address;
  const find = () => findOwner(progress.service, token);
  const owner = await admit(tools, known, address, find).catch((fault: unknown) => {
    const isUnknown = fault instanceof Problem && fault.code === 'record_not_found';
    if (isUnknown) tools.limiter.takeUnknownLink(client_address);
    throw fault;
  });
  progress.headers = tools.limiter.takeLink({ operation, token, client_address });
  return linkHolder(owner, token);
}
