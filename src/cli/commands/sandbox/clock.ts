import { clockModes } from '../../../contract/vocabulary.ts';
import { clockFields } from '../../columns/clock.ts';
import { type Context, defineCommand, word } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { idlessFormats } from '../../line/globals.ts';
import { lengthText } from '../../output/times.ts';
import { record } from '../../result.ts';
import { rate } from '../../sandbox/sandbox-flags.ts';

export const clock = defineCommand({
  name: 'clock',
  aliases: ['time'],
  summary: 'Show the clock of the service, or choose how its time passes',
  description: [
    'real is as on your wall, scaled is faster or slower (--rate 60: a minute in a second), manual stands still',
    'until it is moved with `waybill sandbox advance`. It goes on from where it is, and never back.',
  ].join('\n'),
  positionals: {
    mode: word({ choices: clockModes, summary: 'How time passes from now on', optional: true }),
  },
  flags: { rate: rate({ summary: 'With scaled: how many seconds pass in one' }) },
  examples: [
    { command: 'waybill sandbox clock', summary: 'What time it is, and what is due next' },
    { command: 'waybill sandbox clock scaled --rate 60', summary: 'A minute in a second' },
    { command: 'waybill sandbox clock manual', summary: 'Stand still' },
  ],
  effect: 'write',
  formats: idlessFormats,
  async run(context, { flags, positionals }) {
    const mode = positionals.mode ?? (flags.rate === undefined ? undefined : 'scaled');
    if (flags.rate !== undefined && mode !== 'scaled') throw new UsageError('--rate goes with scaled.');
    if (mode === undefined) {
      const { data } = await (await context.client({ reads: true })).clock.get();
      return record(data, clockFields, { notes: notesOn(context, data.next_due_at) });
    }
    const client = await context.client();
    const body = flags.rate === undefined ? { mode } : { mode, rate: flags.rate };
    const { data } = await client.clock.set({ body, idempotencyKey: context.idempotencyKey() });
    return record(data, clockFields, { notes: notesOn(context, data.next_due_at) });
  },
});

/** Less than this apart is the time that the answer took. */
const same_ms = 2000;

function notesOn(context: Context, next_due_at: string | null): string[] {
  const ahead = context.serviceNow() - context.now();
  const side = ahead > 0 ? 'ahead of' : 'behind';
  return [
    ...(Math.abs(ahead) < same_ms ? [] : [`It is ${lengthText(Math.abs(ahead))} ${side} this machine.`]),
    ...(next_due_at === null ? ['Nothing is due.'] : []),
  ];
}
