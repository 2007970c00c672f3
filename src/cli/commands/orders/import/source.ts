/** The file to import: its format, how its columns are read, its text, and the paths of the files beside it. */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { UsageError } from '../../../kit/errors/failure.ts';
import { type Invocation, type InvocationFlags, invocation } from '../../../kit/result/message.ts';
import { explainFileError, notUtf8Error } from '../../../kit/system/files.ts';

export const sourceFormats = ['csv', 'ndjson', 'json'] as const;
export type SourceFormat = (typeof sourceFormats)[number];

/** Which column of a CSV file is read as which field of an order: the header as given, and the field. */
export type ColumnMap = readonly (readonly [header: string, field: string])[];

/** The systems whose exports can be read. */
export const presetNames = ['shopify', 'square', 'squarespace', 'woocommerce'] as const;
export type PresetName = (typeof presetNames)[number];

/** How the columns of a file are read. */
export interface Layout {
  /** The system whose export the file is; null for columns that are named after the fields of an order. */
  preset: PresetName | null;
  map: ColumnMap;
  /** The store from which orders without a pickup of their own are picked up. */
  store: string | null;
  /** The values of columns with which orders are imported; empty: all are. */
  only: readonly ColumnValue[];
  /** The statuses with which orders of an export are imported, besides those that the preset knows to be ready. */
  statuses: readonly string[];
  /** Values of fields, as cells are written, for orders that have none. */
  set: readonly ColumnValue[];
  /** The attributes of exports that hold the time of the delivery; empty: those that are named like it. */
  dateAttributes: readonly string[];
  /** Each row of a CSV file is an order, even beside rows with its reference and recipient. */
  isOrderPerRow: boolean;
}

/** A column or field, and the text of its cells. */
export type ColumnValue = readonly [header: string, value: string];

export interface Source {
  /** The path as given; used in messages and for the files beside it. */
  name: string;
  path: string;
  format: SourceFormat;
  layout: Layout;
  /** The typed flags of this command by their names in the code, for suggested commands. */
  typed: InvocationFlags;
  files: ImportFiles;
}

const formatOfEnding: Record<string, SourceFormat> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

/** Throws UsageError if `format` is not given and the extension does not determine it. */
export function sourceOf(
  name: string,
  folder: string,
  { format, layout, typed }: Pick<Source, 'layout' | 'typed'> & { format: SourceFormat | undefined },
): Source {
  if (name === '-')
    throw new UsageError('An import that can be resumed needs a file: stdin cannot be read again.');
  const found = format ?? formatOfEnding[extname(name).toLowerCase()];
  if (found !== undefined) {
    checkLayout(layout, found);
    const path = resolve(folder, name);
    return { name, path, format: found, layout, typed, files: filesOf(path) };
  }
  if (statSync(resolve(folder, name), { throwIfNoEntry: false })?.isDirectory() === true)
    throw new UsageError(`${name} is a folder. Name the file with the orders.`, { choices: sourceFormats });
  throw new UsageError(`Cannot tell the format of ${name} from its name.`, {
    hint: isSpreadsheet(name)
      ? 'Save the spreadsheet as CSV UTF-8, and import that file.'
      : 'Give a file that ends in .csv, .ndjson or .json, or pass --format.',
    choices: sourceFormats,
  });
}

function checkLayout({ preset, map, only, statuses, dateAttributes }: Layout, format: SourceFormat): void {
  if (format !== 'csv' && only.length > 0)
    throw new UsageError('--only names columns: it applies to CSV only.');
  if (preset === null && statuses.length > 0)
    throw new UsageError('--status needs --preset. For other files: --only COLUMN=VALUE.');
  if (preset === null && dateAttributes.length > 0)
    throw new UsageError("--date-attribute needs --preset. For other files: --map 'COLUMN=dropoff_at'.");
  if (preset === null) return;
  if (map.length > 0) throw new UsageError('Use --preset or --map: a preset knows the columns of its file.');
  if (format !== 'csv' && preset !== 'woocommerce')
    throw new UsageError(`--preset ${preset} reads the CSV file that the system exports, not ${format}.`);
}

