import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeServer, nominatimPlace } from '../../../../fakes/places/geocoder.ts';
import { freshHome, waybill } from '../../../harness.ts';
import { csvOf } from './made-up-orders.ts';

test('--validate-only warns of addresses that the geocoder does not find, and takes them', async () => {
  const fake = await fakeServer((url) => {
    const street = url.searchParams.get('street') ?? '';
    const place = nominatimPlace({
      lat: 41.88,
      lon: -87.63,
      address: { house_number: street.split(' ')[0] ?? '' },
    });
    return { body: street.startsWith('404') ? '[]' : JSON.stringify([place]) };
  });
  const home = freshHome();
  const dropoff_address = '404 Nowhere St, Chicago, IL 60606';
  writeFileSync(
    join(home, 'orders.csv'),
    csvOf(3, (number) => (number === 1 ? { dropoff_address } : {})),
  );
  const env = { WAYBILL_GEOCODER: `nominatim+${fake.url}`, WAYBILL_GEOCODER_RATE: '1000' };
  const run = (argv: readonly string[], given: Record<string, string> = env) =>
    waybill([...argv], { home, env: given });
  const { exit, stderr } = await run(['orders', 'import', 'orders.csv', '--validate-only']);
  expect(exit).toBe(0);
  expect(stderr).toContain(`line 3, dropoff_address: "${dropoff_address}" is not found by the geocoder.`);
  expect(stderr.match(/geocoder/g)).toHaveLength(1);
  const without = await run(['orders', 'import', 'orders.csv', '--validate-only'], {});
  expect([without.exit, without.stderr]).toEqual([0, expect.not.stringContaining('geocoder')]);
  const wrong = await run(['orders', 'list'], { WAYBILL_GEOCODER: 'https://geocoder.example' });
  expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('WAYBILL_GEOCODER must be')]);
  const place = async (given: Record<string, string>) => {
    const findings: { check: string; found: string }[] = JSON.parse(
      (await run(['doctor', '--json'], given)).stdout,
    );
    return findings.find(({ check }) => check === 'places')?.found;
  };
  expect(await place({ WAYBILL_GEOCODER: 'nominatim+http://127.0.0.1:9' })).toMatch(/does not answer/);
  expect(await place(env)).toBe('addresses are found by a geocoder (nominatim)');
  expect(await place({})).toBe('no geocoder is set: addresses are known by their ZIP codes');
});
