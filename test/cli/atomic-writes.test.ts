import { chmodSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newPlan } from '../../src/cli/commands/new/fields.ts';
import { writePlan } from '../../src/cli/commands/new/plan-file.ts';
import { createCsvFile } from '../../src/cli/commands/orders/import/csv.ts';
import { changeProfiles, initial } from '../../src/cli/settings/profiles.ts';
import { freshHome } from './harness.ts';

type Write = (file: string) => Promise<void> | void;

const writers: [what: string, name: string, write: Write][] = [
  ['profiles', 'profiles.json', (file) => changeProfiles(file, () => initial)],
  ['what the wizard was left at', 'sandbox.json', (file) => writePlan(file, newPlan('key', null))],
  [
    'what became of an import',
    'ok.csv',
    async (file) => {
      const csv = createCsvFile(file, ['line']);
      await csv.write([1]);
      await csv.keep();
    },
  ],
];

test.each(writers)('%s: a new private file replaces the old one', async (_, name, write) => {
  const file = join(freshHome(), 'folder', name);
  changeProfiles(join(dirname(file), 'profiles.json'), () => initial);
  await write(file);
  chmodSync(file, 0o644);
  const names = readdirSync(dirname(file));
  const { ino } = statSync(file);
  await write(file);
  expect(statSync(file).ino).not.toBe(ino);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toEqual(names);
});
