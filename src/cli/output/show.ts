import type { Host } from '../host.ts';
import type { Result } from '../result.ts';
import type { OutputSettings } from './format.ts';
import { render } from './render.ts';
import { oneLine } from './sanitize.ts';

interface Shown {
  output: OutputSettings;
  serviceNow(): number;
  isWrite?: boolean;
}

/** Writes an answer, then what is to be said about it, and gives its exit code. */
export async function show(
  result: Result,
  { output, serviceNow, isWrite = false }: Shown,
  host: Pick<Host, 'stdout' | 'stderr'>,
): Promise<number> {
  let rows = 0;
  const counted =
    result.kind === 'list' ? { ...result, rows: counting(result.rows, () => (rows += 1)) } : result;
  let isWhole = true;
  const leftOut = () => {
    isWhole = false;
  };
  await render(counted, { stdout: host.stdout, settings: output, serviceNow, isWrite, leftOut });
  const notes = output.quiet ? [] : notesOf(result, rows, output);
  if (!isWhole && !output.quiet && host.stderr.isTerminal) notes.unshift('-o wide shows all columns.');
  for (const note of notes) await host.stderr.write(`${oneLine(note)}\n`);
  return typeof result.exit === 'function' ? result.exit() : (result.exit ?? 0);
}

async function* counting<T>(rows: Iterable<T> | AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

function notesOf(result: Result, rows: number, output: OutputSettings): string[] {
  const { notes: given = [] } = result;
  const notes = [...(typeof given === 'function' ? given() : given)];
  if (result.kind !== 'list') return notes;
  if (rows === 0 && !output.json) notes.unshift(result.empty);
  const more = result.more();
  return more === null ? notes : [...notes, `There is more: ${more.command}`];
}
