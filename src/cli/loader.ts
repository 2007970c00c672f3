/**
 * Loads the files of the program with the code that was made of them in earlier runs. Node's own compile cache keeps a
 * file as it is once loaded, which leaves out every function that runs later; here it is kept as it is at the end of
 * a run. A part of the entry: no imports, builtins are fetched when needed.
 */

type Script = import('node:vm').Script;

interface Loaded {
  exports: unknown;
}

/** Where a program is found, and what was made of it. */
export interface Installation {
  /** The folder of the program's files. */
  folder: string;
  /** Names what the build made: code kept of any other is no use. */
  build: string;
  /** Where code is kept; undefined where it cannot be. */
  cache: string | undefined;
  /** Gives everything that is none of the program's files. */
  outside: (specifier: string) => unknown;
}

/** Gives a file of the program by its name, as `require` would. */
export function loaderOf({ folder, build, cache, outside }: Installation): (name: string) => unknown {
  const known = new Map<string, Loaded>();
  const scripts = new Map<string, Script>();
  let isComplete = true;
  const required = (specifier: string) =>
    specifier.startsWith('./') ? load(specifier.slice(2)) : outside(specifier);
  const load = (name: string): unknown => {
    const before = known.get(name);
    if (before !== undefined) return before.exports;
    const loaded: Loaded = { exports: {} };
    known.set(name, loaded);
    const filename = `${folder}/${name}`;
    const script = compiled(filename, cache === undefined ? undefined : keptCode(`${cache}/${name}`, build));
    scripts.set(name, script);
    // A command that loads what none before it did runs functions of the other files that none before it did.
    if (cache !== undefined && isComplete && script.cachedDataRejected !== false) {
      isComplete = false;
      process.once('exit', () => keepAll(scripts, cache, build));
    }
    Reflect.apply(script.runInThisContext(), loaded.exports, [
      loaded.exports,
      required,
      loaded,
      filename,
      folder,
    ]);
    return loaded.exports;
  };
  return load;
}

/** A script that gives a function, of ASCII alone: the build writes it so. */
function compiled(filename: string, cachedData: Buffer | undefined): Script {
  const text = process.getBuiltinModule('node:fs').readFileSync(filename, 'latin1');
  const { Script } = process.getBuiltinModule('node:vm');
  return new Script(text, cachedData === undefined ? { filename } : { filename, cachedData });
}

/**
 * The name of the build, then the code twice. V8 believes what it is given, and damaged code would end the process:
 * to compare the two is quicker than any sum that Node could be asked for.
 */
function keptCode(file: string, build: string): Buffer | undefined {
  try {
    const bytes = process.getBuiltinModule('node:fs').readFileSync(`${file}.bin`);
    const middle = (bytes.length + build.length) / 2;
    const code = bytes.subarray(build.length, middle);
    const isWhole =
      bytes.toString('latin1', 0, build.length) === build && code.equals(bytes.subarray(middle));
    return isWhole ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the code of all files of this run; without it the next start is slower, no more. */
function keepAll(scripts: ReadonlyMap<string, Script>, cache: string, build: string): void {
  const { mkdirSync, renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    for (const [name, script] of scripts) {
      const code = script.createCachedData();
      const whole = `${cache}/${name}.bin`;
      const part = `${whole}.${process.pid}`;
      writeFileSync(part, Buffer.concat([Buffer.from(build), code, code]), { mode: 0o600 });
      renameSync(part, whole);
    }
  } catch {}
}
