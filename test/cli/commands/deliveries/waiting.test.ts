import { expect, test } from 'vitest';
import { Unreachable } from '../../../../src/client/errors.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import { errorOf, jsonOf, waybill } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';
import { delivery as recordOf } from './records.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2)];

/** Runs a command whose waits advance its clock, and returns how long it ran. */
async function passing(transport: Transport, ...argv: string[]) {
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
  const { exit, stdout, stderr } = await passing(leaving(9, away), verb, 'dlv_1', '--timeout', '60s');
  expect([exit, stdout.includes('delivered')]).toEqual([0, true]);
  expect(stderr.match(/cannot be reached at the moment/g)).toHaveLength(1);
});

test.each(['wait', 'watch'])('%s is exit 7 if the service is unreachable at the time-out', async (verb) => {
  const away = leaving(Number.POSITIVE_INFINITY, gone);
  const people = await passing(away, verb, 'dlv_1', '--timeout', '60s');
  expect(people.exit).toBe(7);
  expect(people.seconds).toBeGreaterThanOrEqual(60);
  const json = await passing(
    leaving(Number.POSITIVE_INFINITY, gone),
    ...[verb, 'dlv_1', '--timeout', '60s', '--json'],
  );
  expect([json.exit, errorOf(json.stderr).code]).toEqual([7, 'unreachable']);
});

test('a service that is unreachable before the first poll is exit 7 at once', async () => {
  const { exit, seconds } = await passing(gone, 'wait', 'dlv_1', '--timeout', '60s');
  expect([exit, seconds < 10]).toEqual([7, true]);
});

test.each(['wait', 'watch'])(
  '%s of an uninitiated delivery says once that it must be initiated',
  async (verb) => {
    box.advance(1);
    const { id } = await box.json(create);
    const line = ['deliveries', verb, String(id), '--timeout', '5m'];
    const people = await box.run(line, box.passing);
    expect(people.stderr.match(/waybill deliveries initiate dlv_/g)).toHaveLength(1);
    expect(people.stderr).not.toContain('sandbox advance');
    const json = await box.run([...line, '--json'], box.passing);
    expect(errorOf(json.stderr)).toMatchObject({
      hint: expect.stringContaining(`waybill deliveries initiate ${id}`),
      next: [{ command: `waybill deliveries initiate ${id}` }, { when: 'continue waiting' }],
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

test('after a time-out the suggested command waits again', async () => {
  box.advance(1);
  const { id } = await box.json(create);
  const flags = ['--until', 'pickup_complete', '--fail-on', 'canceled,failed', '--timeout', '90s'];
  const { exit, stderr } = await box.run(['deliveries', 'wait', String(id), ...flags], box.passing);
  expect(exit).toBe(8);
  expect(stderr).toContain(
    `  waybill deliveries wait ${id} --until pickup_complete --fail-on canceled,failed --timeout 90s `,
  );
});

test('--fail-on ends a wait for delivered that is already disputed: exit 9', async () => {
  const transport: Transport = async () => {
    const record = recordOf([
      ['delivered', 0],
      ['disputed', 5],
    ]);
    return { status: 200, headers: {}, body: JSON.stringify(record) };
  };
  const { exit, stderr } = await passing(transport, 'wait', 'dlv_1', '--fail-on', 'disputed', '--json');
  expect([exit, errorOf(stderr).code]).toEqual([9, 'delivery_disputed']);
  expect((await passing(transport, 'wait', 'dlv_1')).exit).toBe(0);
});
