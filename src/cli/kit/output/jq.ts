/** Runs jq itself, as WebAssembly, for `--jq` (`jqFilter`), with limits of time and of output. */
import { runInNewContext } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import start from 'jq-wasm/dist/build/jq.js';
import { Interrupted, UsageError } from '../errors/failure.ts';
import { deeperPaths } from './json-fields.ts';
import type { JqFilter } from './output-settings.ts';
import { escapedJson, sanitized } from './safe-text.ts';

const timeout_ms = 10_000;
/** The output limit of a run, in bytes. */
const max_output_bytes = 64 * 1024 * 1024;

interface JqRun {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs jq on a sequence of documents with compact output. Throws SyncTimeout, TooLarge, Interrupted. */
type Jq = (documents: string, filter: string) => Promise<JqRun>;

/** The work exceeded its time limit. */
export class SyncTimeout extends Error {
  override name = 'SyncTimeout';
}

/** The output of a filter exceeds the limit. */
class TooLarge extends Error {
  override name = 'TooLarge';
}

/** Applies the filter of `--jq`. UsageError with jq's message if it is invalid. */
export async function jqFilter(filter: string, { warn }: { warn(line: string): void }): Promise<JqFilter> {
  const jq = loadJq();
  const { status, stderr } = await withUsageErrors(jq('', filter));
  if (status !== 0)
    throw new UsageError(`Invalid --jq filter.\n${stderr.trim()}`, { code: 'bad_expression' });
  return {
    async apply(documents, isTerminal) {
      const input = documents.map((data) => JSON.stringify(data) ?? 'null').join('\n');
      const run = await withUsageErrors(jq(input, filter));
      const text = printedLines(run.stdout, isTerminal);
      if (run.status !== 0) return { text, fault: `--jq does not fit the answer.\n${run.stderr.trim()}` };
      for (const line of run.stderr.split('\n')) if (line !== '') warn(line);
      const isNothing = /^(?:null\s)*$/.test(run.stdout);
      for (const path of isNothing ? deeperPaths(documents, fieldsIn(filter)) : [])
        if (!filter.includes(path)) warn(`--jq finds nothing: the field is ${path}.`);
      return { text, fault: null };
    },
  };
}

/** The names of the fields that a filter reads: `id` and `status` of `.id, .status`. */
function fieldsIn(filter: string): string[] {
  return [...filter.matchAll(/\.([a-z_]\w*)/gi)].map(([, name = '']) => name);
}

async function withUsageErrors(run: Promise<JqRun>): Promise<JqRun> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof SyncTimeout || error instanceof TooLarge)
      throw new UsageError(`--jq was stopped: ${error.message}.`, {
        code: 'expression_failed',
        cause: error,
        hint: 'For a long list, pipe it instead: --json | jq FILTER has no limits.',
      });
    throw error;
  }
}

/** Prints strings raw, sanitized for a terminal, and all else as JSON on a line. */
function printedLines(lines: string, isTerminal: boolean): string {
  return lines
    .split('\n')
    .map((line) => (line.startsWith('"') ? rawString(line, isTerminal) : escapedJson(line)))
    .join('\n');
}

function rawString(json: string, isTerminal: boolean): string {
  const text: unknown = JSON.parse(json);
  return isTerminal ? sanitized(String(text)) : String(text);
}

/**
 * jq 1.7.1 as WebAssembly. It is compiled once and instantiated for each run: the package's own way to run it again
 * leaks stack, and copies all input for each byte of it.
 */
function loadJq(): Jq {
  const module = new WebAssembly.Module(programOf(String(start)));
  return async (documents, filter) => {
    const pipes = openPipes(documents);
    const program = await start({
      thisProgram: 'jq',
      instantiateWasm({ a: system }, done) {
        const instance = new WebAssembly.Instance(module, { a: { ...system, ...pipes.calls(system) } });
        pipes.connect(instance.exports.E);
        return done(instance);
      },
    });
    const status = keepingExitCode(() =>
      runWithTimeout(() => program.callMain(['-c', '--', filter]), timeout_ms),
    );
    return { status, stdout: pipes.text(1), stderr: pipes.text(2) };
  };
}

