import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  exampleKey,
  exampleSecret,
  exampleSource,
  startExample,
} from '../../../fakes/http-courier/example.ts';
import { freshHome, waybill } from '../../harness.ts';

let courier: Awaited<ReturnType<typeof startExample>>;
let file: string;

beforeEach(async () => {
  courier = await startExample();
  file = join(freshHome(), 'settings.json');
  writeFileSync(file, JSON.stringify({ api_key: exampleKey, webhook_secret: exampleSecret }));
});
afterEach(() => courier.close());

test('couriers check with an address tests the server', async () => {
  const run = await waybill(['couriers', 'check', courier.url, '--settings-from', file, '--json']);
  expect(run.exit).toBe(0);
  const results = JSON.parse(run.stdout);
  expect(results).toHaveLength(53);
  expect(results[0]).toEqual({
    case: 'describe-answers',
    status: 'passed',
    demand: 'describes itself',
    found: '',
  });
  expect(run.stderr).toContain('53 of 53 cases passed, 0 failed, 0 were skipped.');
});

test('a failed case is shown with what was found, and skipped ones with the reason', async () => {
  const settings = JSON.stringify({ api_key: exampleKey });
  const words = ['couriers', 'check', `${courier.url}/`, '--settings-from', '-', '--json'];
  const silent = await waybill(words, { stdin: settings });
  expect(silent.exit).toBe(0);
  expect(silent.stderr).toContain('45 of 53 cases passed, 0 failed, 8 were skipped.');
  const wrong = await waybill(words, { stdin: JSON.stringify({ api_key: 'wrong' }) });
  expect(wrong.exit).toBe(9);
  expect(JSON.parse(wrong.stdout)).toContainEqual(
    expect.objectContaining({
      case: 'describe-answers',
      status: 'failed',
      found: 'the status is 401, not 200',
    }),
  );
});

test('a courier that needs coordinates fails, even if its test addresses have them', async () => {
  const address = `{ formattedAddress: 'Pier 39', country: 'US', postalCode: '60611', latitude: 41, longitude: -87 }`;
  const source = exampleSource()
    .replace(
      `countries: ['US'],`,
      `countries: ['US'], testAddresses: { pickup: ${address}, delivery: ${address} },`,
    )
    .replace('const zoneOf = ({ postalCode', 'const zoneOf = ({ latitude, postalCode')
    .replace('}) => zones', '}) => latitude && zones');
  const demanding = await startExample(source);
  const run = await waybill(['couriers', 'check', demanding.url, '--settings-from', file, '--json']);
  await demanding.close();
  expect(run.exit).toBe(9);
  expect(JSON.parse(run.stdout)).toContainEqual(
    expect.objectContaining({ case: 'quote-answers', found: 'the status is 422, not 200' }),
  );
});

test('without a terminal the API key must be given', async () => {
  const { exit, stderr } = await waybill(['couriers', 'check', courier.url]);
  expect(exit).toBe(2);
  expect(stderr).toContain('--settings-from');
});
