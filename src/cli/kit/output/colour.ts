import type { ColourLevel } from '../host/host.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ColourAsked {
  /** `--color`. */
  mode: 'auto' | 'always' | 'never';
  environment: Environment;
  isTerminal: boolean;
}

/**
 * Decides on color for a stream: the flag, then NO_COLOR (no-color.org), FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR
 * (bixense.com/clicolors), TERM=dumb, then whether it is a terminal.
 */
export function colourLevel({ mode, environment, isTerminal }: ColourAsked): ColourLevel {
  if (mode === 'never') return 0;
  if (mode === 'always') return atLeastSome(environment);
  if (isSet(environment.NO_COLOR)) return 0;
  const forced = forcedLevel(environment);
  if (forced !== null) return forced;
  if (environment.CLICOLOR === '0' || environment.TERM === 'dumb' || !isTerminal) return 0;
  return terminalLevel(environment);
}

function forcedLevel(environment: Environment): ColourLevel | null {
  const { FORCE_COLOR: force, CLICOLOR_FORCE: clicolor } = environment;
  if (force === '0' || force === 'false') return 0;
  if (force === '1') return 1;
  if (force === '2') return 2;
  if (force === '3') return 3;
  if (isSet(force) || (isSet(clicolor) && clicolor !== '0')) return atLeastSome(environment);
  return null;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function atLeastSome(environment: Environment): ColourLevel {
  return terminalLevel(environment) || 1;
}

function terminalLevel({ COLORTERM, TERM = '' }: Environment): ColourLevel {
  if (COLORTERM === 'truecolor' || COLORTERM === '24bit') return 3;
  return TERM.includes('256') ? 2 : 1;
}
