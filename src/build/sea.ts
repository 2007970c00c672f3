/**
 * Builds the single executable: this Node with the program inside
 * (nodejs.org/api/single-executable-applications.html). Run after the build: `npm run sea [FILE]`; the default file
 * is `.sea/waybill`.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'rolldown';
import { type NativePart, withComponent, withNotice } from './notices.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
/** The marker that postject replaces, as the Node documentation names it. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

function run(program: string, ...words: string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words[0]}: ${error?.message ?? stderr}`);
}

/** The blob of the executable: the main script and all assets. */
async function makeBlob(folder: string): Promise<string> {
  const main = join(folder, 'main.cjs');
  const config = join(folder, 'config.json');
  const output = join(folder, 'program.blob');
  await build({
    input: { main: join(root, 'src/build/sea-main.ts') },
    platform: 'node',
    output: { dir: folder, format: 'cjs', entryFileNames: '[name].cjs', minify: true },
    logLevel: 'warn',
  });
  const names = readdirSync(dist, { withFileTypes: true }).filter((each) => each.isFile());
  const assets = Object.fromEntries(names.map(({ name }) => [name, join(dist, name)]));
  writeFileSync(config, JSON.stringify({ main, output, assets, disableExperimentalSEAWarning: true }));
  run(process.execPath, '--experimental-sea-config', config);
  return output;
}

/** Copies this Node and injects the blob. On macOS, the changed binary must be signed again. */
function inject(blob: string, file: string): void {
  const isMac = process.platform === 'darwin';
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  if (isMac) run('codesign', '--remove-signature', file);
  const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const postject = join(root, 'node_modules', 'postject', 'dist', 'cli.js');
  run(process.execPath, postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse, ...segment);
  if (isMac) run('codesign', '--sign', '-', file);
}

/** Writes the notices and the bill of materials beside the executable, which contains this Node too. */
function writeBill(folder: string): void {
  const { node: version } = process.versions;
  const node: NativePart = {
    name: 'node',
    version,
    license: 'MIT',
    purl: `pkg:github/nodejs/node@v${version}`,
    file: join(dirname(process.execPath), '..', 'LICENSE'),
  };
  const read = (name: string) => readFileSync(join(dist, name), 'utf8');
  const [notices, sbom] = ['THIRD_PARTY_NOTICES.txt', 'sbom.cdx.json'] as const;
  writeFileSync(join(folder, notices), withNotice(read(notices), node));
  writeFileSync(join(folder, sbom), withComponent(read(sbom), node));
}

async function makeExecutable(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-sea-'));
  try {
    inject(await makeBlob(folder), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  writeBill(dirname(file));
  console.error(`${file}: ${Math.round(statSync(file).size / 1e6)} MB`);
}

const suffix = process.platform === 'win32' ? '.exe' : '';
await makeExecutable(resolve(process.argv[2] ?? join(root, '.sea', `waybill${suffix}`)));
