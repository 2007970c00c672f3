import { expect, test } from 'vitest';
import { sandbox } from '../../sandbox.ts';

test('with --dry-run nothing is changed', async () => {
  const box = await sandbox();
  const dry = await box.run(['sandbox', 'reset', '--dry-run', '--json']);
  expect([dry.exit, JSON.parse(dry.stdout)]).toMatchObject([0, { method: 'POST', url: '/v2/sandbox/reset' }]);
  const moved = await box.run(['sandbox', 'advance', '--drain', '--dry-run', '--json']);
  expect(JSON.parse(moved.stdout)).toMatchObject({ body: { drain: true } });
  expect(box.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
