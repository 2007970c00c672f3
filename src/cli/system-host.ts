import { UsageError } from './kit/errors/failure.ts';
import type { ColourLevel, Host, Interruption, Prompts } from './kit/host/host.ts';
import { chance, now, sinkOf, sleep, textOf, timer, writeInBackground } from './kit/system/streams.ts';

/** Set by the build from package.json. */
declare const WAYBILL_VERSION: string | undefined;

/** The machine, which reports when all output has left the process. */
export interface SystemHost extends Host {
  settled(): Promise<void>;
}

/** Creates the host of the real machine. */
export function systemHost(signal: () => AbortSignal, interruption: Interruption): SystemHost {
  const stdout = sinkOf({ number: 1, open: () => process.stdout });
  const stderr = sinkOf({ number: 2, open: () => process.stderr });
  return {
    stdin: {
      // Creating this stream costs more than a look-up, and few commands use it.
      get isTerminal() {
        return process.stdin.isTTY === true;
      },
      text: () => textOf(process.stdin),
      chunks: () => process.stdin,
    },
    stdout,
    stderr,
    writeLog: (text) => writeInBackground(2, text),
    settled: async () => {
      await Promise.all([stdout.settled(), stderr.settled()]);
    },
    environment: process.env,
    platform: process.platform,
    // Loads node:os only if the environment does not name the home folder.
    get home() {
      return (
        (process.platform !== 'win32' && process.env.HOME) || process.getBuiltinModule('node:os').homedir()
      );
    },
    get folder() {
      return currentFolder();
    },
    version: typeof WAYBILL_VERSION === 'string' ? WAYBILL_VERSION : '0.0.0',
    get program() {
      return programPath();
    },
    get is_executable() {
      return isExecutable();
    },
    runtime: process.versions.node,
    now,
    chance,
    sleep,
    timer,
    prompts: (accessible, colour) => (accessible ? linePrompts(signal()) : promptsOn(signal(), colour)),
    spinner: async (text) => (await import('./kit/system/programs.ts')).terminalSpinner(text),
    pager: async (words) =>
      (await import('./kit/system/programs.ts')).openPager(words, { environment: process.env, interruption }),
    keys: async (pressed) => (await import('./kit/system/programs.ts')).terminalKeys(pressed),
    keychain: async (request, signal) =>
      (await import('./kit/system/keychain.ts')).systemKeychain(request, signal),
    run: async (words) => (await import('./kit/system/programs.ts')).runProgram(words, process.env),
    secret: async (bytes) => (await import('node:crypto')).randomBytes(bytes).toString('base64'),
    get signal() {
      return signal();
    },
    interruption,
  };
}

function isExecutable(): boolean {
  return process.getBuiltinModule('node:sea').isSea();
}

/** Follows the links of the package manager. */
function programPath(): string {
  const started = isExecutable() ? process.execPath : (process.argv[1] ?? process.execPath);
  try {
    return process.getBuiltinModule('node:fs').realpathSync(started);
  } catch {
    return started;
  }
}

async function linePrompts(signal: AbortSignal): Promise<Prompts> {
  const { accessiblePrompts } = await import('./kit/prompts/accessible-prompts.ts');
  return accessiblePrompts({ input: process.stdin, output: process.stderr, signal, timer });
}

async function promptsOn(signal: AbortSignal, colour: ColourLevel): Promise<Prompts> {
  const { terminalPrompts } = await import('./kit/prompts/terminal-prompts.ts');
  const { paletteFor } = await import('./kit/output/colour.ts');
  const palette = await paletteFor(colour);
  return terminalPrompts({ input: process.stdin, output: process.stderr, signal, timer, palette });
}

/** Only called to resolve a path: the folder may no longer exist. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError('The current folder is gone: change to one that there is.', { cause });
  }
}
