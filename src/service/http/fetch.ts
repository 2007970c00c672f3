import { Problem } from '../../contract/errors.ts';
import { isAudited, type ReceivedRequest, type WireResponse } from '../../contract/operation.ts';
import { defaultRateLimits } from '../../domain/service-limits.ts';
import type { ServiceContext, SharedContext } from '../runtime/context.ts';
import { chanceOf, exactPart, idsOf, newRequestId } from '../runtime/ids.ts';
import { seededChance } from '../runtime/random.ts';
import { type Clock, instant } from '../runtime/time.ts';
import {
  type Admission,
  addressHolder,
  createAdmission,
  type Holder,
  keyHolder,
  linkHolder,
} from './admission.ts';
import { type Answer, answerOf, failureOf, refusalPage } from './answers.ts';
import type { AuditedRequest } from './audit.ts';
import { type Authority, authenticate, createNoteKeyUse, holdsPermission, nobody } from './authentication.ts';
import { answerPush, type FindPushAddress, pushTokenOf } from './courier-push.ts';
import type { CallBase, Caller, Endpoint, RawParts } from './handler.ts';
import { readJsonBody } from './json-body.ts';
import { createRateLimiter, type RateLimiter } from './rate-limits.ts';
import { parseTarget, type Router } from './router.ts';

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

/** Handles requests: it has an answer for every path and never rejects. */
export function createFetch(
  shared: SharedContext,
  route: Router,
  authority: Authority,
  before: BeforeRequest,
  findPushAddress: FindPushAddress,
): Fetch {
  const constantAnswers = createConstantAnswers();
  const admission = createAdmission(shared);
  // Requests without a key wait in a queue of their own: they must not take the place of others.
  const anonymousAdmission = createAdmission(shared);
  const limits = { ...defaultRateLimits(shared), ...shared.rate_limits };
  const limiter = createRateLimiter(shared.monotonic, limits);
  const pushParts = { admission: anonymousAdmission, find: findPushAddress, limiter };
  const nextArrival = createArrivals(shared.wall);
  const noteKeyUse = createNoteKeyUse(shared.storage, shared.wall);
  return async (request) => {
    const { request_id, received_at } = nextArrival();
    // Until the key is known, and if none is needed, the live clock applies, which cannot be changed.
    let service = shared.inMode(0);
    const handled: HandledRequest = { operation: null, account_id: null, mode: null, key_end: null };
    const answer = await answerRequest(request).catch((fault: unknown) => {
      const page = refusalPage(fault, request.headers.accept);
      return page ?? failureOf(fault, request_id, (hidden) => service.onFault?.(hidden, request_id));
    });
    if (request.method !== 'GET') service.changes.notify();
    return {
      status: answer.status,
      body: answer.body,
      handled,
      ...optionalParts(answer),
      headers: { ...commonHeaders(request_id, service), ...answer.headers },
    };

    async function answerRequest(given: ReceivedRequest): Promise<Answer> {
      const target = parseTarget(given.path);
      const push_token = pushTokenOf(given.method, target.path);
      if (push_token !== null) {
        handled.operation = 'ReceiveCourierPush';
        return answerPush(given, { token: push_token, ...pushParts });
      }
      const { endpoint, params } = route(given.method, target.path);
      handled.operation = endpoint.operation.id;
      // The body is read once it is known whose it is.
      const caller = await callerOf(authority, endpoint, given, limiter);
      if (caller !== nobody) {
        service = shared.inMode(caller.scope.test_mode);
        Object.assign(handled, shownCaller(caller));
      }
      const noting = isUse(given, caller) ? noteKeyUse(caller) : null;
      const { run: inTurn } = caller === nobody ? anonymousAdmission : admission;
      const admit: Admission['run'] = (of, execute) =>
        isLimited(given, endpoint) ? inTurn(of, execute) : execute();
      const holder = await holderOf(caller, { service, given, endpoint, params, admit, limiter });
      // The body of a request without a key is read only if its link was found.
      const isIgnored = caller === nobody && endpoint.findOwner === undefined;
      const body = isIgnored ? {} : await readJsonBody(given, endpoint.operation, holder, shared.timers);
      const execute = async () => {
        await beforeRequest(endpoint, before)(service, given.method === 'GET');
        const prepared = await endpoint.prepare({ params, query: target.query, body });
        const run = await auditedRun(endpoint, prepared, {
          ...{ caller, params, request_id, received_at, client_address: given.client_address },
        });
        const base = await callBase(service, { caller, authority }, given, request_id);
        const parts = { params, body };
        const answer = () => runOnce(run, { service, caller, endpoint, given, parts, request_id, base });
        return endpoint.operation.is_constant === true
          ? constantAnswers(endpoint.operation.id, answer)
          : answer();
      };
      const answer = admit(holder, execute);
      // A read does not wait for other requests' writes.
      return given.method === 'GET' ? answer : answer.finally(() => noting);
    }
  };
}

type Run = (base: CallBase) => Promise<unknown>;

async function auditedRun(
  { operation }: Endpoint,
  run: Run,
  request: Omit<AuditedRequest, 'operation'>,
): Promise<Run> {
  // Handlers of links write entries of their own: whose the record is, is known to them.
  if (!isAudited(operation) || request.caller === nobody) return run;
  const { withAudit } = await import('./audit.ts');
  return withAudit({ ...request, operation }, run);
}

