import type { Show } from '../result/result.ts';
import { isForPeople, type Surface, textStyleOf } from './destination.ts';
import { marking, painted } from './marks.ts';
import { sanitized } from './sanitize.ts';
import { showWith } from './value-text.ts';

/** Makes text for people: sanitized, then painted. Programs that read lines get it plain. */
export async function people<T extends string | null>(
  text: (show: Show) => T,
  surface: Surface,
): Promise<T | string> {
  const { palette, ...style } = await textStyleOf(surface);
  const { format, ink } = surface.settings;
  const ground = isForPeople(format) ? { room: surface.stdout.columns, ink } : { room: null, ink: null };
  const made = text(showWith({ ...style, palette: marking }, ground));
  return made === null ? made : `${painted(sanitized(made), palette)}\n`;
}
