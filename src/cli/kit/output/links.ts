import type { Sink } from '../host/host.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * True if a terminal supports OSC 8 links: FORCE_HYPERLINK, then the terminal's own variables, by the rules of the
 * package supports-hyperlinks. Unknown terminals count as unsupported, as some print the sequence.
 */
export function showsLinks(environment: Environment): boolean {
  const { FORCE_HYPERLINK: forced, TERM = '', VTE_VERSION = '' } = environment;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (environment.CI || environment.TEAMCITY_VERSION || TERM === 'dumb') return false;
  if (environment.WT_SESSION || environment.DOMTERM) return true;
  if (isKnownProgram(environment)) return true;
  const vte = /^\d+$/.test(VTE_VERSION) ? Number(VTE_VERSION) : 0;
  // 0.50.0 fails on links.
  if (vte > 5000) return true;
  return /^(?:alacritty|xterm-kitty|xterm-ghostty|foot)/.test(TERM);
}

/** The versions since which these terminals support links. */
const programs: Readonly<Record<string, readonly number[]>> = {
  'iTerm.app': [3, 1],
  WezTerm: [20200620],
  vscode: [1, 72],
  ghostty: [0],
  zed: [0],
};

function isKnownProgram({ TERM_PROGRAM = '', TERM_PROGRAM_VERSION = '' }: Environment): boolean {
  const least = Object.hasOwn(programs, TERM_PROGRAM) ? programs[TERM_PROGRAM] : undefined;
  if (least === undefined) return false;
  const given = TERM_PROGRAM_VERSION.split(/[.-]/).map(Number);
  const index = least.findIndex((part, place) => part !== (given[place] ?? 0));
  return index === -1 || (given[index] ?? 0) > (least[index] ?? 0);
}

/** A URL in a text without the punctuation after it. */
const address = /https?:\/\/[!-~]*[A-Za-z0-9/_~=&#%+$-]/g;
const open = '\u001b]8;;';
const end = '\u001b\\';

/**
 * Makes each URL in a text a link to itself. It only contains visible characters, so that no sequence can end early in
 * it.
 */
export function linked(text: string): string {
  return text.replace(address, (url) => `${open}${url}${end}${url}${open}${end}`);
}

/** Wraps a terminal so that URLs become links. */
export function linking(sink: Sink): Sink {
  return {
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    get rows() {
      return sink.rows;
    },
    write: (text) => sink.write(linked(text)),
  };
}
