import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Courier } from '../../../contract/couriers.ts';
import { integer, text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, list } from '../../kit/result/result.ts';
import { allCouriers } from '../../nouns/courier.ts';
import { defineCommand, positional } from '../../session/command.ts';

/** The outcome of a check. */
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

const columns: readonly Column<CourierCheck>[] = [
  { field: 'name', header: 'Courier', kind: 'id', value: ({ name }) => name },
  { field: 'works', header: 'Works', kind: 'text', value: ({ works }) => (works ? 'yes' : 'no') },
  { field: 'problem', header: 'Problem', kind: 'text', unlessEmpty: true, value: ({ problem }) => problem },
  {
    ...{ field: 'calls_paused_until', header: 'Not called until', kind: 'time', unlessEmpty: true },
    value: ({ calls_paused_until }) => calls_paused_until,
  },
  { field: 'last_push_at', header: 'Last report', kind: 'time', value: ({ last_push_at }) => last_push_at },
  { field: 'checked_at', header: 'Last worked', kind: 'time', value: ({ checked_at }) => checked_at },
  { field: 'title', header: 'Title', kind: 'text', wide: true, value: ({ title }) => title },
];

export const check = defineCommand({
  name: 'check',
  summary: 'Check that connected couriers accept their settings, and whether they report',
  description: [
    'Calls the courier without changing anything there. The last report is the last request with a valid signature that',
    'the courier sent by itself; without one, waybill asks the courier for the status of each delivery.',
    '',
    'With the address of a server it tests whether the server follows the courier protocol (`waybill help',
    'courier-protocol`): it books, simulates and cancels deliveries there, so give it an API key for tests. The exit',
    'code is 9 if a case failed.',
  ].join('\n'),
  positionals: {
    courier: positional('courier', {
      summary: 'Name of a courier, or address of a server; all connected ones without it',
      optional: true,
    }),
  },
  flags: {
    settingsFrom: text({
      summary: 'For a server: JSON object with api_key and webhook_secret, from a file; - for stdin',
      placeholder: 'FILE',
    }),
    callbackUrl: text({
      summary: 'For a server elsewhere: address at which it reaches this machine',
      placeholder: 'URL',
    }),
    callbackPort: integer({
      summary: 'For a server: port that receives its events; default: a free one',
      placeholder: 'PORT',
      maximum: 65_535,
    }),
  },
  examples: [
    { command: 'waybill couriers check', summary: 'Check every connected courier' },
    { command: 'waybill couriers check uber-direct', summary: 'Check one' },
    {
      command: 'waybill couriers check http://127.0.0.1:4020 --settings-from settings.json',
      summary: 'Test the server of a courier',
    },
  ],
  effect: 'write',
  async run(context, { flags, positionals: { courier: name } }) {
    if (name !== undefined && /^https?:\/\//.test(name)) {
      if (context.globals.dryRun) {
        throw new UsageError(
          '--dry-run does not apply to the address of a server: the check sends requests to it.',
        );
      }
      const { checkServer } = await import('./check-server.ts');
      const { settingsFrom: settingsFile, callbackUrl, callbackPort } = flags;
      return checkServer(context, { url: name, settingsFile, callbackUrl, callbackPort });
    }
    const client = await context.client();
    if (name !== undefined) {
      const { data } = await client.couriers.check({
        params: { name },
        idempotencyKey: context.idempotencyKey(),
      });
      return list({ data: [workingCheck(data)], columns, notes: reportNotes([workingCheck(data)]) });
    }
    const connected = (await allCouriers(client)).filter(({ state }) => state !== 'not_connected');
    const data: CourierCheck[] = [];
    for (const courier of connected) data.push(await checkEach(client, courier));
    await addPauses(client, data);
    return list({
      data,
      columns,
      empty: phrase`No couriers are connected. Connect one: ${invocation('couriers connect')}`,
      notes: reportNotes(data),
      exit: data.every(({ works }) => works) ? 0 : 10,
    });
  },
});

async function checkEach(client: Client, courier: Courier): Promise<CourierCheck> {
  const { name, title, checked_at, last_push_at, calls_paused_until } = courier;
  try {
    return workingCheck((await client.couriers.check({ params: { name } })).data);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      name,
      title,
      works: false,
      problem: error.message,
      checked_at,
      last_push_at,
      calls_paused_until,
    };
  }
}

/**
 * Reads the couriers again: the failed check may have been the one after which the service stops calling the courier.
 */
async function addPauses(client: Client, checks: CourierCheck[]): Promise<void> {
  const failed = checks.filter(({ works }) => !works);
  if (failed.length === 0) return;
  const now = await allCouriers(client);
  for (const check of failed) {
    const courier = now.find(({ name }) => name === check.name);
    check.calls_paused_until = courier?.calls_paused_until ?? null;
  }
}

function workingCheck({ name, title, checked_at, last_push_at, calls_paused_until }: Courier): CourierCheck {
  return { name, title, works: true, problem: null, checked_at, last_push_at, calls_paused_until };
}

function reportNotes(checks: readonly CourierCheck[]): string[] {
  const silent = checks.filter(({ last_push_at }) => last_push_at === null).map(({ title }) => title);
  if (silent.length === 0) return [];
  return [`No report of ${silent.join(' and ')} has arrived yet: waybill asks for the status instead.`];
}
