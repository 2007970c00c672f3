/** `webhooks verify`: where body, headers and secret are read from, and why a signature does not hold. */
import { Webhook } from 'standardwebhooks';
import { isBlank } from '../../kit/args/command-input.ts';
import { BadValue, type Flag, listFlag, switchFlag, textFlag } from '../../kit/args/flags.ts';
import { BadOutcome, UsageError } from '../../kit/errors/failure.ts';
import { redacted } from '../../kit/output/safe-text.ts';
import {
  lengthText,
  type TimeContext,
  type TimeStyle,
  timePhrase,
  timesFor,
  timesInNotes,
} from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, isForPeople, type Result, recordResult } from '../../kit/result/result.ts';
import { eventTypeIn } from '../../nouns/event.ts';
import {
  readTimedHeader,
  signatureHeaderFlag,
  timedHeaderName,
  timedHex,
} from '../../nouns/timed-signature.ts';
import { type Context, defineCommand, type FlagValues, positional } from '../../session/command.ts';

const verifyFlags = {
  file: textFlag({ summary: 'File with the raw body; - for stdin', short: 'f', placeholder: 'FILE' }),
  header: headerFlag(),
  id: textFlag({ summary: 'Header webhook-id', placeholder: 'ID' }),
  timestamp: textFlag({ summary: 'Header webhook-timestamp', placeholder: 'SECONDS' }),
  signature: textFlag({ summary: 'Header webhook-signature', placeholder: 'SIGNATURE' }),
  signatureHeader: signatureHeaderFlag('Header with a signature t=...,v1=..., such as Burq-Signature'),
  secretFile: textFlag({ summary: 'File with the secret, such as whsec_...', placeholder: 'FILE' }),
  ignoreAge: switchFlag({ summary: 'Accept any age' }),
};

export const verify = defineCommand({
  name: 'verify',
  aliases: ['check'],
  summary: 'Verify the signature of a webhook locally',
  description: [
    'Verifies per Standard Webhooks, with its official library, or, with --signature-header, a signature t=...,v1=... in',
    'another header, as of the public platform. The body must be byte-for-byte what was received. The secret comes from',
    '--secret-file, the variable WAYBILL_WEBHOOK_SECRET or a prompt, never from an argument. The exit code is 0 if the',
    'signature is valid, and otherwise 9 with the reason: wrong secret or body, or older than 5 minutes.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads the body from stdin', optional: true }) },
  flags: verifyFlags,
  examples: [
    {
      command: [
        'waybill webhooks verify --file body.json --secret-file secret.txt',
        "--header 'webhook-id: evt_...' --header 'webhook-timestamp: 1772445600' --header 'webhook-signature: v1,...'",
      ].join(' '),
      summary: 'Read the body from a file',
    },
    {
      command:
        'waybill webhooks verify - --id ID --timestamp SECONDS --signature SIGNATURE --ignore-age < body.json',
      summary: 'Verify an old webhook, with the secret in the environment',
    },
    {
      command: [
        'waybill webhooks verify --file body.json --secret-file secret.txt --signature-header Burq-Signature',
        "--header 'Burq-Signature: t=1772445600,v1=...'",
      ].join(' '),
      summary: 'Verify a webhook of the public platform',
    },
  ],
  effect: 'none',
  answers: ({ one, object, orNull }) => [
    one(
      object({
        valid: 'boolean',
        id: 'string',
        type: 'string',
        timestamp: orNull('time'),
        age_seconds: orNull('integer'),
        reason: 'string',
      }),
    ),
  ],
  exits: { 9: 'the webhook is not valid' },
  errors: ['webhook_not_valid'],
  related: ['webhooks rotate-secret', 'listen'],
  async run(context, { flags: { ignoreAge, ...given }, positionals: { stdin } }) {
    return verifyWebhook(context, { ...given, stdin }, ignoreAge);
  },
});

/** The result of verifying a received webhook, in JSON. */
interface CheckedWebhook extends Pick<Verdict, 'valid' | 'age_seconds' | 'reason'> {
  id: string;
  /** The event type; empty if the body has none. */
  type: string;
  /** The sending time; null if its header is not a time. */
  timestamp: string | null;
}

const verdictColumns: readonly Column<CheckedWebhook>[] = [
  { field: 'valid', header: 'Valid', kind: 'text' },
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'type', header: 'Type', kind: 'text' },
  { field: 'timestamp', header: 'Sent', kind: 'time' },
  { field: 'age_seconds', header: 'Age (s)', kind: 'count', only: 'programs' },
  { field: 'reason', header: 'Reason', kind: 'text' },
];

