/** How shops, route planners, post programs and spreadsheets call the columns of an order. */
import { stateCodeIn } from '../../../../../domain/us-states.ts';
import { isDatedTime } from './delivery-dates.ts';

/** A column that seems to be a field of an order. */
export type UsualColumn = readonly [header: string, field: string];

/** A column with its first values. */
export interface Sample {
  header: string;
  values: readonly string[];
}

/** Words of headers in English for those of other languages, for short forms and for plurals. */
const vocabulary: Readonly<Record<string, string>> = {
  phone: 'telephone telefono telefone telefon tel fon ph phones',
  mobile: 'cell cellphone cellular celular movil handy',
  number: 'no nr num nummer numero n nos',
  name: 'nombre nome namen navn',
  first: 'given firstname vorname prenom',
  last: 'family surname lastname nachname apellido apellidos',
  address: 'addr addresses adresse direccion indirizzo endereco domicilio',
  street: 'strasse calle rue',
  unit: 'apt apartment suite ste floor apto piso appartement room',
  city: 'town suburb locality municipality ort stadt ville ciudad localidad citta cidade',
  state: 'st province provincia region estado bundesland bundesstaat etat uf zone',
  zip: 'zipcode postal postcode plz postleitzahl pincode cap cep',
  country: 'pais land pays',
  notes:
    'note notas memo instr instruction instructions observacao observacoes comment comments remark remarks message bemerkung remarques observaciones',
  order: 'pedido bestellung bestell auftrag auftrags commande',
  item: 'items product products goods article artikel articulo articulos produto produtos producto productos merchandise lineitem',
  line: 'lines',
  quantity: 'qty qtd menge cantidad quantidade quantite',
  delivery: 'deliver entrega liefer lieferung livraison envio dropoff',
  recipient: 'recipients recip recpt destinatario empfanger destinataire',
  customer: 'customers kunde kunden cliente client cust',
  patient: 'pt',
  billing: 'bill rechnung rechnungs facturacion facturation',
  house: 'haus',
  tip: 'tips gratuity propina trinkgeld pourboire',
  1: 'one',
  2: 'two',
  '': 'of the your de del la or and y et und',
};
/** Words of headers in scripts without blanks between words, and in Arabic; a longer one is before those in it. */
const otherScripts: readonly (readonly [pattern: RegExp, word: string])[] = Object.entries({
  recipient: 'お届け先|届け先|配送先|送付先|收货人|收件人|收貨人|收件人|收货|收件|المستلم',
  sender: 'ご依頼主|依頼主|発送元|寄件人|发货人|发件人|发货|المرسل',
  customer: '用户|客户|客戶|顾客|お客様|العميل',
  order: '订单|訂單|注文|受注|الطلب',
  'unit unit': 'アパートマンション名?|建物名|门牌号?|الشقة',
  phone: '电话号码|手机号码?|电话|手机|電話番号|電話|رقم الهاتف|الهاتف|الجوال|رقم الجوال',
  zip: '邮政编码|邮编|郵便番号|الرمز البريدي',
  address: '详细地址|地址明细|地址|住所|العنوان|عنوان',
  'line 1': '1行目',
  'line 2': '2行目',
  city: '城市|市区町村|المدينة',
  state: '省份|都道府県|الولاية',
  item: '商品名称|商品名|商品|产品|品名|内容品|المنتج|الصنف',
  quantity: '数量|個数|الكمية',
  notes: '备注|留言|備考|記事|ملاحظات',
  number: '编号|番号|单号|号|رقم',
  name: 'الاسم الكامل|姓名|名称|氏名|お名前|الاسم|اسم|名',
}).map(([word, others]) => [new RegExp(others, 'g'), word] as const);
const english = new Map(
  Object.entries(vocabulary).flatMap(([word, others]) =>
    others.split(' ').map((other) => [other, word] as const),
  ),
);

/** Words of others than the recipient, such as `billing`: their columns are not read. */
const ofOthers =
  /\b(?:bill|billing|sender|from|pick ?up|origin|store|shop|seller|merchant|vendor|driver|courier|warehouse|team|return|invoice(?= (?:to|address|name|first|last|street|city|zip|phone)))\b/;

