/** Finds a delivery by what a user types: an ID, a reference, a phone number, or words to search for. */
import type { Answer } from '../../client/answers.ts';
import { ApiError, Unsupported } from '../../client/errors.ts';
import type { DetailedDelivery } from '../../contract/deliveries.ts';
import type { Page } from '../../contract/schema.ts';
import { deliveryStatusNames } from '../../contract/vocabulary.ts';
import { hasEndedBadly, isEnded } from '../../domain/delivery-states.ts';
import { storedPhoneForms } from '../../domain/phone-text.ts';
import { foldedWords } from '../../domain/search-text.ts';
import { isRescheduled, shownStatus, statusNamed, statusWord } from '../../domain/status-words.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';
import { otherKindError } from '../records.ts';
import type { Context } from '../session/command.ts';
import { searchedPart, searchIncomplete } from '../session/list-reader.ts';
import { explainNoMatch } from '../session/search-explanation.ts';
import { readPeriod } from '../session/typed-periods.ts';
import { type Choosing, chooseDelivery, recipientName, type SearchContext } from './choose-delivery.ts';
import { otherMarks, pastedForms, pastedId } from './find-order.ts';

interface FindOptions extends Choosing {
  /** Whether the command changes the delivery: a search result must then be confirmed. */
  changes?: boolean;
}

type Query = { external_order_ref: string } | { phone: string } | { q: string };

export type Search = (query: Query) => Promise<readonly DetailedDelivery[]>;

/** The help text of the argument that identifies a delivery. */
export const deliveryWord = 'Delivery ID, your reference, or any text to search for';

/** The help text where a search finds nothing without a person to agree: the command changes the delivery. */
export const changedWord = 'Delivery ID, your reference or a phone number; in a terminal also a name';

/** Added to the description of commands that change a delivery. */
export const foundBy =
  'The delivery can be given by ID, by your own reference, by phone number, or by any text that deliveries list --search finds. If it is found by a search only, or more than one matches, choose it from a list in a terminal; a script stops without changing anything.';

/**
 * Finds the one delivery that a text identifies: its ID, a reference, a phone number of either contact, or words that a
 * search finds. Fails with exit 5 if there is none. If several match, the user chooses one; without a terminal it fails
 * with exit 2, as it never guesses. Several attempts at one order count as one: the latest.
 */
export async function findDelivery(
  context: SearchContext,
  given: string,
  options: FindOptions = {},
): Promise<DetailedDelivery> {
  const text = pastedId(given) ?? given;
  if (text.trim() === '')
    throw new UsageError('Specify a delivery: its ID, your reference, a phone number or a name.');
  // A phone number in a path would end up in the service's logs.
  const isPhone = /[+:()\s]/.test(text) && storedPhoneForms(text).length > 0;
  const byId = isPhone ? null : await deliveryById(context, text);
  if (byId !== null) return byId;
  const parts: number[] = [];
  let hasMore = false;
  const search = async (query: Query) => {
    const listed = await listDeliveries(context, query);
    const part = searchedPart(listed);
    if (part !== null) parts.push(part);
    hasMore ||= listed.data.has_more;
    return listed.data.data;
  };
  const exact = await firstFound(pastedForms(text), (form) => exactMatchesOrOtherMarks(search, form));
  if (exact.length > 0)
    return (
      (await latestOfOneOrder(context, exact)) ??
      replacementOf(context, exact) ??
      chooseDelivery(context, text, activeFirst(exact), { ...options, hasMore })
    );
  const unsent = await unsentOrder(context, text);
  if (unsent !== null) throw unsent;
  const searched = await firstFound(pastedForms(text), (form) => searchedMatches(search, form));
  const [only, ...others] = searched;
  if (only === undefined) throw await nothingFound(context, text, parts);
  const isNamed = only.order_id === text;
  if (others.length > 0 || (options.changes === true && !isNamed))
    return chooseDelivery(context, text, searched, { ...options, hasMore });
  const { matched } = only.details;
  if (matched !== '' && !context.output.json) context.note(`Matched ${matched}.`);
  return only;
}

/** The deliveries found by the first form that finds any. */
async function firstFound(
  forms: readonly string[],
  find: (form: string) => Promise<DetailedDelivery[]>,
): Promise<DetailedDelivery[]> {
  for (const form of forms) {
    const found = await find(form);
    if (found.length > 0) return found;
  }
  return [];
}

/** The deliveries with this reference or phone number. */
async function exactMatchesOrOtherMarks(search: Search, text: string): Promise<DetailedDelivery[]> {
  const found = await exactMatches(search, text);
  if (found.length > 0) return found;
  const others = await Promise.all(
    otherMarks(text).map((external_order_ref) => search({ external_order_ref })),
  );
  return others.flat();
}

async function exactMatches(search: Search, text: string): Promise<DetailedDelivery[]> {
  const matches = await Promise.all(queriesFor(text).map(search));
  const found = matches.flat();
  return found.filter(({ id }, index) => found.findIndex((each) => each.id === id) === index);
}

