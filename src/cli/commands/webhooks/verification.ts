import { BadOutcome, UsageError } from '../../kit/errors/failure.ts';
import { redacted } from '../../kit/output/redaction.ts';
import { timesFor, timesInNotes } from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, type Result, record } from '../../kit/result/result.ts';
import { eventTypeIn } from '../../nouns/event.ts';
import type { Context } from '../../session/command.ts';
import { type Given, receivedOf } from './received.ts';
import {
  type Received,
  type Signer,
  sentTimeText,
  signerWith,
  type Verdict,
  verifySignature,
} from './signatures.ts';

/** The result of verifying a received webhook. */
interface CheckedWebhook {
  valid: boolean;
  id: string;
  /** The event type; empty if the body has none. */
  type: string;
  /** The sending time; null if its header is not a time. */
  timestamp: string | null;
  age_seconds: number | null;
  /** Empty if it is valid. */
  reason: string;
}

const verdictColumns: readonly Column<CheckedWebhook>[] = [
  { field: 'valid', header: 'Valid', kind: 'text', value: ({ valid }) => valid },
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'type', header: 'Type', kind: 'text', value: ({ type }) => type },
  { field: 'timestamp', header: 'Sent', kind: 'time', value: ({ timestamp }) => timestamp },
  {
    field: 'age_seconds',
    header: 'Age (s)',
    kind: 'count',
    only: 'programs',
    value: (each) => each.age_seconds,
  },
  { field: 'reason', header: 'Reason', kind: 'text', value: ({ reason }) => reason },
];

/** Verifies a webhook with the published library; exit 9 with the reason if it is invalid. */
export async function verifyWebhook(context: Context, given: Given, ignoreAge: boolean): Promise<Result> {
  const { secret, ...received } = await receivedOf(context, given);
  const timing = { now: context.now(), times: timesFor(context.output) };
  const verdict = verifySignature(received, signerOf(secret), { ...timing, ignoreAge });
  const answer = record(checked(received, verdict), verdictColumns);
  if (verdict.valid) return { ...answer, notes: ageNotes(context, verdict, ignoreAge) };
  throw new BadOutcome(verdict.reason, {
    code: 'webhook_not_valid',
    ...(verdict.hint === null ? {} : { hint: verdict.hint }),
    ...(isForPeople(context) ? {} : { answer }),
  });
}

/** Programs read the reason in the error. */
function isForPeople({ output: { format } }: Context): boolean {
  return format === 'table' || format === 'wide';
}

/** The error never repeats the given secret. */
function signerOf(secret: string): Signer {
  try {
    return signerWith(secret);
  } catch {
    throw new UsageError('Invalid secret: expected whsec_ followed by base64.', {
      hint: phrase`\`${invocation('webhooks create')}\` and \`${invocation('webhooks rotate-secret')}\` show it once.`,
    });
  }
}

function checked({ id, body }: Received, { valid, sent_at, age_seconds, reason }: Verdict): CheckedWebhook {
  const timestamp = sent_at === null ? null : new Date(sent_at).toISOString();
  // A secret given as a header by mistake is not repeated.
  return {
    valid,
    id: redacted(id),
    type: eventTypeIn(body) ?? '',
    timestamp,
    age_seconds,
    reason: redacted(reason),
  };
}

function ageNotes(context: Context, { sent_at }: Verdict, ignoreAge: boolean): string[] {
  const timing = { now: context.now(), times: timesInNotes(context.output) };
  return ignoreAge && sent_at !== null
    ? [`Its age was not checked: it was sent ${sentTimeText(sent_at, timing)}.`]
    : [];
}