/** Words of the recipient at the beginning: the first kind for certain, the second can also be the payer. */
const recipients = [
  /^(?:(?:ship(?:ping|to)?|delivery|recipient|drop off|destination|consignee|receiver|to)(?: (?:to|person|address(?= (?!line|\d))))*(?: |$))+/,
  /^(?:(?:customer|buyer|guest|patient|contact|location)(?: |$))+/,
];

type Test = (value: string) => boolean;

const tests: Readonly<Record<string, Test>> = {
  any: () => true,
  digit: (value) => /\d/.test(value),
  // A whole number of three digits or more may be cents, and a zero is both.
  dollars: (value) => /\d.*[.,]\d|\$|^[1-9]\d?$/.test(value),
  letter: (value) => /\p{L}/u.test(value) && !value.includes('@'),
  phone: (value) => !value.includes('@') && /(?:\d\D*){7}|E\+/i.test(value),
  unit: (value) => /\d|^\p{L}$|^(?:rear|front|lobby|basement|penthouse|upper|lower)/iu.test(value),
  state: (value) => stateCodeIn(value.replace(/^US-/, '')) !== null,
  street: (value) => /\d.*\p{L}/su.test(value),
};

/**
 * Fields, the tests for their values, and their names without the recipient's in front, the most certain first. A plus
 * stands for a further column of the field, which is one only with values.
 */
const usualNames = `
dropoff_name letter (full )?name|name last
external_order_ref digit (sales )?(number )?order( number)+|number order
external_order_ref digit (sales )?(order|record|reference|invoice|ticket|job|booking|rx|d o|do)( (id|number|ref|reference))*
external_order_ref digit increment id|number|id|ref(erence)? order|reference number 1
dropoff_phone_number phone (phone )?mobile( (phone|number))*
dropoff_phone_number phone ((primary|main|home|day|daytime) )?phone( (number|1))*
dropoff_phone_number phone .*(phone|mobile).*
+dropoff_street digit (house|building)( number)?
dropoff_street letter (street|address|line)( (address|line))* 1( 2)?
dropoff_street letter (address )?street( (address|level address|line|name|number))?
dropoff_unit unit (street|address|line)( (address|line))* 2
dropoff_unit unit (address )?unit( (unit|number))*|(address )?complement.*
+dropoff_unit letter (street|address|line)( (address|line))* 3|((house|building) )?number (addition|suffix|extension)
dropoff_city letter (address |post )?city( (city|name|state|zip))*|csz
dropoff_state state (address )?state( (state|code|name|abbreviation|other))*
dropoff_zip digit (address )?zip( (zip|code|number))*|post code|c p|code zip|codigo zip
dropoff_country any country( (country|code|name|state))*
dropoff_address street (full )?address
dropoff_notes any ((special|order|address) )*notes( 1)?
dropoff_notes any notes (from )?(customer|buyer)|special requests?|anything else.*
item_name letter (order )?(line )?item (name|title|description)|description item
item_name letter ((order(ed)?|manifest) )?(line )?item|title|description|what .* order
item_name letter .*item.*(name|title|details)
items_description letter (order|task|job|package|parcel) (description|contents)|order
item_quantity digit (order )?((line )?item|line) quantity|how many
item_quantity digit quantity( (ordered|purchased|shipped|to ship|refund))?
item_quantity digit (?!.*(order|total|refund)).*quantity
tip_dollars dollars (order )?tip( (amount|total|value))?
order_value_dollars dollars (order )?(sub ?total|value)( (amount|price))?
order_value_dollars dollars (order |grand )?(total|amount)( amount)?`
  .trim()
  .split('\n')
  .map((line) => {
    const [, field = '', kind = '', names = ''] = /^(\S+) (\S+) (.*)$/.exec(line) ?? [];
    return { field, test: tests[kind] ?? (() => true), name: new RegExp(`^(?:${names})$`) };
  });

