import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApiError, Unreachable } from '../../../../client/errors.ts';
import { httpTransport, type Timer } from '../../../../client/http.ts';
import { type Column, type ListResult, listResult } from '../../../kit/result/result.ts';
import type { Context } from '../../../session/command.ts';
import { callbackCases, progressCases } from './event-cases.ts';
import { type Callback, type Callbacks, type Case, Probe, Skipped } from './probe.ts';
import { courierCases, deliveryCases, quoteCases } from './request-cases.ts';

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
export async function checkServer(context: Context, check: ServerCheck): Promise<ListResult> {
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

interface ReceiverOptions {
  /** 0 for a free one. */
  port: number;
  /** The address that leads here; null: this machine's own. */
  url: string | null;
  /** How long to wait for a request. */
  timeout_ms: number;
  timer: Timer;
}

/** Receives the events of a courier under an address for each delivery. */
export async function startReceiver(
  options: ReceiverOptions,
): Promise<Callbacks & { close(): Promise<void> }> {
  const received = new Map<string, Callback[]>();
  const failures = new Map<string, number>();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const orderId = request.url?.split('/').at(-1) ?? '';
      const left = failures.get(orderId) ?? 0;
      failures.set(orderId, left - 1);
      received.set(orderId, [...(received.get(orderId) ?? []), { headers: headersOf(request), body }]);
      response.writeHead(left > 0 ? 500 : 204).end();
      for (const wake of waiting) wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: options.port }, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const base = (options.url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '');
  return {
    addressFor: (orderId, count = 0) => {
      failures.set(orderId, count);
      return `${base}/${orderId}`;
    },
    received: async (orderId, count) => {
      const { promise: expired, resolve: expire } = Promise.withResolvers<void>();
      let isExpired = false;
      const cancel = options.timer(options.timeout_ms, () => {
        isExpired = true;
        expire();
      });
      while ((received.get(orderId)?.length ?? 0) < count && !isExpired) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await Promise.race([promise, expired]);
        waiting.delete(resolve);
      }
      cancel();
      return received.get(orderId) ?? [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
