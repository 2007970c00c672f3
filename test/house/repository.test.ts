import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Paths of all code, from the root. */
const code = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.(ts|mjs|cjs)$/.test(path)),
);

test('no comment turns off the compiler or the linter', () => {
  const waiver = new RegExp('@ts-' + 'nocheck|biome' + '-ignore');
  expect(code.filter((path) => waiver.test(read(path)))).toEqual([]);
  const sources = code.filter((path) => path.startsWith('src'));
  expect(sources.filter((path) => read(path).includes('@ts-expect-error'))).toEqual([]);
});

/** What stands at the top level; the ignored files of installation, build and packing come beside it. */
const topLevel = [
  ...['LICENSE', 'CHANGELOG.md', 'README.md', 'package.json', 'package-lock.json', 'tsconfig.json'],
  ...['bin', 'completions', 'src', 'test'],
];
const ignored = /^(\..*|node_modules|dist|.*\.(log|tgz))$/;

test('the top level has nothing else, such as a database that a mistyped URL has made', () => {
  const names = readdirSync(root).filter((name) => !ignored.test(name));
  expect(names.toSorted()).toEqual(topLevel.toSorted());
});

test('scripts run TypeScript with the Node of the project, as an older one on the path reads none', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
  const direct = Object.values(scripts).filter((script) =>
    /(?<!install\.mjs(?: --dev)?) \S+\.ts(?:\s|$)/.test(script.replace(/--config \S+/g, '')),
  );
  expect(direct).toEqual([]);
});

test('the lock file names no host but the npm registry', () => {
  const addresses = read('package-lock.json').match(/"resolved": "(?!src\/).*"/g) ?? [];
  expect(addresses.filter((line) => !line.includes('"https://registry.npmjs.org/'))).toEqual([]);
});

const {
  dependencies,
  devDependencies,
}: Record<string, Record<string, string>> = JSON.parse(read('package.json'));

test('dependencies are the packages that the program and its build import, and no others', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .filter((path) => /\.(ts|js|mjs)$/.test(path) && !path.endsWith('.d.ts'));
  const texts = sources.map(read).join('\n');
  const named = texts.matchAll(/(?:from |import\(|require\(|import )'((?:@[\w-]+\/)?[a-z][\w.-]*)[^']*'/g);
  const imported = new Set([...named].map(([, name = '']) => name).filter((name) => name in all));
  const unused = ['waybill-node', 'leaflet'];
  expect(Object.keys(dependencies ?? {}).toSorted()).toEqual([...imported, ...unused].toSorted());
});

const all = { ...dependencies, ...devDependencies };

/** The page for maintainers. */
const page = read('src/README.md');

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
