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
  const begin = Math.round(Math.max(0, first) * room);
  const end = Math.max(begin + 1, Math.round(second * room));
  const turn = Math.min(begin, room - 1);
  return light.repeat(turn) + dark.repeat(Math.min(end, room) - turn);
}

/**
 * Divides columns in proportion to integer weights by largest remainder; each nonzero weight gets at least one, for
 * which there must be room.
 */
export function shareColumns(columns: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((remaining, right) => remaining + right, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (columns * weight) / sum);
  const shares = exact.map((share) => (share > 0 ? Math.max(1, Math.floor(share)) : 0));
  let left = columns - shares.reduce((taken, share) => taken + share, 0);
  while (left !== 0) {
    const step = Math.sign(left);
    const lag = shares.map((share, index) => step * ((exact[index] ?? 0) - share));
    const free = lag.map((each, index) =>
      (shares[index] ?? 0) + step < 1 ? Number.NEGATIVE_INFINITY : each,
    );
    const next = free.indexOf(Math.max(...free));
    shares[next] = (shares[next] ?? 0) + step;
    left -= step;
  }
  return shares;
}
