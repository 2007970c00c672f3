import type { Palette } from './palette.ts';

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
