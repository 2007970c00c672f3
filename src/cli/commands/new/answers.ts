/**
 * The answers of the wizard: which fields of an order are asked for, and how answers become a request, a command or
 * lines.
 */
import { ApiError } from '../../../client/errors.ts';
import { correctable, type Fault } from '../../../contract/errors.ts';
import type { OrderRequest } from '../../../contract/orders.ts';
import { readPhoneText } from '../../../domain/phone-text.ts';
import { answerFault } from '../../kit/args/ask-input.ts';
import { flagLabel, givenInput, hasEach, isBlank, readFlags } from '../../kit/args/command-input.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { phoneFormatter } from '../../kit/output/safe-text.ts';
import { dashed, type Invocation, invocation } from '../../kit/result/message.ts';
import { orderFlags, readItem, readOrderFields, withCountry } from '../../nouns/order-flags.ts';
import { notedPhones, scheduledOrders } from '../../nouns/order-input.ts';
import type { Context } from '../../session/command.ts';
import { readLoadedAddress } from '../../session/gazetteer.ts';
import { momentRemarks, readMoment } from '../../session/time-arguments.ts';
import type { Answers } from './plan.ts';
import type { Run } from './run.ts';

export type Field = keyof typeof orderFlags;

const pickup = ['pickupAddress', 'pickupName', 'pickupPhoneNumber'] as const satisfies readonly Field[];
const dropoff = ['dropoffAddress', 'dropoffName', 'dropoffPhoneNumber'] as const satisfies readonly Field[];

const phones: ReadonlySet<string> = new Set<Field>(['pickupPhoneNumber', 'dropoffPhoneNumber']);
const requiredFields: ReadonlySet<string> = new Set<Field>([...pickup, ...dropoff, 'item']);

/** The fields asked for every order, in this order; a saved place replaces the fields of the pickup. */
export function questionsFor(answers: Answers): readonly Field[] {
  return ['store', ...(answers.store === undefined ? pickup : []), ...dropoff, 'item'];
}

export function isRequired(field: Field): boolean {
  return requiredFields.has(field);
}

/** The pickup fields that a store provides: all except the pickup time. */
const pickupField = /^pickup(?!At)/;

/** All fields of an order, without those that come from a saved place. */
export function allFields(answers: Answers): Field[] {
  return fieldsOf().filter((field) => answers.store === undefined || !pickupField.test(field));
}

function fieldsOf(): Field[] {
  return Object.keys(orderFlags).filter(isField);
}

function isField(name: string): name is Field {
  return Object.hasOwn(orderFlags, name);
}

/** `Pickup unit` for `pickupUnit`. */
export function describeField(field: Field): string {
  const words = dashed(field).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The question of a field, worded as in `orders create`. */
export function questionOf(field: Field): string {
  const { question, summary } = orderFlags[field];
  if (phones.has(field))
    return `${describeField(field).replace(' number', '')} (312-555-0142, or +13125550142)`;
  return question ?? `${describeField(field)} (${summary}; ${flagLabel(field)})`;
}

/** The error for an answer, worded as in `orders create`; null if it is valid. */
export function faultOf(field: Field, text: string): string | null {
  return answerFault(text, orderFlags[field]);
}

/** The stored form of an answer: phone numbers are stored in international form. */
export function storedForm(field: Field, text: string): string {
  return phones.has(field) ? withCountry(text) : text;
}

/** Replaces the answers of one field. Without any, the field is removed. */
export function withAnswer(answers: Answers, field: Field, texts: readonly string[]): Answers {
  const { [field]: _, ...others } = answers;
  const given = texts.filter((text) => !isBlank(text));
  const kept = field === 'store' && given.length > 0 ? withoutPickup(others) : others;
  return given.length === 0 ? kept : { ...kept, [field]: given };
}

/** A saved place and the fields of a pickup exclude each other. */
function withoutPickup(answers: Answers): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([name]) => !pickupField.test(name)));
}

/** The index of the first unanswered question; their number if all are answered. */
export function firstUnanswered(answers: Answers): number {
  const questions = questionsFor(answers);
  const at = questions.findIndex((field) => requiredFields.has(field) && !hasAnswer(answers, field));
  // The first question, about a saved place, is answered once anything else is.
  return at === -1 ? questions.length : Object.keys(answers).length === 0 ? 0 : at;
}

/** Whether every question is answered. */
export function isAnswered(answers: Answers): boolean {
  return firstUnanswered(answers) === questionsFor(answers).length;
}

function hasAnswer(answers: Answers, field: Field): boolean {
  return answers[field] !== undefined || (field === 'item' && answers.itemsDescription !== undefined);
}

type Values = Parameters<typeof readOrderFields>[0];

/** The request that the answers make; relative times become absolute. */
export async function orderRequestFrom(context: Context, answers: Answers): Promise<Partial<OrderRequest>> {
  const raw = { flags: new Map(Object.entries(answers)), words: [] };
  const values = readFlags(orderFlags, raw);
  if (!hasEach<Values>(orderFlags, values)) throw new TypeError('the fields of the order are not whole');
  const fields = readOrderFields(values, givenInput({}, raw));
  const [order] = await scheduledOrders(context, [{ ...fields }], values);
  return notedPhones(context, { ...(order ?? fields) });
}

/** The command that creates the order. */
export function creationLine(answers: Answers, words: readonly string[] = []): Invocation {
  const flags = fieldsOf().flatMap((field) =>
    (answers[field] ?? []).flatMap((text) => flagWords(field, text)),
  );
  return invocation('orders create', [...flags, ...words]);
}

