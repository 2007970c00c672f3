/** The commands of the sandbox but those of its clock: steps, scenarios, failing providers, and the reset. */
import type { SandboxProvider, Scenario, Steps } from '../../../contract/sandbox.ts';
import { deliveryStatuses, type ProviderState } from '../../../contract/vocabulary.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { switchFlag, textFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import {
  type Column,
  documentResult,
  idlessFormats,
  listResult,
  recordResult,
} from '../../kit/result/result.ts';
import { deliveryWord, findDeliveryId } from '../../nouns/find-delivery.ts';
import { choicePositional, defineCommand, type FlagValues, positional } from '../../session/command.ts';
import { secondsFlag } from '../../session/typed-lengths.ts';

export const step = defineCommand({
  name: 'step',
  summary: 'Make the courier report a status now',
  description:
    'The courier continues normally from that status; other deliveries of the route keep their times.',
  positionals: {
    delivery: positional('delivery', { summary: deliveryWord }),
    status: choicePositional({
      choices: deliveryStatuses,
      summary: 'One of `waybill sandbox steps DELIVERY`',
    }),
  },
  examples: [{ command: 'waybill sandbox step DELIVERY pickup_complete', summary: 'Report the pickup' }],
  effect: 'write',
  calls: ['sandbox.step', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('sandbox.step')],
  related: ['sandbox steps', 'sandbox advance'],
  async run(context, { positionals: { delivery: named, status } }) {
    const delivery = await findDeliveryId(context, named);
    const client = await context.client();
    const { data } = await client.sandbox.step({
      params: { delivery_id: delivery },
      body: { status },
      idempotencyKey: context.idempotencyKey(),
    });
    return recordResult(data, stepFields, {
      notes: [phrase`Show the delivery: ${invocation('deliveries get', [delivery])}`],
    });
  },
});

const stepColumns: Column<Steps['status']>[] = [
  { field: 'status', header: 'Status', kind: 'id', value: (status) => status },
];

export const steps = defineCommand({
  name: 'steps',
  summary: 'List statuses that the courier can report now',
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [{ command: 'waybill sandbox steps DELIVERY', summary: 'List possible next statuses' }],
  effect: 'read',
  calls: ['sandbox.steps', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('sandbox.steps')],
  related: ['sandbox step', 'deliveries get'],
  async run(context, { positionals }) {
    const delivery = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.sandbox.steps({ params: { delivery_id: delivery } });
    if (context.output.format === 'json') return documentResult(data);
    const next = invocation('sandbox step', [delivery, 'STATUS']);
    return listResult({
      data: data.data,
      columns: stepColumns,
      empty: 'No further status is possible.',
      notes: [
        `${delivery} is ${data.status}.`,
        ...(data.data.length === 0 ? [] : [phrase`Report one: ${next}`]),
      ],
    });
  },
});

/** The setting of the sandbox that `scenario` shows. */
interface Default {
  default_scenario: string | null;
}

const scenarioFields: Column<Default>[] = [
  {
    field: 'default_scenario',
    header: 'Default scenario',
    kind: 'id',
    value: ({ default_scenario }) => default_scenario ?? 'none',
  },
];

export const scenario = defineCommand({
  name: 'scenario',
  summary: 'Show or set the default scenario',
  description: 'Applies to every record that names no scenario; none restores happy_path.',
  positionals: {
    set: choicePositional({
      choices: ['set'],
      summary: 'Set the scenario (default: show it)',
      optional: true,
    }),
    name: positional('scenario', {
      summary: 'One of `waybill sandbox scenarios`, or none',
      optional: (given) => !given.has('set'),
    }),
  },
  examples: [
    { command: 'waybill sandbox scenario set no_driver', summary: 'Simulate that no driver is found' },
    { command: 'waybill sandbox scenario set none', summary: 'Restore happy_path' },
    { command: 'waybill sandbox scenario', summary: 'Show the default scenario' },
  ],
  effect: 'write',
  calls: ['sandbox.settings', 'sandbox.updateSettings'],
  answers: ({ one }) => [one('sandbox.settings')],
  related: ['sandbox scenarios'],
  async run(context, { positionals: { set, name } }) {
    if (set === undefined) {
      const { data } = await (await context.client({ reads: true })).sandbox.settings();
      const next = invocation('sandbox scenario', ['set', 'NAME']);
      return recordResult(data, scenarioFields, { notes: [phrase`Set it: ${next}`] });
    }
    const client = await context.client();
    const body = name === undefined || name === 'none' ? {} : { default_scenario: name };
    const { data } = await client.sandbox.updateSettings({ body });
    return recordResult(data, scenarioFields, { notes: [endingFor(data)] });
  },
});

function endingFor({ default_scenario }: Default): string {
  return default_scenario === null
    ? 'Records without a scenario use happy_path.'
    : `New records without a scenario use ${default_scenario}; existing records do not change.`;
}

