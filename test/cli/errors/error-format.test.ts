import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Interruption } from '../../../src/cli/kit/host/host.ts';
import { errorOf, freshHome, type RunOptions, waybill } from '../harness.ts';

const home = freshHome();
const settings = async (...words: string[]) => waybill(['config', 'set', ...words], { home });
const escapes = '\u001b[31m';
/** An error in the command, in a flag, in a value, in what is missing, and in the service. */
const wrong = [
  'orders lisst',
  'orders list --nope',
  'orders list --limit many',
  'orders get',
  'orders get ord_01KH9000000000000000000000',
];
const errorOutput = async (line: string, options: RunOptions = {}) => {
  const { stderr, exit } = await waybill(line.split(' '), { home, ...options });
  expect(exit).not.toBe(0);
  return stderr;
};

test('an error has color in a terminal and nowhere else', async () => {
  const home = freshHome();
  expect(await errorOutput('orders list --nope', { home, tty: true })).toContain(escapes);
  expect(await errorOutput('orders list --nope', { home })).not.toContain(escapes);
});

test.each(wrong)('the color setting applies to the error of: %s', async (line) => {
  await settings('color', 'always');
  expect(await errorOutput(line)).toContain(escapes);
  expect(await errorOutput(`${line} --color never`)).not.toContain(escapes);
  expect(await errorOutput(line, { env: { NO_COLOR: '1' } })).not.toContain(escapes);
  expect(await errorOutput(line, { env: { WAYBILL_COLOR: 'never' } })).not.toContain(escapes);
  await settings('color', 'never');
  expect(await errorOutput(line, { tty: true })).not.toContain(escapes);
  expect(await errorOutput(line, { tty: true, env: { WAYBILL_COLOR: 'always' } })).toContain(escapes);
  expect(await errorOutput(line, { tty: true, env: { FORCE_COLOR: '1' } })).toContain(escapes);
});

test.each(wrong)('with JSON in the settings the error is JSON too: %s', async (line) => {
  await settings('output', 'json');
  expect(errorOf(await errorOutput(line)).exit).toBeGreaterThan(1);
  expect(await errorOutput(`${line} -o table`)).toMatch(/Error:/);
  expect(await errorOutput(line, { env: { WAYBILL_OUTPUT: 'tsv' } })).toMatch(/Error:/);
  await settings('output', 'table');
  expect(await errorOutput(line)).toMatch(/Error:/);
});

test.each(['orders get', 'orders get ord_01KH9000000000000000000000'])(
  'so is the message after a signal, and only there: %s',
  async (line) => {
    const isJson = async (words: string, options: RunOptions = {}) => {
      const interruption: Interruption = { status: () => null, work: [], listen: () => {} };
      await errorOutput(words, { ...options, interruption });
      return interruption.isJson?.();
    };
    await settings('output', 'ndjson');
    expect(await isJson(line)).toBe(true);
    expect(await isJson(`${line} -o table`)).toBe(false);
    expect(await isJson(line, { env: { WAYBILL_OUTPUT: 'tsv' } })).toBe(false);
    await settings('output', 'table');
    expect(await isJson(line)).toBe(false);
    expect(await isJson(`${line} --json`)).toBe(true);
    expect(await isJson(line, { env: { WAYBILL_JSON: '1' } })).toBe(true);
  },
);

test('broken settings are reported in the default format', async () => {
  const broken = freshHome();
  writeFileSync(join(broken, 'profiles.json'), '{ "profiles":\n  "api_key": "wb_test_secret" }');
  const env = { WAYBILL_CONFIG_DIR: broken };
  expect(await errorOutput('orders list', { env })).toMatch(
    /^Error: The settings file .* is not valid JSON: line 2, column 12: expected a comma or }\./,
  );
  expect(await errorOutput('orders lisst', { env })).toMatch(/^Error: /);
});
