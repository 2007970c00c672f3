import type { ProviderState } from '../../../contract/vocabulary.ts';
import { providerFields } from '../../columns/sandbox.ts';
import { defineCommand, type Input, positional } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { flag } from '../../line/flags.ts';
import { seconds } from '../../line/seconds.ts';
import { defined } from '../../orders/order-flags.ts';
import { record } from '../../result.ts';

const flags = {
  down: flag({ summary: 'It answers nothing any more' }),
  slow: seconds({ summary: 'It answers so much later', maximum: 3600, aliases: ['slow-seconds'] }),
  noCapacity: flag({ summary: 'It quotes, and refuses at dispatch' }),
  up: flag({ summary: 'It is well again' }),
  for: seconds({
    summary: 'How long, by the clock of the service; else until it is --up',
    maximum: 2_592_000,
    aliases: ['for-seconds'],
  }),
};

export const provider = defineCommand({
  name: 'provider',
  summary: 'Show how a simulated courier company is doing, or make it fail',
  positionals: { name: positional('provider', { summary: 'Its name: swiftly, poolride, ...' }) },
  flags,
  examples: [
    { command: 'waybill sandbox provider swiftly', summary: 'How it is doing' },
    { command: 'waybill sandbox provider swiftly --down --for 20m', summary: 'An outage' },
    { command: 'waybill sandbox provider swiftly --slow 30s', summary: 'Late answers' },
    { command: 'waybill sandbox provider swiftly --up', summary: 'The end of it' },
  ],
  effect: 'write',
  async run(context, { flags, positionals: { name } }) {
    const state = stateOf(flags);
    const params = { name };
    if (state === null) {
      const { data } = await (await context.client({ reads: true })).sandbox.provider({ params });
      return record(data, providerFields);
    }
    const client = await context.client();
    const times = defined({ slow_seconds: flags.slow, for_seconds: flags.for });
    const { data } = await client.sandbox.updateProvider({ params, body: { state, ...times } });
    return record(data, providerFields);
  },
});

type Flags = Input<typeof flags, Record<never, never>>['flags'];

/** The state that the flags ask for; null for none. UsageError where they contradict each other. */
function stateOf({ down, slow, noCapacity, up, for: length }: Flags): ProviderState | null {
  const asked: ProviderState[] = [];
  if (down) asked.push('down');
  if (slow !== undefined) asked.push('slow');
  if (noCapacity) asked.push('no_capacity');
  if (up) asked.push('up');
  const [state = null] = asked;
  if (asked.length > 1) {
    throw new UsageError('It can be one of these: give one flag.', {
      choices: ['--down', '--slow', '--no-capacity', '--up'],
    });
  }
  if (length !== undefined && (state === null || state === 'up')) {
    throw new UsageError('--for goes with --down, --slow or --no-capacity.');
  }
  return state;
}
