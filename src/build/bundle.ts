/**
 * Builds `dist`: the entry in syntax that old Node versions parse, the program in CommonJS chunks (each dynamic
 * import is a chunk that is loaded on demand), source maps, and the help of every command as prerendered text.
 * CommonJS starts faster than ESM: an ESM import of a Node builtin evaluates all its getters.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  build,
  type CodeSplittingGroup,
  type OutputOptions,
  type Plugin,
  type RolldownOutput,
} from 'rolldown';
import { guideTopics } from '../cli/help/help-topics.ts';
import { writeLibrary } from './library.ts';
import { dataFolders, nativeParts, noticesOf, packageFolders } from './notices.ts';
import { compressedJq, oneParser, parserFiles, rawTexts, replacedImports } from './package-plugins.ts';
import { lookupTexts, preparedOperations } from './prepared-data.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
/** The file that the build writes last, so that its modification time is that of the build. */
const lastFile = join(dist, 'help.json');

/** Files that the program reads beside its own code. */
const assets = [
  ...['zips.bin', 'cities.bin', 'zip-states.bin', 'zip-cities.bin'].map(
    (name) => `src/service/runtime/${name}`,
  ),
  ...['leaflet.js', 'leaflet.css'].map((name) => `node_modules/leaflet/dist/${name}`),
];

/** The entry points of the library that need no module of Node, by the names of the built files. */
const libraryEntries = {
  library: join(root, 'src/library/index.ts'),
  'library-webhooks': join(root, 'src/library/webhooks.ts'),
};

/** The options of all outputs. Function names are kept for stack traces. */
const output: OutputOptions = {
  dir: dist,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  dynamicImportInCjs: false,
  minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
  sourcemap: 'hidden',
  sourcemapExcludeSources: true,
  sourcemapPathTransform: (source, map) =>
    relative(root, resolve(dirname(map), source)).replaceAll('\\', '/'),
};

/**
 * Modules that are loaded together share a chunk with everything they import, as finding, reading and checking a file
 * takes a quarter of a millisecond. A module belongs to the first matching group; the bundler splits the rest.
 */