/** The parts of a name, and what else may be the recipient's. */
const nameParts = [/^first(?: name)?$|^prenom$/, /^last(?: name)?$|^nom$/];
const otherNames = [
  /^$|^nom$/,
  /^(?!.*\b(?:user|nick|item|file|brand|street|city|state|country|company|route|method|option|sku|order)\b).*\bname$/,
  /^(?:company|business|organi[sz]ation|account)(?: name)?$/,
  /^party$/,
];

/** A column that may be read, with its header in English words. */
interface Read extends Sample {
  /** The English words in small letters, without those of the recipient. */
  name: string;
  /** How certain it is the recipient's: 0 is the most. */
  rank: number;
  /** Whether it is the number within an address: `address.number`. */
  isInAddress: boolean;
}

/** The columns of a file, and the fields that they are taken for, so far: a column is one field at most. */
interface Taking {
  all: readonly Read[];
  /** The headers of the columns of each field. */
  found: Map<string, string[]>;
  taken: Set<Sample>;
}

/**
 * The columns that seem to be fields of an order, beside those that are known: at most one for each field but the parts of a
 * name and a time.
 */
export function usualColumns(samples: readonly Sample[], known: readonly string[] = []): UsualColumn[] {
  const all = withHouseNumber(samples.map(read).filter((each) => each !== null));
  const taking: Taking = { all, found: new Map(), taken: new Set() };
  const { found, taken } = taking;
  // `Ship To` is the recipient's name beside an address, and else the whole label.
  const isLabel = all.every(({ name }) => !isAddress(name));
  takeUsualNames(taking);
  if (isLabel) take(taking, 'dropoff_address', pick(taking, [/^to$/], hasText));
  if (!found.has('dropoff_name')) takeRecipientName(taking, isLabel);
  const free = all.filter((each) => !taken.has(each));
  if (!found.has('dropoff_phone_number'))
    take(taking, 'dropoff_phone_number', findPhone(free) ?? findBillingPhone(samples));
  if (!found.has('dropoff_address') && !found.has('dropoff_street'))
    take(
      taking,
      'dropoff_address',
      free.find((each) => hasAll(each, wholeAddress)),
    );
  take(taking, 'dropoff_at', ...timeColumns(all));
  return withOneAddress(withOneItem(found, known, samples)).flatMap(([field, columns]) =>
    columns.map((header) => [header, field] as const),
  );
}

/** The number within an address, or beside a street without any, is that of the house: `Calle, Número`. */
function withHouseNumber(all: readonly Read[]): Read[] {
  const place = all.findIndex(({ name }) => isAddress(name));
  const street = all[place]?.values ?? [];
  const lacksNumber = street.length > 0 && street.every((value) => !/\d/.test(value));
  const isOfHouse = ({ name, isInAddress }: Read, index: number) =>
    isInAddress || (lacksNumber && name === 'number' && Math.abs(index - place) === 1);
  const hasNumber = all.some(isOfHouse);
  return all.map((each, index) => {
    if (isOfHouse(each, index)) return { ...each, name: 'house number' };
    return hasNumber && index === place ? { ...each, name: 'street' } : each;
  });
}

function take({ found, taken }: Taking, field: string, ...columns: readonly (Sample | undefined)[]): void {
  for (const column of columns.filter((each) => each !== undefined)) {
    taken.add(column);
    found.set(field, [...(found.get(field) ?? []), column.header]);
  }
}

/** The column with one of the names that is the recipient's for certain; one with such values first, then an empty one. */
function pick({ all, taken }: Taking, names: readonly RegExp[], test: Test): Read | undefined {
  const named = [0, 1, 2].flatMap((rank) =>
    names.flatMap((name) =>
      all.filter((each) => each.rank === rank && name.test(each.name) && !taken.has(each)),
    ),
  );
  return named.find(({ values }) => values.some(test)) ?? named.find(({ values }) => values.length === 0);
}

/** Takes the columns with usual names; a further column of a field only if it has values. */
function takeUsualNames(taking: Taking): void {
  for (const field of new Set(usualNames.map((each) => each.field))) {
    const usual = usualNames.filter((each) => each.field === field);
    const names = usual.map(({ name }) => name);
    const isOther = field === 'dropoff_name' && hasNameParts(taking);
    const column = isOther ? undefined : pick(taking, names, usual[0]?.test ?? hasText);
    if (!field.startsWith('+')) take(taking, field, column);
    else if (column?.values.length !== 0) take(taking, field.slice(1), column);
  }
}

