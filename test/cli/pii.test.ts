import { expect, test } from 'vitest';
import { maskedEmail, maskedPhone, withContactsMasked } from '../../src/cli/kit/output/safe-text.ts';
import { wrapped } from '../../src/cli/kit/output/terminal-lines.ts';
import { type RunOptions, waybill } from './harness.ts';
import { newOrder, orderLine, sandbox, storeLine } from './sandbox.ts';

const box = await sandbox();
// Recipients and stores have the area code 312, simulated drivers 872.
const whole = /1 ?(312|872) ?555 ?\d{4}/;
const masked = '+1 312 *** **42';
const terminal: RunOptions = { tty: true, columns: 120, env: { NO_COLOR: '1' } };

test.each([
  ['13125550142', masked],
  ['+1 (312) 555-0142', masked],
  ['447911123456', '+44 ********56'],
  ['5550142', '+55 ***42'],
  ['911', '***'],
  ['', ''],
])('%s is shown as %s', (phone, shown) => {
  expect(maskedPhone(phone)).toBe(shown);
});

test.each([
  ['joe@diner.example', 'j***@diner.example'],
  ['Örs@diner.example', 'Ö***@diner.example'],
  ['@diner.example', '***'],
  ['joe', '***'],
])('%s is shown as %s', (address, shown) => {
  expect(maskedEmail(address)).toBe(shown);
});

test('a masked number stays on one line', () => {
  for (let room = 16; room < 60; room += 1) {
    const lines = wrapped(`Ana Lima, car, ${masked}, or +44 ********56; soon there`, room).split('\n');
    expect(lines.filter((line) => line.includes(masked))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('+44 ********56'))).toHaveLength(1);
  }
});

test('phones and e-mails in a body and a query are masked, and nothing else', () => {
  const body =
    '{"dropoff_phone_number":"+13125550142","courier_phone_number": "13125550101","id":"13125550142"}';
  expect(withContactsMasked(body)).toBe(
    `{"dropoff_phone_number":"${masked}","courier_phone_number": "+1 312 *** **01","id":"13125550142"}`,
  );
  expect(withContactsMasked('{"dropoff_email": "joe@diner.example","dropoff_notes":"a@b"}')).toBe(
    '{"dropoff_email": "j***@diner.example","dropoff_notes":"a@b"}',
  );
  expect(withContactsMasked('GET /v1/deliveries?q=joe%40diner.example&limit=5')).toBe(
    'GET /v1/deliveries?q=*******************&limit=5',
  );
  expect(withContactsMasked('GET /v1/deliveries?phone=13125550142&limit=5')).toBe(
    'GET /v1/deliveries?phone=***********&limit=5',
  );
});

box.advance(1);
const address = 'joe@diner.example';
const withEmail = [...orderLine.slice(2), '--dropoff-email', address];
const id = String((await box.json(['deliveries', 'create', ...withEmail, '--initiate'])).id);
const order = await newOrder(box, '--dropoff-email', address);
const store = String((await box.json(storeLine)).id);
box.advance(6.2 * 60_000);

const lines = [
  ['deliveries', 'get', id],
  ['deliveries', 'list', '-o', 'wide'],
  ['deliveries', 'explain', id],
  ['deliveries', 'watch', id, '--timeout', '0s'],
  ['orders', 'get', order],
  ['orders', 'list', '-o', 'wide'],
  ['stores', 'get', store],
  ['stores', 'list'],
  ['events', 'list', '-o', 'wide'],
];

test.each(lines.map((line) => [line.join(' '), line] as const))(
  '%s: people see no phone and no e-mail whole',
  async (_, line) => {
    const { stdout, stderr } = await box.run(line, terminal);
    expect(stdout).not.toBe('');
    expect(stdout + stderr).not.toMatch(whole);
    expect(stdout + stderr).not.toContain(address);
    const [, unmasked] =
      / Show them: waybill (.* --show-pii) /.exec(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')) ?? [];
    const isRecord = /^deliveries (?:get|explain)/.test(line.join(' '));
    expect(unmasked).toBe(isRecord ? [...line, '--show-pii'].join(' ') : undefined);
    const shown = await box.run([...line, '--show-pii'], terminal);
    expect(shown.stdout.match(whole) !== null).toBe(stdout.includes('*** **'));
    expect(shown.stdout.includes(address)).toBe(stdout.includes('j***@diner.example'));
    const json = await box.run([...line, '--json']);
    expect(json.stdout).not.toContain('***');
  },
);

test('values for programs stay complete in a pipe; text is masked', async () => {
  const { stdout } = await box.run(['deliveries', 'get', id]);
  expect(stdout).toMatch(/^dropoff_phone_number\t13125550142$/m);
  expect((await box.run(['deliveries', 'list', '-o', 'csv'])).stdout).toContain(',13125550142,');
  const watched = await box.run(['deliveries', 'watch', id, '--timeout', '0s']);
  expect(watched.stdout).toMatch(/\tenroute_pickup\t|\tdriver_assigned\t/);
  expect(watched.stdout).not.toMatch(whole);
});

test('--debug masks requests and responses; --curl shows what the command needs', async () => {
  const line = ['deliveries', 'list', '--phone', '13125550142', '--json', '--debug'];
  const { stderr, stdout } = await box.run(line);
  expect(stderr).toContain('> GET /v2/deliveries');
  expect(stderr).not.toMatch(whole);
  expect(stdout).toMatch(whole);
  expect((await box.run([...line, '--show-pii'])).stderr).toMatch(whole);
  const curl = await waybill([...line.slice(0, -1), '--curl'], { transport: box.transport });
  expect(curl.stderr).toContain('phone=13125550142');
});
