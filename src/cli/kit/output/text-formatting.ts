/** Values, messages and drawings as text: for people (`valueForPeople`), for programs, and for a spreadsheet. */
import { dollars } from '../../../domain/money.ts';
import type { Sink } from '../host/host.ts';
import { once } from '../once.ts';
import { formatText, type Invocation, isoTime, type MessageFormat, type Text } from '../result/message.ts';
import { type CellValue, type ColumnKind, type Formatters, isForPeople, type Row } from '../result/result.ts';
import { type Palette, paintStatus, paletteFor } from './colour.ts';
import type { OutputSettings, RenderContext } from './output-settings.ts';
import { emailFormatter, oneLine, phoneFormatter, sanitized } from './safe-text.ts';
import { wrapProse } from './terminal-lines.ts';
import {
  fullTime,
  intervalText,
  localTime,
  shortTime,
  styledTime,
  type TimeFormat,
  type TimeStyle,
  timeInSentence,
  timePhrase,
} from './times.ts';

/** How values are formatted for people. */
export interface TextStyle {
  palette: Palette;
  /** Show phone numbers and e-mail addresses unmasked. */
  showPii: boolean;
  /** The service's time in milliseconds since the epoch. */
  now: number;
  /** `--time`. */
  times: TimeStyle;
  /** The IANA zone of times; absent: the reader's own. */
  zone?: string | null;
  /** Whether it is written to a file or a pipe. As that may be read on another day, times have their date. */
  isFile?: boolean;
}

/** The style of a run. Output for programs has no color, even if color is forced. */
export async function createTextStyle(context: RenderContext): Promise<TextStyle> {
  const { format, stdoutColour, showPii, times } = context.settings;
  const palette = await paletteFor(isForPeople(format) ? stdoutColour : 0);
  return { palette, showPii, times, now: context.serviceNow(), isFile: !context.stdout.isTerminal };
}

/** The style of a row, whose times may be in another zone. */
export function rowStyle(style: TextStyle, { zone }: Pick<Row, 'zone'>): TextStyle {
  return zone ? { ...style, zone } : style;
}

/** A value for people, on one line. */
export function valueForPeople(value: CellValue, kind: ColumnKind, style: TextStyle): string {
  if (isBlank(value)) return '';
  if (kind === 'money' && typeof value === 'number') return dollars(value);
  if (kind === 'day' && typeof value === 'string') return dayFormat().format(Date.parse(value));
  if (kind === 'miles' && typeof value === 'number') return `${value} mi`;
  const plain = typeof value === 'boolean' ? yesNo(value) : valueForPrograms(value);
  if (kind === 'interval' && plain.includes('/'))
    return intervalText(plain, (iso) => timeText(iso, shortTime, style));
  const timeFormat = timeKinds[kind];
  if (timeFormat !== undefined) return timeText(plain, timeFormat, style);
  if (kind === 'phone') return phoneFormatter(style)(plain);
  if (kind === 'email') return emailFormatter(style)(plain);
  if (kind === 'due') return / late$|, now /.test(plain) ? style.palette.warning(plain) : plain;
  return kind === 'status' ? paintStatus(plain, style.palette) : plain;
}

const dayFormat = once(
  () =>
    new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'short', month: 'short', day: 'numeric' }),
);

/**
 * A value for people in a spreadsheet: times and days are dates that it can sort, without their age and zone, and
 * amounts under a heading with their unit are numbers.
 */
export function valueForSpreadsheet(
  value: CellValue,
  kind: ColumnKind,
  style: TextStyle & { hasUnits: boolean },
): string {
  if (kind === 'day') return valueForPrograms(value);
  if (kind === 'money' && style.hasUnits && typeof value === 'number' && Number.isFinite(value))
    return dollars(value).replace(/[$,]/g, '');
  const isTime = timeKinds[kind] !== undefined && typeof value === 'string';
  return isTime
    ? styledTime(value, style.now, style.times, plainTime, style.zone)
    : valueForPeople(value, kind, style);
}

function plainTime(iso: string, now: number, zone?: string | null): string {
  return fullTime(iso, now, zone).slice(0, '2026-03-02 10:04:31'.length);
}

/** The default format of each kind of time. */
const timeKinds: Partial<Record<ColumnKind, TimeFormat>> = {
  time: localTime,
  instant: fullTime,
  clock: shortTime,
  interval: localTime,
};

