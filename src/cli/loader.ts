/**
 * Loads the files of the program with the code that was made of them in earlier runs. Node's own compile cache keeps a
 * file as it is once loaded, which leaves out every function that runs later; here it is kept as it is at the end of
 * a run. A part of the entry: no imports, builtins are fetched when needed.
 */

type Script = import('node:vm').Script;

interface Loaded {
  exports: unknown;
}

/** What a file of the program is, or one of several that lie in it. */
type Run = (...given: unknown[]) => unknown;

/** Where a program is found, and what was made of it. */
export interface Installation {
  /** The folder of the program's files. */
  folder: string;
  /** Names what the build made: code kept of any other is no use. */
  build: string;
  /** Where code is kept; undefined where it cannot be. */
  cache: string | undefined;
  /** Of a line whose code is kept for itself, its word: what other lines run of the same files would only be in its way. */
  line: string | undefined;
  /** Gives everything that is none of the program's files. */
  outside: (specifier: string) => unknown;
}

/** Gives a file of the program by its name, as `require` would. */
export function loaderOf({ folder, build, cache, line, outside }: Installation): (name: string) => unknown {
  const known = new Map<string, Loaded>();
  /** Of a file that has several in it, those that are not loaded yet. */
  const packed = new Map<string, Run>();
  const scripts = new Map<string, Script>();
  let isComplete = true;
  const required = (specifier: string) =>
    specifier.startsWith('./') ? load(specifier.slice(2)) : outside(specifier);
  const load = (name: string): unknown => {
    const before = known.get(name);
    if (before !== undefined) return before.exports;
    // Of so many names that a usual object would be made anew with each.
    const loaded: Loaded = { exports: Object.create(null) };
    known.set(name, loaded);
    const run = packed.get(name) ?? read(name);
    Reflect.apply(run, loaded.exports, [loaded.exports, required, loaded, `${folder}/${name}`, folder]);
    return loaded.exports;
  };
  const read = (name: string): Run => {
    // Of all files, the first is the one that every line runs a part of.
    const own = scripts.size === 0 && line !== undefined ? `${name}.${line}` : name;
    const kept = cache === undefined ? undefined : keptCode(`${cache}/${own}`, build);
    const script = compiled(`${folder}/${name}`, kept);
    scripts.set(own, script);
    // A command that loads what none before it did runs functions of the other files that none before it did.
    if (cache !== undefined && isComplete && script.cachedDataRejected !== false) {
      isComplete = false;
      process.once('exit', () => keepAll(scripts, cache, build));
    }
    const given: Run | Record<string, Run> = script.runInThisContext();
    if (typeof given === 'function') return given;
    for (const [part, run] of Object.entries(given)) packed.set(part, run);
    const run = packed.get(name);
    if (run === undefined) throw new Error(`${folder}/${name} is not what the build made.`);
    return run;
  };
  return load;
}

/** A script that gives a function, or several by name, of ASCII alone: the build writes it so. */
function compiled(filename: string, cachedData: Buffer | undefined): Script {
  const text = process.getBuiltinModule('node:fs').readFileSync(filename, 'latin1');
  const { Script } = process.getBuiltinModule('node:vm');
  return new Script(text, cachedData === undefined ? { filename } : { filename, cachedData });
}

/** A machine that loses its power may leave a file with blocks of zeros in it. */
const block_bytes = 4096;
const word_bytes = 4;

/**
 * The name of the build, the code, and a word of each block of it. V8 believes what it is given, and damaged code would
 * end the process: so that each block is there is made sure of, for less than any sum of it all would cost.
 */
function keptCode(file: string, build: string): Buffer | undefined {
  try {
    const bytes = process.getBuiltinModule('node:fs').readFileSync(`${file}.bin`);
    const blocks = Math.ceil((bytes.length - build.length) / (block_bytes + word_bytes));
    const end = bytes.length - blocks * word_bytes;
    const code = bytes.subarray(build.length, end);
    const isWhole =
      bytes.toString('latin1', 0, build.length) === build && wordsOf(code).equals(bytes.subarray(end));
    return isWhole ? code : undefined;
  } catch {
    return undefined;
  }
}

/** The first word of each block that is not zero. */
function wordsOf(code: Buffer): Buffer {
  const words = new Int32Array(code.buffer, code.byteOffset, code.length / word_bytes);
  const firsts = new Int32Array(Math.ceil(code.length / block_bytes));
  for (let block = 0; block < firsts.length; block += 1) {
    let place = (block * block_bytes) / word_bytes;
    const end = place + block_bytes / word_bytes;
    while (place < end && words[place] === 0) place += 1;
    firsts[block] = place < end ? words[place] || 0 : 0;
  }
  return Buffer.from(firsts.buffer);
}

/** Keeps the code of all files of this run; without it the next start is slower, no more. */
function keepAll(scripts: ReadonlyMap<string, Script>, cache: string, build: string): void {
  const { mkdirSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
  let begun: string | undefined;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    for (const [name, script] of scripts) {
      const code = script.createCachedData();
      const whole = `${cache}/${name}.bin`;
      const part = `${whole}.${process.pid}`;
      begun = part;
      writeFileSync(part, Buffer.concat([Buffer.from(build), code, wordsOf(code)]), { mode: 0o600 });
      renameSync(part, whole);
    }
  } catch {
    // A full disk must not be left fuller.
    try {
      if (begun !== undefined) rmSync(begun, { force: true });
    } catch {}
  }
}
