import type { ClockRecord } from '../../../contract/sandbox.ts';
import { clockModes } from '../../../contract/vocabulary.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { idlessFormats } from '../../kit/output/formats.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Result, record } from '../../kit/result/result.ts';
import { type Context, defineCommand, type Input, word } from '../../session/command.ts';
import { instantOf } from '../../session/service-instants.ts';
import { checkWaiting, recordWaitingNames, typedWaiting, waitingOf } from '../../waiting/waiting-flags.ts';
import { apartText, clockFields } from './clock-columns.ts';
import { clockWatchFlags, rate } from './sandbox-flags.ts';

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
  const { watchClock } = await import('./clock-waitable.ts');
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