/** Verifies a webhook with the published library; exit 9 with the reason if it is invalid. */
async function verifyWebhook(context: Context, given: VerifyFlags, ignoreAge: boolean): Promise<Result> {
  const { secret, ...received } = await readWebhook(context, given);
  const timing = { now: context.now(), times: timesFor(context.output) };
  const scheme = received.timed_by === null ? standardScheme(secret) : timedScheme(secret, received.timed_by);
  const verdict = verifySignature(received, scheme, { ...timing, ignoreAge });
  const answer = recordResult(checkedWebhookOf(received, verdict), verdictColumns);
  if (verdict.valid) return { ...answer, notes: ageNotes(context, verdict, ignoreAge) };
  throw new BadOutcome(verdict.reason, {
    code: 'webhook_not_valid',
    ...(verdict.hint === null ? {} : { hint: verdict.hint }),
    // Programs read the reason in the error.
    ...(isForPeople(context.output.format) ? {} : { answer }),
  });
}

/** The library with a secret. Throws UsageError, which never repeats the secret. */
function webhookWith(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new UsageError('Invalid secret: expected whsec_ followed by base64.', {
      hint: phrase`\`${invocation('webhooks create')}\` and \`${invocation('webhooks rotate-secret')}\` show it once.`,
    });
  }
}

function checkedWebhookOf(
  { id, body }: Received,
  { valid, sent_at, age_seconds, reason }: Verdict,
): CheckedWebhook {
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

/** The variable that may contain the secret, which is never an argument, as other users can see those. */
const secretVariable = 'WAYBILL_WEBHOOK_SECRET';

/** Headers as `--header` gives them, their names in lower case. */
type Headers = Readonly<Record<string, string>>;

type VerifyFlags = Omit<FlagValues<typeof verifyFlags>, 'ignoreAge'> & { stdin: string | undefined };

/** `--header 'webhook-id: evt_1'`, as in curl; unrelated headers are ignored. */
function headerFlag(): Flag<Headers> {
  const base = listFlag({ summary: "As received, 'NAME: VALUE'; others are ignored", short: 'H' });
  const read = (texts: readonly string[]) => Object.fromEntries(texts.map(parseHeader));
  return { ...base, placeholder: 'HEADER', read, absent: () => ({}) };
}

function parseHeader(given: string): [string, string] {
  const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/s.exec(given) ?? [];
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value.trim()];
  throw new BadValue(`must be NAME: VALUE, not "${given}"`);
}

/** The parts of a webhook and its secret; missing parts are empty. */
type Parts = Received & { file: string; secret: string };

/** The flag and the prompt of each part. */
const requiredParts = [
  ['file', '--file', 'File with the body'],
  ['id', '--id', 'Header webhook-id'],
  ['timestamp', '--timestamp', 'Header webhook-timestamp'],
  ['signature', '--signature', 'Header webhook-signature'],
  ['secret', '--secret-file', 'Secret (whsec_...)'],
] as const;

/** Reads the webhook and the secret, prompting if possible; otherwise one error lists everything missing. */
async function readWebhook(context: Context, given: VerifyFlags): Promise<Parts> {
  const parts = await readParts(context, given);
  const missing = requiredParts.filter(
    ([name]) => parts[name] === '' && (parts.timed_by === null || !['id', 'timestamp'].includes(name)),
  );
  if (missing.length === 0) return readBody(context, parts);
  if (!context.interactive) throw missingInput(missing.map(([, flag]) => flag));
  const prompts = await context.prompts();
  for (const [name, flag, question] of missing) {
    const check = { check: notEmpty };
    const answer =
      name === 'secret' ? prompts.secret(question) : prompts.text(`${question} (${flag})`, check);
    parts[name] = (await answer).trim();
  }
  if (parts.timed_by !== null && parts.timestamp === '')
    Object.assign(parts, timedParts(parts.signature, parts.timed_by));
  return readBody(context, parts);
}

async function readBody(context: Context, parts: Parts): Promise<Parts> {
  return { ...parts, body: await context.readFile(parts.file) };
}

async function readParts(context: Context, given: VerifyFlags): Promise<Parts> {
  const { stdin, file, header, secretFile } = given;
  if (stdin !== undefined && stdin !== '-')
    throw new UsageError(`Unexpected argument "${stdin}". Pass the body with --file, or - for stdin.`);
  if (stdin !== undefined && file !== undefined) throw new UsageError('Give one of --file and - (stdin).');
  if (secretFile?.startsWith('whsec_'))
    throw new UsageError('--secret-file takes a file, because other users can see arguments.');
  if (secretFile === '-') throw new UsageError('--secret-file takes a file: stdin is for the body.');
  const secret =
    secretFile === undefined
      ? (context.host.environment[secretVariable] ?? '')
      : parseSecret(await context.readFile(secretFile), secretFile);
  const timed_by = timedHeaderName(given.signatureHeader, header);
  const signature = given.signature ?? header[timed_by ?? 'webhook-signature'] ?? '';
  return {
    file: file ?? stdin ?? '',
    id: given.id ?? header['webhook-id'] ?? '',
    timestamp: given.timestamp ?? header['webhook-timestamp'] ?? '',
    signature,
    ...(timed_by !== null && (signature === '' ? { timestamp: '' } : timedParts(signature, timed_by))),
    timed_by,
    secret: secret.trim(),
    body: '',
  };
}

