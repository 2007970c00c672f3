import { Compile } from 'typebox/schema';
import { OrderSettings } from '../../../../contract/orders.ts';
import { Nullable, type Static, Type } from '../../../../contract/schema.ts';
import { once } from '../../../kit/once.ts';
import { presetNames } from './reading/presets.ts';
import { sourceFormats } from './source.ts';

const Count = Type.Integer({ minimum: 0 });

/** The first line: source, destination and settings. They are fixed until the import is finished. */
export const Header = Type.Object({
  type: Type.Literal('import'),
  /** Version 1 sent orders for manual dispatch one by one. */
  version: Type.Literal(2),
  /** Identifies this import: another import of the same file uses other keys. */
  id: Type.String({ minLength: 1 }),
  file: Type.Object({
    format: Type.Enum(sourceFormats),
    sha256: Type.String(),
    rows: Count,
    columns: Type.Array(Type.String()),
    preset: Nullable(Type.Enum(presetNames)),
    /** Pairs of header and field. */
    map: Type.Array(Type.Array(Type.String())),
    store: Nullable(Type.String()),
  }),
  place: Type.Object({
    profile: Type.String(),
    service: Type.String(),
    mode: Type.Enum(['test', 'live']),
    account_id: Type.String(),
  }),
  /** Null: manual dispatch. */
  settings: Nullable(OrderSettings),
  simulation: Nullable(Type.String()),
  limits: Type.Object({ rows: Count, bytes: Count }),
  /** Wall time, milliseconds since the epoch, like every `at` here. */
  at: Count,
});
export type Header = Static<typeof Header>;

/** Written before a chunk, or the rest of it, is sent. */
const Sending = Type.Object({
  type: Type.Literal('sending'),
  chunk: Count,
  /** How many times a part of the chunk was refused before. */
  attempt: Count,
  /** The first and last line of the chunk in the file. */
  lines: Type.Array(Count),
  key: Type.String(),
  sha256: Type.String(),
  at: Count,
});

/** Auto dispatch accepted the rest of the chunk. */
const Accepted = Type.Object({
  type: Type.Literal('accepted'),
  chunk: Count,
  batch_id: Type.String(),
  /** The number of orders accepted. */
  rows: Count,
});

const FailedRow = Type.Object({ row: Count, error: Type.String() });

/** Rows of the chunk that will not be created. */
const Refused = Type.Object({ type: Type.Literal('refused'), chunk: Count, failed: Type.Array(FailedRow) });

/** The outcome of a chunk, as the result files need it. */
const Done = Type.Object({
  type: Type.Literal('done'),
  chunk: Count,
  batch_id: Nullable(Type.String()),
  made: Type.Array(Type.Object({ line: Count, ref: Type.String(), order_id: Type.String() })),
  failed: Type.Array(Type.Object({ line: Count, error: Type.String(), cells: Type.Array(Type.String()) })),
});
export type Done = Static<typeof Done>;

const Finished = Type.Object({ type: Type.Literal('finished'), made: Count, failed: Count, at: Count });

const Entry = Type.Union([Header, Sending, Accepted, Refused, Done, Finished]);
export type Entry = Static<typeof Entry>;

const contract = once(() => Compile(Entry));

/** Parses a line of a journal; null if it is not an entry. */
export function entryOf(text: string): Entry | null {
  try {
    const data: unknown = JSON.parse(text);
    return isEntry(data) ? data : null;
  } catch {
    return null;
  }
}

function isEntry(data: unknown): data is Entry {
  return contract().Check(data);
}
