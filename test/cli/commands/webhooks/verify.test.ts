import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { errorOf, freshHome, jsonOf, type RunOptions, waybill } from '../../harness.ts';

const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const other = 'whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=';
const now = Date.parse('2026-03-02T10:00:00.400Z');
const id = 'evt_01KJQ7T7A9';
const body = JSON.stringify({ id, type: 'delivery.updated', data: { notes: 'Türe 4' } });
const home = freshHome();
writeFileSync(join(home, 'secret'), `${secret}\n`);

interface Sent {
  body?: string;
  by?: string;
  age?: number;
}

/** The flags for a webhook sent `age` seconds ago. */
function flagsOf({ by = secret, age = 0, ...sent }: Sent = {}): string[] {
  const at = new Date(Math.floor(now / 1000) * 1000 - age * 1000);
  const signature = new Webhook(by).sign(id, at, sent.body ?? body);
  return ['--id', id, '--timestamp', String(at.getTime() / 1000), '--signature', signature];
}

const verify = (flags: readonly string[], options: RunOptions = {}) =>
  waybill(['webhooks', 'verify', ...flags], { home, now: () => now, stdin: body, ...options });
const withSecret = ['--secret-file', 'secret'];

/** The result of a check with `--json`: exit code, answer and error. */
async function checked(flags: readonly string[], options: RunOptions = {}) {
  const { exit, stdout, stderr } = await verify(['-', ...flags, ...withSecret, '--json'], options);
  return { exit, answer: jsonOf(stdout), error: exit === 0 ? null : errorOf(stderr), stderr };
}

test('a received webhook is valid, its headers in either case, its body from stdin or a file', async () => {
  const { answer, exit, stderr } = await checked(flagsOf());
  const valid = { valid: true, id, type: 'delivery.updated', timestamp: '2026-03-02T10:00:00.000Z' };
  expect([exit, answer, stderr]).toEqual([0, { ...valid, age_seconds: 0, reason: '' }, '']);
  writeFileSync(join(home, 'body.json'), body);
  const [, , , seconds, , signature] = flagsOf();
  const headers = [`Webhook-Id: ${id}`, `webhook-timestamp:${seconds}`, `WEBHOOK-SIGNATURE: ${signature}`];
  const flags = ['-f', 'body.json', ...[...headers, 'accept: */*'].flatMap((each) => ['-H', each])];
  const byFile = await verify(flags, { env: { WAYBILL_WEBHOOK_SECRET: secret } });
  expect(byFile).toMatchObject({ exit: 0, stderr: '', stdout: expect.stringMatching(/^valid\ttrue\n/) });
});

test('one of several signatures is enough, as during a rotation', async () => {
  const [, , , , , signature = ''] = flagsOf();
  const [, , , , , stranger = ''] = flagsOf({ by: other });
  for (const list of [`${stranger} ${signature}`, `v1a,none ${signature}`]) {
    expect((await checked([...flagsOf().slice(0, 4), '--signature', list])).exit).toBe(0);
  }
});

