/** The data kept of a record for completion: never names, addresses, phone numbers or notes. */
export interface Seen {
  /** `delivery`, `order`, `provider`, ... */
  kind: string;
  id: string;
  /** Its status or another short description: `delivered`, `swiftly 8.50`; may be empty. */
  status: string;
  /** The merchant's reference; for a quote, its route. May be empty. */
  reference: string;
  /** The time of storing, in milliseconds since the epoch. */
  at: number;
}

const header = 'waybill completion 1\n';
/** The limit for each kind; older records are dropped. */
const most = 200;

/** Formats records as a file, newest first. */
export function recordsText(records: readonly Seen[]): string {
  const lines = records.map(({ kind, id, status, reference, at }) =>
    [kind, id, status, reference, at].join('\t'),
  );
  return `${header}${lines.map((line) => `${line}\n`).join('')}`;
}

/** Parses the records of one kind, or all; invalid files and lines are ignored. */
export function recordsIn(text: string, kind?: string): Seen[] {
  if (!text.startsWith(header)) return [];
  return text.split('\n').flatMap((line) => {
    if ((kind !== undefined && !line.startsWith(`${kind}\t`)) || unplain.test(line)) return [];
    const [of = '', id = '', status = '', reference = '', at = '', ...more] = line.split('\t');
    const isWhole = more.length === 0 && id !== '' && at !== '' && Number.isSafeInteger(Number(at));
    return isWhole ? [{ kind: of, id, status, reference, at: Number(at) }] : [];
  });
}

/** Control characters except tab, invisible characters, line separators, and direction marks and overrides. */
const controls = '\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f';
const unseen = '\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';
const unplain = new RegExp(`[${controls}${unseen}]`);

/** True without control sequences, direction overrides and separators. */
export function isPlain(text: string): boolean {
  return text.length <= 200 && !text.includes('\t') && !unplain.test(text);
}

/** Merges records, newer ones first, without duplicates. Missing values are taken from the older record. */
export function merged(newer: readonly Seen[], older: readonly Seen[], gone: ReadonlySet<string>): Seen[] {
  const known = new Map<string, Seen>();
  const counts = new Map<string, number>();
  for (const record of [...newer, ...older]) {
    const name = `${record.kind}\t${record.id}`;
    const before = known.get(name);
    const count = counts.get(record.kind) ?? 0;
    if (before !== undefined) {
      known.set(name, {
        ...before,
        status: before.status || record.status,
        reference: before.reference || record.reference,
      });
    } else if (count < most && !gone.has(record.id)) {
      known.set(name, record);
      counts.set(record.kind, count + 1);
    }
  }
  return [...known.values()];
}
