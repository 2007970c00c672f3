import { useEffect, useRef, useState } from '@inquirer/core';
import type { Palette } from '../output/colour.ts';
import { moveUpAndErase, type Screen } from './screen.ts';
import { rowsOf, wrapLine } from './wrap-line.ts';

/** What a prompt is displayed with. */
export interface Display {
  screen: Screen;
  palette: Palette;
  /** Calls back once, unless the returned function is called before. */
  timer(milliseconds: number, expired: () => void): () => void;
}

/** The rows of an open question; what is typed follows the last of them. */
export function questionRows({ screen, palette }: Display, message: string, behind = ''): string[] {
  return wrapLine(`${palette.busy('?')} ${palette.strong(message)} ${behind}`, screen.columns);
}

/** The line of an answered question. */
export function answerLine({ palette }: Pick<Display, 'palette'>, message: string, answer: string): string {
  const parts = [
    palette.good('✔'),
    palette.strong(message),
    ...(answer === '' ? [] : [palette.busy(answer)]),
  ];
  return parts.join(' ');
}

export function faultRows({ screen, palette }: Display, fault: string | null): string[] {
  return fault === null ? [] : wrapLine(palette.bad(`> ${fault}`), screen.columns);
}

type View = [content: string, bottom: string];

/**
 * Returns the view of a prompt, and renders it again when the terminal is resized. The terminal has reflowed the old
 * rows by then: where they became more, the cursor is further from the first than the library assumes, and the
 * difference is erased here.
 */
export function useView(
  { screen }: Display,
  content: readonly string[],
  bottom: readonly string[] = [],
): View {
  const [, setSize] = useState({});
  const last = useRef({ content, columns: screen.columns });
  last.current = { content, columns: screen.columns };
  useEffect((rl) => {
    const redraw = () => {
      const { rows, cols } = rl.getCursorPos();
      const extra = extraRows(last.current, rows * screen.columns + cols, screen.columns);
      if (extra > 0) screen.terminal.write(moveUpAndErase(extra));
      setSize({});
    };
    screen.terminal.on('resize', redraw);
    return () => {
      screen.terminal.off('resize', redraw);
    };
  }, []);
  return [content.join('\n'), bottom.join('\n')];
}

interface Drawn {
  content: readonly string[];
  columns: number;
}

/** How many more rows lead to the cursor once the content is reflowed from its own width to another. */
function extraRows({ content, columns: before }: Drawn, cursor: number, after: number): number {
  const above = content.slice(0, -1).reduce((sum, row) => sum + rowsOf(row, after) - 1, 0);
  const full = Math.floor(cursor / before);
  const own = full * Math.ceil(before / after) + Math.floor((cursor % before) / after);
  return above + own - full;
}
