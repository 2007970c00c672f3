/** Answers the repeat of a request, by its idempotency key, with the first response. */
import { neverKept, Problem } from '../../contract/errors.ts';
import type { Connection, IdempotencyRow, Scope } from '../../storage/database.ts';
import {
  claimKey,
  findKey,
  type KeyClaim,
  type KeyLease,
  type KeyUse,
  keyByName,
  releaseKey,
  replaceResponse,
  storeResponse,
} from '../../storage/idempotency.ts';
import { leaseTime } from '../../storage/locks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { type Answer, errorAnswer, RetryLater, toAnswer } from './answers.ts';
import { hashKey } from './authentication.ts';
import type { CallBase, Endpoint } from './handler.ts';

/** How long a request counts as running; after that a repeat replaces it. */
const lease_ms = 30_000;

interface OnceRequest {
  service: ServiceContext;
  endpoint: Endpoint;
  key: string;
  request_id: string;
  /** The call; `again` makes its ids differ from those of an earlier use of the same key. */
  base: (again: string) => CallBase;
  scope: Scope;
  /** The parts that must be equal for a request to be a repeat. */
  fingerprint: readonly string[];
  run: (base: CallBase) => Promise<unknown>;
}

/**
 * Runs a request once per idempotency key: a repeat gets the first response, byte for byte. The response is stored in
 * the transaction of the change, so that a crash cannot separate them. Throws `idempotency_key_reuse` and
 * `idempotency_key_in_use`.
 */
export async function answerOnce(once: OnceRequest): Promise<Answer> {
  const ticket = ticketOf(once);
  const { storage, wall } = once.service;
  const before = await storage.first(keyByName, ticket.account_id, ticket.test_mode, ticket.key);
  try {
    if (before === undefined && once.endpoint.operation.acts_after_commit === true)
      return await runOnce({ once, ticket, lease: null, kept: null }, once.base(''));
    const { lease, earlier } = await claimKeyFor(once.service, ticket);
    if (lease === null) throw new KeyTaken(earlier);
    // A key whose earlier use has expired must not create the same ids again.
    const again = before?.state === 'done' ? String(before.created_at) : '';
    return await runOnce({ once, ticket, lease, kept: null }, once.base(again));
  } catch (fault) {
    if (fault instanceof KeyTaken) return replay(fault.earlier, ticket, wall.now());
    throw fault;
  }
}

/** An earlier request has used the key. */
class KeyTaken extends Error {
  readonly earlier: IdempotencyRow;

  constructor(earlier: IdempotencyRow) {
    super('the idempotency key was used before');
    this.earlier = earlier;
  }
}

/** Claims the key, also from a process that was killed while it ran the request. */
async function claimKeyFor({ storage, runners }: ServiceContext, ticket: KeyUse): Promise<KeyClaim> {
  const beginning = await storage.write((db) => claimKey(db, ticket));
  const { earlier } = beginning;
  if (earlier === null || runners?.isGone(earlier.runner) !== true) return beginning;
  return storage.write((db) => claimKey(db, { ...ticket, gone: earlier.runner }));
}

function ticketOf({ service, endpoint, key, scope, fingerprint }: OnceRequest): KeyUse {
  return {
    ...scope,
    key,
    operation: endpoint.operation.id,
    body_hash: hashKey(JSON.stringify(fingerprint)),
    runner: service.runners?.self ?? '',
    wall_now: leaseTime(service),
    forgets: service.mayForgetKeys(),
    lease_ms,
  };
}

/** A request that runs with its key, and what is stored of it. */
interface KeyedRun {
  once: OnceRequest;
  ticket: KeyUse;
  /** Null until the key is claimed, at the latest when the response is stored. */
  lease: KeyLease | null;
  /** The body of the response that was stored with the change; null before. */
  kept: string | null;
}

async function runOnce(run: KeyedRun, base: CallBase): Promise<Answer> {
  const { once } = run;
  try {
    const answer = toAnswer(await once.run({ ...base, commit: commitOf(run) }), once.endpoint.operation);
    await storeFinal(run, answer);
    return answer;
  } catch (fault) {
    if (fault instanceof KeyTaken) throw fault;
    return answerFault(run, fault);
  }
}

