import { connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Target, Web } from '../../../src/service/runtime/network.ts';
import type { WebhookResult } from '../../../src/service/runtime/service-ports.ts';
import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';
import { openWebhookClient } from '../../../src/service/webhooks/delivery/http-post.ts';
import { type Answering, startReceiver } from './receiver.ts';

/** Public addresses; a fake network connects them locally. */
export const publicAddress = '93.184.216.34';
export const otherPublicAddress = '151.101.1.69';

export interface FakeWeb extends Web {
  /** Every requested connection. */
  targets: Target[];
  /** Every resolved name. */
  asked: string[];
}

/** Names resolve as `names` says; connections only reach this machine. */
export function fakeWeb(
  names: Record<string, () => readonly string[]> = {},
  open: (target: Target, signal: AbortSignal) => Promise<Duplex> = refuse,
): FakeWeb {
  const targets: Target[] = [];
  const asked: string[] = [];
  return {
    targets,
    asked,
    resolve: async (hostname) => {
      asked.push(hostname);
      const found = names[hostname]?.();
      if (found === undefined) throw systemFault('ENOTFOUND');
      return found;
    },
    connect: async (target, signal) => {
      targets.push(target);
      return open(target, signal);
    },
  };
}

async function refuse(): Promise<never> {
  throw systemFault('ECONNREFUSED');
}

/** A connection to a port of this machine. */
export async function local(port: number): Promise<Duplex> {
  const socket = connect({ host: '127.0.0.1', port });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

export function systemFault(code: string): Error {
  return Object.assign(new Error(`the system says ${code}`), { code });
}

/** Timers that are advanced manually. */
export function fakeTimers(): Timers & { pass: (ms: number) => void; waiting: () => number } {
  let now = 0;
  const waiting = new Map<() => void, number>();
  return {
    after: (delay_ms, wake) => {
      const call = () => wake();
      waiting.set(call, now + delay_ms);
      return () => waiting.delete(call);
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    waiting: () => waiting.size,
    pass: (ms) => {
      now += ms;
      for (const [call, at] of [...waiting].sort(([, one], [, other]) => one - other)) {
        if (at <= now && waiting.delete(call)) call();
      }
    },
  };
}

export interface FakePoster {
  post: (url: string, body?: string) => Promise<WebhookResult>;
  close: () => Promise<void>;
}

/** A webhook client that only reaches what `web` provides, until the end of the test. Its wall clock stands still. */
export function webhookClientOn(
  web: Web,
  {
    sandbox = false,
    timers = fakeTimers(),
    now = 0,
  }: { sandbox?: boolean; timers?: Timers; now?: number } = {},
): FakePoster {
  const webhook_client = openWebhookClient({
    web,
    timers,
    loopback_webhooks: sandbox ? 'allowed' : 'refused',
    wall: { now: () => now },
  });
  onTestFinished(webhook_client.close);
  return {
    post: (url, body = '{}') =>
      webhook_client.post({ url, headers: { 'content-type': 'application/json' }, body }),
    close: webhook_client.close,
  };
}

const shopTime = Date.parse('2026-03-02T12:00:00.000Z');

/** A receiver at shop.example, and a webhook client. */
export async function startShop(
  answer?: Answering,
  resolve: () => readonly string[] = () => [publicAddress],
) {
  const receiver = await startReceiver(answer);
  onTestFinished(receiver.close);
  const timers = fakeTimers();
  const web = fakeWeb({ 'shop.example': resolve }, () => local(receiver.port));
  const webhook_client = webhookClientOn(web, { timers, now: shopTime });
  return { ...receiver, web, timers, post: webhook_client.post, closePoster: webhook_client.close };
}

/** Waits for a condition that depends on the network. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await realTimers.turn();
}