describe('an invalid webhook is exit 9 with the reason', () => {
  test.each([
    ['another secret', flagsOf({ by: other }), /^No signature matches: the secret is wrong, or the body/],
    ['another id', ['--id', 'evt_2', ...flagsOf().slice(2)], /^No signature matches/],
    ['another time', [...flagsOf(), '--timestamp', String(Math.floor(now / 1000) - 1)], /^No signature/],
    [
      'too old',
      flagsOf({ age: 720 }),
      /^It is too old by 7 min: it was sent 12 min ago, and at most 5 min are allow/,
    ],
    ['too far ahead', flagsOf({ age: -301 }), /^Its time is too far ahead by 1 s: in 5 min on the clock of/],
    [
      'no time',
      [...flagsOf(), '--timestamp', '2026-03-02'],
      /webhook-timestamp is not in whole seconds: "2026-03-02"/,
    ],
    ['no v1', [...flagsOf(), '--signature', 'v1a,c2lnbmVk'], /has no v1 signature \("v1,\.\.\."\)/],
    [
      'a cut one',
      flagsOf().with(5, flagsOf()[5]?.slice(0, -4) ?? ''),
      /is incomplete: expected 44 characters/,
    ],
  ])('%s', async (_, flags, reason) => {
    const { exit, answer, error, stderr } = await checked(flags);
    expect(exit).toBe(9);
    expect(answer).toMatchObject({ valid: false, reason: expect.stringMatching(reason) });
    expect(error).toMatchObject({
      ...{ code: 'webhook_not_valid', category: 'outcome', message: answer.reason },
    });
    expect(stderr).not.toContain(secret.slice(6, -8));
  });

  test('people see only the error', async () => {
    const wrong = ['-', ...flagsOf({ by: other }), ...withSecret];
    const { exit, stdout, stderr } = await verify([...wrong, '-o', 'table']);
    expect([exit, stdout, stderr.split('\n').length]).toEqual([9, '', 3]);
    expect(await verify(wrong)).toMatchObject({ exit: 9, stdout: expect.stringMatching(/^valid\tfalse\n/) });
  });

  test('at exactly the time limit it is valid', async () => {
    expect((await checked(flagsOf({ age: 300 }))).exit).toBe(0);
    expect((await checked(flagsOf({ age: -300 }))).exit).toBe(0);
    expect((await checked(flagsOf({ age: 301 }))).exit).toBe(9);
  });
});

test.each([`${body}\n`, '', body.replace('4', '5')])(
  'a body that is not the sent one is refused: %j',
  async (stdin) => {
    const { exit, error } = await checked(flagsOf(), { stdin });
    expect([exit, error?.hint]).toEqual([9, expect.stringContaining('exactly the received bytes')]);
  },
);

test('with --ignore-age an old one is valid, and its age is printed', async () => {
  const { exit, answer, stderr } = await checked([...flagsOf({ age: 259_200 }), '--ignore-age']);
  expect([exit, answer.age_seconds, answer.reason]).toEqual([0, 259_200, '']);
  expect(stderr).toBe('Its age was not checked: it was sent 3 d ago.\n');
});

test('all missing input is named at once, and prompted for in a terminal', async () => {
  const { exit, stdout, stderr } = await verify(['--json']);
  const missing = ['--file', '--id', '--timestamp', '--signature', '--secret-file'];
  expect([exit, stdout, errorOf(stderr).missing]).toEqual([2, '', missing]);
  expect(errorOf(stderr).hint).toContain('WAYBILL_WEBHOOK_SECRET');
  const some = await verify(['-', '--header', `webhook-id: ${id}`, ...withSecret, '--json']);
  expect(errorOf(some.stderr).missing).toEqual(['--timestamp', '--signature']);
  writeFileSync(join(home, 'body.json'), body);
  const [, , , seconds, , signature] = flagsOf();
  const answers = ['body.json', id, seconds, signature, secret];
  const terminal = { home, tty: true, now: () => now, env: { NO_COLOR: '1' } };
  const asked = await waybill(['webhooks', 'verify'], { ...terminal, answers });
  expect(asked).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Valid +yes\n/) });
  const last = await waybill(['webhooks', 'verify'], { ...terminal, answers: answers.slice(0, 4) });
  expect(last.stderr).toContain('no answer for: Secret');
});

test('an invalid secret, a header without a colon, and stdin for two inputs are exit 2', async () => {
  for (const none of ['whsec_', 'whsec_ not base64!', 'wb_test_0123456789abcdef']) {
    const { exit, stderr } = await verify(['-', ...flagsOf()], { env: { WAYBILL_WEBHOOK_SECRET: none } });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Invalid secret')]);
    expect(stderr).not.toContain(none.length > 6 ? none : 'whsec_"');
  }
  expect((await verify(['-', '--header', 'webhook-id'])).exit).toBe(2);
  expect((await verify(['-', '--file', 'body.json', ...flagsOf(), ...withSecret])).exit).toBe(2);
  expect((await verify(['body.json', ...flagsOf(), ...withSecret])).exit).toBe(2);
  expect((await verify(['-', ...flagsOf(), '--secret-file', '-'])).exit).toBe(2);
});

