/**
 * The first file that runs, on any Node. It refuses an old Node, answers `--version` and help from what the build
 * prepared, and otherwise loads the program. It imports no builtin: they are loaded once the Node version is known to be
 * supported.
 */
import { isSupportedNode, neededNode } from '../domain/node-versions.ts';
import { programLoader } from './code-cache.ts';

/** The byte range of a help page in the file of pages. */
type PageRange = [start: number, end: number];

const preparedWidth = 80;

/** Put in by the build from package.json. */
declare const WAYBILL_VERSION: string;
/** Put in by the build: the same for the same files of the program. */
declare const WAYBILL_BUILD: string;

/**
 * Writes synchronously without the stream, which costs milliseconds, and exits: an ordinary shutdown costs one more and
 * frees nothing. A closed pipe is ignored.
 */
function print(text: string): void {
  try {
    const bytes = Buffer.from(text);
    const written = process.getBuiltinModule('node:fs').writeSync(1, bytes);
    if (written === bytes.length) process.exit();
    process.stdout.write(bytes.subarray(written));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EAGAIN') process.stdout.write(text);
    else if (code !== 'EPIPE') {
      process.stderr.write(
        `Error: The answer cannot be written: ${error instanceof Error ? error.message : error}\n`,
      );
      process.exitCode = 1;
    }
  }
}

/**
 * True if a page does not fit the terminal: the program can page and wrap it. The stdout stream, which knows the size,
 * is costly to create, so the file type is checked first.
 */
function isTooLarge(page: string): boolean {
  try {
    const { fstatSync, statSync } = process.getBuiltinModule('node:fs');
    const stdout = fstatSync(1);
    if (!stdout.isCharacterDevice() || stdout.rdev === statSync('/dev/null').rdev) return false;
    const { isTTY, columns, rows } = process.stdout;
    return isTTY && (columns < preparedWidth || page.split('\n').length > rows);
  } catch {
    return false;
  }
}

/** The command path if the words only ask for its help, with `-h` at its end for the short one; else undefined. */
function helpPath(words: string[]): string[] | undefined {
  const last = words[words.length - 1];
  const path = words[0] === 'help' ? words : words.slice(0, -1);
  if (words[0] !== 'help' && last !== '--help' && last !== '-h') return undefined;
  if (!path.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  return last === '-h' && words[0] !== 'help' ? [...path, last] : path;
}

/**
 * Prepared help: the program's in a file of its own, others by position in the file of pages, a topic (`help output`)
 * under its words, a command under its path. Without a short page, `-h` and `help` have the whole one.
 */
function preparedHelp(path: string[]): string | undefined {
  try {
    const { openSync, readFileSync, readSync } = process.getBuiltinModule('node:fs');
    const isHelp = path[0] === 'help';
    const asked = isHelp ? path.slice(1) : path;
    if (asked.length === 0) return readFileSync(`${__dirname}/help.txt`, 'utf8');
    const places: Record<string, PageRange> = JSON.parse(readFileSync(`${__dirname}/help.json`, 'utf8'));
    const whole = asked.filter((word) => word !== '-h').join(' ');
    const names = isHelp
      ? [`${whole} -h`, whole, `help ${whole} -h`, `help ${whole}`]
      : [asked.join(' '), whole];
    const place = names.map((name) => places[name]).find(Boolean);
    if (place === undefined) return undefined;
    const page = Buffer.alloc(place[1] - place[0]);
    readSync(openSync(`${__dirname}/help-pages.txt`, 'r'), page, 0, page.length, place[0]);
    return page.toString();
  } catch {
    return undefined;
  }
}

/** Node 22 warns about node:sqlite at each start; only that warning is suppressed. */
function silenceSqliteWarning(): void {
  const warn = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    Reflect.apply(warn, process, [warning, ...rest]);
  };
}

/** Loads a file of the program with its imports. */
function load(name: string): unknown {
  return programLoader({
    folder: __dirname,
    build: WAYBILL_BUILD,
    machine: process,
    // `require` evaluates every getter of a builtin, which loads more builtins.
    require: (specifier) => process.getBuiltinModule(specifier) || require(specifier),
  })(name);
}

interface Program {
  main(): Promise<void>;
  completionRecords(query: object): Promise<object[]>;
}

function isProgram(loaded: unknown): loaded is Program {
  return typeof loaded === 'object' && loaded !== null && 'main' in loaded;
}

function loadProgram(): Program {
  if (process.version.startsWith('v22.')) silenceSqliteWarning();
  const program = load('main.cjs');
  if (isProgram(program)) return program;
  throw new Error('main.cjs is not the program');
}

interface Completion {
  complete(words: string[], parts: object): Promise<string>;
}

function isCompletion(loaded: unknown): loaded is Completion {
  return typeof loaded === 'object' && loaded !== null && 'complete' in loaded;
}

/** Answers shell completion; the program is loaded only for records of the service. */
function complete(words: string[]): void {
  const completion = load('__complete.cjs');
  if (!isCompletion(completion)) return;
  const parts = {
    file: `${__dirname}/completion.txt`,
    environment: process.env,
    ask: (query: object) => loadProgram().completionRecords(query),
  };
  void completion.complete(words, parts).then(print);
}

function run(words: string[]): void {
  if (words[0] === '__complete') {
    complete(words.slice(1));
    return;
  }
  if (words.length === 1 && /^(--version|-V|-v)$/.test(words[0] ?? '')) {
    print(`${WAYBILL_VERSION}\n`);
    return;
  }
  const path = helpPath(words);
  const help = path && preparedHelp(path);
  if (help === undefined || isTooLarge(help)) void loadProgram().main();
  else print(help);
}

function refuse(): void {
  process.stderr.write(
    [
      `waybill needs ${neededNode}; this is Node ${process.version}.`,
      'Install a newer Node. A clone of waybill installs one for itself: run its bin/waybill.',
      '',
    ].join('\n'),
  );
  process.exitCode = 2;
}

// Rights that are taken from the owner of a file leave the program without its own files.
process.umask(process.umask() & 0o077);

if (isSupportedNode(process.versions.node)) run(process.argv.slice(2));
else refuse();