export const scenarios = defineCommand({
  name: 'scenarios',
  summary: 'List delivery scenarios',
  description: [
    'The scenario of an order or delivery is the first match of: --simulate NAME, the number in the dropoff phone (+1',
    '312 555 01NN), the default from `waybill sandbox scenario set NAME`, and happy_path.',
  ].join('\n'),
  examples: [
    { command: 'waybill sandbox scenarios', summary: 'List scenarios' },
    { command: 'waybill sandbox scenarios -o id', summary: 'Print their names' },
  ],
  effect: 'read',
  answers: ({ each }) => [each('sandbox.scenarios')],
  related: ['sandbox scenario', 'orders create'],
  async run(context) {
    const client = await context.client();
    const { data } = await client.sandbox.scenarios();
    if (context.output.format === 'json') return documentResult(data.data);
    return listResult({ data: data.data, columns: scenarioColumns, notes: choosing });
  },
});

/** How a scenario is chosen. */
const choosing = [
  'For one order: --simulate NAME, or its number as NN in the dropoff phone +1 312 555 01NN.',
  phrase`As the default: ${invocation('sandbox scenario', ['set', 'NAME'])}`,
];

const failureFlags = {
  down: switchFlag({ summary: 'Stop responding' }),
  slow: secondsFlag({
    summary: 'Delay each response by this long',
    maximum: 3600,
    aliases: ['slow-seconds'],
  }),
  noCapacity: switchFlag({ summary: 'Quote, but decline at dispatch' }),
  up: switchFlag({ summary: 'Work normally again' }),
  for: secondsFlag({
    summary: 'Duration in service time (default: until --up)',
    maximum: 2_592_000,
    aliases: ['for-seconds'],
  }),
};

export const provider = defineCommand({
  name: 'provider',
  summary: 'Show or set the simulated failure of a provider',
  positionals: { name: positional('provider', { summary: 'Provider name: swiftly, poolride, ...' }) },
  flags: failureFlags,
  examples: [
    { command: 'waybill sandbox provider swiftly', summary: 'Show the current state' },
    { command: 'waybill sandbox provider swiftly --down --for 20m', summary: 'Simulate an outage' },
    { command: 'waybill sandbox provider swiftly --slow 30s', summary: 'Simulate slow responses' },
    { command: 'waybill sandbox provider swiftly --up', summary: 'End the failure' },
  ],
  effect: 'write',
  calls: ['sandbox.provider', 'sandbox.updateProvider'],
  answers: ({ one }) => [one('sandbox.provider')],
  related: ['sandbox scenarios'],
  async run(context, { flags, positionals: { name } }) {
    const state = stateOf(flags);
    const params = { name };
    if (state === null) {
      const { data } = await (await context.client({ reads: true })).sandbox.provider({ params });
      return recordResult(data, providerFields);
    }
    const client = await context.client();
    const times = withoutAbsent({ slow_seconds: flags.slow, for_seconds: flags.for });
    const { data } = await client.sandbox.updateProvider({ params, body: { state, ...times } });
    return recordResult(data, providerFields);
  },
});

/** The provider state requested by the flags; null without one. UsageError if they conflict. */
function stateOf({
  down,
  slow,
  noCapacity,
  up,
  for: length,
}: FlagValues<typeof failureFlags>): ProviderState | null {
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

const resetFields: Column<{ deleted: number }>[] = [
  { field: 'deleted', header: 'Deliveries deleted', kind: 'count' },
];

export const reset = defineCommand({
  name: 'reset',
  summary: 'Delete every test record of the account',
  description: [
    'Deletes orders, routes, quotes, deliveries, charges, events and stores, and clears the default scenario and',
    'provider failures. The clock runs in real time again, but never moves back. Keys and account settings are kept.',
    'Live records are not affected. Requires an admin key.',
  ].join('\n'),
  flags: {
    seed: textFlag({
      summary: 'New random seed',
      placeholder: 'SEED',
    }),
  },
  examples: [
    { command: 'waybill sandbox reset --yes', summary: 'Reset without a prompt' },
    { command: 'waybill sandbox reset --seed 7', summary: 'Reset with another random seed' },
  ],
  effect: 'write',
  confirms: () => true,
  formats: idlessFormats,
  answers: ({ one }) => [one('sandbox.reset')],
  related: ['sandbox clock'],
  async run(context, { flags: { seed } }) {
    if (!context.globals.dryRun) await context.confirm('Delete every test record of the account?');
    const client = await context.client();
    const body = seed === undefined ? {} : { seed };
    const { data } = await client.sandbox.reset({ body, idempotencyKey: context.idempotencyKey() });
    const gone = data.deleted === 1 ? '1 delivery' : `${data.deleted} deliveries`;
    return recordResult(data, resetFields, { notes: [`Deleted ${gone} and every other test record.`] });
  },
});

const scenarioColumns: Column<Scenario>[] = [
  { field: 'number', header: 'No', kind: 'text' },
  { field: 'name', header: 'Name', kind: 'id' },
  { field: 'happens', header: 'What happens', kind: 'text', prose: true },
  { field: 'money', header: 'Money', kind: 'text', spare: 1 },
];

/** Fields of a delivery's status and its possible next ones. */
const stepFields: Column<Steps>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'data', header: 'Next', kind: 'text' },
];

const providerFields: Column<SandboxProvider>[] = [
  { field: 'name', header: 'Provider', kind: 'id' },
  { field: 'state', header: 'State', kind: 'status' },
  { field: 'slow_seconds', header: 'Seconds late', kind: 'count' },
  { field: 'until', header: 'Until', kind: 'time' },
];
