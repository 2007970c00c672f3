import { Webhook } from 'standardwebhooks';
import { lengthText, type TimeStyle, type Timing, timePhrase } from '../../kit/output/times.ts';

/** A webhook as received: three headers, and the exact bytes of the body. */
export interface Received {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** The result of a verification. */
export interface Verdict {
  valid: boolean;
  /** Empty if it is valid. */
  reason: string;
  /** What to do about it. */
  hint: string | null;
  /** Milliseconds since the epoch; null if the header is not a time. */
  sent_at: number | null;
  age_seconds: number | null;
}

/** The tolerance recommended by Standard Webhooks: older or future timestamps are refused. */
const tolerance_seconds = 300;

/** Creates signatures with a secret; throws if the secret is invalid. */
export type Signer = (received: Pick<Received, 'id' | 'body'>, sent_at: number) => string;

/** Creates a signer of the published library; throws if the secret is empty or not base64. */
export function signerWith(secret: string): Signer {
  const webhook = new Webhook(secret);
  return ({ id, body }, sent_at) => webhook.sign(id, new Date(sent_at), body);
}

/**
 * Verifies a webhook by Standard Webhooks: one of its v1 signatures must match its ID, time and body, and the time must
 * be close to `now`, unless the age is ignored.
 */
export function verifySignature(
  received: Received,
  sign: Signer,
  { now, times = null, ignoreAge }: { now: number; times?: TimeStyle; ignoreAge: boolean },
): Verdict {
  const sent_at = readTimestamp(received.timestamp);
  const age_seconds = sent_at === null ? null : Math.floor((now - sent_at) / 1000);
  const refused = (reason: string, hint: string | null = null): Verdict => {
    return { valid: false, reason, hint, sent_at, age_seconds };
  };
  if (sent_at === null || age_seconds === null)
    return refused(`The header webhook-timestamp is not a time in whole seconds: "${received.timestamp}".`);
  const fault = signatureFault(received.signature);
  if (fault !== null) return refused(fault);
  const given = signaturesIn(received.signature);
  const expected = sign(received, sent_at);
  if (!given.some((each) => isSame(each, expected))) return refused(mismatchText, mismatchHint);
  const late = ignoreAge ? null : ageFault(age_seconds, sentTimeText(sent_at, { now, times }));
  if (late !== null) return refused(late, '--ignore-age checks the signature alone.');
  return { valid: true, reason: '', hint: null, sent_at, age_seconds };
}

const mismatchText =
  'No signature matches: the secret is wrong, or the body, the id or the time was changed.';

const mismatchHint =
  'The body must have exactly the received bytes, not JSON that was parsed and written again; a newline at the end counts.';

function readTimestamp(header: string): number | null {
  return /^\d{1,11}$/.test(header) ? Number(header) * 1000 : null;
}

/** Signatures are separated by spaces, each with its version and a comma before it. */
function signaturesIn(header: string): string[] {
  return header.split(' ').filter((part) => part.startsWith('v1,'));
}

function signatureFault(header: string): string | null {
  const given = signaturesIn(header);
  if (given.length === 0) return `The header webhook-signature has no v1 signature ("v1,..."): "${header}".`;
  const isWhole = given.some((each) => /^v1,[A-Za-z0-9+/]{43}=$/.test(each));
  return isWhole
    ? null
    : 'The signature in the header webhook-signature is incomplete: expected 44 characters after "v1,".';
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < other.length; index += 1) {
    difference |= (one.charCodeAt(index) || 0) ^ other.charCodeAt(index);
  }
  return difference === 0;
}

/** Formats the sending time, by default as an age. */
export function sentTimeText(sent_at: number, { now, times }: Timing): string {
  return timePhrase(new Date(sent_at).toISOString(), { now, times: times ?? 'relative' });
}

function ageFault(seconds: number, sent: string): string | null {
  const over = lengthText((Math.abs(seconds) - tolerance_seconds) * 1000);
  if (seconds > tolerance_seconds)
    return `It is too old by ${over}: it was sent ${sent}, and at most 5 min are allowed.`;
  if (seconds < -tolerance_seconds)
    return `Its time is too far ahead by ${over}: ${sent} on the clock of this machine.`;
  return null;
}
