import { stateCodeIn } from '../../../../../domain/us-states.ts';
import { isDatedTime } from './cell-times.ts';

/** How shops, route planners, post programs and spreadsheets call the columns of an order. */

/** A column that seems to be a field of an order. */
export type UsualColumn = readonly [header: string, field: string];

/** A column with its first values. */
export interface Sample {
  header: string;
  values: readonly string[];
}

/** Words of headers in English for those of other languages, for short forms and for plurals. */
const vocabulary: Readonly<Record<string, string>> = {
  phone: 'telephone telefono telefon tel fon phones',
  mobile: 'cell cellphone cellular celular movil handy',
  number: 'no nr num nummer numero n nos',
  name: 'nombre namen navn',
  first: 'given firstname vorname prenom',
  last: 'family surname lastname nachname apellido apellidos',
  address: 'addr adresse direccion domicilio',
  street: 'strasse calle rue',
  unit: 'apt apartment suite ste floor apto piso appartement room',
  city: 'town suburb locality municipality ort stadt ville ciudad localidad',
  state: 'st province provincia region estado bundesland bundesstaat etat zone',
  zip: 'zipcode postal postcode plz postleitzahl pincode',
  country: 'pais land pays',
  notes:
    'note notas instruction instructions comment comments remark remarks message bemerkung remarques observaciones',
  order: 'pedido bestellung bestell commande',
  item: 'items product products goods article artikel articulo articulos producto productos merchandise lineitem',
  quantity: 'qty menge cantidad quantite',
  delivery: 'deliver entrega liefer lieferung livraison envio dropoff',
  recipient: 'destinatario empfanger destinataire',
  customer: 'kunde kunden cliente client',
  billing: 'bill rechnung rechnungs facturacion facturation',
  house: 'haus',
  tip: 'tips gratuity propina trinkgeld pourboire',
  1: 'one',
  2: 'two',
  '': 'of the your de del la or and y et und',
};
const english = new Map(
  Object.entries(vocabulary).flatMap(([word, others]) =>
    others.split(' ').map((other) => [other, word] as const),
  ),
);

/** Whose columns are not the recipient's. */
const ofOthers =
  /\b(?:bill|billing|sender|from|pick ?up|origin|store|shop|seller|merchant|vendor|driver|courier|warehouse|team|return|invoice(?= (?:to|address|name|first|last|street|city|zip|phone)))\b/;

/** Whose columns are: the first kind is the recipient's for certain, the second can also be the payer's. */
const recipients = [
  /^(?:(?:ship(?:ping|to)?|delivery|recipient|drop off|destination|consignee|receiver|to)(?: (?:to|person|address(?= (?!line|\d))))?(?: |$))+/,
  /^(?:(?:customer|buyer|guest|patient|contact|location)(?: |$))+/,
];

type Test = (value: string) => boolean;

const hasDigit: Test = (value) => /\d/.test(value);
const hasLetter: Test = (value) => /\p{L}/u.test(value) && !value.includes('@');
const isPhone: Test = (value) => !value.includes('@') && /(?:\d\D*){7}|E\+/i.test(value);
const isUnit: Test = (value) =>
  /\d|^\p{L}$|^(?:rear|front|lobby|basement|penthouse|upper|lower)/iu.test(value);

