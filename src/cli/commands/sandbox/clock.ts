import type { ClockRecord } from '../../../contract/sandbox.ts';
import { clockModes } from '../../../contract/vocabulary.ts';
import { BadValue, type Flag, type FlagOptions, text } from '../../kit/args/flags.ts';
import { moment } from '../../kit/args/time-arguments.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { idlessFormats } from '../../kit/output/formats.ts';
import { alignedRows } from '../../kit/output/rows.ts';
import { fullTime, styledTime } from '../../kit/output/times.ts';
import { type Invocation, invocation, phrase, type Text, timePart } from '../../kit/result/message.ts';
import {
  type Result,
  record,
  type Show,
  type StreamLine,
  type StreamResult,
} from '../../kit/result/result.ts';
import { apartText, clockFields } from '../../nouns/clock.ts';
import { type Context, defineCommand, type Input, word } from '../../session/command.ts';
import { instantOf } from '../../session/listing.ts';
import { clockStandsStill, type Watched, watchChanges } from '../../waiting/service-waiting.ts';
import {
  checkWaiting,
  recordWaitingNames,
  typedWaiting,
  type Waiting,
  waitingOf,
  watchFlags,
} from '../../waiting/waiting-flags.ts';

const watching = watchFlags('Ctrl+C, or the time of --until');

/** For a running clock, which is polled every second. */
const clockWatchFlags = {
  ...watching,
  until: moment({
    summary: 'Stop when the clock reaches this time, such as 2h from now',
    group: 'Waiting',
  }),
  interval: { ...watching.interval, summary: 'Time between polls (default 1s)' },
};

const flags = {
  rate: rate({ summary: 'With scaled: clock seconds per real second' }),
  ...clockWatchFlags,
};

export const clock = defineCommand({
  name: 'clock',
  aliases: ['time'],
  summary: 'Show or set the clock of the service',
  description: [
    'real: real time. scaled: faster or slower (--rate 60: a minute per second). manual: stopped until `waybill',
    'sandbox advance`. The clock continues from its current time and never moves back. --watch prints a line when the',
    'clock is set or advanced, or the next due task changes; with --json each line is the clock with a type:',
    'clock.current first, then clock.updated. Applies to test mode only: live mode always uses real time. Setting the',
    'clock requires an admin key.',
  ].join('\n'),
  positionals: {
    mode: word({ choices: clockModes, summary: 'New clock mode', optional: true }),
  },
  flags,
  examples: [
    { command: 'waybill sandbox clock', summary: 'Show the time and the next due task' },
    { command: 'waybill sandbox clock scaled --rate 60', summary: 'Run at a minute per second' },
    { command: 'waybill sandbox clock manual', summary: 'Stop the clock' },
    { command: 'waybill sandbox clock --watch', summary: 'Follow the clock until Ctrl+C' },
  ],
  effect: 'write',
  formats: idlessFormats,
  calls: ['clock.get', 'clock.set'],
  answers: ({ one }) => [one('clock.get')],
  errors: ['still_pending'],
  related: ['sandbox advance'],
  async run(context, { flags, positionals }) {
    const mode = positionals.mode ?? (flags.rate === undefined ? undefined : 'scaled');
    if (flags.rate !== undefined && mode !== 'scaled')
      throw new UsageError('--rate requires the scaled mode.');
    checkWaiting(context, { watch: flags.watch }, recordWaitingNames);
    const data = mode === undefined ? await getClock(context) : await setClock(context, mode, flags.rate);
    if (flags.watch) return followClock(context, data, flags);
    return record(data, clockFields, { notes: notesOn(context, data.next_due_at) });
  },
});

async function getClock(context: Context): Promise<ClockRecord> {
  const client = await context.client({ reads: true });
  return (await client.clock.get()).data;
}

async function setClock(
  context: Context,
  mode: ClockRecord['mode'],
  rate: number | undefined,
): Promise<ClockRecord> {
  const client = await context.client();
  const body = rate === undefined ? { mode } : { mode, rate };
  return (await client.clock.set({ body, idempotencyKey: context.idempotencyKey() })).data;
}

type Values = Input<typeof flags, Record<never, never>>['flags'];

async function followClock(context: Context, first: ClockRecord, values: Values): Promise<Result> {
  const { watch, timeout, interval } = values;
  const until = values.until === undefined ? null : await instantOf(context, values.until, 'ahead');
  const typed = typedWaiting(context, { timeout, interval });
  const again = invocation('sandbox clock', [], { watch, ...typed, until: until ?? undefined });
  return watchClock(context, first, { until, waiting: waitingOf(values), again });
}

/** A smaller difference is the latency of the response. */
const same_ms = 2000;