function isSpreadsheet(name: string): boolean {
  return /\.(xlsx?|xlsm|ods|numbers)$/i.test(name);
}

/** Reads each `--map`: `HEADER=FIELD`, or the path of a file with such lines. Throws UsageError. */
export function readColumnMap(given: readonly string[], folder: string): ColumnMap {
  return given.flatMap((text) =>
    text.includes('=') ? [pairOf(text, `--map "${text}"`)] : pairsInFile(text, folder),
  );
}

/** Reads each `--only`: `COLUMN=VALUE`. Throws UsageError. */
export function readColumnValues(given: readonly string[]): ColumnValue[] {
  return given.map((text) => {
    const [, header = '', value = ''] = /^\s*([^=]*[^=\s])\s*=\s*(.*?)\s*$/s.exec(text) ?? [];
    if (header !== '') return [header, value];
    throw new UsageError(`--only "${text}" is not COLUMN=VALUE.`, {
      hint: "For example: --only 'Shipping Method=Local Delivery'.",
    });
  });
}

/** Empty lines and those that begin with `#` are skipped. */
function pairsInFile(name: string, folder: string): ColumnMap {
  let text: string;
  try {
    text = readFileSync(resolve(folder, name), 'utf8');
  } catch (error) {
    throw new UsageError(
      `--map must be HEADER=FIELD or a file, and ${name} cannot be read: ${explainFileError(error)}.`,
    );
  }
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.flatMap((line, index) =>
    /^\s*(#|$)/.test(line) ? [] : [pairOf(line, `${name}, line ${index + 1}`)],
  );
}

function pairOf(text: string, where: string): readonly [string, string] {
  const [, header = '', field = ''] = /^\s*(.*\S)\s*=\s*(\w+)\s*$/.exec(text) ?? [];
  if (header !== '') return [header, field.toLowerCase()];
  throw new UsageError(`${where} is not HEADER=FIELD.`, {
    hint: "For example: --map 'Shipping Name=dropoff_name'.",
  });
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
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  // A CRLF may be split between two pieces.
  let held = '';
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (!Buffer.isBuffer(bytes)) continue;
      tally.add(bytes);
      decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
      const text = held + decoder.decode(bytes, { stream: true });
      held = text.endsWith('\r') ? '\r' : '';
      yield unixText(text.slice(0, text.length - held.length));
    }
    yield unixText(held + (decoder?.decode() ?? ''));
  } catch (error) {
    if (error instanceof TypeError) throw notUtf8Error(name);
    throw new UsageError(`The file ${name} cannot be read: ${explainFileError(error)}.`, { cause: error });
  }
}

/** Excel's "Unicode Text" begins with the mark of UTF-16. */
function encodingOf(bytes: Buffer): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
}

function unixText(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Reads a file to compute its totals only. Throws UsageError. */
export async function tallyOf(source: Source): Promise<Tally> {
  const tally = createTally();
  for await (const _ of textsOf(source, tally));
  return tally;
}

/** The command that imports a file, with the flags typed this time. */
export function importLine(
  { name, typed }: Pick<Source, 'name' | 'typed'>,
  flags: InvocationFlags = {},
): Invocation {
  return invocation('orders import', [name], { ...typed, ...flags });
}

/** The files beside the one that is imported. */
export interface ImportFiles {
  journal: string;
  ok: string;
  failed: string;
  /** Exists while a process imports the file. */
  lock: string;
}

export function filesOf(path: string): ImportFiles {
  return {
    journal: `${path}.waybill-journal`,
    ok: `${path}.ok.csv`,
    failed: `${path}.failed.csv`,
    lock: `${path}.waybill-lock`,
  };
}
