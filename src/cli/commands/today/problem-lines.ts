import { ifSupported } from '../../../client/errors.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { displayWidth, padded, shortId, truncatedToWidth } from '../../kit/output/terminal-lines.ts';
import type { Formatters } from '../../kit/result/result.ts';
import type { Problem } from '../../nouns/problems.ts';
import { shortcuts } from '../../records.ts';
import type { Context } from '../../session/command.ts';

/** Problems in a terminal: one line each, with a command that is short and works when it is pasted. */

/** A longer reference would save no room compared to the end of an ID. */
const max_reference = 20;

/** The references that identify one order each, so that a command may name them in place of an ID. */
export async function referencesOf(
  context: Context,
  items: readonly Pick<Problem, 'external_order_ref'>[],
): Promise<ReadonlySet<string>> {
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
export function shortArgs(
  {
    id,
    external_order_ref: ref,
    step,
  }: Pick<Problem, 'id' | 'external_order_ref'> & { step: Problem['next'] },
  references: ReadonlySet<string>,
): string[] {
  const isNamed = ref !== null && references.has(ref);
  const isLookUp = step.command === 'deliveries explain';
  const name = isNamed ? ref : isLookUp ? shortId(id) : id;
  return step.args.map((arg) => (arg === id ? name : arg));
}

/** The shorter name of a command, if it has one: `retry` for `deliveries retry`. */
export function shortCommand(command: string): string {
  const [noun, verb = ''] = command.split(' ');
  return noun === 'deliveries' && Object.hasOwn(shortcuts, verb) ? verb : command;
}

/** A problem, and its next command as it is printed. */
export interface ProblemLine {
  problem: Omit<Problem, 'next'>;
  command: string;
}

const gap = '  ';
const min_name = 8;

/**
 * A line for each problem: what it is, the reference, whom it concerns, since when, the next command, and why, which
 * stands on a line of its own without room for it. Names are shortened first, and so is such a reason.
 */
export function problemLines(lines: readonly ProblemLine[], show: Formatters): string[] {
  const { room } = show;
  const whole = lines.map(({ problem, command }) => {
    const { kind, id, external_order_ref: ref, who = '', what, since, zone, timesText } = problem;
    const { clock } = show.inZone(zone);
    const when = timesText?.(clock) ?? (since === null ? '' : `since ${clock(since)}`);
    return {
      kind,
      label: oneLine(ref || shortId(id)),
      who: oneLine(who),
      when,
      what: oneLine(what),
      command,
    };
  });
  const space = room ?? Number.POSITIVE_INFINITY;
  const hasWhy = widthOf(whole, [...columns, 'what', 'command']) <= space;
  const all = hasWhy
    ? whole
    : whole.map((each) => ({ ...each, when: each.when.replace(/^promised /, 'due ') }));
  const widest = (key: keyof Texts) => widthOf(all, [key]);
  const left = space - widthOf(all, ['kind', 'label', 'when']) - 2 * gap.length;
  const fitting = all.map(({ command }) => displayWidth(command)).filter((width) => width <= left - min_name);
  const name = Math.min(widest('who'), Math.max(min_name, left - Math.max(0, ...fitting)));
  return all.flatMap(({ kind, label, who, when, what, command }) => {
    const cells = [
      show.warning(kind) + ' '.repeat(widest('kind') - displayWidth(kind)),
      padded(label, widest('label')),
      padded(truncatedToWidth(who, name), name),
    ];
    const isAligned = name + displayWidth(command) <= left;
    const times = isAligned ? padded(when, widest('when')) : when;
    const head = [...cells, times, ...(hasWhy ? [padded(what, widest('what'))] : [])].join(gap);
    const isBeside = isAligned || name + displayWidth(command) + displayWidth(when) - widest('when') <= left;
    const why = hasWhy ? [] : [`${gap}${show.dim(truncatedToWidth(what, space - gap.length))}`];
    return isBeside
      ? [`${head}${gap}${show.strong(command)}`, ...why]
      : [head.trimEnd(), ...why, `${gap}${show.strong(command)}`];
  });
}

type Texts = Record<'kind' | 'label' | 'who' | 'when' | 'what' | 'command', string>;
const columns = ['kind', 'label', 'who', 'when'] as const;

/** The width of columns side by side. */
function widthOf(all: readonly Texts[], keys: readonly (keyof Texts)[]): number {
  const widths = keys.map((key) => Math.max(...all.map((each) => displayWidth(each[key]))));
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
}
