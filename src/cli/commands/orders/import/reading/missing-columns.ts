import { didYouMean, invocation, phrase, type Text } from '../../../../kit/result/message.ts';

/** What to do about columns that a file lacks: name those that it has, or give one value for all rows. */

/** How shops, post programs and spreadsheets call the columns of an order; the first that fits is suggested. */
const usualHeaders: readonly [field: string, header: RegExp][] = [
  [
    'external_order_ref',
    /^(sales )?(order|record|reference)[ _-]?(id|no|nr|number|#)?\.?$|^increment[ _]id$/i,
  ],
  ['dropoff_name', /(ship|recipient|deliver|consignee|^to\b).*name$/i],
  [
    'dropoff_name',
    /(ship|recipient|deliver|consignee|customer|buyer|contact|^full|^to\b).*name$|^(name|recipient|customer|kunde|nombre|cliente)$/i,
  ],
  ['dropoff_phone_number', /phone|mobile|telefon|tel[eé]fono|^tel\.?$/i],
  [
    'dropoff_street',
    /(ship|deliver|recipient|^to\b).*(street|address[ _-]?1|line[ _-]?1)|^(street([ _-]line)?([ _-]?1)?|address[ _-]?1|address line 1|stra(ß|ss)e)$/i,
  ],
  [
    'dropoff_unit',
    /(ship|deliver|recipient|^to\b).*(address[ _-]?2|line[ _-]?2)|^(street([ _-]line)?[ _-]?2|address[ _-]?2|address line 2|apt|unit|suite)$/i,
  ],
  ['dropoff_city', /(ship|deliver|recipient|^to\b).*(city|suburb|town)|^(city|town|ort|ciudad)$/i],
  [
    'dropoff_state',
    /(ship|deliver|recipient|^to\b).*(state|province|region)|^(state|province|state ?\/ ?province)$/i,
  ],
  [
    'dropoff_zip',
    /(ship|deliver|recipient|^to\b).*(zip|post)|^(zip|zip ?code|(zip ?\/ ?)?post(al)? ?code|postcode|plz)$/i,
  ],
  ['dropoff_address', /^(.*(ship|deliver|recipient).*)?address$|^(adresse|direcci[oó]n)$/i],
  ['item_name', /(item|product|lineitem).*(name|title)|^(item|product|title|items|artikel)$/i],
  ['items_description', /^(line|order)[ _-]?items$/i],
  ['item_quantity', /^(?!total\b).*\bquantity$|^qty\b|_quantity$/i],
];

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
  const [maps, set] = [suggestedMaps(missing, ignored), suggestedSets(missing, ignored)];
  const parts = [
    ...(maps === '' ? [] : [`Name the columns, as in ${maps}.`]),
    ...(set === '' ? [] : [`For one value in all rows: ${set}.`]),
    ...(missing.some((field) => field.startsWith('pickup_')) ? ['For the pickup: --store STORE.'] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  return phrase`The first line names the fields: \`${invocation('orders import', [], { help: true })}\`.`;
}

const max_maps = 12;
/** A file that lacks more columns than this one names them in another way. */
const defaultCount = 2;

/** `--map 'Ship Name=dropoff_name' --map ...` for the columns that the file seems to have. */
function suggestedMaps(missing: readonly string[], ignored: readonly string[]): string {
  const taken = new Set<string>();
  const pairs = usualHeaders.flatMap(([field, pattern]) => {
    const header = ignored.find((each) => pattern.test(each.trim()) && !taken.has(each));
    if (header === undefined || taken.has(field) || !isMissing(field, missing)) return [];
    taken.add(header).add(field);
    return [[header, field]];
  });
  const hasParts = taken.has('dropoff_street');
  // An address beside a city is a street.
  const found = pairs.flatMap(([header, field]) => {
    if (field !== 'dropoff_address') return [[header, field]];
    if (hasParts) return [];
    return [[header, taken.has('dropoff_city') ? 'dropoff_street' : field]];
  });
  const [first] = missing.length > defaultCount ? ignored : [];
  const general = first === undefined ? [] : [[first, missing[0]?.split(' ')[0] ?? 'dropoff_name']];
  return (found.length > 0 ? found : general)
    .slice(0, max_maps)
    .map(([header, field]) => `--map '${header?.trim()}=${field}'`)
    .join(' ');
}

/** Whether a file lacks this field, or the whole of which it is a part. */
function isMissing(field: string, missing: readonly string[]): boolean {
  if (/_(street|city|state|zip|unit)$/.test(field)) return missing.includes('dropoff_address');
  if (field.startsWith('item_') || field === 'items_description')
    return missing.some((each) => each.includes('item_name'));
  return field === 'external_order_ref' || missing.includes(field);
}

function suggestedSets(missing: readonly string[], ignored: readonly string[]): string {
  const fields = missing.map((field) => (field.includes('items_description') ? 'items_description' : field));
  return Object.entries(defaultExamples)
    .filter(([field]) => fields.includes(field) && !hasColumnFor(field, ignored))
    .map(([field, value]) => `--set ${field}=${value}`)
    .join(' ');
}

function hasColumnFor(field: string, ignored: readonly string[]): boolean {
  const name = field === 'items_description' ? 'item_name' : field;
  const patterns = usualHeaders.flatMap(([each, pattern]) =>
    each === name || each === field ? [pattern] : [],
  );
  return patterns.some((pattern) => ignored.some((header) => pattern.test(header.trim())));
}

/** `Pickup Phone-Number` is `pickup_phone_number`, and so is `pickup_phone`, as the flag is called. */
export function fieldOf(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^(pickup|dropoff)_phone$/, '$1_phone_number');
}
