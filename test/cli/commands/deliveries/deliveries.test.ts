import { expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/kit/errors/failure.ts';
import { findDelivery, findDeliveryId } from '../../../../src/cli/nouns/find-delivery.ts';
import { errorOf, failureOf } from '../../harness.ts';
import { newDelivery, quotedRoute, sandbox } from '../../sandbox.ts';

const box = await sandbox();

async function delivery(...flags: string[]): Promise<string> {
  const line = ['dispatch', await quotedRoute(box, ...flags), '--cheapest', '--allow-duplicate-ref'];
  const { stdout } = await box.run([...line, '-o', 'id']);
  return stdout.trim();
}

const first = await delivery('--ref', '#1042', '--dropoff-phone', '+12125550155');
const second = await delivery('--ref', 'twin');
const third = await delivery('--ref', 'twin');

test('several matches are exit 2 with the choices, no match is exit 5', async () => {
  const several = await box.run(['deliveries', 'get', 'twin', '--json']);
  expect(several).toMatchObject({ exit: 2, stdout: '' });
  expect(errorOf(several.stderr)).toMatchObject({
    choices: [third, second],
    next: [{ command: 'waybill deliveries list --search twin' }],
  });
  const people = await box.run(['deliveries', 'get', 'twin']);
  for (const id of [second, third]) {
    const line = `^  ${id}  twin  \\S.*  waiting for a driver  .*\\d\\d:\\d\\d \\(.*(now|ago)\\)$`;
    expect(people.stderr).toMatch(new RegExp(line, 'm'));
    expect(people.stderr.split(id)).toHaveLength(2);
  }
  for (const text of ['nobody', '+13125559999', 'dlv_nothing']) {
    expect((await box.run(['deliveries', 'get', text])).exit).toBe(5);
  }
});

test('people see in words why a delivery failed, programs also get the code', async () => {
  const id = await delivery('--simulate', 'no_capacity');
  const code = 'provider_refused';
  const message = 'poolride has no courier available';
  const people = await box.run(['deliveries', 'get', id], { tty: true, env: { NO_COLOR: '1' } });
  expect(people.stdout).toMatch(new RegExp(`Failed because +${message}`));
  expect(people.stdout).not.toContain(code);
  const { stdout } = await box.run(['deliveries', 'get', id]);
  expect(stdout).toContain(`failure_reason\t${code}\nfailure_message\t${message}\n`);
  expect(await box.json(['deliveries', 'get', id])).toMatchObject({
    failure_reason: code,
    failure_message: message,
  });
});

const terminal = { tty: true, columns: 300, env: { NO_COLOR: '1' } };

test.each([[['deliveries', 'get', first]], [['deliveries', 'explain', first]]])(
  '%j: people see which command serves the tracking link of the embedded service',
  async (line) => {
    const note = `The tracking link works while waybill track ${first} runs.`;
    const people = await box.run(line, terminal);
    expect(people.stdout).toContain('http://127.0.0.1:4010/track/');
    expect(people.stderr.replace(/\s+/g, ' ')).toContain(note);
    for (const flags of [['--json'], ['-o', 'tsv']]) {
      expect((await box.run([...line, ...flags])).stderr).not.toContain('waybill track');
    }
  },
);

const unasked = {
  client: () => Promise.reject(new Error('the service was asked')),
  has: () => true,
  serviceNow: () => 0,
  output: { times: null, json: false },
  interactive: false,
  prompts: () => Promise.reject(new Error('the user was asked')),
  note: () => {},
};

test('an empty text matches no delivery, although some have no reference', async () => {
  for (const text of ['', ' \t']) {
    await expect(findDelivery(unasked, text)).rejects.toThrow(UsageError);
    await expect(findDeliveryId(unasked, text)).rejects.toThrow(UsageError);
  }
});

test('- reads one ID from stdin, as -o id writes it', async () => {
  const id = await newDelivery(box);
  expect(await box.json(['deliveries', 'get', '-'], { stdin: `${id}\n` })).toMatchObject({ id });
  for (const lines of ['', `${id}\n${id}\n`]) {
    expect(await failureOf(box.run(['deliveries', 'get', '-', '--json'], { stdin: lines }))).toMatchObject({
      exit: 2,
      message: expect.stringMatching(/^DELIVERY is one ID, and stdin has [02] lines\.$/),
      hint: lines === '' ? 'The command before it has found nothing.' : 'For several, use xargs -n 1.',
    });
  }
  const several = await box.run(['deliveries', 'cancel', '-', '--yes', '--json'], {
    stdin: `${id}\n${id}\n`,
  });
  expect(errorOf(several.stderr).hint).toBe('For several, use --from -.');
});

test.each([['request'], ['failed', '--initiate', '--simulate', 'payment_declined']])(
  'at %s people see the price once; formats for programs have it under its name',
  async (status, ...flags) => {
    const id = await newDelivery(box, ...flags);
    const line = ['deliveries', 'get', id];
    const page = await box.run(line, terminal);
    expect(page.stdout).toMatch(/^Agreed price +\$6\.47$/m);
    expect(page.stdout).toMatch(/^Charged +\$0\.00$/m);
    expect(page.stdout).toMatch(/^Fee shown +\$6\.47$/m);
    const list = await box.run(['deliveries', 'list', '--limit', '1'], terminal);
    // A failed delivery was refunded, and one that was not initiated is not paid for.
    expect(list.stdout).toMatch(/ CHARGED [\s\S]* \$0\.00 /);
    expect(list.stdout).not.toContain('$6.47');
    expect((await box.run(['deliveries', 'list', '--limit', '1', '-o', 'csv'])).stdout).toContain(',647,');
    expect((await box.run(line)).stdout).toMatch(/^payment_amount\t647$/m);
    expect((await box.run(line)).stdout.match(/^payment_amount/gm)).toHaveLength(1);
    const csv = (await box.run([...line, '-o', 'csv'])).stdout.split('\r\n');
    expect(csv[0]?.split(',').filter((name) => name === 'agreed_price_cents')).toHaveLength(1);
    expect(await box.json(line)).toMatchObject({ status, payment_amount: 647 });
  },
);
