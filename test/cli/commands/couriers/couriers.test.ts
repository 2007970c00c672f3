import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Courier } from '../../../../src/contract/providers.ts';
import { doorDashSettings } from '../../../fakes/courier-check.ts';
import { startFailing } from '../../../service/couriers/failing-courier.ts';
import { dispatchOne, startShop } from '../../../service/couriers/uber-direct-shop.ts';
import { errorOf, freshHome, type RunOptions, waybill } from '../../harness.ts';
import { liveService, type Sandbox, sandbox } from '../../sandbox.ts';

const settings = { ...doorDashSettings('sandbox'), webhook_authorization: 'Basic dGhlIHNob3A=' };
const secrets = [settings.signing_secret, settings.webhook_authorization];

async function connect(box: Sandbox, ...flags: string[]) {
  const stdin = JSON.stringify(settings);
  return box.run(['couriers', 'connect', 'doordash-drive', '--settings-from', '-', ...flags], { stdin });
}

test('couriers are listed with their state, and what each can and cannot do', async () => {
  const box = await sandbox();
  const people = await box.run(['couriers', 'list'], { tty: true, columns: 160, env: { NO_COLOR: '1' } });
  expect(people.stdout).toMatch(/uber-direct +not connected +.*signature.*PIN/);
  expect(people.stdout).toMatch(/doordash-drive +not connected +not yet run against the live service/);
  expect(people.stdout).toMatch(/http +not connected +schedule/);
  await connect(box);
  const { stdout } = await box.run(['couriers', 'list', '--json']);
  const states = JSON.parse(stdout).map(({ name, state }: Record<string, string>) => `${name} ${state}`);
  expect(states).toEqual(expect.arrayContaining(['uber-direct not_connected', 'doordash-drive enabled']));
});

test('a live connection of a courier that was not run live names the steps of a first delivery', async () => {
  const box = await sandbox();
  const line = ['couriers', 'connect', 'doordash-drive', '--settings-from', '-'];
  const live = await box.run(line, { stdin: JSON.stringify(settings), ...liveService(box.transport) });
  expect(live.stderr).toContain(
    'DoorDash Drive was not yet run against the live service. The steps of a first live delivery: waybill help connecting-couriers',
  );
  expect((await connect(box)).stderr).not.toContain('live service');
});

test('in a terminal each setting is asked for, the secrets hidden, and a second time Enter keeps them', async () => {
  const box = await sandbox();
  const answers = ['dev-1', 'key-1', 'a-signing-secret-x', 'sandbox', ''];
  const first = await box.run(['couriers', 'connect', 'doordash-drive'], { tty: true, answers });
  expect(first.exit).toBe(0);
  expect(first.stderr).toContain('run `waybill serve --public-url URL`');
  expect(first.stdout + first.stderr).not.toContain('a-signing-secret-x');
  expect(first.stdout).toContain('signing_secret: (secret)');
  const again = ['dev-2', '', '', 'sandbox', ''];
  const second = await box.run(['couriers', 'connect', 'doordash-drive'], { tty: true, answers: again });
  expect([second.exit, second.stdout]).toEqual([0, expect.stringContaining('developer_id: dev-2')]);
  const put = box.requests
    .filter(({ method }) => method === 'PUT')
    .map(({ body }) => JSON.parse(body).settings);
  expect(put).toEqual([
    { developer_id: 'dev-1', key_id: 'key-1', signing_secret: 'a-signing-secret-x', environment: 'sandbox' },
    { developer_id: 'dev-2', environment: 'sandbox' },
  ]);
});

