/** How shops, route planners, post programs and spreadsheets call the columns of an order. */

/** A column that seems to be a field of an order. */
export type UsualColumn = readonly [header: string, field: string];

/** Whose columns are not the recipient's. */
const ofOthers =
  /\b(?:bill|billing|sender|from|pick ?up|origin|store|shop|seller|merchant|vendor|driver|courier|warehouse|team|total)\b/;

/** Whose columns are: the first kind is the recipient's for certain, the second can also be the payer's. */
const recipients = [
  /^(?:(?:ship(?:ping)?|deliver(?:y)?|recipient|drop ?off|destination|consignee|receiver|to)(?: (?:to|person|address(?= (?!line|\d))))?(?: |$))+/,
  /^(?:(?:cust(?:omer)?|client|buyer|guest|patient|contact|location)(?: |$))+/,
];

/** The names of a field without the recipient's in front, the most certain first. */
const usualNames: readonly [field: string, ...names: RegExp[]][] = [
  [
    'external_order_ref',
    /^(?:sales )?(?:order|record|reference|invoice|ticket|job|rx|pedido|bestell(?:ung)?)(?: ?(?:id|no|nr|number|ref|reference))?$/,
    /^increment id$|^number$/,
  ],
  ['dropoff_name', /^(?:full )?name$/, /^(?:nombre|kunde|cliente)$/, /^$/],
  [
    'dropoff_phone_number',
    /^(?:mobile|cell)(?: (?:phone|number|no))*$/,
    /^(?:(?:primary|main|home|day|daytime) )?(?:phone|telephone|telefono?|tel)(?: (?:number|no|nr|1))*$/,
    /phone|mobile|telefon/,
  ],
  [
    'dropoff_street',
    /^(?:street|address|addr)?(?: ?(?:address|line))? ?1$/,
    /^street(?: (?:address|level address|line|name))?$/,
    /^(?:strasse|calle)$/,
  ],
  [
    'dropoff_unit',
    /^(?:street|address|addr)?(?: ?(?:address|line))? ?2$/,
    /^(?:apt|apartment|unit|suite|ste|apto)(?: (?:apt|unit|suite|number|no))*$/,
  ],
  ['dropoff_city', /^(?:city|town|suburb|locality|ort|ciudad)(?: (?:city|town))?$/],
  ['dropoff_state', /^(?:state|province|region|estado|st)(?: (?:state|province|region|code))*$/],
  ['dropoff_zip', /^(?:zip|postal|post|plz|codigo postal)(?: ?(?:zip|postal|post|code|number))*$/],
  ['dropoff_address', /^(?:full )?(?:address|addr|adresse|direccion)$/],
  ['dropoff_notes', /^(?:special )?(?:notes?|instructions?|comments?|notas)$/],
  [
    'item_name',
    /^(?:line ?item|item|product) (?:name|title)$/,
    /^(?:item|product|title|artikel|items)$/,
    /(?:item|product).*(?:name|title)$/,
  ],
  [
    'items_description',
    /^(?:line|order) ?items$|^(?:order|task|package) (?:description|contents)$|^(?:products|articulos|productos)$/,
  ],
  [
    'item_quantity',
    /^(?:line ?item|item|product) (?:quantity|qty)$/,
    /^(?:quantity|qty)(?: \w+)?$/,
    /quantity$/,
  ],
];

const nameParts = [/^(?:first|given)(?: name)?$/, /^(?:last|family)(?: name)?$|^surname$/];

interface Read {
  header: string;
  /** Lower-case words of letters and digits, without those of the recipient. */
  name: string;
  /** How certain it is the recipient's: 0 is the most. */
  rank: number;
}

/** The columns that seem to be fields of an order, at most one for each field but the parts of a name. */
export function usualColumns(headers: readonly string[]): UsualColumn[] {
  const all = headers.map(read).filter((each) => each !== null);
  const taken = new Set<string>();
  const pick = (names: readonly RegExp[]): Read | null => {
    for (const rank of [0, 1, 2])
      for (const pattern of names) {
        const found = all.find(
          (each) => each.rank === rank && !taken.has(each.header) && pattern.test(each.name),
        );
        if (found === undefined) continue;
        taken.add(found.header);
        return found;
      }
    return null;
  };
  const found = new Map<string, string[]>();
  // `Ship To` is the recipient's name beside an address, and else the whole label.
  const isLabel = all.every(({ name }) => !isAddress(name));
  for (const [field, ...usual] of usualNames) {
    const names = field === (isLabel ? 'dropoff_address' : 'dropoff_name') ? [...usual, /^to$/] : usual;
    const chosen = field === 'dropoff_name' ? nameColumns(pick, names) : [pick(names)];
    const columns = chosen.flatMap((each) => each?.header ?? []);
    if (columns.length > 0) found.set(field, columns);
  }
  return withOneAddress(withOneItem(found)).flatMap(([field, columns]) =>
    columns.map((header) => [header, field] as const),
  );
}

function isAddress(name: string): boolean {
  return usualNames.some(
    ([field, ...names]) => /_(street|address)$/.test(field) && names.some((pattern) => pattern.test(name)),
  );
}

/** The whole name, or its first and last part, which are joined in the order of the file. */
function nameColumns(
  pick: (names: readonly RegExp[]) => Read | null,
  names: readonly RegExp[],
): (Read | null)[] {
  const [whole, ...others] = names;
  const name = pick(whole === undefined ? [] : [whole]);
  if (name !== null) return [name];
  const parts = nameParts.map((part) => pick([part]));
  return parts.some((part) => part !== null) ? parts : [pick(others)];
}

/** An address beside a city or ZIP code is a street, and a street without them is an address. */
function withOneAddress(found: Map<string, string[]>): [string, string[]][] {
  const isInParts = found.has('dropoff_city') || found.has('dropoff_zip');
  const [whole, street] = [found.get('dropoff_address'), found.get('dropoff_street')];
  return [...found].flatMap(([field, columns]): [string, string[]][] => {
    if (field === 'dropoff_street' && !isInParts)
      return whole === undefined ? [['dropoff_address', columns]] : [];
    if (field !== 'dropoff_address' || !isInParts) return [[field, columns]];
    return street === undefined ? [['dropoff_street', columns]] : [];
  });
}

function withOneItem(found: Map<string, string[]>): Map<string, string[]> {
  if (found.has('item_name')) found.delete('items_description');
  else found.delete('item_quantity');
  return found;
}

/** Normalizes a header. Null if it belongs to somebody other than the recipient, such as the sender or the store. */
function read(header: string): Read | null {
  const words = header
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('#', ' number ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  if (words === '' || ofOthers.test(words)) return null;
  const rank = recipients.findIndex((pattern) => pattern.test(words));
  const name = words.replace(recipients[rank] ?? '', '') || (/\bto$/.test(words) ? 'to' : '');
  return { header, name, rank: rank < 0 ? recipients.length : rank };
}

/** Whether a line seems to hold values, and no names of columns: it has a phone number, a ZIP code or a long number. */
export function looksLikeValues(headers: readonly string[]): boolean {
  return headers.some((header) => /\d{5}|\d{3}\D{1,2}\d{3}\D?\d{4}/.test(header));
}
