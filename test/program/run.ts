import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject, onTestFinished } from 'vitest';
import { waybill as runHere } from '../cli/harness.ts';
import { onceInFile, onEndOfFile } from '../end-of-file.ts';

export const root = join(import.meta.dirname, '..', '..');
export const program = join(root, 'bin', 'waybill.cjs');

/** A home for the built program, with `waybill` on the path. */
export interface Home {
  folder: string;
  env: Record<string, string>;
}

/** Registers what is run at the end of the test or of its file. */
type AtEnd = (end: () => void) => void;

export interface Ended {
  stdout: string;
  stderr: string;
  exit: number | null;
}

/** It is removed at the end of the test, or of what `atEnd` registers for. */
export function freshHome(extra: Record<string, string> = {}, atEnd: AtEnd = onTestFinished): Home {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-program-'));
  // Processes of a shell that was ended may still write to it.
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'waybill'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'waybill'), 0o755);
  return {
    folder,
    env: {
      HOME: folder,
      PATH: `${bin}:${process.env.PATH}`,
      CI: 'true',
      WAYBILL_INSECURE_STORAGE: 'yes',
      // All homes share it: to compile the program and write its code takes longer than a command.
      WAYBILL_CACHE_DIR: inject('compiled'),
      ...extra,
    },
  };
}

/** Starts the built program as a process; its stdin is empty unless it is a pipe. */
export function start(
  home: Home,
  argv: readonly string[],
  stdin: 'ignore' | 'pipe' = 'ignore',
  /** Of another version. */
  other = program,
  atEnd: AtEnd = onTestFinished,
): ChildProcess {
  const child = spawn(process.execPath, [other, ...argv], {
    ...{ cwd: home.folder, env: home.env },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  return child;
}

/** Runs the built program to its end. */
export async function waybill(home: Home, ...argv: string[]): Promise<Ended> {
  return ended(start(home, argv));
}

/** Runs a command in this process, on the files of a home: what a test needs before or after the built program. */
export const inProcess = (home: Home, ...argv: string[]) =>
  runHere(argv, { home: home.folder, env: home.env });

/** Runs a shell script that calls `waybill`. */
export async function script(home: Home, lines: string): Promise<Ended> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', lines], {
    cwd: home.folder,
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return ended(child);
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the streams are not piped');
  const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { stdout: out, stderr: err, exit: child.exitCode };
}

export interface Served {
  url: string;
  keys: { test: string; live: string };
  pid: number | undefined;
  /** Ends it by SIGTERM; resolves when the process has ended. */
  stop: () => Promise<void>;
}

interface ServeOptions {
  /** A file in the home unless given. */
  database?: string;
  flags?: readonly string[];
  /** That of this version unless given. */
  program?: string;
  /** Killed at the end of the test unless it is for a whole file. */
  atEnd?: AtEnd;
}

/** Starts `waybill serve` on a free port and waits until it is ready. */
export async function serve(
  home: Home,
  { database, flags = [], program: other, atEnd }: ServeOptions = {},
): Promise<Served> {
  const file = database ?? join(home.folder, 'served.db');
  const words = ['serve', '--port', '0', '--database', file, '--json', ...flags];
  const child = start(home, words, 'ignore', other, atEnd);
  const { stdout } = child;
  if (stdout === null) throw new Error('the streams are not piped');
  child.stderr?.resume();
  const [chunk] = await once(stdout, 'data');
  const { url, keys }: Pick<Served, 'url' | 'keys'> = JSON.parse(String(chunk).split('\n')[0] ?? '');
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { url, keys, pid: child.pid, stop };
}

/** A service for the tests of a file. */
export const sharedService = (...flags: string[]): (() => Promise<Served>) =>
  onceInFile(() => serve(freshHome({}, onEndOfFile), { flags, atEnd: onEndOfFile }));
