/**
 * Which orders of a file are imported: of a shop's export those that are known to wait for a courier, by their status and
 * shipping method, and of any file those that `--only` names. The others are counted by the reason why they are left out.
 */
import type { Fault } from '../../../../../contract/errors.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import type { ColumnValue, Layout } from '../source.ts';

/** Why an order is left out, as in `3 orders (picked up by the customer)`, and the text that says so. */
export interface LeftOut {
  left_out: string;
  detail?: string;
}

/** Statuses of orders that are paid, or whose payment is secured. */
export const paidStatuses = ['paid', 'authorized', 'partially refunded'];

/** Statuses of orders that wait for their delivery, entirely or in part. */
export const unfulfilledStatuses = ['unfulfilled', 'partial', 'partially fulfilled', 'pending'];

/** Statuses that wait, as Square's interface and its Dashboard call them. */
export const squareStatuses = ['proposed', 'new', 'reserved', 'in progress', 'prepared', 'ready', 'active'];

/** Of WooCommerce: `processing` is an order that is paid, and plugins add the rest. */
export const wooStatuses = [
  ...['processing', 'ready to ship', 'ready for delivery'],
  ...['awaiting shipment', 'awaiting fulfillment'],
];

/**
 * Null for a status that is known to be ready, or that the user names. A list of those that are not would miss the
 * statuses of other languages and of plugins. An export may leave the status out.
 */
export function statusReason(status: string, ready: readonly string[], { statuses }: Layout): LeftOut | null {
  const found = foldedStatus(status);
  const isTaken = found === '' || ready.includes(found) || statuses.map(foldedStatus).includes(found);
  return isTaken ? null : { left_out: `status "${status}"` };
}

/** `wc-on-hold` and `On hold` are one status. */
function foldedStatus(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^wc-/, '')
    .replace(/[\s_-]+/g, ' ');
}

/** Words for a pickup by the customer, in the languages of shops in the USA and of the plugins' translations. */
const pickupWords = new RegExp(
  [
    String.raw`\b(pick[- ]?ups?(?! truck)|collect(ion)?|curb ?side|will[- ]call|in[- ]store|carry[- ]?out`,
    'take[- ]?(out|away)|dine[- ]in|recog(er|ida)|recojo|retir(o|ada|ar)|ramassage|enlevement|retrait|abholung|selbstabhol\\w*',
    String.raw`ritiro|afhal(en|ing|punt))\b`,
  ].join('|'),
  'i',
);

/** Carriers and services of parcels. */
const postWords = new RegExp(
  [
    String.raw`\b(usps|ups|fed ?ex|dhl|ontrac|lasership|purolator|priority mail|first[- ]class|media mail`,
    'ground advantage|parcel select|(canada|an|australia|deutsche) post|royal mail|by (mail|post)|postal|postage',
    String.raw`mail|international|freight|correos?|colissimo|mondial relay|la poste|postnl|hermes|evri|dpd|gls)\b`,
  ].join('|'),
  'i',
);

/**
 * Why orders with this shipping method are left out; null for one that is not named as a pickup or as post. A method
 * that `--only` names by its column is wanted.
 */
export function methodReason(method: string, layout: Layout, column: string | null): LeftOut | null {
  if (column !== null && isNamedBy(layout, column)) return null;
  const words = plainWords(method);
  if (pickupWords.test(words)) return { left_out: 'picked up by the customer', detail: method };
  return postWords.test(words) ? { left_out: 'sent by post', detail: method } : null;
}

/** Whether `--only` names a column: what it says is wanted. */
function isNamedBy({ only }: Layout, column: string): boolean {
  return only.some(([header]) => folded(header) === folded(column));
}

function plainWords(text: string): string {
  return text.replaceAll('_', ' ').normalize('NFD').replace(/\p{M}/gu, '');
}

/** A column that says how an order gets to the customer, or what a stop of a route is. */
const methodHeader =
  /^(?:(?:[a-z]+[ _-])?(?:order|delivery|fulfil+ment|service|shipping|stop|task|job)[ _-]?)?(?:type|tipo|method|mode|option)$|^(?:pick[ _-]?up|delivery) ?(?:\/|or) ?(?:pick[ _-]?up|delivery)$/i;
/** The letters of route planners for a pickup, and for a task without goods. */
const stopHeader = /(?:order|stop|task|job)[ _-]?type$/i;
const stopLetters = /^(?:p|pu|t)$/i;
const pickupFlag = /^(?:(?:is|has)[ _-]?)?pick[ _-]?up(?:[ _-]?task)?$/i;
const statusHeader =
  /^(?:(?:order|delivery|fulfil+ment|stop|task|job)[ _.-]?)?(?:status|estado|statut|状态|订单状态)$/i;
/** Statuses of an order that has ended. These are listed, rather than the open ones, which differ between systems. */
const endedStatus =
  /^(?:(?:order )?(?:cancell?ed|void(?:ed)?|refunded|rejected|declined|delivered|fulfilled)|cancelad[oa]|entregad[oa]|annulee?|livree?|storniert|geliefert|已取消|已退款|已送达)$/i;

