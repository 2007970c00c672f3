import { Failure } from '../errors/failure.ts';
import { type Host, PipeClosed, type Sink } from '../host/host.ts';
import { withArgs } from '../result/invocation.ts';
import { phrase, type Text } from '../result/message.ts';
import type { Result } from '../result/result.ts';
import type { OutputSettings } from './format.ts';
import { render } from './render.ts';
import { type Beside, sentence } from './sentence.ts';
import type { Shape } from './shape.ts';

interface Shown {
  output: OutputSettings;
  serviceNow(): number;
  place: Beside['place'];
  formatFlags(): readonly string[];
  isWrite?: boolean;
  /** The transformation by `--jq`. */
  shape?: Shape | null;
}

/** Writes a result and its notes, and returns its exit code. */
export async function show(
  result: Result,
  { output, serviceNow, place, formatFlags, isWrite = false, shape = null }: Shown,
  host: Pick<Host, 'stdout' | 'stderr' | 'environment' | 'pager'>,
): Promise<number> {
  let rows = 0;
  const counted =
    result.kind === 'list' ? { ...result, rows: counting(result.rows, () => (rows += 1)) } : result;
  let isWhole = true;
  const leftOut = () => {
    isWhole = false;
  };
  const now = result.now ?? serviceNow;
  const surface = { settings: output, serviceNow: now, isWrite, leftOut, shape };
  const work = (stdout: Sink) => render(counted, { ...surface, stdout });
  if (isWrite && output.format === 'id' && host.stdout.isClosed) throw await lostAnswer(host.stdout, work);
  try {
    if (!isScreen(host.stdout, output)) await work(host.stdout);
    else await (await import('./paging.ts')).onScreen(result.kind, output, host, work);
  } catch (error) {
    // A closed pipe hides the result; the exit code of the command is still right.
    if (error instanceof PipeClosed && typeof result.exit === 'number') return result.exit;
    throw error;
  }
  const notes = output.quiet ? [] : notesOf(result, rows, { output, formatFlags });
  if (!isWhole && !output.quiet && host.stderr.isTerminal) notes.unshift('-o wide shows all columns.');
  const beside = { output, stderr: host.stderr, now: now(), place };
  for (const note of notes) await host.stderr.write(`${sentence(note, beside)}\n`).catch(() => {});
  return typeof result.exit === 'function' ? result.exit() : (result.exit ?? 0);
}

/** Exit 1: the IDs that a script asked for cannot reach it. The error names them. */
async function lostAnswer(stdout: Sink, work: (stdout: Sink) => Promise<void>): Promise<Failure> {
  let text = '';
  const write = async (part: string) => {
    text += part;
  };
  await work({ isTerminal: false, columns: stdout.columns, rows: stdout.rows, write });
  const message = `stdout is closed, so the answer is lost: ${text.trim().split('\n').join(', ')}`;
  return new Failure(1, 'output_failed', message);
}

/** True if a person reads the result in a terminal. */
function isScreen({ isTerminal }: Sink, { format, links, pages }: OutputSettings): boolean {
  return isTerminal && (format === 'table' || format === 'wide') && (links || pages);
}

async function* counting<T>(rows: Iterable<T> | AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

function notesOf(
  result: Result,
  rows: number,
  { output, formatFlags }: Pick<Shown, 'output' | 'formatFlags'>,
): Text[] {
  const { notes: given = [] } = result;
  const notes = [...(typeof given === 'function' ? given() : given)];
  if (result.kind !== 'list') return notes;
  if (rows === 0 && !output.json) notes.unshift(result.empty);
  const more = result.more();
  return more === null ? notes : [...notes, phrase`There is more: ${withArgs(more.command, formatFlags())}`];
}
