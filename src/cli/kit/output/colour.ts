/** Colors: whether a stream has them (`colourLevel`), the styles of text (`paletteFor`), and the color of each status. */
import { statusWord } from '../../../domain/status-words.ts';
import type { ColourLevel, Environment } from '../host/host.ts';

export const colourModes = ['auto', 'always', 'never'] as const;

export interface ColourOptions {
  /** `--color`. */
  mode: (typeof colourModes)[number];
  environment: Environment;
  isTerminal: boolean;
}

/**
 * Decides on color for a stream: the flag, then NO_COLOR (no-color.org), FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR
 * (bixense.com/clicolors), TERM=dumb, then whether it is a terminal.
 */
export function colourLevel({ mode, environment, isTerminal }: ColourOptions): ColourLevel {
  if (mode === 'never') return 0;
  if (mode === 'always') return terminalLevelOr16(environment);
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
  if (isSet(force) || (isSet(clicolor) && clicolor !== '0')) return terminalLevelOr16(environment);
  return null;
}

/** The variable, read by all programs, that overrides the profile, and the mode that it stands for; null without one. */
export function colourVariable(
  environment: Environment,
): { name: string; mode: ColourOptions['mode'] } | null {
  const variables = ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE', 'CLICOLOR'] as const;
  const name = variables.find((each) => isSet(environment[each]));
  if (name === undefined) return null;
  const level = (isTerminal: boolean) => colourLevel({ mode: 'auto', environment, isTerminal });
  if (level(false) > 0) return { name, mode: 'always' };
  return { name, mode: level(true) > 0 ? 'auto' : 'never' };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function terminalLevelOr16(environment: Environment): ColourLevel {
  return terminalLevel(environment) || 1;
}

function terminalLevel({ COLORTERM, TERM = '' }: Environment): ColourLevel {
  if (COLORTERM === 'truecolor' || COLORTERM === '24bit') return 3;
  return TERM.includes('256') ? 2 : 1;
}

type Paint = (text: string) => string;

/** The text styles; without color each returns its text unchanged. */
export interface Palette {
  strong: Paint;
  dim: Paint;
  good: Paint;
  bad: Paint;
  busy: Paint;
  warning: Paint;
}

const same: Paint = (text) => text;
export const plainPalette: Palette = {
  strong: same,
  dim: same,
  good: same,
  bad: same,
  busy: same,
  warning: same,
};

/** Chalk is only loaded if color is used. */
export async function paletteFor(level: ColourLevel): Promise<Palette> {
  if (level === 0) return plainPalette;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  return {
    strong: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    bad: (text) => chalk.red(text),
    busy: (text) => chalk.cyan(text),
    warning: (text) => chalk.yellow(text),
  };
}

// These are lists instead of patterns, which would be compiled at every start.
const goodStatuses = [
  'delivered',
  'complete',
  'completed',
  'COMPLETE',
  'ok',
  'active',
  'up',
  'enabled',
  'succeeded',
];
const badStatuses = ['failed', 'fail', 'unfulfilled', 'down', 'no_capacity'];
const dimStatuses = ['request', 'draft', 'open', 'revoked', 'disabled', 'canceled by the service'];
/** The statuses of deliveries without a driver under way. */
const neutralStatuses = ['waiting for a driver', 'scheduled'];
const warningStatuses = ['warn', 'driver_not_assigned', 'disputed'];

/** The width of a status in lines that are printed one at a time; only the rare `canceled by the service` is longer. */
export const statusWidth = statusWord('delivery_created').length;

/** Colors a status by its meaning, which the word itself says as well. */
export function paintStatus(status: string, palette: Palette): string {
  const shown = statusWord(status);
  // The name of the status may follow its word: `waiting for a driver (delivery_created)`.
  const word = shown.replace(/ \(\w+\)$/, '');
  const isBad = word.includes('return') || word.includes('unable') || badStatuses.includes(word);
  if (goodStatuses.includes(word)) return palette.good(shown);
  if (isBad) return palette.bad(shown);
  if (word.endsWith('canceled') || dimStatuses.includes(word)) return palette.dim(shown);
  if (neutralStatuses.includes(word)) return shown;
  return warningStatuses.includes(word) ? palette.warning(shown) : palette.busy(shown);
}