function notesOn(context: Context, next_due_at: string | null): string[] {
  const ahead = context.serviceNow() - context.now();
  return [
    ...(Math.abs(ahead) < same_ms ? [] : [`It is ${apartText(ahead)}.`]),
    ...(next_due_at === null ? ['No scheduled work.'] : []),
  ];
}

/** The options of watching a clock. */
interface ClockWatch {
  /** ISO time at which to stop; null: watch until interrupted. */
  until: string | null;
  waiting: Waiting;
  /** The command that continues. */
  again: Invocation;
}

/** The clock runs without emitting events. */
const default_interval_ms = 1000;

/**
 * Watches a clock: reports when it is set or advanced, or when other work becomes due next, but not that it runs. A
 * terminal shows the time on a line that is redrawn. Ends at the given time; exit 8 after the timeout.
 */
function watchClock(context: Context, first: ClockRecord, watch: ClockWatch): StreamResult {
  const { until, waiting, again } = watch;
  const { interval_ms = default_interval_ms } = waiting;
  const waitable = clockWaitable(context, first, { until, again });
  return watchChanges(context, waitable, { ...waiting, interval_ms, again: () => [again] });
}

function clockWaitable(
  context: Context,
  first: ClockRecord,
  { until, again }: Pick<ClockWatch, 'until' | 'again'>,
): Watched<Seen> {
  const seen = (clock: ClockRecord) => ({ clock, at: context.now() });
  return {
    // Due work does not make the next poll earlier.
    ...{ first: seen(first), test_mode: false, events: null },
    poll: async () => seen((await (await context.client({ reads: true })).clock.get()).data),
    isUnchanged: (before, after) => !isChanged(before, after),
    reached: ({ clock }) => until !== null && Date.parse(clock.now) >= Date.parse(until),
    failed: () => null,
    idle: ({ clock }) => (clock.mode === 'manual' ? clockStandsStill() : null),
    interruptionText: () => phrase`Watching changes nothing. Continue with: ${again}`,
    status: ({ clock }) => statusText(clock, until),
    describeChange: (before, { clock, at }) =>
      before !== null && !isChanged(before, { clock, at }) ? [] : [lineOf(context, before, clock)],
    live: ({ clock }) => `${timeText(context, clock.now)} \u00b7 ${modeText(clock)}`,
  };
}

function statusText({ now }: ClockRecord, until: string | null): Text {
  const target = until === null ? '' : phrase`, and not yet ${timePart(until)}`;
  return phrase`the clock is at ${timePart(now, 'none')}${target}`;
}

interface Seen {
  clock: ClockRecord;
  /** This machine's time, milliseconds since the epoch. */
  at: number;
}

/** The longest expected latency of a response. */
const slack_ms = 2000;

function isChanged({ clock: before, at }: Seen, { clock, at: now }: Seen): boolean {
  if (before.mode !== clock.mode || before.rate !== clock.rate) return true;
  if (before.next_due_at !== clock.next_due_at) return true;
  const expected = Date.parse(before.now) + (now - at) * clock.rate;
  return Math.abs(Date.parse(clock.now) - expected) > slack_ms * clock.rate;
}

function lineOf(context: Context, before: Seen | null, clock: ClockRecord): StreamLine {
  const { mode, rate, now, next_due_at } = clock;
  const line = (show: Show) => {
    const cells = [
      { text: timeText(context, now), paint: show.dim },
      { text: modeText(clock), width: 'scaled, rate 60'.length },
      { text: next_due_at === null ? 'nothing is due' : `next due ${show.time(next_due_at)}` },
    ];
    return alignedRows([cells], { room: show.room, indent: 0 }).join('\n');
  };
  const type = before === null ? 'clock.current' : 'clock.updated';
  return { data: { type, ...clock }, line, rows: [[now, mode, rate, next_due_at]] };
}

/** The distance from this machine's clock replaces the age, which would be zero by the sandbox's own clock. */
function timeText(context: Pick<Context, 'now' | 'output'>, now: string): string {
  const { times } = context.output;
  if (times === 'relative') return apartText(Date.parse(now) - context.now());
  return styledTime(now, Date.parse(now), times, fullTime);
}

/** `scaled, rate 60` */
function modeText({ mode, rate }: ClockRecord): string {
  return mode === 'scaled' ? `${mode}, rate ${rate}` : mode;
}

/** How many seconds pass in one: `--rate 60`, `--rate 0.5`. */
function rate(options: FlagOptions): Flag<number | undefined> {
  const base = text({ placeholder: 'RATE', ...options });
  return {
    ...base,
    defaultText: '60',
    read: (texts) => readRate(texts.at(-1) ?? ''),
    absent: () => undefined,
  };
}

function readRate(given: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(given) ? Number(given) : 0;
  if (value >= 0.001 && value <= 86_400) return value;
  throw new BadValue(`must be a number from 0.001 to 86400, not "${given}"`);
}
