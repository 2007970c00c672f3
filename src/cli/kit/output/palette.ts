import type { ColourLevel } from '../host/host.ts';

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
export const plain: Palette = { strong: same, dim: same, good: same, bad: same, busy: same, warning: same };

/** Chalk is only loaded if color is used. */
export async function paletteFor(level: ColourLevel): Promise<Palette> {
  if (level === 0) return plain;
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

// A list instead of patterns, which would be compiled at every start.
const good = ['delivered', 'complete', 'completed', 'COMPLETE', 'ok', 'active', 'up', 'enabled', 'succeeded'];
const bad = ['failed', 'fail', 'unfulfilled', 'down', 'no_capacity'];
const quiet = ['request', 'draft', 'open', 'revoked', 'disabled'];
/** Created, with no driver under way. */
const neutral = ['delivery_created', 'scheduled'];
const warning = ['warn', 'driver_not_assigned', 'disputed'];

/** Colors a status; the word itself carries the meaning. */
export function paintStatus(status: string, palette: Palette): string {
  const isBad = status.includes('return') || status.includes('unable') || bad.includes(status);
  if (good.includes(status)) return palette.good(status);
  if (isBad) return palette.bad(status);
  if (status.endsWith('canceled') || quiet.includes(status)) return palette.dim(status);
  if (neutral.includes(status)) return status;
  return warning.includes(status) ? palette.warning(status) : palette.busy(status);
}
