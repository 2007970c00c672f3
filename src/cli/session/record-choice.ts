import { Unsupported } from '../../client/errors.ts';
import { type CommandSpec, positionalLabel, type RawInput } from '../kit/args/command-input.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Choice } from '../kit/host/host.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { alignedRows } from '../kit/output/terminal-lines.ts';
import { ageOf, styledTime } from '../kit/output/times.ts';
import { recordKind } from '../records.ts';
import type { Context } from './command.ts';

/** The part of the context that is used. */
interface ChoiceContext extends Pick<Context, 'client' | 'serviceNow'> {
  output: Pick<Context['output'], 'times'>;
}

/** Typing filters the choices; older records need their full ID. */
const max_choices = 50;

/**
 * Lists the latest records of a kind, newest first, each with its reference or ID, recipient or size, status and age;
 * empty for kinds that are not picked from a list. With `onlyOpen`, only what can still be dispatched.
 */
export async function latestRecords(
  context: ChoiceContext,
  name: string,
  onlyOpen = false,
): Promise<Choice<string>[]> {
  const kind = recordKind(name);
  if (kind?.isPicked !== true) return [];
  const briefs = await kind.latest(await context.client(), max_choices, onlyOpen).catch(noneIfUnsupported);
  const rows = briefs.map(({ id, reference, about = '', status, created_at }) => {
    const made = styledTime(created_at, context.serviceNow(), context.output.times, ageOf);
    return [reference || id, about, status, made].map((text) => ({ text: oneLine(text) }));
  });
  const names = alignedRows(rows, { room: null, indent: 0 });
  return briefs.map(({ id, reference }, index) => ({
    name: names[index] ?? id,
    value: id,
    ...(reference === '' ? {} : { description: id }),
  }));
}

/** Without a list the user types the ID. */
function noneIfUnsupported(error: unknown): [] {
  if (error instanceof Unsupported) return [];
  throw error;
}

/** Reads the ID of a record from stdin where a positional is `-`, as another command writes it with `-o id`. */
export async function withIdFromStdin(
  { positionals, flags }: Pick<CommandSpec, 'positionals' | 'flags'>,
  own: RawInput,
  context: Pick<Context, 'readFile'>,
): Promise<RawInput> {
  const entries = Object.entries(positionals);
  const readsStdin = ([, positional]: (typeof entries)[number], at: number) =>
    own.words[at] === '-' && !positional.variadic && recordKind(positional.kind) !== undefined;
  const index = entries.findIndex(readsStdin);
  const [name] = entries[index] ?? [];
  if (name === undefined) return own;
  const lines = (await context.readFile('-')).split('\n').map((line) => line.trim());
  const ids = lines.filter((line) => line !== '');
  const [id] = ids;
  if (id === undefined || ids.length > 1) {
    const several = Object.hasOwn(flags, 'from')
      ? 'For several, use --from -.'
      : 'For several, use xargs -n 1.';
    const hint = id === undefined ? 'The command before it has found nothing.' : several;
    throw new UsageError(`${positionalLabel(name)} is one ID, and stdin has ${ids.length} lines.`, { hint });
  }
  return { ...own, words: own.words.with(index, id) };
}
