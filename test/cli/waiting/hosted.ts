import { setImmediate as turn } from 'node:timers/promises';
import { Interrupted } from '../../../src/cli/kit/errors/failure.ts';
import type { Host } from '../../../src/cli/kit/host/host.ts';
import type { Transport, WireRequest } from '../../../src/contract/operation.ts';
import { type Outcome, type RunOptions, waybill } from '../harness.ts';
import { type Sandbox, sandbox, startedAt } from '../sandbox.ts';
import { answerOf, type Conditions, type EventStream, eventStream } from './event-stream.ts';
// Loaded in advance: no time should pass while a command loads them.
import 'eventsource-parser';
import '../../../src/client/event-stream.ts';

export interface Ran extends Outcome {
  /** The paths of reads, without streams. */
  reads: string[];
  /** The requests for streams. */
  streams: WireRequest[];
  /** Its duration, by its own clock. */
  took_ms: number;
  /** The delay from the last event to the end, in milliseconds of service time. */
  lag_ms: number;
  /** Streams that are open at the end. */
  open: number;
}

/** A service over HTTP that runs on its own, in time that passes as fast as commands wait. */
export interface Hosted {
  box: Sandbox;
  run(argv: readonly string[], conditions?: Conditions, options?: RunOptions): Promise<Ran>;
}

const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_test_madeup' };

export async function hosted(): Promise<Hosted> {
  const box = await sandbox();
  const run: Hosted['run'] = async (argv, conditions = {}, options = {}) => {
    const time = await passingTime(box);
    const stream = eventStream(box, conditions);
    const { around = box.transport } = conditions;
    const reads: string[] = [];
    const transport: Transport = (request) => {
      const path = request.path.split('?')[0] ?? '';
      if (path === '/v2/events/stream') return stream.open(request);
      if (request.method === 'GET') reads.push(path);
      return around(request);
    };
    const home = { transport, env, sleep: time.sleep, now: time.now };
    const line = waybill(argv, { ...home, ...options }).finally(time.stop);
    const [outcome] = await Promise.all([line, time.pass(stream)]);
    const took_ms = time.now() - startedAt;
    const open = stream.opened();
    return { ...outcome, reads, streams: stream.asked, took_ms, lag_ms: await stream.lag(), open };
  };
  return { box, run };
}

interface Sleeper {
  at: number;
  wake: () => void;
}

/** Time that passes while commands sleep, from one event to the next. */
async function passingTime(box: Sandbox) {
  let now = startedAt;
  let isOver = false;
  const sleepers = new Set<Sleeper>();
  const sleep: Host['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      const sleeper = { at: now + ms, wake: resolve };
      if (signal.aborted) return reject(new Interrupted());
      sleepers.add(sleeper);
      signal.addEventListener('abort', () => {
        if (sleepers.delete(sleeper)) reject(new Interrupted());
      });
    });
  const step = async (stream: EventStream) => {
    const due = now + (await untilDue(box));
    // A request may execute due work after its response: the command is notified before time continues.
    if (await stream.tell()) return;
    const earliest = Math.min(...[...sleepers].map(({ at }) => at));
    const to = Math.max(now + 1, Math.min(earliest, due));
    box.advance(to - now);
    now = to;
    await stream.tell();
    for (const sleeper of [...sleepers].filter(({ at }) => at <= now)) {
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  const pass = async (stream: EventStream) => {
    while (!isOver) {
      for (let turns = 0; turns < 8; turns += 1) await turn();
      // No time passes while a stream is opened, however busy the machine is.
      if (!isOver && sleepers.size > 0 && stream.asked.length > 0 && !stream.isOpening()) await step(stream);
    }
  };
  const stop = () => {
    isOver = true;
  };
  return { now: () => now, sleep, pass, stop };
}

/** Milliseconds until the next due work of the service. */
async function untilDue({ transport }: Sandbox): Promise<number> {
  const { now, next_due_at, rate } = await answerOf(transport, '/v2/sandbox/clock');
  if (next_due_at === null) return Number.POSITIVE_INFINITY;
  return Math.ceil((Date.parse(String(next_due_at)) - Date.parse(String(now))) / Number(rate));
}
