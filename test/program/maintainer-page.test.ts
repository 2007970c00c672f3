import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'src/README.md'), 'utf8');

/** Paths are relative to `src`, or to the root of the repository; in the table of the service to that folder. */
const bases = ['src', '.', 'src/service'].map((folder) => join(root, folder));

/** Files by their ending, and folders by their slash: `storage/tasks.ts`, `cli/help/facts/`. */
function pathsIn(text: string): string[] {
  const files = text.match(/[\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|cjs|md)\b/g) ?? [];
  const folders = text.match(/(?<=`)[\w-]+(?:\/[\w-]+)*\/(?=`)/g) ?? [];
  return [...new Set([...files, ...folders])];
}

test('files and folders that the page names exist', () => {
  const paths = pathsIn(page);
  expect(paths).toEqual(expect.arrayContaining(['cli/main.ts', 'completions/', 'cli/session/connect.ts']));
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !bases.some((base) => existsSync(join(base, path))))).toEqual([]);
});

test.each([
  ['Folder', 'src'],
  ['Folder of `service`', 'src/service'],
  ['Folder of `cli`', 'src/cli'],
])('the table "%s" has exactly the folders of %s', (head, folder) => {
  const [rows = ''] = page.split(`| ${head} | Contents |\n|---|---|\n`)[1]?.split('\n\n') ?? [];
  const cells = rows.split('\n').map((row) => row.split('|')[1] ?? '');
  const names = cells.flatMap((cell) => cell.match(/(?<=`)[\w-]+(?=`)/g) ?? []);
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(folders.toSorted());
});