function flagWords(field: Field, text: string): string[] {
  if (orderFlags[field].kind !== 'switch') return [flagLabel(field), text];
  return [text === 'true' ? flagLabel(field) : `--no-${dashed(field)}`];
}

/** The answers that would create an existing order. */
export function answersOf(request: Partial<OrderRequest>): Answers {
  const entries = Object.entries(request).flatMap(([name, value]): [string, string[]][] => {
    const field = fieldAt(name);
    if (field === null || value === undefined || field === 'item') return [];
    return [[field, [cents.includes(name) ? moneyText(Number(value)) : String(value)]]];
  });
  const items = (request.items ?? []).map(itemText);
  return { ...Object.fromEntries(entries), ...(items.length === 0 ? {} : { item: items }) };
}

const cents: readonly string[] = ['order_value', 'tip'];

function itemText({ name, quantity, size }: NonNullable<OrderRequest['items']>[number]): string {
  return [name, quantity, ...(size === undefined ? [] : [size])].join(':');
}

/** The field at a path of the service, as `orders[0].dropoff_phone_number`; null if absent. */
export function fieldAt(path: string): Field | null {
  const name = /^(?:orders\[\d+\]\.)?(\w+)/.exec(path)?.[1] ?? '';
  const field = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const renamed: Record<string, Field> = { items: 'item', pickupStoreId: 'store' };
  return renamed[field] ?? (isField(field) ? field : null);
}

/** The faults of a refusal that the user can correct; null for any other error. */
export function faultsIn(error: unknown): readonly Fault[] | null {
  if (!(error instanceof ApiError)) return null;
  // An order refers to no other record than its saved place.
  if (error.code === 'record_not_found') return [{ path: 'pickup_store_id', message: error.message }];
  if (!correctable.some((code) => code === error.code)) return null;
  return error.details.length > 0 ? error.details : [{ path: '', message: error.message }];
}

export function phoneNumbersIn(answers: Answers): string[] {
  return [...phones].flatMap((name) => answers[name] ?? []);
}

/** The answers as displayed outside of their questions: some phone numbers are masked. */
export function maskedAnswers({ plan, context }: Run, answers: Answers): Answers {
  const shown = phoneFormatter(context.output);
  const isMasked = (name: string, text: string) => phones.has(name) && plan.numbers.includes(text);
  const entries = Object.entries(answers).map(([name, texts]) => [
    name,
    texts.map((text) => (isMasked(name, text) ? shown(text) : text)),
  ]);
  return Object.fromEntries(entries);
}

/** How the answers are read: `Read: 6 as given; 1 changed: "..." as "..."; 1 guessed: ...` */
export function readingText(answers: Answers): string {
  const read = fieldsOf().flatMap((field) => (answers[field] ?? []).map((text) => readingOf(field, text)));
  const part = (kind: 'changed' | 'guessed') => {
    const texts = read.flatMap((each) => (each?.kind === kind ? each.text : []));
    return texts.length === 0 ? [] : [`${texts.length} ${kind}: ${texts.slice(0, max_examples).join(', ')}`];
  };
  const given = read.filter((each) => each === null).length;
  return `Read: ${[`${given} as given`, ...part('changed'), ...part('guessed')].join('; ')}.`;
}

const max_examples = 2;

/** The change or guess by which an answer was read; null if it was taken as given. */
function readingOf(field: Field, text: string): { kind: 'changed' | 'guessed'; text: string } | null {
  if (field === 'pickupAddress' || field === 'dropoffAddress') {
    const read = readLoadedAddress(text);
    if ('fault' in read || read.warnings.length + read.changes.length === 0) return null;
    return { kind: read.warnings.length > 0 ? 'guessed' : 'changed', text: `"${text}" as "${read.address}"` };
  }
  if (phones.has(field)) {
    const { extra = '' } = { extra: '', ...readPhoneText(text) };
    return extra === '' ? null : { kind: 'changed', text: `"${extra}" goes into the notes` };
  }
  if (field !== 'pickupAt' && field !== 'dropoffAt') return null;
  const remarks = momentRemarks(readMoment(text, 'visit'), null);
  return remarks.length === 0 ? null : { kind: 'guessed', text: `"${text}": ${remarks.join('; ')}` };
}

/** The lines that summarize an order; `store` is the saved place in words. */
export function orderSummaryLines(answers: Answers, store: string): string[] {
  const first = (...fields: Field[]) => fields.flatMap((field) => answers[field]?.[0] ?? []).join(', ');
  const others = allFields(answers).filter((field) => !requiredFields.has(field) && field !== 'store');
  const from = answers.store === undefined ? first('pickupName', 'pickupAddress', 'pickupPhoneNumber') : '';
  return [
    `From: ${from === '' ? store : from}`,
    `To: ${first('dropoffName', 'dropoffAddress', 'dropoffPhoneNumber')}`,
    ...(answers.item ?? []).map((text) => `Item: ${itemLine(text)}`),
    ...others.flatMap((field) => (answers[field] ?? []).map((text) => `${describeField(field)}: ${text}`)),
  ];
}

/** `2 x Soup (small)` */
export function itemLine(text: string): string {
  const { name, quantity, size } = readItem(text);
  return `${quantity} x ${name}${size === undefined ? '' : ` (${size})`}`;
}
