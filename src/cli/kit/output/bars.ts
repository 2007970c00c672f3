/** Bars of characters for a terminal, and how columns are shared among them. */
import type { PlotCharset } from '../result/result.ts';

/** Characters for zero to seven eighths of a column. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Draws a bar with a share (0 to 1) of `room` columns; a share above 0 is always visible. */
export function bar(share: number, room: number, plotCharset: PlotCharset): string {
  if (share <= 0) return '';
  if (plotCharset === 'ascii') return '#'.repeat(Math.max(1, Math.round(share * room)));
  const parts = Math.max(1, Math.round(share * room * 8));
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

/** Draws a bar in two parts: light up to the first share of `room` columns, dark up to the second. */
export function twoPartBar(
  [first, second]: readonly [number, number],
  room: number,
  plotCharset: PlotCharset,
): string {
  const [light, dark] = plotCharset === 'ascii' ? ['.', '#'] : ['░', '█'];
  const light_end = Math.round(Math.max(0, first) * room);
  const dark_end = Math.max(light_end + 1, Math.round(second * room));
  // The dark part is always visible.
  const light_columns = Math.min(light_end, room - 1);
  return light.repeat(light_columns) + dark.repeat(Math.min(dark_end, room) - light_columns);
}

/**
 * Divides columns in proportion to integer weights by largest remainder; each nonzero weight gets at least one, for
 * which there must be room.
 */
export function shareColumns(columns: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (columns * weight) / sum);
  const shares = exact.map((share) => (share > 0 ? Math.max(1, Math.floor(share)) : 0));
  let remaining = columns - shares.reduce((total, share) => total + share, 0);
  while (remaining !== 0) {
    // Gives a column to the share that lags most behind, or takes one from the share that is most ahead.
    const step = Math.sign(remaining);
    const lags = shares.map((share, index) =>
      share + step < 1 ? Number.NEGATIVE_INFINITY : step * ((exact[index] ?? 0) - share),
    );
    const next = lags.indexOf(Math.max(...lags));
    shares[next] = (shares[next] ?? 0) + step;
    remaining -= step;
  }
  return shares;
}
