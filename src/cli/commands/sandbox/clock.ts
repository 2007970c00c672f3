import type { ClockRecord } from '../../../contract/clock.ts';
import { clockModes } from '../../../contract/vocabulary.ts';
import { clockFields } from '../../columns/clock.ts';
import { type Context, defineCommand, type Input, word } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { idlessFormats } from '../../line/globals.ts';
import { instantOf } from '../../line/moments.ts';
import { type Result, record } from '../../result.ts';
import { apartText } from '../../sandbox/clock-text.ts';
import { clockWatchFlags, rate } from '../../sandbox/sandbox-flags.ts';
import { checkWaiting, idleNamesOfRecord, typedWaiting, waitingOf } from '../../waiting/waiting-flags.ts';

const flags = {
  rate: rate({ summary: 'With scaled: how many seconds pass in one' }),
  ...clockWatchFlags,
};

export const clock = defineCommand({
  name: 'clock',
  aliases: ['time'],
  summary: 'Show the clock of the service, or choose how its time passes',
  description: [
    'real is as on your wall, scaled is faster or slower (--rate 60: a minute in a second), manual stands still',
    'until it is moved with `waybill sandbox advance`. It goes on from where it is, and never back. --watch writes a line',
    'when it is set or moved, or something else is due next; with --json the clock with a type: clock.current first, then',
    'clock.updated.',
    'It is the clock of test mode: live records always go by real time. Setting it needs an admin key.',
  ].join('\n'),
  positionals: {
    mode: word({ choices: clockModes, summary: 'How time passes from now on', optional: true }),
  },
  flags,
  examples: [
    { command: 'waybill sandbox clock', summary: 'What time it is, and what is due next' },
    { command: 'waybill sandbox clock scaled --rate 60', summary: 'A minute in a second' },
    { command: 'waybill sandbox clock manual', summary: 'Stand still' },
    { command: 'waybill sandbox clock --watch', summary: 'As it goes on, until Ctrl+C' },
  ],
  effect: 'write',
  formats: idlessFormats,
  async run(context, { flags, positionals }) {
    const mode = positionals.mode ?? (flags.rate === undefined ? undefined : 'scaled');
    if (flags.rate !== undefined && mode !== 'scaled') throw new UsageError('--rate goes with scaled.');
    checkWaiting(context, { watch: flags.watch }, idleNamesOfRecord);
    const data = mode === undefined ? await shown(context) : await set(context, mode, flags.rate);
    if (flags.watch) return followed(context, data, flags);
    return record(data, clockFields, { notes: notesOn(context, data.next_due_at) });
  },
});

async function shown(context: Context): Promise<ClockRecord> {
  const client = await context.client({ reads: true });
  return (await client.clock.get()).data;
}

async function set(
  context: Context,
  mode: ClockRecord['mode'],
  rate: number | undefined,
): Promise<ClockRecord> {
  const client = await context.client();
  const body = rate === undefined ? { mode } : { mode, rate };
  return (await client.clock.set({ body, idempotencyKey: context.idempotencyKey() })).data;
}

type Values = Input<typeof flags, Record<never, never>>['flags'];

async function followed(context: Context, first: ClockRecord, values: Values): Promise<Result> {
  const { watch, timeout, interval } = values;
  const until = values.until === undefined ? null : await instantOf(context, values.until, 'ahead');
  const typed = typedWaiting(context, { timeout, interval });
  const again = invocation('sandbox clock', [], { watch, ...typed, until: until ?? undefined });
  const { watchClock } = await import('../../sandbox/clock-waitable.ts');
  return watchClock(context, first, { until, waiting: waitingOf(values), again });
}

/** Less than this apart is the time that the answer took. */
const same_ms = 2000;

function notesOn(context: Context, next_due_at: string | null): string[] {
  const ahead = context.serviceNow() - context.now();
  return [
    ...(Math.abs(ahead) < same_ms ? [] : [`It is ${apartText(ahead)}.`]),
    ...(next_due_at === null ? ['Nothing is due.'] : []),
  ];
}