/** Whether the parts of a name are the recipient's for certain, and a `name` beside them is that of an item. */
function hasNameParts({ all }: Taking): boolean {
  const [first = recipients.length, last = recipients.length] = nameParts.map((part) =>
    Math.min(...all.filter(({ name }) => part.test(name)).map(({ rank }) => rank)),
  );
  const whole = all.filter(({ name }) => /^(?:full )?name$/.test(name)).map(({ rank }) => rank);
  return Math.max(first, last) < Math.min(...whole);
}

/** Takes the parts of a name, or else what may be the recipient's name. */
function takeRecipientName(taking: Taking, isLabel: boolean): void {
  const parts = nameParts.map((part) => pick(taking, [part], hasText));
  const other = isLabel ? otherNames : [/^to$/, ...otherNames];
  if (parts.some(Boolean)) take(taking, 'dropoff_name', ...parts);
  else take(taking, 'dropoff_name', pick(taking, other, tests.letter ?? hasText));
}

function findPhone(columns: readonly Read[]): Read | undefined {
  return columns.find((each) => hasAll(each, usPhone) && !ofSystem.test(each.name));
}

function findBillingPhone(samples: readonly Sample[]): Sample | undefined {
  return samples.find(({ header }) => /\bbilling phone\b/.test(wordsOf(header)));
}

const hasText: Test = (value) => value !== '';
/** `(312) 555-0142` */
const usPhone = /^\+?1?[\s.(-]*[2-9]\d{2}[\s.)/-]*[2-9]\d{2}[\s.-]*\d{4}$/;
/** `600 E Grand Ave, Chicago, IL 60611` */
const wholeAddress = /^\d.*\p{L}.*\b[A-Z]{2}\.?,? +\d{5}\b/su;
/** Words of numbers that are no phone numbers. */
const ofSystem = /\b(?:id|order|sku|upc|item|tracking|transaction|account)\b/;

function hasAll({ values }: Read, pattern: RegExp): boolean {
  return values.length > 0 && values.every((value) => pattern.test(value));
}

function isAddress(words: string): boolean {
  return usualNames.some(({ field, name }) => /^\w+_(street|address)$/.test(field) && name.test(words));
}

/** Names of a time that was promised: `requested time`. */
const dueWords =
  /^(?:promised?|due|request(?:ed)?|scheduled|needed|wanted|preferred|desired|event|expected|fulfillment)(?: delivery$|(?: delivery)?(?: (?:date|time|datetime|at|by|on|start|window|slot|from))+$)/;
/** A time that stands beside a date of the delivery: `time slot`. */
const slotWords = /^time ?(?:slot|window)$/;
/** Names of a time behind a word of the recipient: `delivery date`. */
const dateWords =
  /^(?:date|day|date ?time|time|slot|window|time ?slot|time window|hours?|on|at|by)(?: (?:date|time|start|from))?$/;

