import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { doorDashSettings } from '../../../fakes/courier-check.ts';
import { errorOf, freshHome } from '../../harness.ts';
import { type Sandbox, sandbox } from '../../sandbox.ts';

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
  const transport: Transport = async (request) => {
    const response = await box.transport({ ...request, headers: { 'content-type': 'application/json' } });
    return { ...response, body: response.body.replaceAll('"test_mode":true', '"test_mode":false') };
  };
  const line = ['couriers', 'connect', 'doordash-drive', '--settings-from', '-'];
  const env = { WAYBILL_API_KEY: 'wb_live_madeup0000000000', WAYBILL_BASE_URL: 'https://live.test' };
  const live = await box.run(line, { stdin: JSON.stringify(settings), transport, env });
  expect(live.stderr).toContain(
    'DoorDash Drive was not yet run against the live service. The steps of a first live delivery: waybill help connecting-couriers',
  );
  expect((await connect(box)).stderr).not.toContain('live service');
});

test('in a terminal each setting is asked for, the secrets hidden, and a second time Enter keeps them', async () => {
  const box = await sandbox();
  const answers = ['dev-1', 'key-1', 'a-signing-secret-x', 'sandbox', ''];
  const first = await box.run(['couriers', 'connect', 'doordash-drive'], { tty: true, answers });
  expect([first.exit, first.stderr]).toEqual([
    0,
    expect.stringContaining('run `waybill serve --public-url URL`'),
  ]);
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
  expect([works.exit, JSON.parse(works.stdout)]).toMatchObject([
    0,
    [{ name: 'doordash-drive', works: true, problem: null, last_push_at: null }],
  ]);
  const failing = await box.run(['couriers', 'check', '--json'], {
    transport: async (request) =>
      request.path.endsWith('/check')
        ? {
            status: 422,
            headers: {},
            body: JSON.stringify({
              object: 'error',
              code: 'courier_check_failed',
              message: 'The key has ended.',
            }),
          }
        : box.transport(request),
  });
  expect([failing.exit, JSON.parse(failing.stdout)]).toMatchObject([
    10,
    [{ works: false, problem: 'The key has ended.' }],
  ]);
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
  expect([wrong.exit, errorOf(wrong.stderr)]).toMatchObject([
    5,
    { code: 'courier_unknown', choices: expect.arrayContaining(['doordash-drive']) },
  ]);
});

test('settings of the other environment are refused in the mode of the key', async () => {
  const box = await sandbox();
  const stdin = JSON.stringify(doorDashSettings('production'));
  const line = ['couriers', 'connect', 'doordash-drive', '--settings-from', '-', '--json'];
  const refused = await box.run(line, { stdin });
  expect([refused.exit, errorOf(refused.stderr).code]).toEqual([6, 'courier_mode_mismatch']);
});
