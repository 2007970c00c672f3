/**
 * Draws `src/guide/explain.svg`: what `waybill deliveries explain` shows in a terminal for a real run on the embedded
 * service with a fixed seed and a manual clock. Run `node src/build/picture.ts` after a build.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';

const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'bin', 'waybill.cjs');
const columns = 92;
const character = { width: 8.4, height: 18, size: 14 };
const margin = 16;

const palette = {
  background: '#0d1117',
  foreground: '#e6edf3',
  // The eight terminal colors in order (ECMA-48).
  colors: ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
};

const order = [
  ...['--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'Ohio Street Grill'],
  ...['--pickup-phone', '+13125550100', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'Joe Diner', '--dropoff-phone', '+13125550142', '--item', 'Brisket Classic:4'],
  ...['--ref', '1042', '--providers', 'swiftly'],
];

function environment(home: string): Record<string, string> {
  return {
    HOME: home,
    PATH: process.env.PATH ?? '',
    TZ: 'America/Chicago',
    LANG: 'C.UTF-8',
    COLUMNS: String(columns),
    TERM: 'xterm-256color',
    COLORTERM: '',
    FORCE_HYPERLINK: '0',
    WAYBILL_NO_UPDATE_NOTICE: '1',
    WAYBILL_INSECURE_STORAGE: 'yes',
    WAYBILL_PAGER: '',
  };
}

/** Runs a command of the built program and returns its output. */
function waybill(home: string, ...argv: string[]): string {
  const options = { env: environment(home), encoding: 'utf8' } as const;
  return execFileSync(process.execPath, [program, ...argv], options).trim();
}

/** Runs a command in a terminal and resolves to its final screen. */
async function screenOf(home: string, argv: readonly string[]): Promise<Terminal> {
  const screen = new xterm.Terminal({ cols: columns, rows: 60, allowProposedApi: true });
  const child = spawn(process.execPath, [program, ...argv], {
    cols: columns,
    rows: 60,
    env: environment(home),
  });
  const writes: Promise<void>[] = [];
  child.onData((data) => writes.push(new Promise((resolve) => screen.write(data, resolve))));
  await new Promise<void>((resolve) => child.onExit(() => resolve()));
  await Promise.all(writes);
  return screen;
}

function colorOf(cell: IBufferCell): string {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, '0')}`;
  return (cell.isFgDefault() ? undefined : palette.colors[cell.getFgColor() % 8]) ?? palette.foreground;
}

function styleOf(cell: IBufferCell): string {
  const bold = cell.isBold() === 0 ? '' : ' font-weight="bold"';
  const dim = cell.isDim() === 0 ? '' : ' opacity="0.6"';
  return `fill="${colorOf(cell)}"${bold}${dim}`;
}

interface Run {
  column: number;
  text: string;
  style: string;
}

/** Groups the characters of a line into runs of one style. */
function runsOf(screen: Terminal, line: number): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    const cell = screen.buffer.active.getLine(line)?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    if (last?.style === style) last.text += cell.getChars() || ' ';
    else runs.push({ column, text: cell.getChars() || ' ', style });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function svgOf(command: string, screen: Terminal): string {
  const lines = Array.from({ length: screen.rows }, (_, line) => runsOf(screen, line));
  const used = lines.findLastIndex((runs) => runs.length > 0) + 1;
  const prompt: Run = {
    column: 0,
    text: `$ ${command}`,
    style: `fill="${palette.foreground}" font-weight="bold"`,
  };
  const drawn = [[prompt], ...lines.slice(0, used)];
  const width = Math.ceil(columns * character.width + 2 * margin);
  const height = drawn.length * character.height + 2 * margin;
  const texts = drawn.flatMap((runs, line) =>
    runs.map(({ column, text, style }) => {
      const x = (margin + column * character.width).toFixed(1);
      const y = margin + (line + 0.75) * character.height;
      const end = text.trimEnd();
      const length = (end.length * character.width).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${length}" xml:space="preserve" ${style}>${escaped(end)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Output of ${command}">`,
    `<rect width="100%" height="100%" rx="8" fill="${palette.background}"/>`,
    `<g font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${character.size}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

const home = mkdtempSync(join(tmpdir(), 'waybill-picture-'));
try {
  waybill(home, 'sandbox', 'reset', '--seed', '7', '--yes');
  waybill(home, 'sandbox', 'clock', 'manual');
  waybill(home, 'orders', 'create', '--auto', ...order);
  waybill(home, 'sandbox', 'advance', '--by', '1m');
  waybill(home, 'sandbox', 'advance', '--until', '1042:enroute_dropoff');
  const argv = ['deliveries', 'explain', '1042'];
  const screen = await screenOf(home, argv);
  writeFileSync(join(root, 'src', 'guide', 'explain.svg'), svgOf(`waybill ${argv.join(' ')}`, screen));
} finally {
  rmSync(home, { recursive: true, force: true });
}