/** The column with the time of the delivery, or those with its date and its time. */
function timeColumns(all: readonly Read[]): Read[] {
  const named = all.filter(
    ({ header, rank, name }) =>
      dueWords.test(name) ||
      slotWords.test(name) ||
      (rank === 0 && dateWords.test(name) && !/^ship/i.test(header)),
  );
  const value = ({ values }: Read) => values[0] ?? '';
  for (const date of named)
    for (const more of [[], ...named.filter((each) => each !== date).map((time) => [time])])
      if (isDatedTime([date, ...more].map(value).join(' '))) return [date, ...more];
  return [];
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

/** Without a column of quantities, that of an item has all of them, `2 x Soup; Tea`, or is text: `1 family platter`. */
function withOneItem(
  found: Map<string, string[]>,
  known: readonly string[],
  samples: readonly Sample[],
): Map<string, string[]> {
  const name = found.get('item_name');
  if (name === undefined) return found;
  found.delete('items_description');
  if (found.has('item_quantity') || known.includes('item_quantity')) return found;
  found.delete('item_name');
  const values = samples.flatMap((each) => (name.includes(each.header) ? each.values : []));
  const isText = values.some((value) => /^\d+ (?![x×] )/.test(value));
  return found.set(isText ? 'items_description' : 'items', name);
}

/** Reads a header. Null if the column is about the sender, the store or the driver, not the recipient. */
function read({ header, values }: Sample): Read | null {
  const words = wordsOf(header);
  if (words === '' || ofOthers.test(words)) return null;
  const rank = recipients.findIndex((pattern) => pattern.test(words));
  const left = recipients.reduce((rest, pattern) => rest.replace(pattern, ''), words);
  const isPhoneOf = left === 'number' && /\bcontact\b/.test(words);
  const isInAddress = /\baddress number$/.test(words);
  // A customer number does not identify an order, nor does that of a place.
  const isOfPlace = rank === 1 || /^(?:recipient|consignee|receiver|destination) /.test(words);
  if (isOfPlace && /^(?:id|code|number)$/.test(left) && !isPhoneOf && !isInAddress) return null;
  // A shipping total is the price of shipping, not the value of the order.
  if (rank === 0 && /total|amount/.test(left)) return null;
  const name = isPhoneOf ? 'phone' : left || (/\bto$/.test(words) ? 'to' : '');
  const given = values.map((value) => value.trim().replace(/^'/, '')).filter((value) => value !== '');
  return { header, values: given, name, rank: rank < 0 ? recipients.length : rank, isInAddress };
}

/** The words of a header in English: `Dirección (de entrega)` is `delivery address`. */
function wordsOf(header: string): string {
  return (
    otherScripts
      .reduce((text, [pattern, word]) => text.replace(pattern, ` ${word} `), header.normalize('NFKC'))
      .replace(/^(.*?)\((.*?)\)(.*)$/s, (_, before: string, inner: string, behind: string) =>
        /ship|bill|deliver|recipient|sender|customer/i.test(inner)
          ? `${inner} ${before} ${behind}`
          : `${before} ${behind}`,
      )
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      // The parents of an address in the JSON of some systems: `fulfillment.`, `checks.`
      .replace(/\b(?:fulfil+ments?|checks?|elements)\.|[ _](?:info|details)(?=\.)/g, '')
      .replace('administrative_district_level_1', 'state')
      .replaceAll('ß', 'ss')
      .replaceAll('#', ' number ')
      .replace(/['’]s\b/g, '')
      .replace(/\(?\b(?:yyyy|mm|dd)[-/.](?:yyyy|mm|dd)\S*/g, '')
      // Only words in the Latin alphabet are known; any other word becomes an unknown one.
      .replace(/[^\p{Script=Latin}\P{L}]+/gu, ' x ')
      .replace(/[^a-z0-9]+/g, ' ')
      .replace(/([a-z])(?=\d)/g, '$1 ')
      .replace(/\b(auftrags|bestell|haus|kunden|liefer|telefon|artikel|rechnungs)(?=[a-z]{3})/g, '$1 ')
      .replace(/\bfrom (?=buyer|customer)/g, '')
      .replace(/\bdel (?=date|time|instr|notes?\b)/g, 'delivery ')
      .replace(/\b(?:do (?=pedido|cliente|produto)|para a (?=entrega))/g, '')
      .trim()
      .split(' ')
      .map((word) => english.get(word) ?? word)
      .filter((word) => word !== '')
      .join(' ')
      .replace(/^(?:merchant|seller|vendor|shop|store|external|driver|courier) (?=order|tip|delivery id)/, '')
      .replace(
        /^((?:full )?(?:address|name|phone|street|city|state|zip)) (delivery|shipping|recipient|billing|customer|item)$/,
        '$2 $1',
      )
      .replace(/^(?:order|job|task|stop) (?=(?:delivery|customer|recipient) )/, '')
      .replace(/^customer username$/, 'customer name')
  );
}

/** Whether a line seems to hold values, and no names of columns: it has a phone number, a ZIP code or a long number. */
export function looksLikeValues(headers: readonly string[]): boolean {
  return headers.some((header) => /\d{5}|\d{3}\D{1,2}\d{3}\D?\d{4}/.test(header));
}