test('no secret is printed: not by --debug, --curl or --dry-run, nor by a raw request', async () => {
  const box = await sandbox();
  const home = freshHome();
  writeFileSync(join(home, 'body.json'), JSON.stringify({ settings }));
  const raw = ['api', 'PUT', '/v2/couriers/doordash-drive', '--file', 'body.json'];
  const outputs = [
    await connect(box, '--debug'),
    await connect(box, '--curl'),
    await connect(box, '--dry-run'),
    await connect(box, '--dry-run', '--json'),
    await connect(box, '--dry-run', '--curl'),
    await box.run([...raw, '--debug'], { home }),
    await box.run([...raw, '--dry-run'], { home }),
    await box.run(['couriers', 'check', '--debug']),
    await box.run(['couriers', 'list', '--json', '--debug']),
  ];
  for (const { stdout, stderr, exit } of outputs) {
    expect(exit).toBe(0);
    for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
  }
  expect(outputs[0]?.stderr).toContain('"signing_secret":"…"');
  expect(outputs[3]?.stdout).toContain('"signing_secret":"…"');
});

test('without a terminal the file of the settings is asked for, and a wrong one is not repeated', async () => {
  const box = await sandbox();
  const missing = await box.run(['couriers', 'connect', 'doordash-drive', '--json']);
  expect([missing.exit, errorOf(missing.stderr)]).toMatchObject([2, { missing: ['--settings-from'] }]);
  for (const stdin of ['not json', '["a-secret"]', '{"signing_secret": 31415926}']) {
    const wrong = await box.run(['couriers', 'connect', 'doordash-drive', '--settings-from', '-'], { stdin });
    expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringMatching(/JSON object|must be a text/)]);
    expect(wrong.stderr).not.toMatch(/a-secret|31415926/);
  }
  const stdin = '{\n  "developer_id": secret }';
  const unread = await box.run(['couriers', 'connect', 'doordash-drive', '--settings-from', '-'], { stdin });
  expect(unread.stderr).toContain('--settings-from is not valid JSON: line 2, column 19: expected a value.');
});

test('a check works through every connected courier and says whether reports arrive; one that fails is exit 10', async () => {
  const box = await sandbox();
  const none = await box.run(['couriers', 'check']);
  expect([none.exit, none.stderr]).toEqual([0, expect.stringContaining('waybill couriers connect\n')]);
  const unknown = await box.run(['couriers', 'check', 'doordash-drive', '--json']);
  expect([unknown.exit, errorOf(unknown.stderr).code]).toEqual([6, 'courier_not_connected']);
  await connect(box);
  const works = await box.run(['couriers', 'check', '--json']);
  expect(works.exit).toBe(0);
  expect(JSON.parse(works.stdout)).toMatchObject([
    { name: 'doordash-drive', works: true, problem: null, last_push_at: null },
  ]);
  const refusing = (status: number, code: string, message: string) =>
    box.run(['couriers', 'check', '--json'], {
      transport: async (request) =>
        request.path.endsWith('/check')
          ? { status, headers: {}, body: JSON.stringify({ object: 'error', code, message }) }
          : box.transport(request),
    });
  const failing = await refusing(422, 'courier_check_failed', 'The key has ended.');
  expect(failing.exit).toBe(10);
  expect(JSON.parse(failing.stdout)).toMatchObject([{ works: false, problem: 'The key has ended.' }]);
  // A key that may not check says nothing about the courier.
  const forbidden = await refusing(401, 'unauthorized', 'An admin key is needed.');
  expect([forbidden.exit, forbidden.stdout]).toEqual([4, '']);
});

test('a courier is disabled, enabled, and removed after a prompt', async () => {
  const box = await sandbox();
  await connect(box);
  expect((await box.json(['couriers', 'disable', 'doordash-drive'])).state).toBe('disabled');
  expect((await box.json(['couriers', 'enable', 'doordash-drive'])).state).toBe('enabled');
  const asked = await box.run(['couriers', 'remove', 'doordash-drive'], { tty: true, answers: [false] });
  expect(asked.exit).toBe(3);
  expect(await box.json(['couriers', 'remove', 'doordash-drive', '--yes'])).toEqual({
    ...{ name: 'doordash-drive', object: 'courier', deleted: true },
  });
  const wrong = await box.run(['couriers', 'enable', 'pigeon', '--json']);
  expect(wrong.exit).toBe(5);
  expect(errorOf(wrong.stderr)).toMatchObject({
    code: 'courier_unknown',
    choices: expect.arrayContaining(['doordash-drive']),
  });
});

