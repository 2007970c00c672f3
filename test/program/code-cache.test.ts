import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { onceInFile, onEndOfFile } from '../end-of-file.ts';
import { type Ended, freshHome, type Home, root, waybill } from './run.ts';

const stranger = 12_345;
const planted: Ended = { stdout: 'planted\n', stderr: '', exit: 42 };

function cachedFiles(folder: string): string[] {
  const files = readdirSync(join(folder, 'compiled'), { recursive: true, withFileTypes: true });
  return files.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** A folder filled by a first run, and the result of that run. */
const firstRun = onceInFile(async () => {
  const home = freshHome({}, onEndOfFile);
  const folder = join(home.folder, 'cache');
  home.env.WAYBILL_CACHE_DIR = folder;
  return { folder, usual: await run(home) };
});

/** A home with a cache as the first run filled it; the result of that run, and the cached code. */
async function filled() {
  const { folder: original, usual } = await firstRun();
  const home = freshHome();
  const folder = join(home.folder, 'cache');
  home.env.WAYBILL_CACHE_DIR = folder;
  cpSync(original, folder, { recursive: true, preserveTimestamps: true });
  const file = cachedFiles(folder).find((each) => basename(each) === 'main.cjs.bin') ?? '';
  return { home, folder, file, usual };
}

function run(home: Home): Promise<Ended> {
  return waybill(home, 'no-such-command');
}

/** Compiles foreign code as the cached code of the program: V8 only compares the length of the source. */
const plant = `
  const { readFileSync, writeFileSync } = require('node:fs');
  const [, source, file] = process.argv;
  const prefix = '(function (exports, require, module, __filename, __dirname) { ';
  const code = "process.stdout.write('planted\\\\n'); process.exit(42);";
  const length = readFileSync(source, 'utf8').length;
  const { Script } = require('node:vm');
  const script = new Script(prefix + code.padEnd(length) + '\\n})');
  script.runInThisContext();
  const build = readFileSync(file).subarray(0, 32);
  writeFileSync(file, Buffer.concat([build, script.createCachedData()]));
`;

function plantIn(file: string): void {
  const words = ['-e', plant, join(root, 'dist', 'main.cjs'), file];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

test('the cache is readable by its user only', async () => {
  const { folder } = await firstRun();
  const files = cachedFiles(folder);
  expect(files.map((file) => basename(file))).toContain('main.cjs.bin');
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual(files.map(() => 0o600));
  const folders = [folder, join(folder, 'compiled'), dirname(files[0] ?? '')];
  expect(folders.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
});

test('cached code of this user is executed', async () => {
  const { home, file } = await filled();
  plantIn(file);
  expect(await run(home)).toEqual(planted);
});

/** Reasons not to trust cached code. Only root can change owners: otherwise only the modes are tested. */
const doubts: Record<string, (at: { file: string; folder: string }) => void> = {
  'a file that its group can write': ({ file }) => chmodSync(file, 0o660),
  'a file that others can write': ({ file }) => chmodSync(file, 0o602),
  'a link to a file': ({ file }) => {
    renameSync(file, `${file}.real`);
    symlinkSync(`${file}.real`, file);
  },
  'a cache folder that all can write': ({ folder }) => chmodSync(folder, 0o1777),
  'a link to a cache folder': ({ folder }) => {
    renameSync(folder, `${folder}.real`);
    symlinkSync(`${folder}.real`, folder);
  },
};
if (process.geteuid?.() === 0)
  doubts['a file of another user'] = ({ file }) => chownSync(file, stranger, stranger);

test.each(Object.entries(doubts))('%s is not executed', async (_, doubt) => {
  const { home, folder, file, usual } = await filled();
  plantIn(file);
  doubt({ folder, file });
  expect(await run(home)).toEqual(usual);
});

test('cached code that is cut short, empty or of another build is replaced', async () => {
  const { home, file, usual } = await filled();
  const whole = readFileSync(file);
  const damaged = [
    whole.subarray(0, whole.length / 4),
    Buffer.alloc(0),
    Buffer.concat([Buffer.alloc(32, 0x30), whole.subarray(32)]),
  ];
  for (const bytes of damaged) {
    writeFileSync(file, bytes);
    expect(await run(home)).toEqual(usual);
    expect(readFileSync(file).subarray(0, 32)).toEqual(whole.subarray(0, 32));
    expect(readFileSync(file).length).toBeGreaterThan(whole.length / 2);
  }
});

test('a cache folder that cannot be created or written changes nothing', async () => {
  const { home, folder, usual } = await filled();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  expect(await run(home)).toEqual(usual);
  rmSync(folder);
  mkdirSync(join(folder, 'compiled', `${process.version}-${process.arch}`, 'main.cjs.bin'), {
    recursive: true,
    mode: 0o700,
  });
  expect(await run(home)).toEqual(usual);
});
