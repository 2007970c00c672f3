import type { Client } from '../../../client/client.ts';
import { ApiError, Unreachable } from '../../../client/errors.ts';
import { httpTransport } from '../../../client/http.ts';
import type { Courier } from '../../../contract/providers.ts';
import { integerFlag, textFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, type ListResult, listResult } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { callbackCases, progressCases } from './conformance/event-cases.ts';
import { type Case, Probe, Skipped, startReceiver } from './conformance/probe.ts';
import { courierCases, deliveryCases, quoteCases } from './conformance/request-cases.ts';
import { readSettings } from './couriers.ts';

/** `couriers check`: of connected couriers by a call to each, of a server by the conformance test. */

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
    settingsFrom: textFlag({
      summary: 'For a server: JSON object with api_key and webhook_secret, from a file; - for stdin',
      placeholder: 'FILE',
    }),
    callbackUrl: textFlag({
      summary: 'For a server elsewhere: address at which it reaches this machine',
      placeholder: 'URL',
    }),
    callbackPort: integerFlag({
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
    each(
      object({
        case: 'string',
        status: '"passed" | "failed" | "skipped"',
        demand: 'string',
        found: 'string',
      }),
      'with the address of a server',
    ),
  ],
  exits: { 9: 'the server fails a case', 10: 'some couriers do not accept their settings' },
  related: ['couriers connect', 'openapi', 'doctor'],
  async run(context, { flags, positionals: { courier: name } }) {
    if (name !== undefined && /^https?:\/\//.test(name)) {
      if (context.globals.dryRun) {
        throw new UsageError(
          '--dry-run does not apply to the address of a server: the check sends requests to it.',
        );
      }
      const { callbackUrl, callbackPort } = flags;
      const secrets = await readServerSecrets(context, flags.settingsFrom);
      return checkServer(context, { url: name, ...secrets, callbackUrl, callbackPort });
    }
    const client = await context.client();
    if (name !== undefined) {
      const { data } = await client.couriers.check({
        params: { name },
        idempotencyKey: context.idempotencyKey(),
      });
      const checks = [workingCheck(data)];
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

async function checkCourier(client: Client, courier: Courier): Promise<CourierCheck> {
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
  const { data: now } = (await client.couriers.list()).data;
  for (const each of failed) {
    const courier = now.find(({ name }) => name === each.name);
    each.calls_paused_until = courier?.calls_paused_until ?? null;
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

/** The API key of a server under test, and the secret of its events. Throws UsageError. */
async function readServerSecrets(context: Context, file: string | undefined) {
  if (file !== undefined) {
    const { api_key = '', webhook_secret = '' } = await readSettings(context, file);
    return { api_key, webhook_secret };
  }
  if (!context.interactive) {
    throw new UsageError('Cannot prompt for the API key of the courier.', {
      code: 'missing_input',
      missing: ['--settings-from'],
      hint: 'Give a JSON object with api_key and webhook_secret with --settings-from FILE, or - for stdin.',
    });
  }
  const prompts = await context.prompts();
  const api_key = await prompts.secret('API key for tests');
  const webhook_secret = await prompts.secret('Secret of the events (optional)');
  return { api_key: api_key.trim(), webhook_secret: webhook_secret.trim() };
}

/** The server of a courier, and how it reaches this machine. */
interface ServerCheck {
  /** The address of the server. */
  url: string;
  /** The API key for tests. */
  api_key: string;
  /** Begins with whsec_; empty if the courier posts nothing. */
  webhook_secret: string;
  /** The address that leads to the receiver of events. */
  callbackUrl: string | undefined;
  /** The port of the receiver; a free one if absent. */
  callbackPort: number | undefined;
}

const serverColumns: readonly Column<CaseResult>[] = [
  { field: 'case', header: 'Case', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'demand', header: 'The courier', kind: 'text', prose: true },
  { field: 'found', header: 'Found', kind: 'text', prose: true, unlessEmpty: true },
];

/** From the first byte of a request to the last one of its response. */
const request_timeout_ms = 10_000;
/** How long a courier may take to post an event, or to repeat it. */
const event_timeout_ms = 15_000;

/** Runs the conformance test of the courier protocol at a server; exit 9 if a case failed. */
async function checkServer(context: Context, check: ServerCheck): Promise<ListResult> {
  const { host } = context;
  const transport = httpTransport({
    baseUrl: check.url,
    requestTimeout_ms: request_timeout_ms,
    timer: host.timer,
    environment: host.environment,
  });
  const canReach = check.callbackUrl !== undefined || isOnThisMachine(check.url);
  const receiver = canReach
    ? await startReceiver({
        port: check.callbackPort ?? 0,
        url: check.callbackUrl ?? null,
        timeout_ms: event_timeout_ms,
        timer: host.timer,
      })
    : null;
  const probe = new Probe({
    transport,
    apiKey: check.api_key,
    webhookSecret: check.webhook_secret,
    callbacks: receiver,
    run: (await host.randomBase64(9)).replace(/\W/g, ''),
    now: host.now,
  });
  const results: CaseResult[] = [];
  try {
    for await (const result of runCases(probe)) results.push(result);
  } finally {
    await Promise.all([transport.close(), receiver?.close()]);
  }
  const failed = results.filter(({ status }) => status === 'failed').length;
  const skipped = results.filter(({ status }) => status === 'skipped').length;
  const passed = results.length - failed - skipped;
  return listResult({
    data: results,
    columns: serverColumns,
    exit: failed > 0 ? 9 : 0,
    notes: [`${passed} of ${results.length} cases passed, ${failed} failed, ${skipped} were skipped.`],
  });
}

function isOnThisMachine(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);
}

export const everyCase: readonly Case[] = [
  ...courierCases,
  ...quoteCases,
  ...deliveryCases,
  ...progressCases,
  ...callbackCases,
];

export interface CaseResult {
  case: string;
  status: 'passed' | 'failed' | 'skipped';
  /** The requirement on the courier. */
  demand: string;
  /** The deviation, or why the case was skipped; empty if it passed. */
  found: string;
}

/** Runs every case at a courier, one after the other. */
export async function* runCases(probe: Probe): AsyncGenerator<CaseResult> {
  for (const each of everyCase)
    yield { case: each.name, demand: each.demand, ...(await outcomeOf(each, probe)) };
}

async function outcomeOf(each: Case, probe: Probe): Promise<Pick<CaseResult, 'status' | 'found'>> {
  try {
    const fault = await each.test(probe);
    return fault === null ? { status: 'passed', found: '' } : { status: 'failed', found: fault };
  } catch (error) {
    if (error instanceof Skipped) return { status: 'skipped', found: error.message };
    // No response, or one that is no HTTP, is the courier's fault.
    if (error instanceof Unreachable || error instanceof ApiError) {
      return { status: 'failed', found: error.message };
    }
    throw error;
  }
}
