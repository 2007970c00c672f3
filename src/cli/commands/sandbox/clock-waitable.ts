import type { ClockRecord } from '../../../contract/sandbox.ts';
import { alignedRows } from '../../kit/output/rows.ts';
import { fullTime, styledTime } from '../../kit/output/times.ts';
import { type Invocation, phrase, type Text, timePart } from '../../kit/result/message.ts';
import type { Show, StreamLine, StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { clockStandsStill, type Watched, watchChanges } from '../../waiting/service-waiting.ts';
import type { Waiting } from '../../waiting/waiting-flags.ts';
import { apartText } from './clock-columns.ts';

/** The options of watching a clock. */
export interface ClockWatch {
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
export function watchClock(context: Context, first: ClockRecord, watch: ClockWatch): StreamResult {
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
