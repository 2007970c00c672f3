import { expect, test } from 'vitest';
import { type Fault, importFaults } from './imports.ts';
import { fileSizeFaults, functionSizeFaults, lockFileFaults, nameFaults, topLevelFaults } from './sizes.ts';
import { read, readCode, topLevelNames } from './tree.ts';
import {
  bannedModuleFaults,
  bannedWordFaults,
  castFaults,
  pardonFaults,
  skippedTestFaults,
} from './words.ts';

const src = readCode('src');
const tests = readCode('test');

/** Faults as a reader wants them: where, then why. */
function report(faults: readonly Fault[]): string[] {
  return faults.map(({ path, line, reason }) => `${path}:${line} ${reason}`);
}

test('imports follow the layers', () => {
  expect(report(importFaults(src))).toEqual([]);
});

test('clock, chance, timers, process and console stay in their places', () => {
  expect(report([...bannedWordFaults(src), ...bannedModuleFaults(src)])).toEqual([]);
});

test('no type is silenced, nothing is waived, no test is skipped', () => {
  const faults = [...castFaults(src), ...pardonFaults([...src, ...tests]), ...skippedTestFaults(tests)];
  expect(report(faults)).toEqual([]);
});

test('files and functions can be read at once', () => {
  expect(report([...fileSizeFaults([...src, ...tests]), ...functionSizeFaults(src)])).toEqual([]);
});

test('names say what is inside', () => {
  expect(report(nameFaults([...src, ...tests]))).toEqual([]);
});

test('the top level holds what it should', () => {
  expect(report(topLevelFaults(topLevelNames()))).toEqual([]);
});

test('the lock file names no host but npm', () => {
  expect(report(lockFileFaults('package-lock.json', read('package-lock.json')))).toEqual([]);
});