/** A courier that is not called anymore, and commands that see it. */
async function paused() {
  const courier = await startFailing();
  const { service, keys } = courier.fixture;
  await courier.check(5);
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    waybill(argv, {
      env: { WAYBILL_BASE_URL: 'http://shop.test', WAYBILL_API_KEY: keys.test, NO_COLOR: '1' },
      transport: (request) =>
        service.fetch({ ...request, headers: { ...request.headers, 'x-api-key': keys.test } }),
      now: courier.now,
      ...options,
    });
  return { ...courier, run, until: new Date(courier.now() + 30_000).toISOString() };
}

test('couriers list has until when a courier is not called, only while it is not', async () => {
  const { run, until, pass } = await paused();
  const { stdout } = await run(['couriers', 'list', '--json']);
  const paused_ones = JSON.parse(stdout).filter((each: Courier) => each.calls_paused_until !== null);
  expect(paused_ones).toMatchObject([{ name: 'http', calls_paused_until: until }]);
  expect((await run(['couriers', 'list'], { tty: true, columns: 200 })).stdout).toContain('NOT CALLED UNTIL');
  pass(30_000);
  expect((await run(['couriers', 'list'], { tty: true, columns: 200 })).stdout).not.toContain('NOT CALLED');
});

test('doctor says until when a courier is not called', async () => {
  const { run, until, pass, recover, requests } = await paused();
  const doctor = async () => {
    const { stdout } = await run(['doctor', '--json']);
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'couriers');
  };
  const before = requests();
  expect(await doctor()).toMatchObject({
    status: 'warn',
    found: `Courier with a waybill server has failed repeatedly and is not called until ${until}`,
  });
  expect(requests()).toBe(before);
  const people = await run(['doctor'], { tty: true, columns: 200 });
  expect(people.stdout).toMatch(/has failed repeatedly and is not called until \d\d:\d\d\n/);
  pass(30_000);
  recover();
  expect(await doctor()).toMatchObject({ status: 'ok' });
});

test('couriers remove names the deliveries under way and what to do, and asks before it removes by force', async () => {
  const shop = await startShop();
  const { fixture } = shop;
  const queries: string[] = [];
  const run = (argv: readonly string[], answers: readonly boolean[] = []) =>
    waybill(argv, {
      env: { WAYBILL_BASE_URL: 'http://shop.test', WAYBILL_API_KEY: fixture.keys.test },
      transport: (request) => {
        if (request.method === 'DELETE') queries.push(request.path);
        return fixture.service.fetch({
          ...request,
          headers: { ...request.headers, 'x-api-key': fixture.keys.test },
        });
      },
      tty: answers.length > 0,
      answers,
      now: fixture.now,
    });
  const { delivery } = await dispatchOne(shop);
  const refused = await run(['couriers', 'remove', 'uber-direct', '--yes', '--json']);
  expect(refused.exit).toBe(6);
  expect(errorOf(refused.stderr)).toMatchObject({
    code: 'courier_has_deliveries',
    message: expect.stringContaining(delivery.id),
    next: [{ args: ['couriers', 'disable', 'uber-direct'] }],
  });
  expect((await run(['couriers', 'remove', 'uber-direct', '--force'], [false])).exit).toBe(3);
  const removed = await run(['couriers', 'remove', 'uber-direct', '--force', '--yes', '--json']);
  expect([removed.exit, JSON.parse(removed.stdout)]).toMatchObject([0, { deleted: true }]);
  expect(queries).toEqual(['/v2/couriers/uber-direct', '/v2/couriers/uber-direct?force=true']);
});
