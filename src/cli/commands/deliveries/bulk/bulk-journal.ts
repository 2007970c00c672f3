import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { Compile } from 'typebox/schema';
import { Nullable, type Static, Type } from '../../../../contract/schema.ts';
import { Failure } from '../../../kit/errors/failure.ts';
import { once } from '../../../kit/once.ts';
import { reasonOf } from '../../../kit/system/files.ts';

/** The outcome of one delivery of a bulk command. Amounts are in cents. */
export const BulkRow = Type.Object({
  object: Type.Literal('bulk_result'),
  delivery_id: Type.String(),
  result: Type.Enum(['canceled', 'retried', 'refused', 'failed']),
  new_delivery_id: Nullable(Type.String()),
  cost: Nullable(Type.Integer()),
  refund: Nullable(Type.Integer()),
  code: Nullable(Type.String()),
  reason: Nullable(Type.String()),
});
export type BulkRow = Static<typeof BulkRow>;

/** The first line: the command, its idempotency key and where it runs. */
const Header = Type.Object({
  type: Type.Literal('bulk'),
  version: Type.Literal(1),
  key: Type.String(),
  place: Type.String(),
});
const Entry = Type.Union([Header, BulkRow]);

/**
 * The append-only record of a bulk command, beside the file with the ids. It lasts until every delivery has an outcome.
 */
export interface BulkJournal {
  /** The idempotency key of the whole; those of its requests derive from it. */
  key: string;
  /** The deliveries that have an outcome, by their IDs. */
  rows: ReadonlyMap<string, BulkRow>;
  /** Writes an outcome; it survives a crash of the machine. */
  append(row: BulkRow): void;
  remove(): void;
}

/** Continues a journal, or creates one. Throws Failure if it is of another account or cannot be read or written. */
export function openBulkJournal(path: string, started: { key: string; place: string }): BulkJournal {
  const entries = existsSync(path) ? readEntries(path) : [];
  const [first, ...others] = entries;
  const header = first !== undefined && 'key' in first ? first : null;
  if (entries.length > 0 && header === null) throw damaged(path);
  if (header !== null && header.place !== started.place) {
    throw new Failure(6, 'import_differs', `${path} was started in another account or mode.`, {
      hint: 'Use the profile it was started with, or delete the file to start over.',
    });
  }
  const rows = others.flatMap((entry) => ('delivery_id' in entry ? [entry] : []));
  return {
    key: header?.key ?? started.key,
    rows: new Map(rows.map((row) => [row.delivery_id, row])),
    append: (row) => {
      if (!existsSync(path)) write(path, { type: 'bulk', version: 1, ...started });
      write(path, row);
    },
    remove: () => rmSync(path, { force: true }),
  };
}

/** Reads the entries, and removes a last line that a crash has cut. */
function readEntries(path: string): Static<typeof Entry>[] {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(path, end);
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
  return lines.map((line) => {
    const entry = entryOf(line);
    if (entry === null) throw damaged(path);
    return entry;
  });
}

const contract = once(() => Compile(Entry));

function entryOf(line: string): Static<typeof Entry> | null {
  try {
    const data: unknown = JSON.parse(line);
    return isEntry(data) ? data : null;
  } catch {
    return null;
  }
}

function isEntry(data: unknown): data is Static<typeof Entry> {
  return contract().Check(data);
}

function damaged(path: string): Failure {
  return new Failure(6, 'journal_damaged', `${path} cannot be read as a journal.`, {
    hint: 'Delete it to start over: what is already done is refused by the service.',
  });
}

/** Appends one line and syncs it to the disk. */
function write(path: string, entry: Static<typeof Entry>): void {
  try {
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true });
  } catch (error) {
    throw new Failure(2, 'file_unwritable', `${path} cannot be written: ${reasonOf(error)}.`, {
      hint: 'The journal stands beside the file with the IDs: copy that to a folder that you may write to, or pipe it to --from -.',
      cause: error,
    });
  }
}
