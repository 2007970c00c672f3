import type { ReceivedRequest } from '../../contract/operation.ts';
import type { Scope } from '../../storage/database.ts';
import { type Admission, addressHolder, linkHolder } from './admission.ts';
import type { Answer } from './answers.ts';
import { readText } from './json-body.ts';
import type { RateLimiter } from './rate-limits.ts';

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

interface PushParts {
  token: string;
  admission: Admission;
  find: FindPushAddress;
  limiter: RateLimiter;
}

/** Finds the address with a push token. Throws `record_not_found`. */
export type FindPushAddress = (push_token: string) => Promise<PushAddress>;

/** The token of the address that a courier reports to; null for other requests. */
export function pushTokenOf(method: string, path: string): string | null {
  const [, token = null] = /^\/couriers\/([\w-]+)$/.exec(path) ?? [];
  return method === 'POST' ? token : null;
}

/** Answers a courier's request, whose body is read once its address is found. */
export async function answerPush(
  given: ReceivedRequest,
  { token, admission, find, limiter }: PushParts,
): Promise<Answer> {
  const { headers, client_address = null } = given;
  const { owner, max_bytes, receive } = await admission.run(addressHolder(given), () => find(token));
  limiter.takePush(token);
  const holder = linkHolder(owner, token);
  const body = await readText(given, max_bytes, holder);
  return admission.run(holder, () => receive({ headers, body, client_address }));
}