function timeText(iso: string, usual: TimeFormat, { now, times, zone, isFile }: TextStyle): string {
  return styledTime(iso, now, times, isFile ? fullTime : usual, zone);
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Formats a value for programs on one line: cents, ISO times, `true` and `false`. */
export function valueForPrograms(value: CellValue): string {
  if (isBlank(value)) return '';
  return oneLine(typeof value === 'object' ? value.join(', ') : String(value));
}

/** Whether there is no value; a number that is missing in a response is NaN. */
function isBlank(value: CellValue): value is null | undefined | '' {
  return value === null || value === undefined || value === '' || Number.isNaN(value);
}

/** The formatters for lines of a stream and for drawings. */
function formattersFor(
  style: TextStyle,
  { room, plotCharset }: Pick<Formatters, 'room' | 'plotCharset'>,
): Formatters {
  const { palette, now, times, zone, isFile } = style;
  return {
    inZone: (other) => formattersFor({ ...style, zone: other }, { room, plotCharset }),
    money: dollars,
    time: (iso) => timeText(iso, localTime, style),
    clock: (iso) => timeText(iso, shortTime, style),
    at: (iso, word) => timePhrase(iso, { now, times, zone }, word, isFile ? fullTime : shortTime),
    status: (status) => paintStatus(status, palette),
    dim: (text) => palette.dim(text),
    strong: (text) => palette.strong(text),
    warning: (text) => palette.warning(text),
    phone: phoneFormatter(style),
    email: emailFormatter(style),
    plotCharset,
    room,
    now,
  };
}

/** The settings, stream, time and context flags that determine how a message is formatted. */
export interface MessageContext {
  output: Pick<OutputSettings, 'json' | 'times'>;
  stderr: Pick<Sink, 'columns' | 'isTerminal'>;
  /** The service's time in milliseconds since the epoch. */
  now: number;
  withContextFlags<T extends Invocation>(line: T): T;
}

/** Formats a message for stderr, wrapped to the terminal; programs get it on one line. */
export function wrappedMessage(text: Text, context: MessageContext): string {
  const { output, stderr } = context;
  return wrapProse(oneLine(messageText(text, context)), output.json ? null : stderr.columns);
}

/** Formats a message for stderr without wrapping it. */
export function messageText(text: Text, context: MessageContext): string {
  return formatText(text, messageFormatFor(context));
}

/** How messages are formatted. Times are ISO if no style was requested and stderr is not a terminal, as in a log. */
export function messageFormatFor({
  output: { json, times },
  stderr,
  now,
  withContextFlags,
}: MessageContext): MessageFormat {
  const isPlain = json || (times === null && !stderr.isTerminal);
  return { withContextFlags, time: isPlain ? isoTime : (part) => timeInSentence(part, { now, times }) };
}

/**
 * Draws text for people. The drawing marks what is to be painted (`markingPalette`), so that the text can be sanitized
 * before color sequences are added. Programs that read lines get it without color.
 */
export async function textForPeople<T extends string | null>(
  draw: (show: Formatters) => T,
  context: RenderContext,
): Promise<T | string> {
  const { palette, ...style } = await createTextStyle(context);
  const { format, plotCharset } = context.settings;
  const space = isForPeople(format)
    ? { room: context.stdout.columns, plotCharset }
    : { room: null, plotCharset: null };
  const text = draw(formattersFor({ ...style, palette: markingPalette }, space));
  return text === null ? text : `${withMarksPainted(sanitized(text), palette)}\n`;
}

const markStart = '\ufdd0';
const markEnd = '\ufdd1';
const markedStyles = ['strong', 'dim', 'good', 'bad', 'busy', 'warning'] as const;

/** A palette that only marks text for painting, with noncharacters of Unicode and the index of the style. */
export const markingPalette: Palette = {
  strong: (text) => `${markStart}0${text}${markEnd}`,
  dim: (text) => `${markStart}1${text}${markEnd}`,
  good: (text) => `${markStart}2${text}${markEnd}`,
  bad: (text) => `${markStart}3${text}${markEnd}`,
  busy: (text) => `${markStart}4${text}${markEnd}`,
  warning: (text) => `${markStart}5${text}${markEnd}`,
};

/** Replaces the marks of a line by styles. */
export function withMarksPainted(line: string, palette: Palette): string {
  const marked = new RegExp(`${markStart}(\\d)([^${markEnd}]*)${markEnd}`, 'g');
  const text = line.replace(marked, (_, index: string, inner: string) => {
    const style = markedStyles[Number(index)];
    return style === undefined ? inner : palette[style](inner);
  });
  return text.replaceAll(markStart, '').replaceAll(markEnd, '');
}
