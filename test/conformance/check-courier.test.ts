import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { exampleKey, exampleSecret, exampleSource, startExample } from '../fakes/http-courier/example.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

let courier: Awaited<ReturnType<typeof startExample>>;
beforeEach(async () => {
  courier = await startExample();
});
afterEach(() => courier.close());

/** Runs the check as `npm run check:courier` does. */
async function check(url: string, settings: Record<string, string>) {
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  const script = join(import.meta.dirname, 'run.ts');
  const child = spawn(process.execPath, [script, url, '--settings', file, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  const results: unknown[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { results, stderr, exit };
}

test('the courier of the guide passes every case', async () => {
  const { results, stderr, exit } = await check(courier.url, {
    api_key: exampleKey,
    webhook_secret: exampleSecret,
  });
  expect(exit).toBe(0);
  expect(results).toHaveLength(53);
  expect(stderr).toContain('53 of 53 cases passed, 0 failed, 0 were skipped.');
});

test('a failed case is shown with what was found', async () => {
  const wrong = await check(courier.url, { api_key: 'wrong' });
  expect(wrong.exit).toBe(1);
  expect(wrong.results).toContainEqual(
    expect.objectContaining({
      case: 'describe-answers',
      status: 'failed',
      found: 'the status is 401, not 200',
    }),
  );
});

test('a courier that needs coordinates fails, even if its test addresses have them; without a secret cases are skipped', async () => {
  const address = `{ formattedAddress: 'Pier 39', country: 'US', postalCode: '60611', latitude: 41, longitude: -87 }`;
  const source = exampleSource()
    .replace(
      `countries: ['US'],`,
      `countries: ['US'], testAddresses: { pickup: ${address}, delivery: ${address} },`,
    )
    .replace('const zoneOf = ({ postalCode', 'const zoneOf = ({ latitude, postalCode')
    .replace('}) => zones', '}) => latitude && zones');
  const demanding = await startExample(source);
  const { exit, results, stderr } = await check(`${demanding.url}/`, { api_key: exampleKey });
  await demanding.close();
  expect(exit).toBe(1);
  expect(stderr).toMatch(/ [1-9]\d* failed, [1-9]\d* were skipped\.$/m);
  expect(results).toContainEqual(
    expect.objectContaining({ case: 'quote-answers', found: 'the status is 422, not 200' }),
  );
});
