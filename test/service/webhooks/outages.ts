import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { fraction, seededChance } from '../../../src/service/runtime/random.ts';
import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';
import { listenLocally } from '../../local-server.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startClient } from '../fixture.ts';
import { insertEndpoint, numbersTo } from './received-events.ts';

// Endpoints fail in every way for up to 75 hours and then recover, while deliveries proceed: finally no event may be
// missing, and no delivery out of order. The failures are drawn from a seed.

const hour = 60 * 60_000;
const healed_hours = 75;

const failures = ['500', '503', '302', '404', 'hang', 'reset', '429', '410'] as const;
type Failure = (typeof failures)[number];

/** The behavior of one endpoint: its successive responses, and when it recovers, in service time. */
interface EndpointOutage {
  script: readonly (Failure | '200')[];
  heals_at: number;
  attempts: number;
  /** The first delivery of each event: the ids, and the sequences by delivery. */
  taken: Set<string>;
  repeats: number;
  sequences: Map<string, number[]>;
}

export interface Outages {
  endpoints: number;
  deliveries: number;
  seed: string;
}

export interface Survived {
  event_count: number;
  attempts: number;
  repeats: number;
  disabled: number;
}

/** Runs everything, and throws if an event is missing or out of order. */
export async function surviveOutages({ endpoints, deliveries, seed }: Outages): Promise<Survived> {
  const { timers, hang } = hungTimers();
  const { fixture, client } = await startClient({ parts: { seed, timers } });
  const now = async () => Date.parse((await client.clock.get()).data.now);
  const started_at = await now();
  const outages = coursesOf(endpoints, seed, started_at);
  let service_now = started_at;
  const sink = await startSink(outages, { now: () => service_now, hang });
  const rows = [];
  for (const index of outages.keys()) rows.push(await insertEndpoint(fixture, `${sink.url}/${index}`));
  for (let count = 0; count < deliveries; count += 1) await startedDelivery(client, 'happy_path');
  let disabled = 0;
  // The clock advances in small steps, so that the sink follows the time.
  for (let left_hours = healed_hours + 10; left_hours > 0; left_hours -= 1) {
    await advance(client, 3600);
    service_now = await now();
    if (service_now > started_at + healed_hours * hour || left_hours % 24 === 0) {
      disabled += await enableAll(fixture, sink.url);
    }
  }
  await sink.close();
  await fixture.service.stop();
  const events = await fixture.storage.run((db) => db.selectFrom('events').select('id').execute());
  for (const course of outages) expectWhole(course, events.length);
  const sum = (of: (course: EndpointOutage) => number) =>
    outages.reduce((total, each) => total + of(each), 0);
  return {
    event_count: events.length,
    attempts: sum(({ attempts }) => attempts),
    repeats: sum(({ repeats }) => repeats),
    disabled,
  };
}

function expectWhole({ taken, sequences }: EndpointOutage, event_count: number): void {
  expect(taken.size).toBe(event_count);
  for (const sequence of sequences.values()) expect(sequence).toEqual(numbersTo(sequence.length));
}

function coursesOf(count: number, seed: string, started_at: number): EndpointOutage[] {
  const chance = seededChance(seed);
  return Array.from({ length: count }, (_, index) => {
    const draw = (...of: string[]) => fraction(chance('outage', String(index), ...of));
    const steps = Math.floor(draw('steps') * 12);
    const script = Array.from({ length: steps }, (__, step) => {
      const isWell = draw('well', String(step)) < 0.3;
      return isWell ? '200' : (failures[Math.floor(draw('step', String(step)) * failures.length)] ?? '500');
    });
    // Some never respond before they recover, others fail occasionally.
    const isDead = draw('dead') < 0.3;
    const heals_at = started_at + draw('heals') * healed_hours * hour;
    return {
      ...{ script: isDead ? Array.from({ length: 10_000 }, () => failures[index % 4] ?? '500') : script },
      ...{ heals_at, attempts: 0, taken: new Set<string>(), repeats: 0, sequences: new Map() },
    };
  });
}

async function startSink(
  courses: readonly EndpointOutage[],
  { now, hang }: { now: () => number; hang: () => void },
) {
  const server = createServer(async (request, response) => {
    const course = courses[Number(request.url?.slice(1))];
    const body = await text(request);
    if (course === undefined) throw new Error(`nobody is at ${request.url}`);
    const step = now() >= course.heals_at ? '200' : (course.script[course.attempts] ?? '200');
    course.attempts += 1;
    if (step === 'hang') {
      hang();
      return;
    }
    if (step === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if (step === '200') take(course, body);
    const headers = { ...(step === '429' ? { 'retry-after': '5' } : {}), location: '/0' };
    response.writeHead(Number(step), headers).end();
  });
  const { port, close } = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, close };
}

function take(course: EndpointOutage, body: string): void {
  const { id, sequence, data }: { id: string; sequence: number | null; data: { id: string } } =
    JSON.parse(body);
  if (course.taken.has(id)) {
    course.repeats += 1;
    return;
  }
  course.taken.add(id);
  if (sequence === null) return;
  course.sequences.set(data.id, [...(course.sequences.get(data.id) ?? []), sequence]);
}

async function advance(client: ReturnType<Fixture['client']>, by: number): Promise<void> {
  const to = new Date(Date.parse((await client.clock.get()).data.now) + by * 1000).toISOString();
  while ((await client.clock.advance({ body: { to } })).data.more) {
    // One call has a limited number of steps.
  }
}

/** Enables disabled endpoints like a merchant; returns how many were disabled. */
async function enableAll(fixture: Fixture, url: string): Promise<number> {
  const client = fixture.client();
  const off = await fixture.storage.run((db) =>
    db.selectFrom('webhook_endpoints').select('id').where('status', '=', 'disabled').execute(),
  );
  for (const { id } of off) {
    const params = { webhook_endpoint_id: id };
    const { data } = await client.webhooks.update({ params, body: { status: 'enabled' } });
    expect(data.url.startsWith(url)).toBe(true);
  }
  return off.length;
}

const limit_ms = 15_000;

/**
 * Timers that skip waiting for responses: once a receiver hangs on every running request, their time-outs expire. All
 * other times are real.
 */
function hungTimers(): { timers: Timers; hang: () => void } {
  const out = new Set<() => void>();
  let hanging = 0;
  const look = () => {
    if (hanging === 0 || out.size > hanging) return;
    hanging = 0;
    const ended = [...out];
    out.clear();
    for (const wake of ended) wake();
  };
  return {
    hang: () => {
      hanging += 1;
      look();
    },
    timers: {
      ...realTimers,
      after: (ms, wake) => {
        if (ms !== limit_ms) return realTimers.after(ms, wake);
        const ended = () => wake();
        out.add(ended);
        return () => {
          if (out.delete(ended)) look();
        };
      },
    },
  };
}
