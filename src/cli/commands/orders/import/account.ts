/** The account of a file: how many orders were read as given, and what was changed or guessed, with examples. */
import { oneLine } from '../../../kit/output/safe-text.ts';
import { countText, formatNumber } from './progress.ts';
import type { Change } from './reading/cell-values.ts';
import type { NumberedRow } from './reading/group-rows.ts';

interface Counted {
  rows: number;
  examples: ({ line: number } & Pick<Change, 'field' | 'from' | 'to'>)[];
}

/** The account for programs. */
export interface AccountRecord {
  as_given: number;
  changed: Counted;
  guessed: Counted;
}

/** Where an order is in the file. */
type PlacedRow = Pick<NumberedRow, 'line' | 'number'>;

export interface Account {
  add(row: PlacedRow & { changes?: readonly Change[] }): void;
  /** Notes a value of an order that is not taken as it is written. */
  changed(row: PlacedRow, field: string, from: string, to: string): void;
  /** The same for one that could mean something else. */
  guessed(row: PlacedRow, field: string, from: string, to: string): void;
  /** Null if every order was read as given. */
  text(): string | null;
  record(): AccountRecord;
}

const max_examples = 2;

/** Memory does not grow with the file: the examples are of different fields, if there are such. */
export function createAccount(): Account {
  const counts = { changed: { rows: 0, examples: [] }, guessed: { rows: 0, examples: [] } } satisfies Record<
    'changed' | 'guessed',
    Counted
  >;
  let rows = 0;
  let touched = 0;
  const last = { changed: -1, guessed: -1, any: -1 };
  const note = (
    kind: 'changed' | 'guessed',
    { line, number }: PlacedRow,
    change: Pick<Change, 'field' | 'from' | 'to'>,
  ) => {
    const counted: Counted = counts[kind];
    if (last[kind] !== number) counted.rows += 1;
    if (last.any !== number) touched += 1;
    last[kind] = number;
    last.any = number;
    const { field, from, to } = change;
    const { examples } = counted;
    const isNew = !examples.some((each) => each.field === field);
    if (examples.length < max_examples) examples.push({ line, field, from, to });
    else if (isNew && examples[0]?.field === examples[1]?.field) examples[1] = { line, field, from, to };
  };
  return {
    add: ({ changes = [], ...row }) => {
      rows += 1;
      for (const change of changes) note(change.isGuess ? 'guessed' : 'changed', row, change);
    },
    changed: (row, field, from, to) => note('changed', row, { field, from, to }),
    guessed: (row, field, from, to) => note('guessed', row, { field, from, to }),
    text: () => {
      if (touched === 0) return null;
      const parts = [
        ...(rows > touched ? [`${countText(rows - touched, 'order')} as given`] : []),
        ...[partText(counts.changed, 'changed'), partText(counts.guessed, 'guessed')].filter(Boolean),
      ];
      return `Read: ${parts.join('; ')}.`;
    },
    record: () => ({ as_given: rows - touched, ...structuredClone(counts) }),
  };
}

/** `3 changed, such as dropoff_zip: "2108" as "02108" (line 2)`; empty without any. */
function partText({ rows, examples }: Counted, word: string): string {
  if (rows === 0) return '';
  const shown = examples.map(({ line, field, from, to }) => {
    const given = from === '' ? 'none' : `"${shortened(from)}"`;
    return `${field}: ${given} as "${shortened(to)}" (line ${line})`;
  });
  return `${formatNumber(rows)} ${word}, such as ${shown.join(', ')}`;
}

const max_shown = 60;

function shortened(text: string): string {
  const line = oneLine(text);
  return line.length > max_shown ? `${line.slice(0, max_shown - 1)}…` : line;
}
