import { BadValue, type Flag, list } from '../../kit/args/flags.ts';
import { isBlank } from '../../kit/args/input.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/command.ts';
import type { Received } from './signatures.ts';

/** The variable that may contain the secret, which is never an argument, as other users can see those. */
const secretVariable = 'WAYBILL_WEBHOOK_SECRET';

/** Headers as `--header` gives them, their names in lower case. */
type Headers = Readonly<Record<string, string>>;

export interface Given {
  stdin: string | undefined;
  file: string | undefined;
  header: Headers;
  id: string | undefined;
  timestamp: string | undefined;
  signature: string | undefined;
  secretFile: string | undefined;
}

/** `--header 'webhook-id: evt_1'`, as in curl; unrelated headers are ignored. */
export function headerFlag(): Flag<Headers> {
  const base = list({ summary: "'NAME: VALUE' as received (other headers are ignored)", short: 'H' });
  const read = (texts: readonly string[]) => Object.fromEntries(texts.map(headerIn));
  return { ...base, placeholder: 'HEADER', read, absent: () => ({}) };
}

function headerIn(given: string): [string, string] {
  const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/s.exec(given) ?? [];
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value.trim()];
  throw new BadValue(`must be NAME: VALUE, not "${given}"`);
}

/** The parts of a webhook and its secret; missing parts are empty. */
type Parts = Received & { file: string; secret: string };

/** The flag and the prompt of each part. */
const asked = [
  ['file', '--file', 'File with the body'],
  ['id', '--id', 'Header webhook-id'],
  ['timestamp', '--timestamp', 'Header webhook-timestamp'],
  ['signature', '--signature', 'Header webhook-signature'],
  ['secret', '--secret-file', 'Secret (whsec_...)'],
] as const;

/** Reads the webhook and the secret, prompting if possible; otherwise one error lists everything missing. */
export async function receivedOf(context: Context, given: Given): Promise<Parts> {
  const parts = await partsOf(context, given);
  const missing = asked.filter(([name]) => parts[name] === '');
  if (missing.length === 0) return withBody(context, parts);
  if (!context.interactive) throw gaps(missing.map(([, flag]) => flag));
  const prompts = await context.prompts();
  for (const [name, flag, question] of missing) {
    const check = { check: notEmpty };
    const answer =
      name === 'secret' ? prompts.secret(question) : prompts.text(`${question} (${flag})`, check);
    parts[name] = (await answer).trim();
  }
  return withBody(context, parts);
}

async function withBody(context: Context, parts: Parts): Promise<Parts> {
  return { ...parts, body: await context.readFile(parts.file) };
}

async function partsOf(context: Context, given: Given): Promise<Parts> {
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
      : secretIn(await context.readFile(secretFile), secretFile);
  return {
    file: file ?? stdin ?? '',
    id: given.id ?? header['webhook-id'] ?? '',
    timestamp: given.timestamp ?? header['webhook-timestamp'] ?? '',
    signature: given.signature ?? header['webhook-signature'] ?? '',
    secret: secret.trim(),
    body: '',
  };
}

/** Reads a secret, or the response that contained it: `{"secret": "whsec_..."}`. UsageError for an empty file. */
function secretIn(text: string, path: string): string {
  const given = text.replace(/^\ufeff/, '').trim();
  if (given === '')
    throw new UsageError(`The file of --secret-file is empty: ${path}.`, { code: 'bad_value' });
  if (!given.startsWith('{')) return given;
  const secret = fieldIn(given, 'secret');
  if (secret !== null) return secret.trim();
  throw new UsageError(`The file of --secret-file has JSON without a secret: ${path}.`, {
    code: 'bad_value',
    hint: '`--jq .secret` prints only the secret.',
  });
}

/** A text field of a JSON object; null if it is missing. */
function fieldIn(json: string, name: string): string | null {
  try {
    const value: unknown = new Map<string, unknown>(Object.entries(JSON.parse(json))).get(name);
    return typeof value === 'string' && value !== '' ? value : null;
  } catch {
    return null;
  }
}

function gaps(missing: readonly string[]): UsageError {
  return new UsageError(`Missing: ${missing.join(', ')}.`, {
    code: 'missing_input',
    missing,
    hint: `The headers can come with --header, the body from stdin with a dash, the secret from ${secretVariable}.`,
  });
}

function notEmpty(text: string): string | null {
  return isBlank(text) ? 'It cannot be empty.' : null;
}
