/**
 * Runs a request once per idempotency key: a repeat gets the first response, byte for byte. A request usually claims its
 * key under a lease before it runs; one without an effect before its transaction (`acts_after_commit`) claims the key
 * together with its response. The response is stored in the transaction of the change, so that a crash cannot separate them.
 * The stored key is in `storage/idempotency.ts`.
 */
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
  /** Makes the call; `earlier_use` makes its ids differ from those of an expired use of the same key. */
  base: (earlier_use: string) => CallBase;
  scope: Scope;
  /** The parts that must be equal for a request to be a repeat. */
  fingerprint: readonly string[];
  run: (base: CallBase) => Promise<unknown>;
}

/** Answers a request, or its repeat. Throws `idempotency_key_reuse` and `idempotency_key_in_use`. */
export async function answerOnce(once: OnceRequest): Promise<Answer> {
  const use = keyUseOf(once);
  const { storage, wall } = once.service;
  const before = await storage.first(keyByName, use.account_id, use.test_mode, use.key);
  try {
    if (before === undefined && once.endpoint.operation.acts_after_commit === true)
      return await runOnce({ once, use, lease: null, stored_body: null }, once.base(''));
    const { lease, earlier } = await claimKeyFor(once.service, use);
    if (lease === null) throw new KeyTaken(earlier);
    // A key whose earlier use has expired must not create the same ids again.
    const earlier_use = before?.state === 'done' ? String(before.created_at) : '';
    return await runOnce({ once, use, lease, stored_body: null }, once.base(earlier_use));
  } catch (fault) {
    if (fault instanceof KeyTaken) return replay(fault.earlier, use, wall.now());
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
async function claimKeyFor({ storage, runners }: ServiceContext, use: KeyUse): Promise<KeyClaim> {
  const claim = await storage.write((db) => claimKey(db, use));
  const { earlier } = claim;
  if (earlier === null || runners?.isGone(earlier.runner) !== true) return claim;
  return storage.write((db) => claimKey(db, { ...use, gone: earlier.runner }));
}

function keyUseOf({ service, endpoint, key, scope, fingerprint }: OnceRequest): KeyUse {
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

/** A request while it runs with its key. */
interface KeyedRun {
  once: OnceRequest;
  use: KeyUse;
  /** Null until the key is claimed, at the latest when the response is stored. */
  lease: KeyLease | null;
  /** The body of the response that was stored with the change; null before. */
  stored_body: string | null;
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
    const [result, lease] = await service.storage.transaction(async (transaction) => {
      const made = await work(transaction);
      const lease = await storeAnswer(transaction, run, toAnswer(made, endpoint.operation));
      if (lease === null) throw replacedError();
      return [made, lease] as const;
    }, isolation);
    run.lease = lease;
    run.stored_body = toAnswer(result, endpoint.operation).body;
    return result;
  };
}

/**
 * Stores the response; null if a repeat has replaced this request. If the key is not claimed yet, it is claimed with the
 * response: of the same requests at the same time, the later ones throw `KeyTaken`, and what they wrote is rolled back.
 */
async function storeAnswer(
  db: Connection,
  { once, use, lease }: KeyedRun,
  answer: Answer,
): Promise<KeyLease | null> {
  const stored = storedForm(answer, once.endpoint);
  if (lease !== null) return (await storeResponse(db, lease, stored)) ? lease : null;
  const claimed = await claimKey(db, use, stored);
  if (claimed.lease === null) throw new KeyTaken(claimed.earlier);
  return claimed.lease;
}

/** Stores the response of a request without a change; after a change, the final response if it differs from the stored one. */
async function storeFinal(run: KeyedRun, answer: Answer): Promise<void> {
  const { once, lease, stored_body } = run;
  const { storage } = once.service;
  if (stored_body === null) await storage.write((db) => storeAnswer(db, run, answer));
  else if (stored_body !== answer.body && lease !== null)
    await storage.write((db) => replaceResponse(db, lease, storedForm(answer, once.endpoint)));
}

/** Stores an error that a repeat would meet again, and returns it; frees the key and throws the error otherwise. */
async function answerFault(run: KeyedRun, fault: unknown): Promise<Answer> {
  const { once, stored_body } = run;
  const isStored = fault instanceof Problem && !neverKept.includes(fault.code);
  const refusal = isStored ? errorAnswer(fault, once.request_id, () => {}) : null;
  const isOurs =
    refusal === null
      ? await releaseKeyOf(run)
      : (await once.service.storage.write((db) => storeAnswer(db, run, refusal))) !== null;
  // The error is irrelevant, because a repeat has taken over.
  if (!isOurs && stored_body === null) throw replacedError();
  if (refusal === null) throw fault;
  return refusal;
}

/** Frees the key of a request without a response; false if a repeat has replaced it. */
async function releaseKeyOf({ once, use, lease }: KeyedRun): Promise<boolean> {
  const { storage } = once.service;
  if (lease !== null) return storage.write((db) => releaseKey(db, lease));
  // A repeat at the same time makes the same ids: the later one fails with a conflict of ids.
  const earlier = await storage.write((db) => findKey(db, use));
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

/** The stored response of the earlier use of a key. */
function replay(earlier: IdempotencyRow, use: KeyUse, wall_now: number): Answer {
  if (earlier.operation !== use.operation || earlier.body_hash !== use.body_hash) {
    const message = 'This idempotency key was used for a different request before.';
    throw new Problem('idempotency_key_reuse', message);
  }
  if (earlier.status === null || earlier.body === null) {
    const message = 'The first request with this idempotency key is still in progress.';
    // The lease may come from a different clock.
    const remaining_ms = Math.min(earlier.leased_until - wall_now, lease_ms);
    throw new RetryLater('idempotency_key_in_use', message, Math.max(1, Math.ceil(remaining_ms / 1000)));
  }
  return { status: earlier.status, body: earlier.body, headers: { 'idempotent-replayed': 'true' } };
}

/** Removes the fields that are shown once: they are null in a repeated response. */
function withoutSecrets(body: string, { operation }: Endpoint): string {
  const secrets = operation.secrets ?? [];
  if (secrets.length === 0) return body;
  return JSON.stringify(JSON.parse(body, (name, value) => (secrets.includes(name) ? null : value)));
}
