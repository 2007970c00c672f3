/** Problems in a terminal: a line for each, with a command that is short and works when it is pasted. */
import { ifSupported } from '../../../client/errors.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { displayWidth, padded, shortId, truncatedToWidth } from '../../kit/output/terminal-lines.ts';
import { type Formatters, isForPeople } from '../../kit/result/result.ts';
import type { ShownProblem } from '../../nouns/collect-problems.ts';
import { shortcuts } from '../../records.ts';
import type { Context } from '../../session/command.ts';

/** A problem, and its next command as it is printed. */
export interface ProblemLine {
  problem: ShownProblem;
  command: string;
}

/** The problems with their next commands, which name references in place of IDs where people read them. */
export async function withShortCommands(
  context: Context,
  items: readonly ShownProblem[],
): Promise<ProblemLine[]> {
  const isRead = isForPeople(context.output.format);
  const references = isRead ? await referencesOf(context, items) : new Set<string>();
  return items.map((problem) => {
    const { step } = problem;
    const short = { ...step, command: shortCommand(step.command), args: shortArgs(problem, references) };
    return { problem, command: oneLine(context.commandText(short)) };
  });
}

/** A longer reference would save no room compared to the end of an ID. */
const max_reference = 20;

/** The references that identify one order each, so that a command may name them in place of an ID. */
async function referencesOf(context: Context, items: readonly ShownProblem[]): Promise<ReadonlySet<string>> {
  const client = await context.client();
  const typed = new Set(items.flatMap(({ external_order_ref }) => external_order_ref ?? []));
  const found = new Set<string>();
  for (const external_order_ref of typed) {
    // Look-ups would read these as an ID, a flag or a phone number.
    if (external_order_ref.length > max_reference || !/^[^\s_-][^\s_]*$/.test(external_order_ref)) continue;
    if (/^\+?\d{7,}$/.test(external_order_ref)) continue;
    const listed = client.orders.list({ query: { external_order_ref, limit: 2 } });
    const orders = await ifSupported(
      listed.then(({ data }) => data.data),
      [],
    );
    if (orders.length === 1) found.add(external_order_ref);
  }
  return found;
}

/** The arguments of its next command with its reference, or with the end of an ID that is only looked up. */
function shortArgs(
  { id, external_order_ref: ref, step }: ShownProblem,
  references: ReadonlySet<string>,
): string[] {
  const isNamed = ref !== null && references.has(ref);
  const ownName = step.command === 'deliveries explain' ? shortId(id) : id;
  const name = isNamed ? ref : ownName;
  return step.args.map((arg) => (arg === id ? name : arg));
}

/** The shorter name of a command, if it has one: `retry` for `deliveries retry`. */
function shortCommand(command: string): string {
  const [noun, verb = ''] = command.split(' ');
  return noun === 'deliveries' && Object.hasOwn(shortcuts, verb) ? verb : command;
}

/** The space between two columns. */
const gap = '  ';
/** The columns that are left to a name at least. */
const min_name = 8;

/** The texts of a problem: its kind, reference, person and time, why it is one, and the next command. */
type Texts = Record<'kind' | 'label' | 'who' | 'when' | 'what' | 'command', string>;

/**
 * A line for each problem: what it is, the reference, whom it concerns, since when, the next command, and why, which
 * stands on a line of its own without room for it. Names are shortened first, and so is such a reason.
 */
export function problemLines(lines: readonly ProblemLine[], show: Formatters): string[] {
  const whole = lines.map((line) => textsOf(line, show));
  const space = show.room ?? Number.POSITIVE_INFINITY;
  const hasWhy = widthOf(whole, ['kind', 'label', 'who', 'when', 'what', 'command']) <= space;
  const all = hasWhy ? whole : whole.map(withShortTime);
  const layout = layoutOf(all, space, hasWhy);
  return all.flatMap((texts) => linesOf(texts, layout, show));
}

function textsOf({ problem, command }: ProblemLine, show: Formatters): Texts {
  const { kind, id, external_order_ref: ref, who = '', what, since, zone, timesText } = problem;
  const { clock } = show.inZone(zone);
  const when = timesText?.(clock) ?? (since === null ? '' : `since ${clock(since)}`);
  return { kind, label: oneLine(ref || shortId(id)), who: oneLine(who), when, what: oneLine(what), command };
}

function withShortTime(texts: Texts): Texts {
  return { ...texts, when: texts.when.replace(/^promised /, 'due ') };
}

/** The widths of the columns. */
interface Layout extends Record<Exclude<keyof Texts, 'command'>, number> {
  space: number;
  /** Whether every reason has room on the line of its problem. */
  hasWhy: boolean;
  /** The room for the name and the command together. */
  shared: number;
}

/** Names get what the commands leave that fit beside a short name. */
function layoutOf(all: readonly Texts[], space: number, hasWhy: boolean): Layout {
  const width = (key: keyof Texts) => widthOf(all, [key]);
  const shared = space - widthOf(all, ['kind', 'label', 'when']) - 2 * gap.length;
  const fitting = all.map(({ command }) => displayWidth(command)).filter((each) => each <= shared - min_name);
  const who = Math.min(width('who'), Math.max(min_name, shared - Math.max(0, ...fitting)));
  const [kind, label, when, what] = [width('kind'), width('label'), width('when'), width('what')];
  return { space, hasWhy, shared, kind, label, who, when, what };
}

/** The lines of one problem: a command without room beside it stands below. */
function linesOf(
  { kind, label, who, when, what, command }: Texts,
  layout: Layout,
  show: Formatters,
): string[] {
  const { space, hasWhy, shared } = layout;
  const name_and_command = layout.who + displayWidth(command);
  const isAligned = name_and_command <= shared;
  const isBeside = isAligned || name_and_command + displayWidth(when) - layout.when <= shared;
  const head = [
    show.warning(kind) + ' '.repeat(layout.kind - displayWidth(kind)),
    padded(label, layout.label),
    padded(truncatedToWidth(who, layout.who), layout.who),
    isAligned ? padded(when, layout.when) : when,
    ...(hasWhy ? [padded(what, layout.what)] : []),
  ].join(gap);
  const why = hasWhy ? [] : [`${gap}${show.dim(truncatedToWidth(what, space - gap.length))}`];
  return isBeside
    ? [`${head}${gap}${show.strong(command)}`, ...why]
    : [head.trimEnd(), ...why, `${gap}${show.strong(command)}`];
}

/** The width of columns side by side. */
function widthOf(all: readonly Texts[], keys: readonly (keyof Texts)[]): number {
  const widths = keys.map((key) => Math.max(...all.map((each) => displayWidth(each[key]))));
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
}