/** Why an order of any file is left out: a pickup in a column such as `Type` or `Pickup`, or the end in its status. */
export function leftOutReason(headers: readonly string[], layout: Layout) {
  const placesOf = (pattern: RegExp) =>
    headers.flatMap((header, place) => (pattern.test(header.trim()) ? [{ header, place }] : []));
  const methods = placesOf(methodHeader);
  const flags = placesOf(pickupFlag);
  const statuses = placesOf(statusHeader);
  return ([cells = []]: readonly (readonly string[])[]): LeftOut | null => {
    const cellAt = (place: number) => cells[place]?.trim() ?? '';
    const flag = flags.find(({ place }) => /^(?:true|yes|y|1)$/i.test(cellAt(place)));
    if (flag !== undefined) return { left_out: `a pickup in the column ${flag.header}` };
    for (const { header, place } of methods) {
      const cell = cellAt(place);
      if (isNamedBy(layout, header)) continue;
      if (pickupWords.test(plainWords(cell)))
        return { left_out: `a pickup in the column ${header}`, detail: cell };
      if (stopHeader.test(header) && stopLetters.test(cell))
        return { left_out: `no delivery in the column ${header}`, detail: cell };
    }
    const ended = statuses.find(({ place }) => endedStatus.test(plainWords(cellAt(place))));
    if (ended === undefined || isNamedBy(layout, ended.header)) return null;
    return { left_out: `ended in the column ${ended.header}`, detail: cellAt(ended.place) };
  };
}

/** Amounts are dollars, and deliveries are in the USA. */
export function currencyReason(currency: string): LeftOut | null {
  return /^(usd)?$/i.test(currency) ? null : { left_out: `currency ${currency}` };
}

const max_remarks = 20;

/** Parts of a file that are ignored or changed. Each remark is kept once, with the first line that it applies to. */
export interface Remarks {
  /** `detail` follows the remark, from the first line only. */
  add(text: string, line: number, detail?: string): void;
  texts(): string[];
}

export function createRemarks(): Remarks {
  const found = new Map<string, { rows: number; line: number; detail: string }>();
  return {
    add: (text, line, detail = '') => {
      const known = found.get(text);
      if (known !== undefined) known.rows += 1;
      else if (found.size < max_remarks) found.set(text, { rows: 1, line, detail });
    },
    texts: () =>
      [...found].map(([text, { rows, line, detail }]) => {
        const where = rows === 1 ? `line ${line}` : `${rows} rows, such as line ${line}`;
        return `${text} (${[where, detail].filter(Boolean).join(': ')}).`;
      }),
  };
}

/** Collects the orders that are left out, and remarks, while a file is read. */
export interface Findings {
  leaveOut(reason: LeftOut, ref: string): void;
  remarks: Remarks;
}

export type OrderFilter = ReturnType<typeof columnFilter>;

/**
 * Chooses orders by the values of columns, as `--only` names them. Several values of one column are alternatives; each of several columns must have one of its own. Throws UsageError
 * for a column that the file does not have.
 */
export function columnFilter(only: readonly ColumnValue[], headers: readonly string[], name: string) {
  const wanted = new Map<number, string[]>();
  for (const [header, value] of only) {
    const place = headers.findIndex((each) => folded(each) === folded(header));
    if (place < 0) {
      const hint = didYouMean(header, headers);
      throw new UsageError(`${name} has no column "${header}", which --only names.`, hint ? { hint } : {});
    }
    wanted.set(place, [...(wanted.get(place) ?? []), value]);
  }
  const columns = [...wanted].map(([place, values]) => ({
    text: `${headers[place]}=${values.join(' or ')}`,
    cellOf: (row: readonly string[]) => row[place] ?? '',
    has: (cell: string) => values.some((value) => folded(value) === folded(cell)),
  }));
  /**
   * Why an order with these rows is left out, or a fault if only some of its rows are wanted; null if it is wanted. An
   * export may leave the cells of an order empty in its further rows.
   */
  return ([first = [], ...others]: readonly (readonly string[])[]): LeftOut | Fault | null => {
    for (const { text, cellOf, has } of columns) {
      const isWanted = has(cellOf(first));
      const cells = others.map(cellOf).filter((cell) => cell.trim() !== '' || has(''));
      if (cells.some((cell) => has(cell) !== isWanted)) {
        const message = `has ${text} in some rows of its order only: --only chooses whole orders`;
        return { path: 'row', message };
      }
      if (!isWanted) return { left_out: `not ${text}`, detail: cellOf(first).trim() };
    }
    return null;
  };
}

/** Without case, outer blanks, and the apostrophe that marks text in a spreadsheet. */
function folded(text: string): string {
  return text.trim().replace(/^'/, '').toLowerCase();
}