/** The time and the signatures of another header than that of Standard Webhooks. */
function timedParts(header: string, name: string): Pick<Received, 'timestamp' | 'signature'> {
  const parts = readTimedHeader(header);
  if (parts !== null) return parts;
  throw new UsageError(`The header ${name} is not of the form t=SECONDS,v1=HEX: "${redacted(header)}".`, {
    hint: 'No other form is known beside that of Standard Webhooks, which needs no --signature-header.',
  });
}

/** Reads a secret, or the response that contained it: `{"secret": "whsec_..."}`. UsageError for an empty file. */
function parseSecret(text: string, path: string): string {
  const given = text.replace(/^\ufeff/, '').trim();
  if (given === '')
    throw new UsageError(`The file of --secret-file is empty: ${path}.`, { code: 'bad_value' });
  if (!given.startsWith('{')) return given;
  const secret = textFieldIn(given, 'secret');
  if (secret !== null) return secret.trim();
  throw new UsageError(`The file of --secret-file has JSON without a secret: ${path}.`, {
    code: 'bad_value',
    hint: '`--jq .secret` prints only the secret.',
  });
}

/** A text field of a JSON object; null if it is missing. */
function textFieldIn(json: string, name: string): string | null {
  try {
    const value: unknown = new Map<string, unknown>(Object.entries(JSON.parse(json))).get(name);
    return typeof value === 'string' && value !== '' ? value : null;
  } catch {
    return null;
  }
}

function missingInput(missing: readonly string[]): UsageError {
  return new UsageError(`Missing: ${missing.join(', ')}.`, {
    code: 'missing_input',
    missing,
    hint: `The headers can come with --header, the body from stdin with a dash, the secret from ${secretVariable}.`,
  });
}

function notEmpty(text: string): string | null {
  return isBlank(text) ? 'It cannot be empty.' : null;
}

/** A webhook as received: its headers, and the exact bytes of the body. */
interface Received {
  /** The header with a signature `t=…,v1=…`; null: Standard Webhooks. */
  timed_by: string | null;
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** The result of a verification. */
interface Verdict {
  valid: boolean;
  /** Empty if it is valid. */
  reason: string;
  /** The next step for the user. */
  hint: string | null;
  /** Milliseconds since the epoch; null if the header is not a time. */
  sent_at: number | null;
  age_seconds: number | null;
}

/** The tolerance recommended by Standard Webhooks: older or future timestamps are refused. */
const tolerance_seconds = 300;

/** A way to sign webhooks. */
interface Scheme {
  /** The header with the time, and that with the signatures. */
  time_header: string;
  /** The error in the format of the signatures; null without one. */
  faultIn(signature: string): string | null;
  signaturesIn(signature: string): string[];
  sign(received: Received, sent_at: number): string;
}

function standardScheme(secret: string): Scheme {
  const webhook = webhookWith(secret);
  return {
    time_header: 'webhook-timestamp',
    faultIn: signatureFault,
    signaturesIn,
    sign: ({ id, body }, sent_at) => webhook.sign(id, new Date(sent_at), body),
  };
}

function timedScheme(secret: string, header: string): Scheme {
  const signaturesOf = (signature: string) => signature.toLowerCase().split(' ');
  return {
    time_header: header,
    faultIn: (signature) =>
      signaturesOf(signature).some((each) => /^[0-9a-f]{64}$/.test(each))
        ? null
        : `The signature in the header ${header} is incomplete: expected 64 hexadecimal digits after "v1=".`,
    signaturesIn: signaturesOf,
    sign: ({ timestamp, body }) => timedHex(body, timestamp, secret),
  };
}

/**
 * Verifies a webhook: one of its v1 signatures must match its ID, if it has one, time and body, and the time must be
 * close to `now`, unless the age is ignored.
 */
function verifySignature(
  received: Received,
  scheme: Scheme,
  { now, times = null, ignoreAge }: { now: number; times?: TimeStyle; ignoreAge: boolean },
): Verdict {
  const sent_at = readTimestamp(received.timestamp);
  const age_seconds = sent_at === null ? null : Math.floor((now - sent_at) / 1000);
  const refused = (reason: string, hint: string | null = null): Verdict => {
    return { valid: false, reason, hint, sent_at, age_seconds };
  };
  if (sent_at === null || age_seconds === null)
    return refused(
      `The time in the header ${scheme.time_header} is not in whole seconds: "${received.timestamp}".`,
    );
  const fault = scheme.faultIn(received.signature);
  if (fault !== null) return refused(fault);
  const given = scheme.signaturesIn(received.signature);
  const expected = scheme.sign(received, sent_at);
  if (!given.includes(expected)) return refused(mismatchText, mismatchHint);
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

/** Formats the sending time, by default as an age. */
function sentTimeText(sent_at: number, { now, times }: TimeContext): string {
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
