import { didYouMean, invocation, phrase, type Text } from '../../../../kit/result/message.ts';
import { looksLikeValues, type UsualColumn, usualColumns } from './usual-headers.ts';

/** What to do about columns that a file lacks: name those that it has, or give one value for all rows. */

/** Values that can stand for all rows, as examples. */
export const defaultExamples: Readonly<Record<string, string>> = {
  dropoff_phone_number: '+13125550100',
  dropoff_name: 'Reception',
  items_description: 'Parcel',
};

/** The likeliest reason why columns are missing, and the way on. */
export function missingHint(
  missing: readonly string[],
  { ignored, isOwn }: { ignored: readonly string[]; isOwn: boolean },
): Text {
  if (isOwn)
    for (const header of ignored) {
      const question = didYouMean(fieldOf(header), missing);
      if (question !== undefined) return phrase`The column ${header} is not known. ${question}`;
    }
  if (missing.every((field) => field.startsWith('pickup_')))
    return 'Pass the store from which all are picked up: --store STORE.';
  const columns = usualColumns(ignored).filter(([, field]) => isMissing(field, missing));
  if (columns.length === 0 && looksLikeValues(ignored))
    return phrase`The first line seems to be an order, as it has ${ignored[0] ?? ''}: write the names of the columns above it.`;
  const [maps, set] = [suggestedMaps(columns, { missing, ignored }), suggestedSets(columns, missing)];
  const parts = [
    ...(maps === '' ? [] : [`Name the columns, as in ${maps}.`]),
    ...(set === '' ? [] : [`For one value in all rows: ${set}.`]),
    ...(missing.some((field) => field.startsWith('pickup_')) ? ['For the pickup: --store STORE.'] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  return phrase`The first line names the fields: \`${invocation('orders import', [], { help: true })}\`.`;
}

const max_maps = 14;
/** A file that lacks more columns than this one names them in another way. */
const defaultCount = 2;

/** `--map 'Ship Name=dropoff_name' --map ...` for the columns that the file seems to have. */
function suggestedMaps(
  columns: readonly UsualColumn[],
  { missing, ignored }: { missing: readonly string[]; ignored: readonly string[] },
): string {
  const [first] = missing.length > defaultCount ? ignored : [];
  const general: UsualColumn[] =
    first === undefined ? [] : [[first, missing[0]?.split(' ')[0] ?? 'dropoff_name']];
  return (columns.length > 0 ? columns : general)
    .slice(0, max_maps)
    .map(([header, field]) => `--map '${header.trim()}=${field}'`)
    .join(' ');
}

/** Whether a file lacks this field, or the whole of which it is a part. */
function isMissing(field: string, missing: readonly string[]): boolean {
  if (/_(street|city|state|zip|unit)$/.test(field)) return missing.includes('dropoff_address');
  if (field.startsWith('item_') || field === 'items_description')
    return missing.some((each) => each.includes('item_name'));
  return field === 'external_order_ref' || field === 'dropoff_notes' || missing.includes(field);
}

function suggestedSets(columns: readonly UsualColumn[], missing: readonly string[]): string {
  const has = (field: string) =>
    columns.some(([, each]) => each === field || (field === 'items_description' && each === 'item_name'));
  return Object.entries(defaultExamples)
    .filter(([field]) => missing.some((each) => each.includes(field)) && !has(field))
    .map(([field, value]) => `--set ${field}=${value}`)
    .join(' ');
}

/** `Pickup Phone-Number` is `pickup_phone_number`, and so is `pickup_phone`, as the flag is called. */
export function fieldOf(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^(pickup|dropoff)_phone$/, '$1_phone_number');
}