const chunks: CodeSplittingGroup[] = [
  { name: 'client', test: /src\/client\/(client|errors|pages)\.ts$|rolldown\/runtime/ },
  { name: 'core', test: /src\/cli\/(main|session\/connect)\.ts$/ },
  {
    name: 'lookups',
    test: /src\/cli\/commands\/deliveries\/(list|get|explain)\.ts$/,
  },
  { name: 'kysely', test: /node_modules\/kysely\// },
  // These packages are apart from our tools, so that their chunk needs no source map, which would be large.
  { name: 'protocol', test: /node_modules\/(zod|@modelcontextprotocol)\// },
  { name: 'embedded', test: /src\/(service\/embedded|storage\/sqlite)\.ts$/ },
  { name: 'reads', test: /src\/service\/\w+\/(order|quote|charge)-handlers\.ts$/ },
  { name: 'queries', test: /src\/storage\/(sqlite-driver|delivery-queries|shop-report-sums)\.ts$/ },
  { name: 'phones', test: /node_modules\/libphonenumber-js\/|src\/domain\/phones\.ts$/ },
  { name: 'validation', test: /src\/service\/http\/validation\.ts$/ },
  { name: 'service', test: /src\/(service|storage|providers)\//, minShareCount: 3 },
];

function version(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return manifest.version;
}

/** A hash of the build output, so that no code is used that Node has cached from another build. */
function buildId(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(dist).sort()) hash.update(readFileSync(join(dist, name)));
  return hash.digest('hex').slice(0, 32);
}

/** Builds the entry, which loads `main.cjs` and `__complete.cjs` by name when it needs them. */
async function buildEntry(): Promise<void> {
  await build({
    input: join(root, 'src/cli/entry.ts'),
    platform: 'node',
    transform: {
      target: 'es2015',
      define: { WAYBILL_VERSION: JSON.stringify(version()), WAYBILL_BUILD: JSON.stringify(buildId()) },
    },
    output,
    logLevel: 'warn',
  });
}

/** Builds the shell completion as one file: it is loaded at each key press. */
async function buildCompletion(): Promise<RolldownOutput> {
  const built = await build({
    input: { __complete: join(root, 'src/cli/completion/complete-line.ts') },
    platform: 'node',
    transform: { target: 'node22' },
    output,
    logLevel: 'warn',
  });
  const { completionIndexText } = await import('./help-texts.ts');
  writeFileSync(join(dist, 'completion.txt'), await completionIndexText());
  return built;
}

/** Builds the program that reads and writes the keychain of the system: it runs as a process of its own. */
function buildKeychainProcess(): Promise<RolldownOutput> {
  return build({
    input: { 'keychain-process': join(root, 'src/cli/kit/system/keychain-process.ts') },
    platform: 'node',
    // It is an optional dependency with a package for each platform.
    external: ['@napi-rs/keyring'],
    transform: { target: 'node22' },
    output,
    logLevel: 'warn',
  });
}

/**
 * Builds an entry of the library in one file, for bundlers, edge runtimes and every Node since 20. Line breaks are kept:
 * for an uncaught error Node prints the line of source, which would otherwise be the whole library.
 */
function buildLibraryEntry([name, input]: readonly [string, string]): Promise<RolldownOutput> {
  return build({
    input: { [name]: input },
    platform: 'browser',
    transform: { target: 'es2022' },
    plugins: [preparedOperations({ isShared: true })],
    output: {
      ...output,
      codeSplitting: false,
      minify: { mangle: false, compress: true, codegen: { removeWhitespace: false } },
    },
    logLevel: 'warn',
  });
}

/** Makes the service of the library import the client from the built library, so that both have the same classes. */
const clientOfLibrary: Plugin = {
  name: 'client-of-library',
  resolveId: (id, importer = '') =>
    id === './index.ts' && /[\\/]src[\\/]library[\\/]service\.ts$/.test(importer)
      ? { id: './library.cjs', external: true }
      : null,
};

/**
 * Builds the program, and the service that other programs import, which shares its chunks. Of `ulid` it takes the build
 * for browsers, which does not load node:crypto.
 */
function buildProgram(): Promise<RolldownOutput> {
  return build({
    input: { main: join(root, 'src/cli/main.ts'), 'library-service': join(root, 'src/library/service.ts') },
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
      replacedImports(),
      oneParser(),
      parserFiles(),
      compressedJq(),
      preparedOperations(),
      clientOfLibrary,
      rawTexts,
    ],
    output: {
      ...output,
      codeSplitting: {
        groups: chunks.map((group, index) => ({ ...group, priority: chunks.length - index })),
      },
    },
    checks: {
      // The bundler warns that sorting every module into its chunk takes a second.
      bundlerTimings: false,
      // The bundler warns of modules that are imported both statically and dynamically: here the static importers are
      // themselves loaded late.
      ineffectiveDynamicImport: false,
    },
    logLevel: 'warn',
  });
}

/**
 * The date of the manual pages, such as 2026-11-30: that of `SOURCE_DATE_EPOCH` (reproducible-builds.org, seconds),
 * which a release sets, or else that of package-lock.json.
 */
function buildDate(): string {
  const { SOURCE_DATE_EPOCH: seconds } = process.env;
  const ms =
    seconds === undefined ? statSync(join(root, 'package-lock.json')).mtimeMs : Number(seconds) * 1_000;
  return new Date(ms).toISOString().slice(0, 10);
}

async function bundle(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const built = await Promise.all([
    buildProgram(),
    buildCompletion(),
    buildKeychainProcess(),
    ...Object.entries(libraryEntries).map(buildLibraryEntry),
  ]);
  await buildEntry();
  writeLibrary(dist);
  compressSourceMaps(dist);
  const guide = guideTopics.map(({ name }) => `src/guide/${name}.md`);
  for (const asset of [...assets, ...guide]) copyFileSync(join(root, asset), join(dist, basename(asset)));
  const folders = [...packageFolders(built), ...dataFolders(root)];
  writeFileSync(join(dist, 'THIRD_PARTY_NOTICES.txt'), noticesOf(folders, nativeParts));
  const { writeHelp } = await import('./help-texts.ts');
  await writeHelp(dist, { version: version(), date: buildDate() });
}

const buildInputs = ['src', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json'];

/** Whether a source map refers to any source of this project: stack traces need no maps of packages. */
function hasOwnSources(map: string): boolean {
  const { sources }: { sources: string[] } = JSON.parse(map);
  return sources.some((source) => source.startsWith('src/'));
}

/** Compresses the source maps in a folder to a quarter of their size, and removes those of packages. */
function compressSourceMaps(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.map'))) {
    const file = join(folder, name);
    const map = readFileSync(file, 'utf8');
    if (hasOwnSources(map)) writeFileSync(`${file}.gz`, gzipSync(map, { level: 9 }));
    rmSync(file);
  }
}

/** When the newest of these files and folders changed, in ms. A folder counts, as a file may have been removed. */
function newestChange(paths: readonly string[]): number {
  return Math.max(0, ...paths.map((path) => Math.max(statSync(path).mtimeMs, newestChange(entriesOf(path)))));
}

function entriesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [];
  return readdirSync(path).map((name) => join(path, name));
}

/** Whether `target` was written after everything in `inputs` last changed. */
function isUpToDate(target: string, inputs: readonly string[]): boolean {
  return existsSync(target) && statSync(target).mtimeMs >= newestChange(inputs);
}

if (!isUpToDate(lastFile, buildInputs.map((path) => join(root, path)).filter(existsSync))) {
  console.error('Building...');
  await bundle();
}
