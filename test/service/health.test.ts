import { expect, test } from 'vitest';
import { createService } from '../../src/service/service.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { startFixture } from './fixture.ts';

test('/health answers 503 once the background work has made no progress for a minute', async () => {
  const gate = Promise.withResolvers<void>();
  let isHanging = true;
  const whileOwner = async (work: () => Promise<unknown>) => {
    if (isHanging) await gate.promise;
    await work();
    return true;
  };
  const fixture = await startFixture({ parts: { ownership: { whileOwner } } });
  const health = async () => JSON.parse((await fixture.send('GET', '/health')).body);
  expect(await health()).toMatchObject({ status: 'ok' });
  fixture.passWall(61_000);
  // A service without loops is healthy.
  expect(await health()).toMatchObject({ status: 'ok' });
  fixture.service.start();
  fixture.passWall(60_000);
  expect(await health()).toMatchObject({ status: 'ok' });
  fixture.passWall(1);
  expect(await health()).toMatchObject({ code: 'storage_unavailable' });
  expect(String(fixture.faults.at(-1))).toMatch(/the tasks loop has made no progress for 60 s/);
  isHanging = false;
  gate.resolve();
  await expect.poll(health, { timeout: 5_000 }).toMatchObject({ status: 'ok' });
  await fixture.service.stop();
});

test('/health answers within seconds though the storage does not', async () => {
  const fixture = await startFixture();
  const storage: Storage = {
    ...fixture.storage,
    run: () => new Promise(() => {}),
    first: () => new Promise(() => {}),
  };
  const service = createService({ ...fixture.config, storage });
  const answer = await service.fetch({ method: 'GET', path: '/health', headers: {}, body: '' });
  expect(answer.status).toBe(503);
});
