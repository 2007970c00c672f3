import type { ProviderState } from '../../../contract/vocabulary.ts';
import { flag } from '../../kit/args/flags.ts';
import { seconds } from '../../kit/args/time-arguments.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, type Input, positional } from '../../session/command.ts';
import { defined } from '../orders/order-flags.ts';
import { providerFields } from './sandbox-columns.ts';

const flags = {
  down: flag({ summary: 'Stop responding' }),
  slow: seconds({ summary: 'Delay each response by this long', maximum: 3600, aliases: ['slow-seconds'] }),
  noCapacity: flag({ summary: 'Quote, but decline at dispatch' }),
  up: flag({ summary: 'Work normally again' }),
  for: seconds({
    summary: 'Duration in service time (default: until --up)',
    maximum: 2_592_000,
    aliases: ['for-seconds'],
  }),
};

export const provider = defineCommand({
  name: 'provider',
  summary: 'Show or set the simulated failure of a provider',
  positionals: { name: positional('provider', { summary: 'Provider name: swiftly, poolride, ...' }) },
  flags,
  examples: [
    { command: 'waybill sandbox provider swiftly', summary: 'Show the current state' },
    { command: 'waybill sandbox provider swiftly --down --for 20m', summary: 'Simulate an outage' },
    { command: 'waybill sandbox provider swiftly --slow 30s', summary: 'Simulate slow responses' },
    { command: 'waybill sandbox provider swiftly --up', summary: 'End the failure' },
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

/** The provider state requested by the flags; null without one. UsageError if they conflict. */
function stateOf({ down, slow, noCapacity, up, for: length }: Flags): ProviderState | null {
  const asked: ProviderState[] = [];
  if (down) asked.push('down');
  if (slow !== undefined) asked.push('slow');
  if (noCapacity) asked.push('no_capacity');
  if (up) asked.push('up');
  const [state = null] = asked;
  if (asked.length > 1) {
    throw new UsageError('Use only one of these flags.', {
      choices: ['--down', '--slow', '--no-capacity', '--up'],
    });
  }
  if (length !== undefined && (state === null || state === 'up')) {
    throw new UsageError('--for requires --down, --slow or --no-capacity.');
  }
  return state;
}