/** The transaction of the request, which stores its response. */
function commitOf(run: KeyedRun): CallBase['commit'] {
  const { service, endpoint } = run.once;
  return async (work, isolation) => {
    const [result, used] = await service.storage.transaction(async (transaction) => {
      const made = await work(transaction);
      const own = await storeAnswer(transaction, run, toAnswer(made, endpoint.operation));
      if (own === null) throw replacedError();
      return [made, own] as const;
    }, isolation);
    run.lease = used;
    run.kept = toAnswer(result, endpoint.operation).body;
    return result;
  };
}

/**
 * Stores the response; null if a repeat has replaced this request. If the key is not claimed yet, it is claimed with the
 * response: of the same requests at the same time, the later ones throw `KeyTaken`, and what they wrote is rolled back.
 */
async function storeAnswer(
  db: Connection,
  { once, ticket, lease }: KeyedRun,
  answer: Answer,
): Promise<KeyLease | null> {
  const stored = storedForm(answer, once.endpoint);
  if (lease !== null) return (await storeResponse(db, lease, stored)) ? lease : null;
  const claimed = await claimKey(db, ticket, stored);
  if (claimed.lease === null) throw new KeyTaken(claimed.earlier);
  return claimed.lease;
}

/** Stores the response of a request without a change; a final one that differs from the one of the change replaces it. */
async function storeFinal(run: KeyedRun, answer: Answer): Promise<void> {
  const { once, lease, kept } = run;
  const { storage } = once.service;
  if (kept === null) await storage.write((db) => storeAnswer(db, run, answer));
  else if (kept !== answer.body && lease !== null)
    await storage.write((db) => replaceResponse(db, lease, storedForm(answer, once.endpoint)));
}

/** Stores an error that a repeat would meet again, and returns it; frees the key and throws the error otherwise. */
async function answerFault(run: KeyedRun, fault: unknown): Promise<Answer> {
  const { storage } = run.once.service;
  const refusal = isKept(fault) ? errorAnswer(fault, run.once.request_id, () => {}) : null;
  const isOurs =
    refusal === null
      ? await releaseKeyOf(run)
      : (await storage.write((db) => storeAnswer(db, run, refusal))) !== null;
  // The error is irrelevant, because a repeat has taken over.
  if (!isOurs && run.kept === null) throw replacedError();
  if (refusal === null) throw fault;
  return refusal;
}

/** Frees the key of a request without a response; false if a repeat has replaced it. */
async function releaseKeyOf({ once, ticket, lease }: KeyedRun): Promise<boolean> {
  const { storage } = once.service;
  if (lease !== null) return storage.write((db) => releaseKey(db, lease));
  // A repeat at the same time makes the same ids: the later one fails with a conflict of ids.
  const earlier = await storage.write((db) => findKey(db, ticket));
  if (earlier !== undefined) throw new KeyTaken(earlier);
  return true;
}

function storedForm({ status, body }: Answer, endpoint: Endpoint): { status: number; body: string } {
  return { status, body: withoutSecrets(body, endpoint) };
}

/** A repeat has replaced this request, because it took too long or seemed dead: its response is discarded. */
function replacedError(): RetryLater {
  const message = 'Another request with this idempotency key has replaced this one.';
  return new RetryLater('idempotency_key_in_use', message, 1);
}

/** Errors of an operation are stored as responses, unless a repeat may not meet them again. */
function isKept(fault: unknown): boolean {
  return fault instanceof Problem && !neverKept.includes(fault.code);
}

function replay(earlier: IdempotencyRow, ticket: KeyUse, wall_now: number): Answer {
  if (earlier.operation !== ticket.operation || earlier.body_hash !== ticket.body_hash) {
    const message = 'This idempotency key was used for a different request before.';
    throw new Problem('idempotency_key_reuse', message);
  }
  if (earlier.status === null || earlier.body === null) {
    const message = 'The first request with this idempotency key is still in progress.';
    // The lease may come from a different clock.
    const left_ms = Math.min(earlier.leased_until - wall_now, lease_ms);
    throw new RetryLater('idempotency_key_in_use', message, Math.max(1, Math.ceil(left_ms / 1000)));
  }
  return { status: earlier.status, body: earlier.body, headers: { 'idempotent-replayed': 'true' } };
}

/** Removes the fields that are shown once: they are null in a repeated response. */
function withoutSecrets(body: string, { operation }: Endpoint): string {
  const secrets = operation.secrets ?? [];
  if (secrets.length === 0) return body;
  return JSON.stringify(JSON.parse(body, (name, value) => (secrets.includes(name) ? null : value)));
}