/** The package contains the program as text in its code, which the build compresses. */
function programOf(code: string): Uint8Array {
  const [, isPacked, text = ''] = /base64(-brotli)?,([A-Za-z0-9+/=]+)/.exec(code) ?? [];
  const bytes = Buffer.from(text, 'base64');
  return isPacked === undefined ? bytes : brotliDecompressSync(bytes);
}

/** The package sets the exit code of our process, which is restored here. */
function keepingExitCode<T>(work: () => T): T {
  const before = process.exitCode;
  try {
    return work();
  } finally {
    process.exitCode = before;
  }
}

/**
 * Runs synchronous work that may loop forever, such as the user's filter. Throws SyncTimeout after the time
 * limit, and Interrupted on Ctrl+C, for which no signal handler can run meanwhile.
 */
export function runWithTimeout<T>(work: () => T, milliseconds: number): T {
  const results: T[] = [];
  const go = () => {
    results.push(work());
  };
  try {
    runInNewContext('go()', { go }, { timeout: milliseconds, breakOnSigint: true });
  } catch (error) {
    throw localError(error);
  }
  for (const value of results) return value;
  throw new SyncTimeout('nothing came of it');
}

/** Converts an error of the VM, whose Error class is a different one. */
function localError(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return new SyncTimeout('it took too long');
  return code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED' ? new Interrupted() : error;
}

/** A part of the memory of the program, which one call reads or writes. */
type Part = { start: number; length: number };

/**
 * Opens stdin, stdout and stderr of one run, in the memory of this process. `calls` replaces the calls of the program to the
 * system: `g` reads from a pipe, `d` writes to one, and `a` and `D` abort. The linker has given them these names.
 */
function openPipes(documents: string) {
  const input = Buffer.from(documents);
  const written: Record<number, Buffer[]> = { 1: [], 2: [] };
  let memory: { readonly buffer: ArrayBuffer } = { buffer: new ArrayBuffer(0) };
  let read_bytes = 0;
  let written_bytes = 0;
  const read = ({ start: from, length }: Part) => {
    const target = new Uint8Array(memory.buffer, from, length);
    const count = input.copy(target, 0, read_bytes, read_bytes + length);
    read_bytes += count;
    return count;
  };
  const append =
    (pipe: Buffer[]) =>
    ({ start: from, length }: Part) => {
      written_bytes += length;
      if (written_bytes > max_output_bytes) throw new TooLarge('the filter wrote too much');
      pipe.push(Buffer.from(new Uint8Array(memory.buffer, from, length)));
      return length;
    };
  /**
   * Wraps a call with a list of parts: moves each part with the function for the pipe, and stores the number of bytes at the
   * address `result`. A pipe without a function is left to the original call.
   */
  const movingParts =
    (call: WebAssembly.SystemCall | undefined, moverOf: (pipe: number) => ((part: Part) => number) | null) =>
    (pipe = 0, parts = 0, count = 0, result = 0) => {
      const move = moverOf(pipe);
      if (move === null) return call?.(pipe, parts, count, result) ?? 0;
      let moved_bytes = 0;
      for (const part of partsAt(memory.buffer, parts, count)) moved_bytes += move(part);
      new DataView(memory.buffer).setUint32(result, moved_bytes, true);
      return 0;
    };
  return {
    calls: (system: Record<string, WebAssembly.SystemCall>): Record<string, WebAssembly.SystemCall> => ({
      g: movingParts(system.g, (pipe) => (pipe === 0 ? read : null)),
      d: movingParts(system.d, (pipe) => (written[pipe] === undefined ? null : append(written[pipe]))),
      a: outOfMemory,
      D: outOfMemory,
    }),
    /** Receives the memory of the program once it is instantiated. */
    connect: (programMemory: typeof memory) => {
      memory = programMemory;
    },
    text: (pipe: number) => Buffer.concat(written[pipe] ?? []).toString(),
  };
}

function outOfMemory(): never {
  throw new TooLarge('the filter ran out of memory');
}

/** Reads a list of parts from memory: for each its address and its length. */
function partsAt(buffer: ArrayBuffer, address: number, count: number): Part[] {
  const view = new DataView(buffer);
  return Array.from({ length: count }, (_, index) => ({
    start: view.getUint32(address + index * 8, true),
    length: view.getUint32(address + index * 8 + 4, true),
  }));
}
