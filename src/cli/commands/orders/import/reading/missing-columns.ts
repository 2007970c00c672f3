/** Suggestions for columns that a file lacks: map one that it has, or set one value for all rows. */
import { didYouMean, invocation, phrase, type Text } from '../../../../kit/result/message.ts';
import { looksLikeValues, type Sample, type UsualColumn, usualColumns } from './usual-headers.ts';

/** Values that can stand for all rows, as examples. */
export const defaultExamples: Readonly<Record<string, string>> = {
  dropoff_phone_number: '+13125550100',
  dropoff_name: 'Reception',
  items_description: 'Parcel',
  pickup_name: 'Kitchen',
  pickup_phone_number: '+13125550100',
};

/** The likeliest reason why columns are missing, and the way on. */
export function missingHint(
  missing: readonly string[],
  { known, samples, isOwn }: { known: readonly string[]; samples: readonly Sample[]; isOwn: boolean },
): Text {
  const ignored = samples.map(({ header }) => header);
  if (isOwn)
    for (const header of ignored) {
      const question = didYouMean(toFieldName(header), missing);
      if (question !== undefined) return phrase`The column ${header} is not known. ${question}`;
    }
  if (missing.every((field) => field.startsWith('pickup_')))
    return 'Pass the store from which all are picked up: --store STORE.';
  const columns = unreadColumns(known, samples);
  if (columns.length < 3 && looksLikeValues(ignored))
    return phrase`The first line seems to be an order, as it has ${ignored[0] ?? ''}: write the names of the columns above it.`;
  // The only field that cannot be the same for all rows.
  if (missing.includes('dropoff_address') && !isOwn && columns.length === 0 && ignored.length > 0)
    return phrase`Say which column it is: --map 'COLUMN=dropoff_address'. Not read: ${ignored.slice(0, max_maps).join(', ')}.`;
  const [maps, set] = [mapFlags(columns), suggestedSets(columns, missing)];
  const parts = [
    ...(maps === '' ? [] : [`Name the columns, as in ${maps}.`]),
    ...(set === '' ? [] : [`For one value in all rows: ${set}.`]),
    ...(missing.some((field) => field.startsWith('pickup_')) ? ['For the pickup: --store STORE.'] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  return phrase`The first line names the fields: \`${invocation('orders import', [], { help: true })}\`.`;
}

/** The columns that are not read although they seem to be fields that an order lacks. */
export function unreadColumns(known: readonly string[], samples: readonly Sample[]): UsualColumn[] {
  const found = usualColumns(samples, known).filter(([, field]) => isMissing(field, known));
  const hasItem = [...known, ...found.map(([, field]) => field)].includes('item_name');
  return found.filter(([, field]) => hasItem || field !== 'item_quantity');
}

/** The flags that read columns: `--map 'Ship Name=dropoff_name' --map ...`. */
export function mapFlags(columns: readonly UsualColumn[]): string {
  return columns
    .slice(0, max_maps)
    .map(([header, field]) => `--map '${header.trim()}=${field}'`)
    .join(' ');
}

const max_maps = 20;

/** Whether a file lacks this field, or the whole of which it is a part. */
function isMissing(field: string, known: readonly string[]): boolean {
  const has = (...names: string[]) => names.some((name) => known.includes(name));
  if (/_(?:street|city|state|zip)$/.test(field)) return !has('dropoff_address', 'dropoff_street');
  if (field === 'item_name' || field === 'items_description')
    return !has('items', 'items_description', 'item_name');
  if (field === 'item_quantity') return !has('items', 'items_description', field);
  if (field === 'dropoff_at') return !has('dropoff_at', 'pickup_at');
  return !has(field.replace(/_dollars$/, ''));
}

function suggestedSets(columns: readonly UsualColumn[], missing: readonly string[]): string {
  const has = (field: string) =>
    columns.some(
      ([, each]) => each === field || (field === 'items_description' && /^items?_?(?:name)?$/.test(each)),
    );
  return Object.entries(defaultExamples)
    .filter(
      ([field]) =>
        !field.startsWith('pickup_') && missing.some((each) => each.includes(field)) && !has(field),
    )
    .map(([field, value]) => `--set ${field}=${value}`)
    .join(' ');
}

/** `Pickup Phone-Number` is `pickup_phone_number`, and so is `pickup_phone`, as the flag is called. */
export function toFieldName(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/\s*\((?:\$|usd|dollars)\)$/, '_dollars')
    .replace(/[\s-]+/g, '_')
    .replace(/^(pickup|dropoff)_phone$/, '$1_phone_number');
}
