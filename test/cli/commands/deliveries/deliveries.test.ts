import { expect, test } from 'vitest';
import { errorOf } from '../../harness.ts';
import { quotedRoute, sandbox } from '../../sandbox.ts';

const box = await sandbox();

async function delivery(...flags: string[]): Promise<string> {
  const { stdout } = await box.run(['dispatch', await quotedRoute(box, ...flags), '--cheapest', '-o', 'id']);
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

const terminal = { tty: true, env: { NO_COLOR: '1' } };

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
