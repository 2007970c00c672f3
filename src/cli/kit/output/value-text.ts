import { dollars } from '../../../domain/money.ts';
import type { CellValue, ColumnKind, Show } from '../result/result.ts';
import { emailShown } from './emails.ts';
import { type Palette, paintStatus } from './palette.ts';
import { phoneShown } from './phones.ts';
import { oneLine } from './sanitize.ts';
import { fullTime, localTime, shortTime, styledTime, type TimeStyle, timePhrase } from './times.ts';

/** How values are formatted for people. */
export interface TextStyle {
  palette: Palette;
  /** Show phone numbers and e-mail addresses unmasked. */
  showPii: boolean;
  /** The service's time in milliseconds since the epoch. */
  now: number;
  /** `--time`. */
  times: TimeStyle;
}

/** A value for people, on one line. */
export function personText(value: CellValue, kind: ColumnKind, style: TextStyle): string {
  if (isBlank(value)) return '';
  if (kind === 'money' && typeof value === 'number') return dollars(value);
  if (kind === 'miles' && typeof value === 'number') return `${value} mi`;
  const plain = typeof value === 'boolean' ? yesNo(value) : machineText(value);
  const usual = timeKinds[kind];
  if (usual !== undefined) return styledTime(plain, style.now, style.times, usual);
  if (kind === 'phone') return phoneShown(style)(plain);
  if (kind === 'email') return emailShown(style)(plain);
  if (kind === 'due') return / late$/.test(plain) ? style.palette.warning(plain) : plain;
  return kind === 'status' ? paintStatus(plain, style.palette) : plain;
}

/** A value for people in a spreadsheet: times are dates that it can sort, without their age. */
export function fullTimeText(value: CellValue, kind: ColumnKind, style: TextStyle): string {
  const isTime = timeKinds[kind] !== undefined && typeof value === 'string';
  return isTime ? styledTime(value, style.now, style.times, fullTime) : personText(value, kind, style);
}

/** The default format of each kind of time. */
const timeKinds: Partial<Record<ColumnKind, (iso: string, now: number) => string>> = {
  time: localTime,
  instant: fullTime,
  clock: shortTime,
};

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Formats a value for programs on one line: cents, ISO times, `true` and `false`. */
export function machineText(value: CellValue): string {
  if (isBlank(value)) return '';
  return oneLine(typeof value === 'object' ? value.join(', ') : String(value));
}

/** A number missing in a response is NaN. */
function isBlank(value: CellValue): value is null | undefined | '' {
  return value === null || value === undefined || value === '' || Number.isNaN(value);
}

/** The formatters for lines of a stream and for drawings. */
export function showWith(style: TextStyle, { room, ink }: Pick<Show, 'room' | 'ink'>): Show {
  const { palette, now, times } = style;
  return {
    money: dollars,
    time: (iso) => styledTime(iso, now, times, localTime),
    clock: (iso) => styledTime(iso, now, times, shortTime),
    at: (iso, word) => timePhrase(iso, { now, times }, word),
    status: (status) => paintStatus(status, palette),
    dim: (text) => palette.dim(text),
    strong: (text) => palette.strong(text),
    warning: (text) => palette.warning(text),
    phone: phoneShown(style),
    email: emailShown(style),
    ink,
    room,
    now,
  };
}