/** The names of a field without the recipient's in front, the most certain first, and what its values are like. */
const usualNames: readonly [field: string, test: Test, ...names: RegExp[]][] = [
  [
    'external_order_ref',
    hasDigit,
    /^(?:sales )?(?:number )?order(?: number)+$|^number order$/,
    /^(?:sales )?(?:order|record|reference|invoice|ticket|job|rx|d o|do)(?: (?:id|number|ref|reference))*$/,
    /^increment id$|^number$|^id$/,
  ],
  [
    'dropoff_phone_number',
    isPhone,
    /^(?:phone )?mobile(?: (?:phone|number))*$/,
    /^(?:(?:primary|main|home|day|daytime) )?phone(?: (?:number|1))*$/,
    /phone|mobile/,
  ],
  [
    'dropoff_street',
    hasLetter,
    /^(?:street|address|line)(?: (?:address|line))* 1(?: 2)?$/,
    /^street(?: (?:address|level address|line|name))?$/,
  ],
  [
    'dropoff_unit',
    isUnit,
    /^(?:street|address|line)(?: (?:address|line))* 2$/,
    /^unit(?: (?:unit|number))*$|^address unit(?: number)?$|^(?:address )?complement/,
  ],
  ['dropoff_city', hasLetter, /^(?:address |post )?city(?: (?:city|name))*$/],
  [
    'dropoff_state',
    (value) => stateCodeIn(value.replace(/^US-/, '')) !== null,
    /^state(?: (?:state|code|name|abbreviation|other))*$/,
  ],
  [
    'dropoff_zip',
    hasDigit,
    /^(?:address )?zip(?: (?:zip|code|number))*$|^post code$|^c p$|^code zip$|^codigo zip$/,
  ],
  ['dropoff_country', hasLetter, /^country(?: (?:country|code|name|state))*$/],
  ['dropoff_address', (value) => /\d.*\p{L}/su.test(value), /^(?:full )?address$/],
  [
    'dropoff_notes',
    () => true,
    /^(?:(?:special|order|address) )*notes(?: 1)?$/,
    /^notes (?:from )?(?:customer|buyer)$|^special requests?$/,
  ],
  [
    'item_name',
    hasLetter,
    /^(?:line )?item (?:name|title|description)$|^description item$/,
    /^(?:order )?(?:line )?item$|^title$|^description$/,
    /item.*(?:name|title|details)$/,
  ],
  ['items_description', hasLetter, /^(?:order|task|package|parcel) (?:description|contents)$|^order$/],
  [
    'item_quantity',
    hasDigit,
    /^(?:line )?item quantity$/,
    /^quantity(?: (?:ordered|purchased|shipped|to ship|refund))?$/,
    /^(?!.*(?:order|total|refund)).*quantity$/,
  ],
  ['tip_dollars', hasDigit, /^(?:order )?tip(?: (?:amount|total|value))?$/],
  [
    'order_value_dollars',
    hasDigit,
    /^(?:order )?(?:sub ?total|value)(?: (?:amount|price))?$/,
    /^(?:order |grand )?(?:total|amount)(?: amount)?$/,
  ],
];

/** Names of the recipient, as a whole, in parts, or of what else is at the door. */
const wholeName = /^(?:full )?name$|^name last$/;
const nameParts = [/^first(?: name)?$|^prenom$/, /^last(?: name)?$|^nom$/];
const otherNames = [
  /^$|^nom$/,
  /^(?!.*\b(?:user|nick|item|file|brand|street|city|state|country|company|route|method|option|sku|order)\b).*\bname$/,
  /^(?:company|business|organi[sz]ation|account)(?: name)?$/,
];

interface Read extends Sample {
  /** The English words in small letters, without those of the recipient. */
  name: string;
  /** How certain it is the recipient's: 0 is the most. */
  rank: number;
}

type Pick = (names: readonly RegExp[], test: Test) => Read | null;

/**
 * The columns that seem to be fields of an order, beside those that are known: at most one for each field but the parts of a
 * name and a time.
 */