test('a file with the response that showed the secret is accepted; an empty file is reported', async () => {
  const by = async (text: string) => {
    writeFileSync(join(home, 'given'), text);
    return verify(['-', ...flagsOf(), '--secret-file', 'given', '--json']);
  };
  const answers = [
    `{"secret":"${secret}"}\n`,
    `\ufeff${JSON.stringify({ id, secret }, null, 2)}`,
    `\ufeff${secret}`,
  ];
  for (const text of answers) expect((await by(text)).exit).toBe(0);
  for (const [text, message] of [
    ['', 'is empty'],
    [' \n', 'is empty'],
    ['{"id":"whe_1"}', 'has JSON without a secret'],
    ['{"secret":', 'has JSON without a secret'],
  ] as const) {
    const { exit, stderr } = await by(text);
    expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining(message)]);
  }
});

test('a secret in an argument is refused and not repeated', async () => {
  for (const line of [
    ['-', '--secret-file', secret],
    [secret],
    ['-', ...withSecret, '--signature', secret],
  ]) {
    const { exit, stdout, stderr } = await verify([...flagsOf(), ...line, '--debug']);
    expect(exit).toBeGreaterThan(0);
    expect(stdout + stderr).not.toContain(secret.slice(6, -8));
  }
});

/** The header of the public platform, by any secret. */
function timed({ by = 'a secret of the dashboard', age = 0, sent = body } = {}): string {
  const seconds = Math.floor(now / 1000) - age;
  return `t=${seconds},v1=${createHmac('sha256', by).update(`${seconds}.${sent}`).digest('hex')}`;
}

describe('a signature t=…,v1=… in another header', () => {
  const env = { WAYBILL_WEBHOOK_SECRET: 'a secret of the dashboard' };
  const named = ['--signature-header', 'Burq-Signature'];
  test.each([
    ['a known header', ['-H', `Burq-Signature: ${timed()}`]],
    ['a named header', ['--signature-header', 'X-Signed', '-H', `x-signed: ${timed()}`]],
    ['its text', [...named, '--signature', timed()]],
    ['one of several signatures', [...named, '--signature', `${timed({ by: 'old' })},${timed().slice(13)}`]],
    ['an old one', [...named, '--signature', timed({ age: 720 }), '--ignore-age']],
  ])('is valid: %s', async (_, flags) => {
    const { exit, stdout, stderr } = await verify(['-', ...flags, '--json'], { env });
    expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
    expect(jsonOf(stdout)).toMatchObject({ valid: true, id: '', type: 'delivery.updated' });
  });

  test.each([
    ['another secret', [...named, '--signature', timed({ by: 'old' })], 9, 'No signature matches'],
    ['another body', [...named, '--signature', timed({ sent: `${body} ` })], 9, 'No signature matches'],
    ['too old', [...named, '--signature', timed({ age: 720 })], 9, 'too old by 7 min'],
    ['cut', [...named, '--signature', timed().slice(0, -4)], 9, 'expected 64 hexadecimal digits'],
    ['no time', [...named, '--signature', 't=now,v1=00'], 9, 'is not in whole seconds: "now"'],
    ['another form', [...named, '--signature', 'sha256=00'], 2, 'is not of the form t=SECONDS,v1=HEX'],
    ['none', [...named, '-H', 'x-signed: t=1,v1=00'], 2, 'Missing: --signature'],
    ['a header of another meaning', ['--signature-header', 'webhook-id'], 2, 'Burq-Signature'],
  ])('is refused: %s', async (_, flags, code, text) => {
    const { exit, stderr } = await verify(['-', ...flags], { env });
    expect([exit, stderr]).toEqual([code, expect.stringContaining(text)]);
  });
});
