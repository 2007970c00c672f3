import { expect, test } from 'vitest';
import { connectableCouriers, simulatedProviders } from '../../src/providers/directory.ts';
import { memoryRecords } from './simulated/memory-records.ts';

test('every courier has a name of its own', () => {
  const names = [...simulatedProviders(memoryRecords()), ...connectableCouriers].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('swiftly');
});

test('the settings of a courier have names of their own, and say where their values are found', async () => {
  for (const { name: listed, load } of connectableCouriers) {
    const { name: own, settings } = await load();
    expect(own).toBe(listed);
    expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
    for (const { name, label, help } of settings) {
      expect(name).toMatch(/^[a-z][a-z_]*$/);
      expect(label).not.toBe('');
      expect(help).toMatch(/\.$/);
    }
  }
});