export function usualColumns(samples: readonly Sample[], known: readonly string[] = []): UsualColumn[] {
  const all = samples.map(read).filter((each) => each !== null);
  const taken = new Set<Read>();
  const take = (found: Read | undefined): Read | null => {
    if (found !== undefined) taken.add(found);
    return found ?? null;
  };
  // A column with values of the kind goes first, and then an empty one.
  const pick: Pick = (names, test) => {
    const named = [0, 1, 2]
      .flatMap((rank) =>
        names.flatMap((name) => all.filter((each) => each.rank === rank && name.test(each.name))),
      )
      .filter((each) => !taken.has(each));
    return take(
      named.find(({ values }) => values.some(test)) ?? named.find(({ values }) => values.length === 0),
    );
  };
  const found = new Map<string, string[]>();
  const add = (field: string, columns: readonly (Sample | null)[]) => {
    const headers = columns.flatMap((each) => each?.header ?? []);
    if (headers.length > 0) found.set(field, [...(found.get(field) ?? []), ...headers]);
  };
  // `Ship To` is the recipient's name beside an address, and else the whole label.
  const isLabel = all.every(({ name }) => !isAddress(name));
  for (const [field, test, ...names] of usualNames) {
    if (field === 'dropoff_street')
      add('dropoff_street', [pick([/^(?:house|building)(?: number)?$/], hasDigit)]);
    add(field, [pick(field === 'dropoff_address' && isLabel ? [...names, /^to$/] : names, test)]);
    if (field === 'dropoff_unit') {
      const third = pick([/^(?:street|address|line)(?: (?:address|line))* 3$/], hasLetter);
      add(field, third?.values.length === 0 ? [] : [third]);
    }
    if (field === 'external_order_ref')
      add('dropoff_name', nameColumns(pick, isLabel ? otherNames : [/^to$/, ...otherNames]));
  }
  if (!found.has('dropoff_phone_number')) {
    const other = all.find((each) => !taken.has(each) && mayBeContact(each) && hasAll(each, usPhone));
    const payers = samples.find(({ header }) => /\bbilling phone\b/.test(wordsOf(header)));
    add('dropoff_phone_number', [take(other) ?? payers ?? null]);
  }
  if (!found.has('dropoff_address') && !found.has('dropoff_street'))
    add('dropoff_address', [take(all.find((each) => !taken.has(each) && hasAll(each, wholeAddress)))]);
  add('dropoff_at', timeColumns(all));
  return withOneAddress(withOneItem(found, known)).flatMap(([field, columns]) =>
    columns.map((header) => [header, field] as const),
  );
}

const usPhone = /^\+?1?[\s.(-]*[2-9]\d{2}[\s.)/-]*[2-9]\d{2}[\s.-]*\d{4}$/;
const wholeAddress = /^\d.*\p{L}.*\b[A-Z]{2}\.?,? +\d{5}\b/su;

function mayBeContact({ name }: Read): boolean {
  return !/\b(?:id|order|sku|upc|item|tracking|transaction|account)\b/.test(name);
}

function hasAll({ values }: Read, pattern: RegExp): boolean {
  return values.length > 0 && values.every((value) => pattern.test(value));
}

function isAddress(name: string): boolean {
  return usualNames.some(
    ([field, _, ...names]) => /_(street|address)$/.test(field) && names.some((pattern) => pattern.test(name)),
  );
}

/** The whole name, or its first and last part, which are joined in the order of the file. */
function nameColumns(pick: Pick, others: readonly RegExp[]): (Read | null)[] {
  const name = pick([wholeName], hasLetter);
  if (name !== null) return [name];
  const parts = nameParts.map((part) => pick([part], hasLetter));
  return parts[0] === null ? [parts[1] ?? pick(others, hasLetter)] : parts;
}

const dueWords =
  /^(?:promised?|due|request(?:ed)?|scheduled|needed|wanted|preferred|desired|event|expected|fulfillment)(?: (?:date|time|at|by|on|start|window|slot|from))+$/;
const dateWords =
  /^(?:date|day|date ?time|time|slot|window|time ?slot|time window|hours?|on|at|by)(?: (?:date|time|start|from))?$/;

/** The column with the time of the delivery, or those with its date and its time. */
function timeColumns(all: readonly Read[]): Read[] {
  const named = all.filter(
    ({ header, rank, name }) =>
      dueWords.test(name) || (rank === 0 && dateWords.test(name) && !/^ship/i.test(header)),
  );
  const value = ({ values }: Read) => values[0] ?? '';
  const whole = named.find((each) => isDatedTime(value(each)));
  if (whole !== undefined) return [whole];
  for (const [index, date] of named.entries())
    for (const time of named.slice(index + 1))
      if (isDatedTime(`${value(date)} ${value(time)}`)) return [date, time];
  return [];
}

