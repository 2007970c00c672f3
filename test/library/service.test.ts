import { expect, onTestFinished, test, vi } from 'vitest';
import { createService } from '../../src/library/service.ts';

test('a service starts, moves its time and stops while a test has fake timers', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const service = await createService({ now: '2026-03-02T12:00:00Z' });
  await service.advance({ by: 60 });
  expect((await service.now()).toISOString()).toBe('2026-03-02T12:01:00.000Z');
  await service.close();
});

test('a time that is no date is named', async () => {
  await expect(createService({ now: 'noon' })).rejects.toThrow('now must be a date or its text, not noon.');
});

test('a Node that is too old for the service is told so', async () => {
  const { versions } = process;
  vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...versions, node: '20.20.2' });
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  await expect(createService()).rejects.toThrow(/needs Node 22\.22\.2.*this is Node 20\.20\.2/);
});
