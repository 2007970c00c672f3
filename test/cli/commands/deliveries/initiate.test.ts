import { expect, test } from 'vitest';
import { contextLine, errorOf, jsonOf } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2)];
const hour = 3_600_000;

async function kept(...flags: string[]): Promise<Record<string, unknown>> {
  box.advance(1);
  return box.json([...create, ...flags]);
}

test('an expired quote is replaced with a warning, even if no quote was named, with the previous fee', async () => {
  const { id, quote_id } = await kept('--simulate', 'quote_expired');
  box.advance(hour);
  const { stderr, exit } = await box.run(['deliveries', 'initiate', String(id), '-q']);
  expect(exit).toBe(0);
  expect(stderr).toMatch(
    new RegExp(
      `^Warning: The quote ${quote_id} had expired\\. quo_\\w+ was used instead, and the fee is \\$6\\.9\\d now: it was \\$6\\.47\\.\\n$`,
    ),
  );
});

test('programs get the warning as an object; an unchanged fee is described so', async () => {
  const { id, quote_id } = await kept();
  box.advance(hour);
  const { stdout, stderr } = await box.run(['deliveries', 'initiate', String(id), '--json']);
  expect(jsonOf(stderr.replace(contextLine, '').split('\n')[0] ?? '')).toMatchObject({
    ...{ type: 'warning', code: 'quote_replaced', given: quote_id, fee: 647, fee_before: 647 },
    quote_id: jsonOf(stdout).quote_id,
    message: expect.stringContaining('the fee is $6.47 as before'),
  });
});

test('a valid quote, and another named one, are not replacements', async () => {
  const { id } = await kept();
  expect((await box.run(['deliveries', 'initiate', String(id), '--json'])).stderr).not.toContain('replaced');
  const other = await kept();
  const ends = ['--pickup-address', '43 E Ohio St, Chicago, IL 60611'];
  const to = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'];
  const { stdout } = await box.run(['deliveries', 'quote', ...ends, ...to, '-o', 'id']);
  const chosen = stdout.trim().split('\n').at(-1) ?? '';
  const line = ['deliveries', 'initiate', String(other.id), '--quote', chosen, '--json'];
  const named = await box.run(line);
  expect(named.stderr).not.toContain('replaced');
  expect(jsonOf(named.stdout).quote_id).toBe(chosen);
});

test('an invalid quote: those of a delivery are requested without a route', async () => {
  const { id } = await kept();
  for (const line of [create, ['deliveries', 'initiate', String(id)]]) {
    const { exit, stderr } = await box.run([...line, '--quote', 'quo_nope', '--json']);
    const error = errorOf(stderr);
    expect(exit).toBe(5);
    expect(error).toMatchObject({
      code: 'quote_not_found',
      status: 404,
      hint: expect.stringContaining('`waybill deliveries quote`'),
      next: [{ command: 'waybill deliveries quote' }],
    });
  }
});

test('what --file accepts for a delivery is described for deliveries', async () => {
  const run = (stdin: string) => box.run(['deliveries', 'create', '-', '--json'], { stdin });
  const refused = async (stdin: string) => errorOf((await run(stdin)).stderr);
  expect(await refused('7')).toMatchObject({
    message: 'stdin holds no deliveries.',
    hint: 'It takes one delivery, or an array of them.',
  });
  expect((await refused('[]')).message).toBe('There is no delivery in stdin.');
  const help = (await box.run(['deliveries', 'create', '--help'])).stdout;
  expect(help).toMatch(/--file FILE +JSON file with one delivery or an array\s+of\s+deliveries$/m);
  expect(help).not.toContain('request body');
});
