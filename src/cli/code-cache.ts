/**
 * The one code cache: it loads the files of the program and keeps the bytecode that V8 compiles from them, as it is at
 * the end of a run.
 *
 * Node's own compile cache keeps a file as it is once it is loaded, without the functions that run later. In processor
 * time of bare Node, `deliveries get` takes 2.9 without a cache, 2.5 with Node's and 2.1 with this one; `deliveries list`
 * 4.5, 3.5 and 3.1. All six are of one run on a busy machine (test/bench/figures.md).
 *
 * V8 executes cached bytecode without checking it, so the cache is used only where no user but the effective one can
 * have written it. A part of the entry: no imports, builtins are fetched when they are needed.
 */

type Script = import('node:vm').Script;
type Stats = import('node:fs').Stats;

/** The parts of `process` that decide where the cache is. */
export type Machine = Pick<NodeJS.Process, 'env' | 'platform' | 'version' | 'arch' | 'geteuid'>;

/** Owner and mode of a file that exists. */
export type Status = Pick<Stats, 'uid' | 'mode' | 'isDirectory'>;

/** The status of a path that cannot exist: of no user, and no folder. */
const impossiblePath: Status = { uid: -1, mode: 0, isDirectory: () => false };

/** The program's own cache folder; undefined where the environment names no place for it. */
function cacheRoot({ env, platform }: Machine): string | undefined {
  // Windows has no owner and mode to check: only the user's own application data is trusted.
  if (platform === 'win32') return env.LOCALAPPDATA && `${env.LOCALAPPDATA}/waybill/cache`;
  if (env.WAYBILL_CACHE_DIR) return env.WAYBILL_CACHE_DIR;
  if (platform === 'darwin') return env.HOME && `${env.HOME}/Library/Caches/waybill`;
  const base = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`);
  return base && `${base}/waybill`;
}

/** The folder of cached code, one for each version of Node; undefined where none can be trusted. */
export function codeFolder(
  machine: Machine,
  statusOf: (path: string) => Status | undefined,
): string | undefined {
  const root = machine.env.NODE_DISABLE_COMPILE_CACHE ? undefined : cacheRoot(machine);
  if (!root) return undefined;
  const folders = [root, `${root}/compiled`, `${root}/compiled/${machine.version}-${machine.arch}`];
  const user = machine.geteuid?.();
  const isTrusted = (path: string) => {
    const status = statusOf(path);
    return status === undefined || (status.isDirectory() && isOnlyFor(user, status));
  };
  return isOwnHome(machine, user, statusOf) && folders.every(isTrusted) ? folders[2] : undefined;
}

/** Under `sudo` with HOME kept, root would execute what another user cached, and leave files in that user's home. */
function isOwnHome(
  { env: { HOME } }: Machine,
  user: number | undefined,
  statusOf: (path: string) => Status | undefined,
): boolean {
  const home = HOME && user !== undefined ? statusOf(`${HOME}/.`) : undefined;
  return home === undefined || home.uid === user;
}

const write_by_others = 0o022;

/** True if this user owns the file and no other user may write it. Windows has no such owner to check. */
function isOnlyFor(user: number | undefined, { uid, mode }: Pick<Status, 'uid' | 'mode'>): boolean {
  return user === undefined || (uid === user && (mode & write_by_others) === 0);
}

export interface Installation {
  /** The folder of the program's files. */
  folder: string;
  /** Identifies the build: code compiled from another build is not used. */
  build: string;
  machine: Machine;
  /** Loads modules that are not files of the program. */
  require: (specifier: string) => unknown;
}

/** A function that loads a file of the program by its name, as `require` would. */
export function programLoader({ folder, build, machine, require }: Installation): (name: string) => unknown {
  const { lstatSync } = process.getBuiltinModule('node:fs');
  const statusOf = (path: string): Status | undefined => {
    try {
      return lstatSync(path, { throwIfNoEntry: false });
    } catch {
      // A part of the path is a file, or may not be read: no cache is there.
      return impossiblePath;
    }
  };
  const cache = codeFolder(machine, statusOf);
  const user = machine.geteuid?.();
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, Script>();
  let isCached = true;
  const requireFrom = (specifier: string) =>
    specifier.startsWith('./') ? load(specifier.slice(2)) : require(specifier);
  const load = (name: string): unknown => {
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const script = compile(
      `${folder}/${name}`,
      cache === undefined ? undefined : readCode(`${cache}/${name}.bin`, build, user),
    );
    scripts.set(name, script);
    // A command that loads a file first also runs functions of the other files first: all are written again.
    if (cache !== undefined && isCached && script.cachedDataRejected !== false) {
      isCached = false;
      process.once('exit', () => writeCode(cache, build, scripts));
    }
    const run: (...given: unknown[]) => void = script.runInThisContext();
    run.call(module.exports, module.exports, requireFrom, module, `${folder}/${name}`, folder);
    return module.exports;
  };
  return load;
}

const prefix = '(function (exports, require, module, __filename, __dirname) { ';

function compile(filename: string, cachedData: Buffer | undefined): Script {
  const { Script } = process.getBuiltinModule('node:vm');
  const text = process.getBuiltinModule('node:fs').readFileSync(filename, 'utf8');
  const options = { filename, columnOffset: -prefix.length };
  return new Script(`${prefix}${text}\n})`, cachedData === undefined ? options : { ...options, cachedData });
}

/** The code in a file of the cache: undefined where it is of another build, or another user can have written it. */
function readCode(file: string, build: string, user: number | undefined): Buffer | undefined {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule('node:fs');
  let opened: number | undefined;
  try {
    opened = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW || 0));
    const status = fstatSync(opened);
    if (!status.isFile() || !isOnlyFor(user, status)) return undefined;
    const bytes = readFileSync(opened);
    return bytes.toString('latin1', 0, build.length) === build ? bytes.subarray(build.length) : undefined;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** Creates the folder of the cache and up to three above it. Recursive `mkdirSync` never returns in /proc. */
function makeFolders(cache: string, mkdirSync: typeof import('node:fs').mkdirSync): void {
  const parts = cache.split('/');
  for (let length = parts.length - 3; length <= parts.length; length += 1) {
    try {
      mkdirSync(parts.slice(0, length).join('/') || '/', { mode: 0o700 });
    } catch (error) {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isThere) throw error;
    }
  }
}

/** Writes the code of all files of this run. Where that fails, the next start is slower, and nothing else. */
function writeCode(cache: string, build: string, scripts: ReadonlyMap<string, Script>): void {
  const { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } =
    process.getBuiltinModule('node:fs');
  let part: string | undefined;
  try {
    makeFolders(cache, mkdirSync);
    for (const [name, script] of scripts) {
      const file = `${cache}/${name}.bin`;
      part = `${file}.${process.pid}`;
      const opened = openSync(part, 'wx', 0o600);
      writeSync(opened, Buffer.concat([Buffer.from(build, 'latin1'), script.createCachedData()]));
      fsyncSync(opened);
      closeSync(opened);
      renameSync(part, file);
    }
  } catch {
    try {
      if (part !== undefined) rmSync(part, { force: true });
    } catch {}
  }
}
