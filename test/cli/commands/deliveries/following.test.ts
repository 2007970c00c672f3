import { expect, test } from 'vitest';
import { Unreachable } from '../../../../src/client/errors.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import { errorOf, failureOf, jsonOf, linesIn, type RunOptions, rowsIn, waybill } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';
import { delivery as recordOf } from './records.ts';

const box = await sandbox();
const fields = orderLine.slice(2);
const minute = 60_000;

async function sent(...flags: string[]): Promise<string> {
  box.advance(1);
  return String((await box.json(['deliveries', 'create', ...fields, '--initiate', ...flags])).id);
}

/** Runs a command whose waits advance the clock. */
function passing(argv: readonly string[], options: RunOptions = {}) {
  return box.run(argv, { ...box.passing, ...options });
}

function statusesIn(text: string): string[] {
  return linesIn(text).map((line) => line.split(/\s{2,}|\t/)[1] ?? '');
}

const wayOfPoolride = [
  ...['delivery_created', 'driver_assigned', 'enroute_pickup', 'pickup_complete'],
  ...['dropoff_complete', 'delivered'],
];

test('watch: a line for each change with time and status, until delivered', async () => {
  const id = await sent();
  const options = { tty: true, columns: 60, env: { NO_COLOR: '1' } };
  const { stdout, stderr, exit } = await passing(['deliveries', 'watch', id], options);
  expect([exit, stderr]).toEqual([0, '']);
  const [head, ...lines] = linesIn(stdout);
  expect(head).toMatch(/^dlv_\w+ · Joe Diner · expected \d\d:\d\d$/);
  expect(statusesIn(lines.filter((line) => !line.startsWith(' ')).join('\n'))).toEqual([
    ...['waiting for a driver', ...wayOfPoolride.slice(1)],
  ]);
  expect(lines[0]).toMatch(/^\d\d:\d\d {2}waiting for a driver {2}poolride looks for a driver$/);
  expect(stdout).toContain('enroute_pickup        going to Grill, there about');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
});

