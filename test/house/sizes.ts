import { posix } from 'node:path';
import type { Fault } from './imports.ts';
import type { Facts } from './syntax.ts';

/** Ceilings, not aims: most files have 40 to 130 lines, most functions 7 to 13. They only ever go down. */
const fileLines = 300;
const functionLines = 60;

const emptyNames = /^(utils?|lib|helpers?|common|misc)$/;

/** Files too long to be read at once. */
export function fileSizeFaults(files: readonly Facts[]): Fault[] {
  return files
    .filter(({ lineCount }) => lineCount > fileLines)
    .map(({ path, lineCount }) => ({
      path,
      line: 1,
      reason: `${lineCount} lines, at most ${fileLines}: it holds more than one thing`,
    }));
}

/** Functions too long to be read at once. */
export function functionSizeFaults(files: readonly Facts[]): Fault[] {
  return files.flatMap(({ path, functions }) =>
    functions
      .filter(({ lineCount }) => lineCount > functionLines)
      .map(({ line, lineCount }) => ({
        path,
        line,
        reason: `a function of ${lineCount} lines, at most ${functionLines}: it does more than one thing`,
      })),
  );
}

/** File and folder names that say nothing about what is inside. */
export function nameFaults(files: readonly Pick<Facts, 'path'>[]): Fault[] {
  return files.flatMap(({ path }) =>
    path
      .split('/')
      .map((part) => posix.basename(part, posix.extname(part)))
      .filter((name) => emptyNames.test(name))
      .map((name) => ({ path, line: 1, reason: `"${name}" names nothing: use the noun of what is inside` })),
  );
}

const topLevel = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'bin',
  'src',
  'test',
  'completions',
];

/** Names at the top of the repository that are neither its own nor hidden. */
export function topLevelFaults(names: readonly string[]): Fault[] {
  const made = ['node_modules', 'dist'];
  return names
    .filter((name) => !name.startsWith('.') && !topLevel.includes(name) && !made.includes(name))
    .map((path) => ({ path, line: 1, reason: `the top level holds ${topLevel.join(', ')} and dotfiles` }));
}

/** Hosts in a lock file other than npm's own: elsewhere they cannot be reached. */
export function lockFileFaults(path: string, text: string): Fault[] {
  return text.split('\n').flatMap((line, index) => {
    const host = /"resolved": "\w+:\/\/([^/"]+)/.exec(line)?.[1];
    if (host === undefined || host === 'registry.npmjs.org') return [];
    return [{ path, line: index + 1, reason: `${host} is not npm's registry` }];
  });
}
