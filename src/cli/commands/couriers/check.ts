/** `couriers check`: what couriers answer to their settings, and when they last reported. */
import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Courier } from '../../../contract/providers.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, listResult } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';

/** The outcome of asking one courier whether it accepts its settings. */
interface CourierCheck {
  name: string;
  title: string;
  works: boolean;
  /** Null if it works. */
  problem: string | null;
  checked_at: string | null;
  /** When the courier last reported by itself; null if never. */
  last_push_at: string | null;
  /** Until when the courier is not called, as it has failed repeatedly; null if it is called. */
  calls_paused_until: string | null;
}

const checkColumns: readonly Column<CourierCheck>[] = [
  { field: 'name', header: 'Courier', kind: 'id' },
  { field: 'works', header: 'Works', kind: 'text', value: ({ works }) => (works ? 'yes' : 'no') },
  { field: 'problem', header: 'Problem', kind: 'text', unlessEmpty: true },
  { field: 'calls_paused_until', header: 'Not called until', kind: 'time', unlessEmpty: true },
  { field: 'last_push_at', header: 'Last report', kind: 'time' },
  { field: 'checked_at', header: 'Last worked', kind: 'time' },
  { field: 'title', header: 'Title', kind: 'text', wide: true },
];

export const check = defineCommand({
  name: 'check',
  summary: 'Check that connected couriers accept their settings, and whether they report',
  description: [
    'Calls the courier without changing anything there. The last report is the last request with a valid signature that',
    'the courier sent by itself; without one, waybill asks the courier for the status of each delivery.',
  ].join('\n'),
  positionals: {
    courier: positional('courier', {
      summary: 'Name of a courier; all connected ones without it',
      optional: true,
    }),
  },
  flags: {},
  examples: [
    { command: 'waybill couriers check', summary: 'Check every connected courier' },
    { command: 'waybill couriers check uber-direct', summary: 'Check one' },
  ],
  effect: 'write',
  calls: ['couriers.list', 'couriers.check'],
  answers: ({ each, object, orNull }) => [
    each(
      object({
        name: 'string',
        title: 'string',
        works: 'boolean',
        problem: orNull('string'),
        checked_at: orNull('time'),
        last_push_at: orNull('time'),
        calls_paused_until: orNull('time'),
      }),
    ),
  ],
  exits: { 10: 'some couriers do not accept their settings' },
  related: ['couriers connect', 'openapi', 'doctor'],
  async run(context, { positionals: { courier: name } }) {
    if (name !== undefined && /^https?:/.test(name)) {
      throw new UsageError(`"${name}" is an address; give the name of a courier.`, {
        hint: phrase`A clone of waybill tests a courier's server: ${invocation('help', ['courier-protocol'])}`,
      });
    }
    const client = await context.client();
    if (name !== undefined) {
      const { data } = await client.couriers.check({
        params: { name },
        idempotencyKey: context.idempotencyKey(),
      });
      const checks = [toCheck(data, null)];
      return listResult({ data: checks, columns: checkColumns, notes: reportNotes(checks) });
    }
    const { data: couriers } = (await client.couriers.list()).data;
    const connected = couriers.filter(({ state }) => state !== 'not_connected');
    const data: CourierCheck[] = [];
    for (const courier of connected) data.push(await checkCourier(client, courier));
    await addPauses(client, data);
    return listResult({
      data,
      columns: checkColumns,
      empty: phrase`No couriers are connected. Connect one: ${invocation('couriers connect')}`,
      notes: reportNotes(data),
      exit: data.every(({ works }) => works) ? 0 : 10,
    });
  },
});

/** The statuses of what a check finds out about the courier: it is gone, not connected, or refuses its settings. */
const ofCourier: readonly number[] = [404, 409, 422];

/** Checks one courier; one that refuses its settings has a problem, and does not end the command. */
async function checkCourier(client: Client, courier: Courier): Promise<CourierCheck> {
  try {
    return toCheck((await client.couriers.check({ params: { name: courier.name } })).data, null);
  } catch (error) {
    // A key that may not check, and a service that does not answer, say nothing about the courier.
    if (!(error instanceof ApiError) || !ofCourier.includes(error.status)) throw error;
    return toCheck(courier, error.message);
  }
}

/**
 * Reads the couriers again: the failed check may have been the one after which the service stops calling the courier.
 */
async function addPauses(client: Client, checks: CourierCheck[]): Promise<void> {
  const failed = checks.filter(({ works }) => !works);
  if (failed.length === 0) return;
  const { data: now } = (await client.couriers.list()).data;
  for (const each of failed) {
    const courier = now.find(({ name }) => name === each.name);
    each.calls_paused_until = courier?.calls_paused_until ?? null;
  }
}

function toCheck(courier: Courier, problem: string | null): CourierCheck {
  const { name, title, checked_at, last_push_at, calls_paused_until } = courier;
  return { name, title, works: problem === null, problem, checked_at, last_push_at, calls_paused_until };
}

/** Says which couriers have never reported by themselves. */
function reportNotes(checks: readonly CourierCheck[]): string[] {
  const silent = checks.filter(({ last_push_at }) => last_push_at === null).map(({ title }) => title);
  if (silent.length === 0) return [];
  return [`No report of ${silent.join(' and ')} has arrived yet: waybill asks for the status instead.`];
}