test('watch in a pipe: tabs and ISO times, without color', async () => {
  const id = await sent();
  box.advance(60 * minute);
  const { stdout } = await passing(['deliveries', 'watch', id]);
  const rows = rowsIn(stdout);
  expect(rows.map(([, status]) => status)).toEqual(wayOfPoolride);
  for (const [at = ''] of rows) expect(at).toMatch(/^2026-03-02T\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(rows.at(-1)?.[2]).toBe('proof: photo');
});

test('watch of a delivery that fails is exit 9 with the reason, on its own line', async () => {
  const id = await sent('--simulate', 'customer_refused');
  const { stdout, stderr, exit } = await passing(['deliveries', 'watch', id]);
  expect([exit, statusesIn(stdout).at(-1)]).toEqual([9, 'returned']);
  expect(stderr).toMatch(
    new RegExp(`^Error: ${id} went back to Grill: the recipient refused the parcel\\.$`, 'm'),
  );
});

test.each([
  ['no_driver', 'provider_canceled', /was canceled by poolride: .+\.$/],
  ['operator_cancel', 'burq_canceled', /was canceled by the operator of the service\.$/],
  ['wrong_address', 'enroute_to_return', /is on its way back: the recipient is unknown at the address\.$/],
])('wait: %s is exit 9 at once, with the reason in one line', async (scenario, status, message) => {
  const line = ['deliveries', 'wait', await sent('--simulate', scenario), '--timeout', '2h'];
  const { stdout, stderr, exit } = await passing([...line, '--json']);
  expect([exit, jsonOf(stdout).status]).toEqual([9, status]);
  expect(errorOf(stderr)).toMatchObject({
    code: `delivery_${status}`,
    message: expect.stringMatching(message),
  });
  const people = await passing(line);
  expect([people.exit, people.stdout]).toEqual([9, '']);
  expect(people.stderr.split('\n')[0]).toMatch(message);
});

/** A service on which a delivery never changes, with the given clock. */
function still(clock: { status: number; body: unknown }): Transport {
  const record = recordOf([['delivery_created', 0]]);
  return async (request) => {
    const isClock = request.path === '/v2/sandbox/clock';
    const { status, body } = isClock ? clock : { status: 200, body: record };
    return { status, headers: { 'x-service-time': record.created_at }, body: JSON.stringify(body) };
  };
}

const manual = {
  status: 200,
  body: { object: 'clock', mode: 'manual', rate: 0, now: '2026-03-02T12:00:00.000Z', next_due_at: null },
};
const hint = /sandbox advance --next/g;

async function waited(transport: Transport, ...flags: string[]) {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const line = ['deliveries', 'wait', 'dlv_1', '--timeout', '5m', ...flags];
  return waybill(line, { transport, sleep, now: () => now });
}

test('on a stopped clock watch says so once', async () => {
  const { stderr, exit } = await waited(still(manual));
  expect(exit).toBe(8);
  expect(stderr.match(hint)).toHaveLength(1);
  const json = await waited(still(manual), '--json');
  expect(json.stderr.split('In another terminal')).toHaveLength(2);
  expect(json.stderr).toMatch(/^\{"type":"hint","code":"clock_stands_still".*\n.*\{"error"/s);
  expect(errorOf(json.stderr)).toMatchObject({
    code: 'still_pending',
    next: [
      { command: 'waybill sandbox advance --next' },
      { command: 'waybill deliveries wait dlv_1 --timeout 5m' },
    ],
  });
  expect((await waited(still(manual), '--quiet')).stderr).toMatch(
    /^Error: Time ran out.*\nThe clock of this sandbox is stopped/,
  );
});

test('a running clock can be moved once the time is over, one that may not be read is not mentioned', async () => {
  const real = { ...manual, body: { ...manual.body, mode: 'real', rate: 1 } };
  const error = { object: 'error', code: 'simulation_not_allowed', message: 'No.', request_id: 'req_1' };
  for (const [clock, said] of [
    [real, ['sandbox advance --next']],
    [{ status: 403, body: error }, null],
  ] as const) {
    const { stderr, exit } = await waited(still(clock));
    expect([exit, stderr.match(hint)]).toEqual([8, said]);
  }
});

/** The seconds that a command waited between its polls. */
async function waits(transport: Transport, env: Record<string, string> = {}): Promise<number[]> {
  const slept: number[] = [];
  let now = 0;
  const sleep = async (ms: number) => {
    slept.push(ms / 1000);
    now += ms;
  };
  const line = ['deliveries', 'wait', 'dlv_1', '--timeout', '1m'];
  await waybill(line, { transport, sleep, now: () => now, env });
  return slept;
}

test('on the embedded service polls follow due work, by its own fast clock', async () => {
  const fast = { mode: 'scaled', rate: 60, next_due_at: '2026-03-02T12:03:00.000Z' };
  const clock = { ...manual, body: { ...manual.body, ...fast } };
  expect((await waits(still(clock))).slice(0, 5)).toEqual([2, 3, 3, 3, 3]);
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_test_madeup' };
  expect((await waits(still(clock), env)).slice(0, 4)).toEqual([2, 4, 8, 15]);
  const overdue = { ...clock, body: { ...clock.body, next_due_at: manual.body.now } };
  expect((await waits(still(overdue))).slice(0, 2)).toEqual([0.25, 0.25]);
});

const create = ['deliveries', 'create', ...orderLine.slice(2)];

/** Runs a command whose waits advance its clock, and returns how long it ran. */
async function runOn(transport: Transport, ...argv: string[]) {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_test_madeup' };
  const outcome = await waybill(['deliveries', ...argv], { transport, env, sleep, now: () => now });
  return { ...outcome, seconds: Math.round(now / 1000) };
}

/** A service that returns the delivery, is unavailable for some requests, and then returns it as delivered. */
function leaving(requests: number, away: () => Promise<never> | ReturnType<Transport>): Transport {
  let asked = 0;
  return async (request) => {
    if (!request.path.startsWith('/v1/delivery/')) return { status: 403, headers: {}, body: '{}' };
    asked += 1;
    if (asked > 1 && asked <= requests + 1) return away();
    const record = recordOf(
      asked === 1
        ? [['delivery_created', 0]]
        : [
            ['delivery_created', 0],
            ['delivered', 9],
          ],
    );
    return { status: 200, headers: {}, body: JSON.stringify(record) };
  };
}

const gone = () => Promise.reject(new Unreachable('No response from there: connection refused.'));
const gateway = async () => ({ status: 503, headers: {}, body: '' });

test.each([
  ['wait', gone],
  ['watch', gone],
  ['wait', gateway],
])('%s continues when the service is briefly unreachable, and says so once', async (verb, away) => {
  const { exit, stdout, stderr } = await runOn(leaving(9, away), verb, 'dlv_1', '--timeout', '60s');
  expect([exit, stdout.includes('delivered')]).toEqual([0, true]);
  expect(stderr.match(/cannot be reached at the moment/g)).toHaveLength(1);
});

test.each(['wait', 'watch'])('%s is exit 7 if the service is unreachable at the time-out', async (verb) => {
  const away = leaving(Number.POSITIVE_INFINITY, gone);
  const people = await runOn(away, verb, 'dlv_1', '--timeout', '60s');
  expect(people.exit).toBe(7);
  expect(people.seconds).toBeGreaterThanOrEqual(60);
  const json = await runOn(
    leaving(Number.POSITIVE_INFINITY, gone),
    ...[verb, 'dlv_1', '--timeout', '60s', '--json'],
  );
  expect([json.exit, errorOf(json.stderr).code]).toEqual([7, 'unreachable']);
});

test('a service that is unreachable before the first poll is exit 7 at once', async () => {
  const { exit, seconds } = await runOn(gone, 'wait', 'dlv_1', '--timeout', '60s');
  expect([exit, seconds < 10]).toEqual([7, true]);
});

test.each(['wait', 'watch'])(
  '%s of an uninitiated delivery says once that it must be initiated',
  async (verb) => {
    box.advance(1);
    const { id } = await box.json(create);
    const line = ['deliveries', verb, String(id), '--timeout', '5m'];
    const people = await box.run(line, box.passing);
    expect(people.exit).toBe(8);
    expect(people.stderr.match(/waybill deliveries initiate dlv_/g)).toHaveLength(1);
    expect(people.stderr).not.toContain('sandbox advance');
    expect(await failureOf(box.run([...line, '--json'], box.passing))).toMatchObject({
      hint: expect.stringContaining(`waybill deliveries initiate ${id}`),
      next: [
        { command: `waybill deliveries initiate ${id} --max-cost DOLLARS` },
        { when: 'continue waiting' },
      ],
    });
  },
);

test('an endless watch prints the outage as an object, as no error follows', async () => {
  box.advance(1);
  const { id } = await box.json(create);
  let looks = 0;
  const sleep = async () => {
    looks += 1;
    if (looks > 3) throw new Error('enough');
  };
  const { stderr } = await box.run(['deliveries', 'watch', String(id), '--json'], { sleep });
  const [first = ''] = stderr.split('\n');
  expect(jsonOf(first)).toMatchObject({ type: 'hint', code: 'not_initiated' });
});
