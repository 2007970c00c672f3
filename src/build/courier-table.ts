/** The table of couriers in the guide: what each can and cannot do, made from the adapters. */
import type { CourierAdapter, CourierCapabilities } from '../providers/courier.ts';
import { connectableCouriers } from '../providers/directory.ts';

/** The page with the table below its heading, made from the adapters. */
export async function withCourierTable(page: string): Promise<string> {
  const adapters = await Promise.all(connectableCouriers.map(({ load }) => load()));
  return page.replace(
    /(\n## What each courier can do\n\n)[^\n]+(?:\n[^\n]+)*/,
    (_, heading: string) => heading + tableText(adapters),
  );
}

function tableText(adapters: readonly CourierAdapter[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...adapters.map(({ title, name }) => `${title} (\`${name}\`)`)]),
    line(['---', ...adapters.map(() => '---')]),
    line(['Run against the live service', ...adapters.map(liveText)]),
    ...capabilityRows.map(([label, text]) =>
      line([label, ...adapters.map(({ capabilities }) => text(capabilities))]),
    ),
  ].join('\n');
}

/** The rows of the table: what each courier can and cannot do. */
const capabilityRows: readonly [label: string, text: (capabilities: CourierCapabilities) => string][] = [
  ['Vehicles', ({ vehicles }) => vehicles.map(inWords).join(', ') || 'chosen by the courier'],
  ['Largest item', ({ largest_item }) => inWords(largest_item)],
  ['Scheduled deliveries', ({ scheduled }) => yesOrNo(scheduled)],
  ['Signature', ({ signature }) => yesOrNo(signature)],
  ['Photo', ({ photo }) => yesOrNo(photo)],
  ['PIN', ({ pin }) => yesOrNo(pin)],
  ['Tip', ({ tip }) => yesOrNo(tip)],
  ['Changes after booking', ({ edits }) => yesOrNo(edits)],
  ['Returns', ({ returns }) => yesOrNo(returns)],
  ['Cancel until', ({ cancel_until }) => cancelTexts[cancel_until]],
  ['Reports by itself', ({ reports }) => yesOrNo(reports === 'push')],
  ['Position of the driver', ({ location }) => yesOrNo(location)],
  ['Price of a quote is binding', ({ binding_quotes }) => yesOrNo(binding_quotes)],
  ['Countries', ({ countries }) => countries.join(', ')],
  ['Currencies', ({ currencies }) => currencies.join(', ')],
];

const yesOrNo = (isAble: boolean) => (isAble ? 'yes' : 'no');

const cancelTexts: Readonly<Record<CourierCapabilities['cancel_until'], string>> = {
  assigned: 'a driver is assigned',
  picked_up: 'the pickup',
  refused: 'the courier refuses',
};

function liveText({ is_untested_live }: CourierAdapter): string {
  return is_untested_live === true ? 'not yet' : 'checked by `npm run check:courier -- URL`';
}

function inWords(name: string): string {
  return name.replaceAll('_', ' ');
}
