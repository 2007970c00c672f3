import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { type Home, program } from './run.ts';

/** A program that runs in a terminal. */
export interface InTerminal {
  terminal: IPty;
  /** Everything shown in the terminal. */
  shown: () => string;
  type: (keys: string) => void;
  /** Its exit code, and the signal that ended it, or 0. */
  ended: Promise<{ exit: number; signal: number }>;
}

interface Options {
  cols?: number;
  rows?: number;
  /** Runs this instead of the built program. */
  shell?: string;
  env?: Record<string, string>;
}

/** Runs the built program in a terminal, where it is not in continuous integration. */
export function inTerminal(home: Home, argv: readonly string[], options: Options = {}): InTerminal {
  const { cols = 100, rows = 30, shell, env: more = {} } = options;
  const { CI: _, ...env } = home.env;
  const words = shell === undefined ? [program, ...argv] : [...argv];
  const terminal = spawn(shell ?? process.execPath, words, {
    ...{ cols, rows, cwd: home.folder },
    env: { TERM: 'xterm-256color', ...env, ...more },
  });
  onTestFinished(() => terminal.kill());
  let text = '';
  terminal.onData((data) => {
    text += data;
  });
  const ended = new Promise<{ exit: number; signal: number }>((resolve) =>
    terminal.onExit(({ exitCode, signal = 0 }) => resolve({ exit: exitCode, signal })),
  );
  return { terminal, shown: () => text, type: (keys) => terminal.write(keys), ended };
}
