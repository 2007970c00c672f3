import type { Show } from '../result/result.ts';
import type { Palette } from './colour.ts';
import { type Surface, textStyleOf } from './destination.ts';
import { isForPeople } from './formats.ts';
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

const open = '\ufdd0';
const close = '\ufdd1';
const styles = ['strong', 'dim', 'good', 'bad', 'busy', 'warning'] as const;

/**
 * A palette that only marks text for painting, with noncharacters of Unicode: the line can be sanitized first and
 * painted afterwards.
 */
export const marking: Palette = {
  strong: (text) => `${open}0${text}${close}`,
  dim: (text) => `${open}1${text}${close}`,
  good: (text) => `${open}2${text}${close}`,
  bad: (text) => `${open}3${text}${close}`,
  busy: (text) => `${open}4${text}${close}`,
  warning: (text) => `${open}5${text}${close}`,
};

/** Replaces the marks of a line by styles. */
export function painted(line: string, palette: Palette): string {
  const marked = new RegExp(`${open}(\\d)([^${close}]*)${close}`, 'g');
  const text = line.replace(marked, (_, index: string, inner: string) => {
    const style = styles[Number(index)];
    return style === undefined ? inner : palette[style](inner);
  });
  return text.replaceAll(open, '').replaceAll(close, '');
}
