import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Event } from '../../src/contract/events.ts';
import { listenLocally } from '../local-server.ts';

/** A received event of an account. */
export interface Arrival {
  event_id: string;
  /** Of a delivery's numbered event. */
  delivery_id: string | null;
  sequence: number | null;
}

export interface WebhookLog {
  /** The endpoint of an account, by its name. */
  urlOf: (name: string) => string;
  arrivals: (name: string) => readonly Arrival[];
  /** Requests with a text of another account. */
  strays: string[];
}

/** Every fiftieth request is refused, as by a server that is deployed now and then. */
const refused_each = 50;

/** A server for the webhooks of several merchants. The text of a merchant's own records begins with its name. */
export async function startWebhookLog(names: readonly string[]): Promise<WebhookLog> {
  const arrived = new Map<string, Arrival[]>(names.map((name) => [name, []]));
  const strays: string[] = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    const name = request.url?.slice(1) ?? '';
    const body = await text(request);
    requests += 1;
    const isRefused = requests % refused_each === 0;
    if (!isRefused) arrived.get(name)?.push(arrivalOf(JSON.parse(body)));
    strays.push(...names.filter((other) => other !== name && body.includes(`${other}-`)));
    response.writeHead(isRefused ? 503 : 204).end();
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    arrivals: (name) => arrived.get(name) ?? [],
    strays,
  };
}

function arrivalOf({ id, sequence, data }: Event): Arrival {
  const delivery_id = sequence !== null && 'id' in data ? String(data.id) : null;
  return { event_id: id, delivery_id, sequence };
}

/** What is wrong with what arrived: events that are missing, unknown, or not in the order of their delivery. */
export function arrivalFaults(arrivals: readonly Arrival[], event_ids: readonly string[]): string[] {
  const wanted = new Set(event_ids);
  const seen = new Set<string>();
  const last = new Map<string, number>();
  const faults: string[] = [];
  for (const { event_id, delivery_id, sequence } of arrivals) {
    if (seen.has(event_id)) continue;
    seen.add(event_id);
    if (!wanted.has(event_id)) faults.push(`unknown event ${event_id}`);
    if (delivery_id === null || sequence === null) continue;
    const before = last.get(delivery_id) ?? 0;
    if (sequence !== before + 1) faults.push(`${delivery_id}: ${sequence} after ${before}`);
    last.set(delivery_id, sequence);
  }
  return [...faults, ...event_ids.filter((id) => !seen.has(id)).map((id) => `${id} did not arrive`)];
}
