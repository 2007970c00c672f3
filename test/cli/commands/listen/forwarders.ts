import { Webhook } from 'standardwebhooks';
import {
  createForwarder,
  createReceiver,
  type Forwarder,
} from '../../../../src/cli/commands/listen/forwarding.ts';
import type { Line } from '../../../../src/cli/commands/listen/lines.ts';
import { signedRequest } from '../../../../src/cli/commands/listen/run-listen.ts';
import { Unreachable } from '../../../../src/client/errors.ts';
import type { Event } from '../../../../src/contract/events.ts';
import type { WireRequest, WireResponse } from '../../../../src/contract/operation.ts';
import { type StillClock, stillClock } from './manual-clock.ts';

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const created_at = '2026-03-02T10:00:00.000Z';

/** An event of a delivery; without a sequence, one that is not ordered. */
export function event(id: string, sequence: number | null = null, delivery = 'dlv_1'): Event {
  const data: Event['data'] = JSON.parse(
    `{"id":"${sequence === null ? 'ord_1' : delivery}","status":"scheduled"}`,
  );
  const type = sequence === null ? 'order.dispatched' : 'delivery.updated';
  return { id, object: 'event', type, created_at, test_mode: true, sequence, data };
}

/** A server's reaction to a request: a response with a status, or none. */
export type Answer = number | WireResponse | 'silence' | Promise<number>;

export interface Trial {
  forwarder: Forwarder;
  clock: StillClock;
  /** The ids of what arrived, in order. */
  arrived: string[];
  requests: WireRequest[];
  lines: Line[];
  /** Each line in short form: `forwarded evt_1`. */
  notices(): string[];
}

/** A forwarder to one server with the given answers, on a clock that stands still. */
export function trial(answer: (id: string, nth: number) => Answer): Trial {
  const clock = stillClock();
  const lines: Line[] = [];
  const requests: WireRequest[] = [];
  const arrived: string[] = [];
  const print = (line: Line) => void lines.push(line);
  const transport = async (request: WireRequest): Promise<WireResponse> => {
    requests.push(request);
    const id = request.headers['webhook-id'] ?? '';
    arrived.push(id);
    const given = await answer(id, arrived.filter((other) => other === id).length);
    if (given === 'silence') throw new Unreachable('No response from http://app: connection refused.');
    return typeof given === 'number' ? { status: given, headers: {}, body: '' } : given;
  };
  const receiver = createReceiver({ origin: 'http://app', transport, host: clock, print });
  const webhook = new Webhook(secret);
  const forwarder = createForwarder({
    url: 'http://app/hooks',
    receiver,
    requestOf: (sent) => signedRequest(sent, 'http://app/hooks', { webhook, now: clock.now() }),
    print,
    failed: (error) => {
      throw error;
    },
  });
  return { forwarder, clock, arrived, requests, lines, notices: () => lines.map(wordsOf) };
}

function wordsOf(line: Line): string {
  if (line.type === 'forwarded') return `forwarded ${line.event.id}`;
  if (line.type !== 'failed') return line.type;
  return `failed ${line.event.id} ${line.status_code ?? 'no answer'} ${line.retry_in_ms ?? 'given up'}`;
}