/** Runs an operation, or answers with the stored answer of an earlier request with its idempotency key. */
async function runOnce(
  run: Run,
  request: {
    service: ServiceContext;
    caller: Caller;
    endpoint: Endpoint;
    given: ReceivedRequest;
    parts: Omit<RawParts, 'query'>;
    request_id: string;
    base: (again: string) => CallBase;
  },
): Promise<Answer> {
  const { caller, given, parts, base, ...rest } = request;
  // Stored answers belong to an account.
  const key = caller === nobody ? null : idempotencyKey(given);
  if (key === null) return answerOf(await run(base('')), request.endpoint.operation);
  const { answerOnce } = await import('./idempotency.ts');
  const { scope } = caller;
  return answerOnce({ ...rest, key, base, scope, fingerprint: fingerprintOf(given, parts), run });
}

function shownCaller({ scope, test_mode, key_last_four }: Caller): Omit<HandledRequest, 'operation'> {
  return { account_id: scope.account_id, mode: test_mode ? 'test' : 'live', key_end: key_last_four };
}

/** The parts of a request that must be equal for it to be a repeat. */
function fingerprintOf({ headers }: ReceivedRequest, { params, body }: Omit<RawParts, 'query'>): string[] {
  return [JSON.stringify(params), JSON.stringify(body), headers['x-simulation'] ?? ''];
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
  return operation.media === 'text/event-stream' ? refreshClock : runDueTasks;
}

async function callerOf(
  authority: Authority,
  endpoint: Endpoint,
  request: ReceivedRequest,
  limiter: RateLimiter,
): Promise<Caller> {
  const { permission } = endpoint.operation;
  if (permission === null) return nobody;
  const key = request.headers['x-api-key'];
  const { client_address } = request;
  const caller = await authenticate(authority, key, permission, limiter.admitKey(client_address));
  limiter.takeRequest(caller.scope);
  return caller;
}

async function callBase(
  service: ServiceContext,
  { caller, authority }: { caller: Caller; authority: Authority },
  request: ReceivedRequest,
  request_id: string,
): Promise<(again: string) => CallBase> {
  const now = service.clock.now();
  const idempotency_key = idempotencyKey(request);
  const request_key = idempotency_key ?? request_id;
  // Only writes of an account create ids, and only ids need the seed.
  const isRead = request.method === 'GET' || caller === nobody;
  const chance = isRead ? seededChance(request_id) : await service.chance();
  const number = isRead ? 0 : await service.requestOrder(now);
  const part = async () =>
    unkeyedPart(isRead ? null : await service.countRequest(caller.scope)) ?? request_id;
  const requestPart = idempotency_key === null ? await part() : exactPart(idempotency_key);
  const origin = () => [chanceOf(caller.scope.account_id), String(caller.scope.test_mode), requestPart];
  return (again) => ({
    service,
    caller,
    now,
    request_key,
    simulation: request.headers['x-simulation'] ?? null,
    last_event_id: request.headers['last-event-id'] || null,
    accept_language: request.headers['accept-language'] ?? null,
    client_address: request.client_address ?? null,
    isAllowed: () => holdsPermission(authority, request.headers['x-api-key'], caller.permission),
    ...idsOf(chance, { at: now, request: number }, [...origin(), again]),
    commit: service.storage.transaction,
  });
}

/** An idempotency key never gives the same part of an id: see `exactPart`. */
function unkeyedPart(count: number | null): string | null {
  return count === null ? null : `=${count}`;
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
  given: ReceivedRequest;
  endpoint: Endpoint;
  params: Readonly<Record<string, string>>;
  admit: Admission['run'];
  limiter: RateLimiter;
}

/**
 * Whose share a request takes: see `admission.ts`. A write by a link is counted once the link was looked up. Throws
 * `record_not_found` and `rate_limited`.
 */
async function holderOf(caller: Caller, request: HeldRequest): Promise<Holder> {
  if (caller !== nobody) return keyHolder(caller.scope);
  const { service, given, endpoint, params, admit, limiter } = request;
  const { findOwner, operation } = endpoint;
  const { token } = params;
  const { client_address } = given;
  const address = addressHolder(given);
  if (findOwner === undefined || token === undefined) return address;
  const owner = await admit(address, () => findOwner(service, token)).catch((fault: unknown) => {
    const isUnknown = fault instanceof Problem && fault.code === 'record_not_found';
    if (isUnknown) limiter.takeUnknownLink(client_address);
    throw fault;
  });
  limiter.takeLink({ operation, token, client_address });
  return linkHolder(owner, token);
}

/** The idempotency key of a POST, or null. */
function idempotencyKey(request: ReceivedRequest): string | null {
  if (request.method !== 'POST') return null;
  const key = request.headers['idempotency-key'] ?? request.headers['x-idempotency-key'];
  if (key === undefined || key === '') return null;
  if (key.length <= 155) return key;
  const path = 'Idempotency-Key';
  throw new Problem('invalid_request', `The ${path} header is longer than 155 characters.`, [
    { path, message: 'must not have more than 155 characters' },
  ]);
}
