import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname, resolve } from 'node:path';
import { UsageError } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation } from '../../../kit/result/message.ts';
import { reasonOf } from '../../../kit/system/files.ts';

export const sourceFormats = ['csv', 'ndjson', 'json'] as const;
export type SourceFormat = (typeof sourceFormats)[number];

/** Flags as typed, by their names in the code. */
export type TypedFlags = Readonly<Record<string, string | number | boolean>>;

/** The file to import. */
export interface Source {
  /** The path as given; used in messages and for the files beside it. */
  name: string;
  path: string;
  format: SourceFormat;
  /** The typed flags of this command, for suggested commands. */
  typed: TypedFlags;
}

const formatOfEnding: Record<string, SourceFormat> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

export interface Asked {
  /** The format of the file, if given. */
  format: SourceFormat | undefined;
  typed: TypedFlags;
}

/** Throws UsageError if neither the extension nor `format` tells the format. */
export function sourceOf(name: string, folder: string, { format, typed }: Asked): Source {
  if (name === '-')
    throw new UsageError('An import that can be resumed needs a file: stdin cannot be read again.');
  const found = format ?? formatOfEnding[extname(name).toLowerCase()];
  if (found !== undefined) return { name, path: resolve(folder, name), format: found, typed };
  throw new UsageError(`Cannot tell the format of ${name} from its name.`, {
    hint: isSpreadsheet(name)
      ? 'Save the spreadsheet as CSV UTF-8, and import that file.'
      : 'Give a file that ends in .csv, .ndjson or .json, or pass --format.',
    choices: sourceFormats,
  });
}

function isSpreadsheet(name: string): boolean {
  return /\.(xlsx?|xlsm|ods|numbers)$/i.test(name);
}

/** Totals of the part of a file that was read. */
export interface Tally {
  bytes: number;
  add(bytes: Buffer): void;
  /** The hash of the part that was read; can be called once. */
  sha256(): string;
}

export function createTally(): Tally {
  const hash = createHash('sha256');
  const tally: Tally = {
    bytes: 0,
    add: (bytes) => {
      hash.update(bytes);
      tally.bytes += bytes.length;
    },
    sha256: () => hash.digest('hex'),
  };
  return tally;
}

/** Yields the text of a file in pieces, without a byte order mark and with newlines normalized. Throws UsageError. */
export async function* textsOf(
  { name, path }: Pick<Source, 'name' | 'path'>,
  tally: Tally,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // A CRLF may be split between two pieces.
  let held = '';
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (!Buffer.isBuffer(bytes)) continue;
      tally.add(bytes);
      const text = held + decoder.decode(bytes, { stream: true });
      held = text.endsWith('\r') ? '\r' : '';
      yield unixText(text.slice(0, text.length - held.length));
    }
    yield unixText(held + decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) throw notUtf8(name);
    throw new UsageError(`The file ${name} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

function unixText(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function notUtf8(name: string): UsageError {
  return new UsageError(`${name} is not UTF-8.`, { hint: 'Save it again as "CSV UTF-8", or as UTF-8 text.' });
}

/** Reads a file to compute its totals only. Throws UsageError. */
export async function tallyOf(source: Source): Promise<Tally> {
  const tally = createTally();
  for await (const _ of textsOf(source, tally));
  return tally;
}

/** The files beside the one that is imported. */
export interface Places {
  journal: string;
  ok: string;
  failed: string;
  /** Exists while a process imports the file. */
  lock: string;
}

export function placesOf(path: string): Places {
  return {
    journal: `${path}.waybill-journal`,
    ok: `${path}.ok.csv`,
    failed: `${path}.failed.csv`,
    lock: `${path}.waybill-lock`,
  };
}

/** The command that imports a file, with the flags typed this time. */
export function importLine(
  { name, typed }: Pick<Source, 'name' | 'typed'>,
  flags: TypedFlags = {},
): Invocation {
  return invocation('orders import', [name], { ...typed, ...flags });
}
