import { dollars } from '../../domain/money.ts';
import type { CellValue, ColumnKind, Show } from '../result.ts';
import { type Palette, paintStatus } from './palette.ts';
import { oneLine } from './sanitize.ts';
import { localTime } from './times.ts';

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

/** What the lines of a stream are formatted with. */
export function showWith(looks: Looks): Show {
  return {
    money: dollars,
    time: (iso) => localTime(iso, looks.now),
    status: (status) => paintStatus(status, looks.palette),
    dim: (text) => looks.palette.dim(text),
  };
}
