import { UsageError } from '../../kit/errors/failure.ts';
import { type Column, type ListResult, list } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import type { CaseResult } from './conformance/run-cases.ts';
import { settingsFrom } from './connect.ts';

export interface ServerCheck {
  /** The address of the courier. */
  url: string;
  /** A file with `api_key` and `webhook_secret`. */
  settingsFile: string | undefined;
  /** The address that leads to the receiver of events. */
  callbackUrl: string | undefined;
  /** The port of the receiver; a free one if absent. */
  callbackPort: number | undefined;
}

const columns: readonly Column<CaseResult>[] = [
  { field: 'case', header: 'Case', kind: 'id', value: ({ case: name }) => name },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'demand', header: 'The courier', kind: 'text', prose: true, value: ({ demand }) => demand },
  {
    field: 'found',
    header: 'Found',
    kind: 'text',
    prose: true,
    unlessEmpty: true,
    value: ({ found }) => found,
  },
];

/** From the first byte of a request to the last one of its response. */
const request_timeout_ms = 10_000;
/** How long a courier may take to post an event, or to repeat it. */
const event_timeout_ms = 15_000;

/** Runs the conformance test of the courier protocol at a server. Throws UsageError. */
export async function checkServer(context: Context, check: ServerCheck): Promise<ListResult> {
  const { host } = context;
  const { api_key, webhook_secret } = await secretsOf(context, check.settingsFile);
  const [{ httpTransport }, { Probe }, { startReceiver }, { runCases }] = await Promise.all([
    import('../../../client/http.ts'),
    import('./conformance/probe.ts'),
    import('./conformance/receiver.ts'),
    import('./conformance/run-cases.ts'),
  ]);
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
    apiKey: api_key,
    webhookSecret: webhook_secret,
    callbacks: receiver,
    run: (await host.secret(9)).replace(/\W/g, ''),
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
  return list({
    data: results,
    columns,
    exit: failed > 0 ? 9 : 0,
    notes: [`${passed} of ${results.length} cases passed, ${failed} failed, ${skipped} were skipped.`],
  });
}

async function secretsOf(context: Context, file: string | undefined) {
  if (file !== undefined) {
    const { api_key = '', webhook_secret = '' } = await settingsFrom(context, file);
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

function isOnThisMachine(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);
}