/** Returns the only delivery, or the current one if all are attempts at one order. */
async function latestOfOneOrder(
  context: SearchContext,
  found: readonly DetailedDelivery[],
): Promise<DetailedDelivery | undefined> {
  const [first, ...others] = found;
  if (first === undefined || others.length === 0) return first;
  const isOneOrder = first.order_id !== '' && others.every(({ order_id }) => order_id === first.order_id);
  const latest = isOneOrder ? await latestOf(context, first.order_id, found) : undefined;
  const earlier = found.filter((each) => each.id !== latest?.id && isRescheduled(each));
  if (latest !== undefined && earlier.length > 0 && !context.output.json)
    context.note(
      `Using ${latest.id}; earlier: ${earlier.map(({ id }) => `${id} (rescheduled)`).join(', ')}.`,
    );
  return latest;
}

/** The one delivery that has not ended badly: a courier or the service may have replaced the others by it. */
function replacementOf(context: SearchContext, found: readonly DetailedDelivery[]): DetailedDelivery | null {
  const isGone = ({ status }: DetailedDelivery) => hasEndedBadly(status);
  const [only, ...others] = found.filter((each) => !isGone(each));
  if (only === undefined || others.length > 0) return null;
  // A phone number may be that of several recipients.
  const whose = (each: DetailedDelivery) =>
    recipientName(each) === recipientName(only) ? '' : ` for ${recipientName(each)}`;
  const gone = found
    .filter(isGone)
    .map((each) => `${each.id}${whose(each)} (${statusWord(shownStatus(each))})`);
  if (!context.output.json) context.note(`Using ${only.id}; not ${gone.join(', ')}.`);
  return only;
}

const max_search_length = 200;

/** The deliveries that a search finds, the best matches first; of each order only the latest. */
async function searchedMatches(search: Search, text: string): Promise<DetailedDelivery[]> {
  if (text.length > max_search_length) return [];
  const found = (await search({ q: text })).filter((delivery) => hasInOnePiece(delivery, text));
  const isLatest = ({ order_id }: DetailedDelivery, index: number) =>
    order_id === '' || found.findIndex((each) => each.order_id === order_id) === index;
  const rank = (delivery: DetailedDelivery) => matchRank(delivery, text);
  return activeFirst(found.filter(isLatest)).toSorted((left, right) => rank(left) - rank(right));
}

/** `Customer 11` is first who is called so, then what has all words in one field, then a Customer at 1104 Ohio St. */
function matchRank({ pickup_name, dropoffs, details }: DetailedDelivery, text: string): number {
  const search_words = foldedWords(text).join(' ');
  const names = [pickup_name, ...(dropoffs ?? []).map(({ dropoff_name }) => dropoff_name)];
  if (names.some((name) => foldedWords(name ?? '').join(' ') === search_words)) return 0;
  // A caller gives their own phone or name; a driver has several deliveries of strangers.
  if (isOfDriver(details.matched)) return 3;
  return details.matched.includes(' and ') ? 2 : 1;
}

/** Whether only the driver has the text, e.g. `driver phone ending 0115`. */
const isOfDriver = (matched: string) => /^driver\b(?!.* and )/.test(matched);

/** What is no text of a delivery has its digits, or a part of them. */
const byOtherMeans = /phone|\bID\b|link/;

/**
 * Whether a delivery has a text such as `C-19` in one piece: its parts alone, a C in Chicago and the 19 of B-19, are in
 * many deliveries. Words apart by blanks may stand anywhere.
 */
function hasInOnePiece({ details, ...delivery }: DetailedDelivery, text: string): boolean {
  const parts = foldedWords(text);
  if (parts.length < 2 || /\s/.test(text.trim()) || !/\d/.test(text)) return true;
  if (byOtherMeans.test(details.matched)) return true;
  const said = ` ${foldedWords(JSON.stringify([delivery, details.notes])).join(' ')}`;
  return said.includes(` ${parts.join(' ')}`);
}

/** The error for the reference of an order that was not sent. A tracking link or an e-mail address is no reference. */
async function unsentOrder(context: SearchContext, text: string): Promise<Failure | null> {
  if (/[/@]/.test(text)) return null;
  const { unsentOrderNamed } = await import('./undelivered-order.ts');
  return unsentOrderNamed(
    context,
    pastedForms(text).flatMap((form) => [form, ...otherMarks(form)]),
  );
}

/** Active deliveries first, otherwise in their order: newest first. */
function activeFirst(found: readonly DetailedDelivery[]): DetailedDelivery[] {
  return found.toSorted((left, right) => Number(isEnded(left.status)) - Number(isEnded(right.status)));
}

/** `parts` has how many deliveries each search covered that did not cover all. */
async function nothingFound(
  context: SearchContext,
  text: string,
  parts: readonly number[],
): Promise<Failure> {
  const other = otherKindError(text, 'delivery');
  if (other !== null) return new Failure(5, 'record_not_found', other.message, { next: other.next });
  const { orderWithoutDelivery } = await import('./undelivered-order.ts');
  const instead = await orderWithoutDelivery(context, text);
  if (instead !== null) return instead;
  return parts.length === 0
    ? notFound(text, await explainNoMatch(text, (q) => deliveryTexts(context, q)))
    : searchIncomplete(`No delivery matches "${text}"`, Math.min(...parts), [listStep]);
}

