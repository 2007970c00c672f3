import type { ClockRecord } from '../../contract/clock.ts';
import type { Context, Progress } from '../context.ts';
import { StillPending } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase, timePart } from '../kit/output/message.ts';
import { clockStandsStill, type Remark, remarksFor } from '../kit/polling/hints.ts';
import { looksOf } from '../kit/polling/waitable.ts';
import { durationText } from '../line/flags.ts';
import { alignedRows } from '../output/rows.ts';
import { fullTime, styledTime } from '../output/times.ts';
import { isRedrawn } from '../progress.ts';
import type { Show, StreamLine, StreamResult } from '../result.ts';
import { goingOn } from '../waiting/wait.ts';
import type { Waiting } from '../waiting/waiting-flags.ts';
import { apartText } from './clock-text.ts';

/** How a clock is followed. */
export interface ClockWatch {
  /** ISO: what it is to show at the end; null: it is followed until somebody stops that. */
  until: string | null;
  waiting: Waiting;
  /** The command that goes on. */
  again: Invocation;
}

/** It goes on by itself, and no event tells of it. */
const interval_ms = 1000;

/**
 * A clock as it is set, moved, and as something else comes to be due next: that it goes on as it should is no change.
 * In a terminal it is shown meanwhile on a line that is redrawn. Ends at the time waited for; exit 8 when time ran out
 * before.
 */
export function watchClock(context: Context, first: ClockRecord, watch: ClockWatch): StreamResult {
  return { kind: 'stream', lines: lines(context, first, watch) };
}

async function* lines(
  context: Context,
  first: ClockRecord,
  { until, waiting, again }: ClockWatch,
): AsyncGenerator<StreamLine> {
  let before: Seen | null = null;
  const shown = shownClock(context);
  const note = (line: Text) => {
    shown.clear();
    context.note(line);
  };
  const remarks = remarksFor(context, { note, isEndless: waiting.timeout_ms === undefined });
  const following = { ...waiting, interval_ms: waiting.interval_ms ?? interval_ms, remarks };
  try {
    for await (const clock of looksOf(context, subjectOf(context, first, again), following)) {
      const seen = { clock, at: context.now() };
      const isTold: boolean = before === null ? !waiting.changesOnly : isChanged(before, seen);
      if (isTold) {
        shown.clear();
        yield lineOf(context, before, clock);
      }
      before = seen;
      if (until !== null && Date.parse(clock.now) >= Date.parse(until)) return;
      await shown.show(clock);
    }
  } finally {
    shown.clear();
  }
  const goal = until === null ? '' : phrase`, and not yet ${timePart(until)}`;
  const now = before?.clock.now ?? first.now;
  const text = phrase`Time ran out after ${durationText(waiting.timeout_ms ?? 0)}: the clock is at ${timePart(now, 'none')}${goal}.`;
  throw new StillPending(text, goingOn(remarks, [again]));
}

function subjectOf(context: Context, first: ClockRecord, again: Invocation) {
  return {
    first,
    // What is due is no reason to look sooner: each look is as good as the next.
    test_mode: false,
    told: null,
    look: async () => (await (await context.client({ reads: true })).clock.get()).data,
    standing: () => phrase`Nothing is changed by watching. Go on with: ${again}`,
    isSame: () => true,
    idle: ({ mode }: ClockRecord): Remark | null => (mode === 'manual' ? clockStandsStill() : null),
  };
}

interface Seen {
  clock: ClockRecord;
  /** By this machine, milliseconds since the epoch. */
  at: number;
}

/** So long an answer may be under way. */
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

/** An age of its own time says nothing: how far it is from this machine does. */
function timeText(context: Pick<Context, 'now' | 'output'>, now: string): string {
  const { times } = context.output;
  if (times === 'relative') return apartText(Date.parse(now) - context.now());
  return styledTime(now, Date.parse(now), times, fullTime);
}

/** `scaled, rate 60` */
function modeText({ mode, rate }: ClockRecord): string {
  return mode === 'scaled' ? `${mode}, rate ${rate}` : mode;
}

/** The clock on a line that is redrawn, where there can be one. */
function shownClock(context: Context) {
  const { host, output } = context;
  const isShown = !output.json && isRedrawn(host, output);
  let progress: Progress | null = null;
  return {
    show: async (clock: ClockRecord) => {
      if (!isShown) return;
      const text = `${timeText(context, clock.now)} \u00b7 ${modeText(clock)}`;
      if (progress === null) progress = await context.progress(text);
      else progress.say(text);
    },
    clear: () => {
      progress?.stop();
      progress = null;
    },
  };
}
