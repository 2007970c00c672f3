import type { Show } from '../result.ts';
import { marking, painted } from './marks.ts';
import { sanitized } from './sanitize.ts';
import { looksOf, type Surface } from './surface.ts';
import { showWith } from './values.ts';

/** A text for people: stripped of what others put into it, then painted. */
export async function people<T extends string | null>(
  text: (show: Show) => T,
  surface: Surface,
): Promise<T | string> {
  const { palette, ...looks } = await looksOf(surface);
  const { ink } = surface.settings;
  const made = text(showWith({ ...looks, palette: marking }, { room: surface.stdout.columns, ink }));
  return made === null ? made : `${painted(sanitized(made), palette)}\n`;
}