/** Returns the current delivery of an order that was retried. */
async function latestOf(
  context: SearchContext,
  order_id: string,
  tries: readonly DetailedDelivery[],
): Promise<DetailedDelivery | undefined> {
  const client = await context.client();
  try {
    const { data } = await client.orders.get({ params: { order_id } });
    return tries.find(({ id }) => id === data.delivery_id);
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** Gets a delivery by ID; null if it does not exist. The format of IDs is up to the service. */
async function deliveryById({ client }: SearchContext, deliveryid: string): Promise<DetailedDelivery | null> {
  try {
    return (await (await client()).deliveries.getDetailed({ params: { deliveryid } })).data;
  } catch (error) {
    if (isOwnId(deliveryid) || !(error instanceof ApiError) || !saysNoSuchId(error)) throw error;
    return null;
  }
}

/** Services refuse a malformed ID in several ways. */
function saysNoSuchId({ status }: ApiError): boolean {
  return status !== 401 && status !== 403 && status !== 429 && status >= 400 && status <= 500;
}

/** Finds the delivery's ID; an ID of waybill's own format is used unchanged and left to the service. */
export async function findDeliveryId(
  context: SearchContext,
  text: string,
  options?: FindOptions,
): Promise<string> {
  return isOwnId(text) ? text : (await findDelivery(context, text, options)).id;
}

/** True if the text can only be an ID of waybill's own service. */
function isOwnId(text: string): boolean {
  return /^dlv_[0-9A-Z]{26}$/.test(text);
}

/** Digits may be a reference as well as a phone number. */
function queriesFor(text: string): Query[] {
  return [{ external_order_ref: text }, ...storedPhoneForms(text).map((number) => ({ phone: number }))];
}

/** The number of results that are ranked and counted. */
const max_found = 50;

async function listDeliveries(context: SearchContext, query: Query): Promise<Answer<Page<DetailedDelivery>>> {
  const client = await context.client();
  return client.deliveries.listDetailed({ query: { ...query, limit: max_found } });
}

const max_texts = 50;

/** The texts of deliveries that a search finds: names, addresses, items and the reference. */
export async function deliveryTexts(context: Pick<Context, 'client'>, q: string): Promise<string[]> {
  const client = await context.client();
  const { data } = await client.deliveries.list({ query: { q, limit: max_texts } });
  return data.data.flatMap(({ pickup_name, pickup_address, dropoffs, items, ...rest }) => [
    ...[pickup_name, pickup_address, rest.external_order_ref, rest.courier_name ?? ''],
    ...(items ?? []).map(({ name }) => name),
    ...(dropoffs ?? []).flatMap(({ dropoff_name, dropoff_address }) => [dropoff_name, dropoff_address]),
  ]);
}

/** The names of the drivers that words find. */
export async function similarDrivers(
  { client }: Pick<Context, 'client'>,
  driver_name: string,
): Promise<string[]> {
  const listed = await (await client()).deliveries.list({ query: { driver_name, limit: max_texts } });
  return listed.data.data.flatMap(({ courier_name }) => courier_name ?? []);
}

function notFound(text: string, why: string | null): Failure {
  // The letter O beside digits is a zero that somebody read or typed.
  const zeros = /\d/.test(text) ? text.replace(/(?<=[\d()\s.-])o|o(?=\d)/gi, '0') : text;
  const listed = text.split(/[,;]\s*/).filter((part) => part !== '');
  const isList = listed.length > 1 && listed.every((part) => /^\S*\d\S*$/.test(part));
  const one = isList ? `It takes one delivery: run it for each of ${listed.join(' and ')}. ` : '';
  const meant = zeros === text ? one : `Did you mean ${zeros}, with a zero? `;
  const hint = `${meant}Searched IDs, your references, names and phone numbers, also of drivers, e-mail addresses, addresses, units, notes, items, reasons of failures and cancellations, and tracking links.`;
  return new Failure(5, 'record_not_found', `No delivery matches "${text}".`, {
    hint,
    ...(why === null ? {} : { why }),
    next: [
      ...(zeros === text ? [] : [{ ...invocation('deliveries get', [zeros]), when: 'with a zero' }]),
      ...(isList ? [{ ...invocation('deliveries get', listed.slice(0, 1)), when: 'one of them' }] : []),
      listMeant(text) ?? listStep,
    ],
  });
}

/** The list that a period, a status or a word for lateness asks for: `find late`, `cancel today`. */
function listMeant(text: string): NextStep | null {
  const status = statusNamed(text);
  const filter =
    text === 'late' || text === 'stuck'
      ? { [text]: true }
      : deliveryStatusNames.some((name) => name === status)
        ? { status }
        : !/\d/.test(text) && readPeriod(text) !== null
          ? { period: text }
          : null;
  return filter && { ...invocation('deliveries list', [], filter), when: 'list these' };
}

const listStep: NextStep = { ...invocation('deliveries list'), when: 'see what there is' };
