/** Output in a terminal: with hyperlinks where the terminal has them, and with a pager for long text. */
import { type Environment, type Host, type Pager, PipeClosed, type Sink } from '../host/host.ts';
import { product } from '../product.ts';
import { shellWords } from '../result/message.ts';
import type { Result } from '../result/result.ts';
import { isPagingImpossible, type OutputSettings } from './output-settings.ts';
import { displayWidth } from './terminal-lines.ts';

/** A terminal that pages its text once it is longer than the screen. */
export interface PagedSink extends Sink {
  /** Writes buffered text, or waits until the user has quit the pager. */
  end(): Promise<void>;
}

/**
 * Buffers text until it is longer than the screen, then pipes it all to a pager; without a pager it is written as it
 * arrives. Quitting the pager early ends the output without an error.
 */
function pagedSink(sink: Sink, openPager: () => Promise<Pager | null>): PagedSink {
  let buffered: string | null = '';
  let pager: Pager | null = null;
  const writeOut = async (text: string) => {
    if (pager === null) await sink.write(text);
    else await pager.write(text);
  };
  return {
    isTerminal: sink.isTerminal,
    columns: sink.columns,
    rows: sink.rows,
    async write(text) {
      if (buffered === null) return writeOut(text);
      buffered += text;
      if (!isLongerThanScreen(buffered, sink)) return;
      const all = buffered;
      buffered = null;
      pager = await openPager();
      await writeOut(all);
    },
    async end() {
      if (buffered !== null && buffered !== '') await sink.write(buffered);
      await pager?.end();
    },
  };
}

/** True if a text has more lines than the screen without the line of the shell's prompt. */
export function isLongerThanScreen(text: string, { columns, rows }: Pick<Sink, 'columns' | 'rows'>): boolean {
  if (rows === null) return false;
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length >= rows) return true;
  const width = columns ?? Number.POSITIVE_INFINITY;
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0) >= rows;
}

/** Writes through the pager, which must be quit before anything else is printed. */
export async function withPager(
  sink: Sink,
  open: () => Promise<Pager | null>,
  work: (sink: Sink) => Promise<void>,
): Promise<void> {
  const screen = pagedSink(sink, open);
  try {
    await work(screen);
  } catch (error) {
    if (!(error instanceof PipeClosed)) throw error;
  } finally {
    await screen.end();
  }
}

/** The pager's command: WAYBILL_PAGER, then PAGER, then less; null if paging is turned off: empty, or `cat`. */
export function pagerCommand(environment: Environment): [string, ...string[]] | null {
  const command = (ownVariable(environment, 'PAGER') ?? environment.PAGER ?? 'less -FRX').trim();
  const [program, ...rest] = shellWords(command);
  return program === undefined || program === 'cat' ? null : [program, ...rest];
}

type Screen = Pick<Host, 'stdout' | 'environment' | 'pager'>;

/** The kinds of results that may be long. A record, or the drawing of one, is printed without a pager. */
const pagedKinds: readonly Result['kind'][] = ['list', 'text'];

/** Writes a result for people: with links if the terminal has color and links, and in a pager if it may be long. */
export async function writeToTerminal(
  kind: Result['kind'],
  { stdoutColour, canPage }: Pick<OutputSettings, 'stdoutColour' | 'canPage'>,
  { stdout, environment, pager }: Screen,
  work: (stdout: Sink) => Promise<void>,
): Promise<void> {
  const hasLinks = stdoutColour > 0 && supportsHyperlinks(environment);
  const screen = hasLinks ? hyperlinkSink(stdout) : stdout;
  const words = canPage && pagedKinds.includes(kind) ? pagerCommand(environment) : null;
  if (words === null) return work(screen);
  return withPager(screen, () => pager(words), work);
}

/** Writes text such as help before any command runs, by the typed flags (`texts`) and the environment alone. */
export async function writeTextToTerminal(
  text: string,
  texts: ReadonlyMap<string, unknown>,
  host: Screen,
): Promise<void> {
  const { environment } = host;
  const variables = [
    environment.ACCESSIBLE,
    ownVariable(environment, 'ACCESSIBLE'),
    ownVariable(environment, 'NO_PAGER'),
  ];
  const isTurnedOff = variables.some((word = '') => word !== '' && word !== '0');
  const isTyped = texts.has('noPager') || texts.has('accessible');
  const canPage = !isTurnedOff && !isTyped && !isPagingImpossible(host);
  await writeToTerminal('text', { stdoutColour: 0, canPage }, host, (stdout) => stdout.write(text));
}

/** The value of the program's variable with this name: `PAGER` for `WAYBILL_PAGER`. */
function ownVariable(environment: Environment, name: string): string | undefined {
  return environment[product.environment_prefix + name];
}

/**
 * True if a terminal supports OSC 8 links: FORCE_HYPERLINK, then the terminal's own variables, by the rules of the
 * package supports-hyperlinks. Unknown terminals count as unsupported, as some print the sequence.
 */
export function supportsHyperlinks(environment: Environment): boolean {
  const { FORCE_HYPERLINK: forced, TERM = '', VTE_VERSION = '' } = environment;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (environment.CI || environment.TEAMCITY_VERSION || TERM === 'dumb') return false;
  if (environment.WT_SESSION || environment.DOMTERM) return true;
  if (isKnownTerminal(environment)) return true;
  const vte = /^\d+$/.test(VTE_VERSION) ? Number(VTE_VERSION) : 0;
  // The version 0.50.0, written as 5000, fails on links.
  if (vte > 5000) return true;
  return /^(?:alacritty|xterm-kitty|xterm-ghostty|foot)/.test(TERM);
}

/** The versions since which these terminals support links. */
const terminals: Readonly<Record<string, readonly number[]>> = {
  'iTerm.app': [3, 1],
  WezTerm: [20200620],
  vscode: [1, 72],
  ghostty: [0],
  zed: [0],
};

function isKnownTerminal({ TERM_PROGRAM = '', TERM_PROGRAM_VERSION = '' }: Environment): boolean {
  const required = Object.hasOwn(terminals, TERM_PROGRAM) ? terminals[TERM_PROGRAM] : undefined;
  if (required === undefined) return false;
  const version = TERM_PROGRAM_VERSION.split(/[.-]/).map(Number);
  const differing = required.findIndex((part, index) => part !== (version[index] ?? 0));
  return differing === -1 || (version[differing] ?? 0) > (required[differing] ?? 0);
}

/** A URL in a text without the punctuation after it. */
const urlInText = /https?:\/\/[!-~]*[A-Za-z0-9/_~=&#%+$-]/g;
const linkStart = '\u001b]8;;';
const linkEnd = '\u001b\\';

/** Links each URL in a text to itself. A URL has only visible characters, so that no sequence can end early in it. */
export function withHyperlinks(text: string): string {
  return text.replace(urlInText, (url) => `${linkStart}${url}${linkEnd}${url}${linkStart}${linkEnd}`);
}

/** Wraps a terminal so that URLs become links. */
function hyperlinkSink(sink: Sink): Sink {
  const write = (text: string) => sink.write(withHyperlinks(text));
  return Object.create(sink, { write: { value: write } });
}
