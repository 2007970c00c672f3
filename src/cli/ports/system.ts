import { homedir } from 'node:os';
import type { Host, Interruption } from '../host.ts';
import { chance, now, sleep, timer } from './clock.ts';
import { sinkOf, textOf } from './streams.ts';

/** Put in by the build from package.json. */
declare const WAYBILL_VERSION: string | undefined;

/** The machine that the program runs on. */
export function systemHost(signal: AbortSignal, interruption: Interruption): Host {
  return {
    stdin: { isTerminal: process.stdin.isTTY === true, text: () => textOf(process.stdin) },
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    environment: process.env,
    platform: process.platform,
    home: homedir(),
    folder: process.cwd(),
    version: typeof WAYBILL_VERSION === 'string' ? WAYBILL_VERSION : '0.0.0',
    runtime: process.versions.node,
    now,
    chance,
    sleep,
    timer,
    prompts: async (stop) => (await import('./prompts.ts')).terminalPrompts(stop),
    spinner: async (text) => (await import('./spinner.ts')).terminalSpinner(text),
    signal,
    interruption,
  };
}
