/** What of a record is kept for completion: never a name, an address, a number or a note of anybody. */
export interface Seen {
  /** `delivery`, `order`, `provider`, ... */
  kind: string;
  id: string;
  /** Its status, or what else tells it from others: `delivered`, `swiftly 8.50`; may be empty. */
  status: string;
  /** The merchant's own reference; of a quote, its route. May be empty. */
  reference: string;
  /** When it was seen, milliseconds since the epoch. */
  at: number;
}

const header = 'waybill completion 1\n';
/** Of each kind; what is older is forgotten. */
const most = 200;

/** Records as the text of a file, newest first. */
export function recordsText(records: readonly Seen[]): string {
  const lines = records.map(({ kind, id, status, reference, at }) =>
    [kind, id, status, reference, at].join('\t'),
  );
  return `${header}${lines.map((line) => `${line}\n`).join('')}`;
}

/** The records of one kind, or all, in the text of a file; what is no such file, or no such line, holds none. */
export function recordsIn(text: string, kind?: string): Seen[] {
  if (!text.startsWith(header)) return [];
  return text.split('\n').flatMap((line) => {
    if (kind !== undefined && !line.startsWith(`${kind}\t`)) return [];
    const [of = '', id = '', status = '', reference = '', at = '', ...more] = line.split('\t');
    const isWhole = more.length === 0 && [of, id, status, reference].every(isPlain) && /^\d{1,15}$/.test(at);
    return isWhole && id !== '' ? [{ kind: of, id, status, reference, at: Number(at) }] : [];
  });
}

/** No line breaks, nothing that a terminal would obey, and nothing that turns the direction of writing. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (unplain.some(([first, last]) => code >= first && code <= last)) return false;
  }
  return text.length <= 200;
}

/** Controls, invisible characters, separators of lines, marks and overrides of direction. */
const unplain: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
];

/** The newer ones before the older ones, each once. What is not known of the newer one is as it was. */
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
