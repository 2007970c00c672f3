import type { Fault } from './imports.ts';
import type { Facts } from './syntax.ts';

interface Ban {
  words: readonly string[];
  /** Paths, or beginnings of paths that end in `/`, where the words are at home. */
  except: readonly string[];
  reason: string;
}

/** The files that touch time, chance, the network and processes. */
const ports = [
  ...['time', 'random', 'secrets', 'network', 'crash-points', 'process-liveness'].map(
    (name) => `src/service/runtime/${name}.ts`,
  ),
  ...['src/storage/ports/', 'src/cli/ports/'],
];

/** Words that code may use only at home: whatever else needs them is handed them. */
const bans: readonly Ban[] = [
  {
    words: [
      'Date.now',
      'new Date()',
      'Date()',
      'performance',
      'performance.now',
      'process.hrtime',
      'process.uptime',
    ],
    except: ports,
    reason: 'reads the wall clock: take `now` from the clock that is handed in',
  },
  {
    words: [
      'Math.random',
      'randomUUID',
      'randomBytes',
      'randomInt',
      'getRandomValues',
      'crypto.randomUUID',
      'crypto.getRandomValues',
    ],
    except: ports,
    reason: 'is chance, which does not repeat: take it from the port that is handed in',
  },
  {
    words: ['setTimeout', 'setInterval', 'setImmediate', 'AbortSignal.timeout'],
    except: ports,
    reason: 'waits on real time: take the timers that are handed in',
  },
  {
    words: [
      'process.stdin',
      'process.stdout',
      'process.stderr',
      'process.exit',
      'process.exitCode',
      'process.env',
      'process.argv',
    ],
    except: ['src/cli/ports/', 'src/cli/entry.ts', 'src/cli/main.ts', 'src/build/'],
    reason:
      'is the process itself: streams, environment and arguments are handed in, and only main decides the exit code',
  },
  { words: ['console'], except: ['src/build/'], reason: 'writes past the streams that are handed in' },
  {
    words: ['new Request(...)', 'new Response(...)', 'new Response()', 'new Headers(...)', 'new Headers()'],
    except: [],
    reason: 'loads the web fetch globals, which doubles the start: a transport carries plain data',
  },
];

/** Modules that give what the bans keep out. */
const bannedModules: Record<string, string> = {
  'node:timers': 'gives timers',
  'node:timers/promises': 'gives timers',
  'node:perf_hooks': 'gives the wall clock',
  'node:console': 'gives a console',
};

const pardons = /@ts-ignore|@ts-nocheck|biome-ignore|eslint-disable/;
const expectation = /@ts-expect-error/;

function isAtHome(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
}

/** Clock, chance, timers, the process and the console outside their ports. */
export function bannedWordFaults(files: readonly Facts[]): Fault[] {
  return files.flatMap(({ path, words }) =>
    words.flatMap(({ word, line }) =>
      bans
        .filter((ban) => ban.words.includes(word) && !isAtHome(path, ban.except))
        .map(({ reason }) => ({ path, line, reason: `${word} ${reason}` })),
    ),
  );
}

/** The same by way of a module. */
export function bannedModuleFaults(files: readonly Facts[]): Fault[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier }) => bannedModules[specifier] !== undefined && !isAtHome(path, ports))
      .map(({ specifier, line }) => ({
        path,
        line,
        reason: `${specifier} ${bannedModules[specifier]}: only ports have those`,
      })),
  );
}

/** Casts, `any` and `!` claim what the compiler could check; `as const` claims nothing. */
export function castFaults(files: readonly Facts[]): Fault[] {
  return files.flatMap(({ path, words }) =>
    words
      .filter(({ word }) => word === ': any' || word === '!' || word.startsWith('as '))
      .map(({ word, line }) => ({
        path,
        line,
        reason: `\`${word}\` silences the compiler: narrow the value by a check`,
      })),
  );
}

/**
 * Comments that pardon what the compiler or the linter found. In a test `@ts-expect-error` is no pardon: it
 * proves that the compiler refuses the line.
 */
export function pardonFaults(files: readonly Facts[]): Fault[] {
  return files.flatMap(({ path, comments }) =>
    comments
      .filter(({ text }) => pardons.test(text) || (path.startsWith('src/') && expectation.test(text)))
      .map(({ text, line }) => ({
        path,
        line,
        reason: `nothing is waived, so not this either: ${text.trim()}`,
      })),
  );
}

/** Tests that do not run prove nothing. */
export function skippedTestFaults(files: readonly Facts[]): Fault[] {
  const skipped = /^(test|it|describe)\.(skip|only|todo|fails)$/;
  return files.flatMap(({ path, words }) =>
    words
      .filter(({ word }) => skipped.test(word))
      .map(({ word, line }) => ({ path, line, reason: `${word}: a test runs or is deleted` })),
  );
}
