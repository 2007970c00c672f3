/** Problems in a terminal: a line for each, with a command that is short and works when it is pasted. */
import { ifSupported } from '../../../client/errors.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { displayWidth, padded, shortId, truncatedToWidth } from '../../kit/output/terminal-lines.ts';
import { type Invocation, invocation } from '../../kit/result/message.ts';
import { type Formatters, isForPeople } from '../../kit/result/result.ts';
import type { ShownProblem } from '../../nouns/collect-problems.ts';
import { shortcuts } from '../../records.ts';
import type { Context } from '../../session/command.ts';

/** A problem, its next command as it is printed, and the look at its record that stands for one without room. */
export interface ProblemLine {
  problem: ShownProblem;
  command: string;
  look: string | null;
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
    const look = lookAt(problem, references);
    const text = (line: Invocation) => oneLine(context.commandText(line));
    return { problem, command: text(short), look: look && text(look) };
  });
}

/** The command that shows a delivery or an order with all that can be done next; null for other records. */
function lookAt(
  { id, external_order_ref: ref }: ShownProblem,
  references: ReadonlySet<string>,
): Invocation | null {
  const name = ref !== null && references.has(ref) ? ref : shortId(id);
  if (id.startsWith('dlv_')) return invocation('explain', [name]);
  return id.startsWith('ord_') ? invocation('orders get', [name]) : null;
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
/** A shorter part of a reason says nothing. */
const min_why = 16;
/** A longer command is copied from the look at the record, where it has a line of its own. */
const max_command = 80;

/** The texts of a problem: its kind, reference, person and time, the next command, what stands for it, and why. */
type Texts = Record<'kind' | 'label' | 'who' | 'when' | 'command' | 'look' | 'what', string>;

/**
 * A line for each problem: what it is, the reference, whom it concerns, since when, the next command, and why, as far as
 * there is room. Names are shortened first. A look at the record stands for a command that is too long.
 */
export function problemLines(lines: readonly ProblemLine[], show: Formatters): string[] {
  const whole = lines.map((line) => textsOf(line, show));
  const space = show.room ?? Number.POSITIVE_INFINITY;
  const hasRoom = widthOf(whole, ['kind', 'label', 'who', 'when', 'command', 'what']) <= space;
  const short = whole.map(withShortTime);
  // How late it will be stands in the reason, too, where that has room.
  const brief = short.map((texts) => ({ ...texts, when: texts.when.replace(/, now .*/, '') }));
  const room = space - widthOf(brief, ['kind', 'label', 'who', 'when', 'look']) - gap.length;
  const isToldTwice = brief.every(
    ({ when, what }, at) => when === short[at]?.when || displayWidth(what) <= room,
  );
  const all = hasRoom ? whole : isToldTwice ? brief : short;
  const layout = layoutOf(all, space, hasRoom);
  return all.flatMap((texts) => linesOf(texts, layout, show));
}

function textsOf({ problem, command, look }: ProblemLine, show: Formatters): Texts {
  const { kind, id, external_order_ref: ref, who = '', since, zone, timesText } = problem;
  const { clock } = show.inZone(zone);
  const when = timesText?.(clock) ?? (since === null ? '' : `since ${clock(since)}`);
  const label = oneLine(ref || shortId(id));
  const shown = look !== null && displayWidth(command) > max_command ? look : command;
  const what = problem.whatText?.(clock) ?? problem.what;
  return { kind, label, who: oneLine(who), when, command: shown, look: look ?? command, what: oneLine(what) };
}

function withShortTime(texts: Texts): Texts {
  return { ...texts, when: texts.when.replace(/^promised /, 'due ').replace(/^since |, in .*/, '') };
}

/** The widths of the columns. */
interface Layout extends Record<'kind' | 'label' | 'who' | 'when' | 'command', number> {
  /** The room for the name and the command together. */
  shared: number;
  /** Whether each reason has room in a column of its own. */
  hasRoom: boolean;
}

/** Names get what the commands leave that fit beside a short name. */
function layoutOf(all: readonly Texts[], space: number, hasRoom: boolean): Layout {
  const width = (key: keyof Texts) => widthOf(all, [key]);
  const shared = space - widthOf(all, ['kind', 'label', 'when']) - 2 * gap.length;
  const widths = all.flatMap(({ command, look }) => {
    return [command, look].map(displayWidth).find((each) => each <= shared - min_name) ?? [];
  });
  const command = Math.max(0, ...widths);
  const who = Math.min(width('who'), Math.max(min_name, shared - command));
  return { hasRoom, shared, kind: width('kind'), label: width('label'), when: width('when'), who, command };
}

/** The line of a problem; only a command without room that no other stands for is below. */
function linesOf(texts: Texts, layout: Layout, show: Formatters): string[] {
  const { kind, label, who, when, command, look, what } = texts;
  const room = layout.shared - layout.who;
  const saved = layout.when - displayWidth(when);
  const shown = [command, look].find((each) => displayWidth(each) <= room + saved) ?? '';
  const isAligned = displayWidth(shown) <= room;
  const width = layout.hasRoom ? layout.command : displayWidth(shown);
  const left = room - width - gap.length + (isAligned ? 0 : saved);
  const hasWhy = left >= Math.min(min_why, displayWidth(what));
  const head = [
    show.warning(kind) + ' '.repeat(layout.kind - displayWidth(kind)),
    padded(label, layout.label),
    padded(truncatedToWidth(who, layout.who), layout.who),
    isAligned ? padded(when, layout.when) : when,
    show.strong(shown) + ' '.repeat(width - displayWidth(shown)),
    ...(hasWhy ? [show.dim(truncatedToWidth(what, left))] : []),
  ].join(gap);
  return [head.trimEnd(), ...(shown === '' ? [`${gap}${show.strong(command)}`] : [])];
}

/** The width of columns side by side. */
function widthOf(all: readonly Texts[], keys: readonly (keyof Texts)[]): number {
  const widths = keys.map((key) => Math.max(...all.map((each) => displayWidth(each[key]))));
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
}