/** An address beside a city or ZIP code is a street, and a street without them is an address. */
function withOneAddress(found: Map<string, string[]>): [string, string[]][] {
  const isInParts = found.has('dropoff_city') || found.has('dropoff_zip');
  const [whole, street] = [found.get('dropoff_address'), found.get('dropoff_street')];
  return [...found].flatMap(([field, columns]): [string, string[]][] => {
    if (field === 'dropoff_street' && !isInParts)
      return whole === undefined ? [['dropoff_address', columns]] : [];
    if (field === 'dropoff_country' && !isInParts) return [];
    if (field !== 'dropoff_address' || !isInParts) return [[field, columns]];
    return street === undefined ? [['dropoff_street', columns]] : [];
  });
}

/** Without a column of quantities, that of an item has all of them: `2 x Soup; Tea`. */
function withOneItem(found: Map<string, string[]>, known: readonly string[]): Map<string, string[]> {
  const [name, quantity] = [
    found.get('item_name'),
    found.has('item_quantity') || known.includes('item_quantity'),
  ];
  if (name === undefined) return found;
  found.delete('items_description');
  if (!quantity) found.delete('item_name');
  return quantity ? found : found.set('items', name);
}

/** Normalizes a header. Null if it belongs to somebody other than the recipient, such as the sender or the store. */
function read({ header, values }: Sample): Read | null {
  const words = wordsOf(header);
  if (words === '' || ofOthers.test(words)) return null;
  const rank = recipients.findIndex((pattern) => pattern.test(words));
  const left = recipients.reduce((rest, pattern) => rest.replace(pattern, ''), words);
  const isPhoneOf = left === 'number' && /\bcontact\b/.test(words);
  // The number of a customer is none of an order.
  if (rank === 1 && /^(?:id|code|number)$/.test(left) && !isPhoneOf) return null;
  // What is shipped has a total, which is no value of the order.
  if (rank === 0 && /total|amount/.test(left)) return null;
  const name = isPhoneOf ? 'phone' : left || (/\bto$/.test(words) ? 'to' : '');
  const given = values.map((value) => value.trim().replace(/^'/, '')).filter((value) => value !== '');
  return { header, values: given, name, rank: rank < 0 ? recipients.length : rank };
}

const owner = /ship|bill|deliver|recipient|sender|customer/i;

/** The words of a header in English: `Dirección (de entrega)` is `delivery address`. */
function wordsOf(header: string): string {
  const plain = header
    .replace(/^(.*?)\((.*?)\)(.*)$/s, (_, before: string, inner: string, behind: string) =>
      owner.test(inner) ? `${inner} ${before} ${behind}` : `${before} ${behind}`,
    )
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('#', ' number ')
    .replace(/['’]s\b/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/([a-z])(?=\d)/g, '$1 ')
    .replace(/\b(bestell|haus|kunden|liefer|telefon|artikel|rechnungs)(?=[a-z]{3})/g, '$1 ')
    .replace(/\bfrom (?=buyer|customer)/g, '')
    .trim();
  return plain
    .split(' ')
    .map((word) => english.get(word) ?? word)
    .filter((word) => word !== '')
    .join(' ')
    .replace(/^(?:merchant|seller|vendor|shop|store|external|driver|courier) (?=order|tip|delivery id)/, '')
    .replace(
      /^((?:full )?(?:address|name|phone|street|city|state|zip)) (delivery|shipping|recipient|billing)$/,
      '$2 $1',
    );
}

/** Whether a line seems to hold values, and no names of columns: it has a phone number, a ZIP code or a long number. */
export function looksLikeValues(headers: readonly string[]): boolean {
  return headers.some((header) => /\d{5}|\d{3}\D{1,2}\d{3}\D?\d{4}/.test(header));
}
