/**
 * Builds `dist`: the entry in syntax that old Nodes can read, the program in CommonJS chunks (a dynamic import
 * becomes a chunk that is loaded when reached), and the help of every command as prepared text.
 * CommonJS because it starts quicker: an ESM import of a Node builtin evaluates all its getters.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type OutputOptions } from 'rolldown';
import { guideTopics } from '../cli/help/topics.ts';
import { chunking } from './chunks.ts';
import { isFresh } from './fresh.ts';
import { lazyBuiltins, parserFiles, withoutHttp2 } from './lazy.ts';
import { lookupTexts } from './lookups.ts';
import { manualPages, writeManual } from './man.ts';
import { packedJq } from './packed.ts';
import { laidOut } from './pages.ts';
import { plainExports } from './plain-exports.ts';
import { preparedOperations } from './prepared.ts';
import { loadedByEntry } from './scripts.ts';
import { tablesWhenNamed } from './tables.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
/** What the entry loads when it has to. */
const program = join(root, 'src/cli/main.ts');
/** Written last, so that it dates the build. */
const help = join(dist, 'help.json');

/** Files that the program reads beside its own code. */
const assets = ['src/service/zips.bin', 'src/service/cities.bin'];

const output: OutputOptions = {
  dir: dist,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  dynamicImportInCjs: false,
  minify: true,
  sourcemap: false,
};

function version(): string {
  const settings: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (typeof settings !== 'object' || settings === null || !('version' in settings)) return '0.0.0';
  return String(settings.version);
}

/** Names the files of the program by what is in them: code that was compiled of others is no use to it. */
function programName(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(dist).sort()) hash.update(readFileSync(join(dist, name)));
  return hash.digest('hex').slice(0, 32);
}

/** The entry alone, what it has to know built in; it loads `main.cjs` and `__complete.cjs` by name, when it has to. */
async function buildEntry(): Promise<void> {
  await build({
    input: join(root, 'src/cli/entry.ts'),
    platform: 'node',
    plugins: [loadedByEntry()],
    transform: {
      target: 'es2015',
      define: { WAYBILL_VERSION: JSON.stringify(version()), WAYBILL_BUILD: JSON.stringify(programName()) },
    },
    output,
    logLevel: 'warn',
  });
}

/** What answers a shell's completion, whole in one file: it is loaded at each press of a key. */
async function buildCompletion(): Promise<void> {
  await build({
    input: { __complete: join(root, 'src/cli/completion/complete.ts') },
    platform: 'node',
    plugins: [loadedByEntry()],
    transform: { target: 'node22' },
    output,
    logLevel: 'warn',
  });
  const { completionBook } = await import('./completion-book.ts');
  writeFileSync(join(dist, 'completion.txt'), await completionBook());
}

/** Programs that ours starts as processes of their own, each whole in one file. */
const processes = ['keychain-process', 'update-process'];

async function buildProcess(name: string): Promise<void> {
  await build({
    input: { [name]: join(root, `src/cli/ports/${name}.ts`) },
    platform: 'node',
    // An optional dependency, with a part for each platform.
    external: ['@napi-rs/keyring'],
    transform: { target: 'node22' },
    output,
    logLevel: 'warn',
  });
}

/** The program. `ulid` in its browser build, which does not load node:crypto. */
async function buildProgram(): Promise<void> {
  await build({
    input: program,
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    external: ['pg-native'],
    resolve: { alias: { ulid: join(root, 'node_modules/ulid/dist/browser/index.js') } },
    transform: {
      target: 'node22',
      define: {
        WAYBILL_VERSION: JSON.stringify(version()),
        WAYBILL_LOOKUPS: JSON.stringify(lookupTexts()),
      },
    },
    plugins: [
      lazyBuiltins(),
      withoutHttp2(),
      parserFiles(),
      preparedOperations(),
      packedJq(),
      tablesWhenNamed(),
      plainExports(),
      loadedByEntry(),
    ],
    output: {
      ...output,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: chunking(program), debugName: 'use' }],
      },
    },
    // To look at every chunk takes a second; that is no fault.
    checks: { bundlerTimings: false },
    logLevel: 'warn',
  });
}

/**
 * The pages that the entry serves without loading the program: that of the program alone, the others one after the
 * other, and where each begins and ends. To read one, no more is parsed than that. The manual is made of the same.
 */
async function prepareHelp(): Promise<void> {
  const { everyPage, helpPages } = await import('../cli/help/help.ts');
  const manual = (await everyPage()).map(({ page }) => page);
  writeManual(join(dist, 'man'), manualPages(manual, version()));
  const { '': root = '', ...pages } = await helpPages();
  const { text, places } = laidOut(pages);
  writeFileSync(join(dist, 'help.txt'), root);
  writeFileSync(join(dist, 'help-pages.txt'), text);
  writeFileSync(help, JSON.stringify(places));
}

async function bundle(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  await Promise.all([buildProgram(), buildCompletion(), ...processes.map(buildProcess)]);
  await buildEntry();
  const guide = guideTopics.map(({ name }) => `src/guide/${name}.md`);
  for (const asset of [...assets, ...guide]) copyFileSync(join(root, asset), join(dist, basename(asset)));
  await prepareHelp();
}

const sources = ['src', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json'];
if (!isFresh(help, sources.map((source) => join(root, source)).filter(existsSync))) {
  console.error('Building...');
  await bundle();
}
