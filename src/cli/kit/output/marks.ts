import type { Palette } from './palette.ts';

const open = '\ufdd0';
const close = '\ufdd1';
const styles = ['strong', 'dim', 'good', 'bad', 'busy', 'warning'] as const;

/**
 * A palette that only marks what is to be painted, with characters that Unicode keeps for such uses: a line made
 * with it can be stripped of what others put into it, and painted after that.
 */
export const marking: Palette = {
  strong: (text) => `${open}0${text}${close}`,
  dim: (text) => `${open}1${text}${close}`,
  good: (text) => `${open}2${text}${close}`,
  bad: (text) => `${open}3${text}${close}`,
  busy: (text) => `${open}4${text}${close}`,
  warning: (text) => `${open}5${text}${close}`,
};

/** The marks of a line turned into its styles. */
export function painted(line: string, palette: Palette): string {
  const marked = new RegExp(`${open}(\\d)([^${close}]*)${close}`, 'g');
  const text = line.replace(marked, (_, index: string, inner: string) => {
    const style = styles[Number(index)];
    return style === undefined ? inner : palette[style](inner);
  });
  return text.replaceAll(open, '').replaceAll(close, '');
}
