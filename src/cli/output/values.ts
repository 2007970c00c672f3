import { dollars } from '../../domain/money.ts';
import type { CellValue, ColumnKind, Show } from '../result.ts';
import { type Palette, paintStatus } from './palette.ts';
import { oneLine } from './sanitize.ts';
import { fullTime, localTime, shortTime } from './times.ts';

/** How values become text for people. */
export interface Looks {
  palette: Palette;
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
}

/** A value for people, on one line. */
export function personText(value: CellValue, kind: ColumnKind, looks: Looks): string {
  if (value === null || value === undefined || value === '') return '';
  if (kind === 'money' && typeof value === 'number') return dollars(value);
  if (kind === 'miles' && typeof value === 'number') return `${value} mi`;
  const plain = typeof value === 'boolean' ? yesNo(value) : machineText(value);
  if (kind === 'time') return localTime(plain, looks.now);
  if (kind === 'instant') return fullTime(plain);
  if (kind === 'clock') return shortTime(plain, looks.now);
  if (kind === 'due') return / late$/.test(plain) ? looks.palette.warning(plain) : plain;
  return kind === 'status' ? paintStatus(plain, looks.palette) : plain;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** A value for programs, on one line: cents, ISO times, `true` and `false`. */
export function machineText(value: CellValue): string {
  if (value === null || value === undefined) return '';
  return oneLine(typeof value === 'object' ? value.join(', ') : String(value));
}

/** What the lines of a stream, and drawings, are formatted with. */
export function showWith({ palette, now }: Looks, room: number | null): Show {
  return {
    money: dollars,
    time: (iso) => localTime(iso, now),
    clock: (iso) => (Number.isNaN(Date.parse(iso)) ? iso : shortTime(iso, now)),
    status: (status) => paintStatus(status, palette),
    dim: (text) => palette.dim(text),
    strong: (text) => palette.strong(text),
    warning: (text) => palette.warning(text),
    room,
    now,
  };
}
