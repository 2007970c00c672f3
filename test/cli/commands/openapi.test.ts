import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, waybill } from '../harness.ts';

async function serverOf(words: string[], options: { home?: string; env?: Record<string, string> } = {}) {
  const { stdout, exit } = await waybill(['openapi', ...words], options);
  expect(exit).toBe(0);
  const { servers } = JSON.parse(stdout);
  expect(servers).toHaveLength(1);
  return servers[0].url;
}

test('the server of the description is the service in use', async () => {
  expect(await serverOf([])).toBe('http://127.0.0.1:4010');
  expect(await serverOf(['--base-url', 'https://flag.example/api'])).toBe('https://flag.example/api');
  expect(await serverOf([], { env: { WAYBILL_BASE_URL: 'https://variable.example' } })).toBe(
    'https://variable.example',
  );
  const home = freshHome();
  mkdirSync(join(home, '.config/waybill'), { recursive: true });
  const profiles = {
    current: 'shop',
    profiles: { shop: { base_url: 'https://profile.example', mode: 'test' } },
  };
  writeFileSync(join(home, '.config/waybill/profiles.json'), JSON.stringify(profiles));
  expect(await serverOf([], { home })).toBe('https://profile.example');
});

test('--courier describes the server of a courier', async () => {
  const { stdout, exit } = await waybill(['openapi', '--courier']);
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    info: { title: 'waybill courier protocol' },
    paths: { '/courier': { get: { operationId: 'DescribeCourier' } } },
  });
});
