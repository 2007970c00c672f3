import { spawnSync } from 'node:child_process';
import { afterEach, expect, test, vi } from 'vitest';
import { crashAt } from '../../src/service/runtime/crash-points.ts';
import { processRunners } from '../../src/service/runtime/processes.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a process ends itself at the named crash point and at no other', () => {
  const killed: unknown[] = [];
  vi.spyOn(process, 'kill').mockImplementation((...what) => {
    killed.push(what);
    return true;
  });
  const crash = crashAt('provider.after_accept:3, clock.between_steps');
  for (const _ of [1, 2]) crash('provider.after_accept');
  crash('provider.before_send');
  expect(killed).toEqual([]);
  crash('provider.after_accept');
  expect(killed).toEqual([[process.pid, 'SIGKILL']]);
  crash('provider.after_accept');
  crash('clock.between_steps');
  expect(killed).toHaveLength(2);
});

test.each([
  '',
  'provider',
  'provider.after_accept:0',
  'provider.after_accept:x',
  'intent.after_write,nowhere',
])('an unknown crash point (%s) is an error that lists the known ones', (text) => {
  const named = /is not a crash point: they are batch\.before_commit, .*clock\.between_steps/;
  expect(() => crashAt(text)).toThrow(named);
});

test('a process counts as ended when its id is free or belongs to a process that started later', () => {
  const { self, isGone } = processRunners();
  const [pid, started] = self.split(' ').map(Number);
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  expect(pid).toBe(process.pid);
  expect(isGone(self)).toBe(false);
  expect(isGone(processRunners().self)).toBe(false);
  expect(isGone(`${pid} ${(started ?? 0) - 5_000}`)).toBe(true);
  expect(isGone(`${ended} 1`)).toBe(true);
  // A process that may not be signaled, a live one, and invalid runners.
  for (const other of ['1 1', `${process.ppid} 1`, '', 'somebody']) expect(isGone(other), other).toBe(false);
});
