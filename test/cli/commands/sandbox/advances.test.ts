import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { account } from '../../fake-service.ts';
import { jsonOf, newInterruption, waybill } from '../../harness.ts';

const start = '2026-03-02T10:00:00.000Z';
const clock = { object: 'clock', mode: 'manual', rate: 0, now: start, next_due_at: null };

function answer(minute: number, more: boolean) {
  const now = new Date(Date.parse(start) + minute * 60_000).toISOString();
  const event = { type: 'delivery.updated', created_at: now, delivery_id: 'dlv_1', sequence: 1 };
  return {
    object: 'clock_advance',
    now,
    steps: 10_000,
    events: [{ id: `evt_${minute}`, ...event, status: 'driver_assigned' }],
    more,
  };
}

/** A service that responds to each advance with the next answer; `sent` records the requests. */
function moving(answers: unknown[], sent: { body: unknown; key: string | undefined }[] = []): Transport {
  const left = [...answers];
  const bodyFor = ({ method, path, body, headers }: Parameters<Transport>[0]) => {
    if (path === '/v2/account') return account;
    if (method === 'GET') return clock;
    sent.push({ body: JSON.parse(body), key: headers['idempotency-key'] });
    return left.shift();
  };
  return async (request) => ({
    status: 200,
    headers: { 'x-service-time': start },
    body: JSON.stringify(bodyFor(request)),
  });
}

test('the rest of an advance is requested again, each time with a new key', async () => {
  const sent: { body: unknown; key: string | undefined }[] = [];
  const answers = [answer(10, true), answer(20, true), answer(60, false)];
  const line = ['sandbox', 'advance', '--by', '1h', '--idempotency-key', 'once', '--json'];
  const { stdout, stderr, exit } = await waybill(line, { transport: moving(answers, sent) });
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  const to = '2026-03-02T11:00:00.000Z';
  expect(sent.map(({ body }) => body)).toEqual([{ by: 3600 }, { to }, { to }]);
  expect(sent.map(({ key }) => key)).toEqual(['once', 'once/advance-2', 'once/advance-3']);
  expect(jsonOf(stdout)).toMatchObject({ object: 'clock_advance', now: to, steps: 30_000, more: false });
  expect(JSON.parse(stdout).events.map(({ id }: { id: string }) => id)).toEqual([
    'evt_10',
    'evt_20',
    'evt_60',
  ]);
});

test('of many events the first are shown, all with a format', async () => {
  const answers = () => Array.from({ length: 25 }, (_, minute) => answer(minute, minute < 24));
  const shown = async (...flags: string[]) => {
    const line = ['sandbox', 'advance', '--drain', ...flags];
    const { stdout, stderr } = await waybill(line, { transport: moving(answers()) });
    return [
      stdout.trim().split('\n').length,
      /20 of 25 events are shown\. All: waybill events list --since \S+10:00:00\.000Z --all/.test(stderr),
    ];
  };
  expect(await shown()).toEqual([20, true]);
  expect(await shown('-o', 'tsv')).toEqual([25, false]);
});

test.each([
  [['--drain'], { drain: true }, { drain: true }],
  [['--to', '2026-03-02T12:00Z'], { to: '2026-03-02T12:00:00.000Z' }, { to: '2026-03-02T12:00:00.000Z' }],
])('%j continues in the same way', async (flags, first, second) => {
  const sent: { body: unknown; key: string | undefined }[] = [];
  const transport = moving([answer(10, true), answer(20, false)], sent);
  const { stdout, stderr, exit } = await waybill(['sandbox', 'advance', ...flags], { transport });
  expect(exit).toBe(0);
  expect(sent.map(({ body }) => body)).toEqual([first, second]);
  expect(stdout.split('\n').map((row) => row.split('\t')[0])).toEqual(['evt_10', 'evt_20', '']);
  expect(stderr).toContain('; 20,000 due tasks ran on the way.\n');
});

test('--next is one call, and a clock that is already there is not moved', async () => {
  const next: { body: unknown; key: string | undefined }[] = [];
  await waybill(['sandbox', 'advance', '--next'], { transport: moving([answer(1, true)], next) });
  expect(next.map(({ body }) => body)).toEqual([{ next: true }]);
  const by: { body: unknown; key: string | undefined }[] = [];
  await waybill(['sandbox', 'advance', '--by', '10m'], { transport: moving([answer(11, true)], by) });
  expect(by.map(({ body }) => body)).toEqual([{ by: 600 }]);
});

test('it stops on Ctrl+C and prints the clock and how to continue', async () => {
  const controller = new AbortController();
  const interruption = newInterruption();
  const said: (string | null)[] = [];
  const inner = moving([answer(10, true), answer(20, false)]);
  const transport: Transport = async (request) => {
    const response = await inner(request);
    if (request.path.endsWith('/advance')) {
      said.push(interruption.status()?.text ?? null);
      controller.abort();
    }
    return response;
  };
  const line = ['sandbox', 'advance', '--by', '1h'];
  const { stdout, exit } = await waybill(line, { transport, interruption, signal: controller.signal });
  expect(exit).toBe(130);
  expect(stdout).toBe('');
  expect(said).toEqual([expect.stringContaining('finishes the move that it started')]);
  expect(interruption.status()?.text).toBe(
    'The clock is at 2026-03-02T10:10:00.000Z. Go on: waybill sandbox advance --to 2026-03-02T11:00:00.000Z',
  );
});
