/**
 * The kinds of records: each has the prefix of its IDs, the group of its commands, and the list of its latest records,
 * from which prompts and completion offer one. Then what is typed for a record: an ID from stdin, an ID of another kind,
 * and the shortcuts of deliveries, such as `cancel 1042` for `deliveries cancel 1042`.
 */
import type { Client } from '../client/client.ts';
import { ifSupported, unlessMissing } from '../client/errors.ts';
import { deliveryStatuses, orderStatuses, routeStatuses } from '../contract/vocabulary.ts';
import { max_offered } from './kit/args/ask-input.ts';
import { type CommandSpec, positionalLabel, type RawInput } from './kit/args/command-input.ts';
import { UsageError } from './kit/errors/failure.ts';
import type { Choice } from './kit/host/host.ts';
import { alignedRows } from './kit/output/aligned-rows.ts';
import { oneLine } from './kit/output/safe-text.ts';
import { ageOf, styledTime, type TimeStyle } from './kit/output/times.ts';
import { invocation, type NextStep } from './kit/result/message.ts';

/** A record, described for people. */
interface Brief {
  id: string;
  /** The merchant's reference; empty without one. */
  reference: string;
  /** Its recipient or size. */
  about?: string;
  /** Its status or another short description: `delivered`, `https://example.com/hooks`. */
  status: string;
  created_at: string;
  /** The order of a delivery, of which the newest is the current one. */
  order_id?: string;
}

/** A kind of record, as prompts, completion, errors and help need it. */
interface RecordKind {
  /** The kind of the positional that takes such an ID: `webhook_endpoint`. */
  name: string;
  /** The prefix of its IDs, without the underscore. */
  prefix: string;
  noun: string;
  /** The group of its commands. */
  group: string;
  /** Another kind whose IDs identify one, too: `deliveries get ord_1`. */
  alsoBy?: string;
  /** Prompts for its ID list the latest. */
  isPicked?: true;
  /** The latest, newest first; with statuses only those that have one of them and were not replaced. */
  latest(client: Client, limit: number, statuses: readonly string[] | undefined): Promise<Brief[]>;
}

/** The declaration of a kind: how its records are listed, and what describes one. */
interface Declaration<T, S extends string> extends Omit<RecordKind, 'name' | 'latest'> {
  /** The statuses by which its list is filtered. */
  statuses?: readonly S[];
  list(client: Client, query: { limit: number; status?: S[] }): Promise<{ data: { data: T[] } }>;
  brief(record: T): Brief;
}

function defineKind<T, const S extends string>({ list, brief, ...kind }: Declaration<T, S>): RecordKind {
  return {
    ...kind,
    name: kind.noun.replace(' ', '_'),
    latest: async (client, limit, wanted) => {
      const status = (kind.statuses ?? []).filter((each) => wanted?.includes(each));
      const { data } = await list(client, status.length === 0 ? { limit } : { limit, status });
      const briefs = data.data.map(brief);
      if (status.length === 0) return briefs;
      // Another service may ignore the filter.
      const found = briefs.filter((each) => status.some((own) => own === each.status));
      // A newer attempt at the order may have any status.
      const recent = briefs.some(({ order_id }) => order_id) ? (await list(client, { limit })).data.data : [];
      return withoutReplaced(found, [...recent.map(brief), ...briefs]);
    },
  };
}

/** The records without the deliveries of which another attempt comes before them in `all`, the newest first. */
function withoutReplaced(found: readonly Brief[], all: readonly Brief[]): Brief[] {
  return found.filter(
    ({ id, order_id }) => !order_id || all.find((each) => each.order_id === order_id)?.id === id,
  );
}

const recordKinds = {
  order: defineKind({
    prefix: 'ord',
    noun: 'order',
    group: 'orders',
    alsoBy: 'delivery',
    isPicked: true,
    statuses: orderStatuses,
    list: ({ orders }, query) => orders.list({ query }),
    brief: ({ id, external_order_ref: reference, dropoff_name: about, status, created_at }) => {
      return { id, reference, about, status, created_at };
    },
  }),
  route: defineKind({
    prefix: 'rte',
    noun: 'route',
    group: 'routes',
    alsoBy: 'order',
    isPicked: true,
    statuses: routeStatuses,
    list: ({ routes }, { limit, status: [status] = [] }) => routes.list({ query: { limit, status } }),
    brief: ({ id, order_ids, status, created_at }) => {
      return { id, reference: '', about: ordersText(order_ids.length), status, created_at };
    },
  }),
  delivery: defineKind({
    prefix: 'dlv',
    noun: 'delivery',
    group: 'deliveries',
    alsoBy: 'order',
    isPicked: true,
    statuses: deliveryStatuses,
    list: ({ deliveries }, query) => deliveries.list({ query }),
    brief: ({ id, external_order_ref: reference, dropoffs, status, created_at, order_id }) => {
      return { id, reference, about: dropoffs[0]?.dropoff_name ?? '', status, created_at, order_id };
    },
  }),
  batch: defineKind({
    prefix: 'bat',
    noun: 'batch',
    group: 'batches',
    isPicked: true,
    list: ({ batches }, { limit }) => batches.list({ query: { limit } }),
    brief: ({ batch_id: id, order_count, status, created_at }) => {
      return { id, reference: '', about: ordersText(order_count), status, created_at };
    },
  }),
  event: defineKind({
    prefix: 'evt',
    noun: 'event',
    group: 'events',
    list: ({ events }, { limit }) => events.list({ query: { limit } }),
    brief: ({ id, type, created_at }) => ({ id, reference: '', status: type, created_at }),
  }),
  webhook_endpoint: defineKind({
    prefix: 'whe',
    noun: 'webhook endpoint',
    group: 'webhooks',
    list: ({ webhooks }, { limit }) => webhooks.list({ query: { limit } }),
    brief: ({ id, url, created_at }) => ({ id, reference: '', status: url, created_at }),
  }),
  store: defineKind({
    prefix: 'str',
    noun: 'store',
    group: 'stores',
    list: ({ stores }, { limit }) => stores.list({ query: { limit } }),
    brief: ({ id, name, created_at }) => ({ id, reference: '', status: name, created_at }),
  }),
  driver: defineKind({
    prefix: 'drv',
    noun: 'driver',
    group: 'drivers',
    list: ({ drivers }, { limit }) => drivers.list({ query: { limit } }),
    brief: ({ id, name, on_duty, created_at }) => {
      return { id, reference: '', status: `${name}, ${on_duty ? 'on duty' : 'off duty'}`, created_at };
    },
  }),
  key: defineKind({
    prefix: 'key',
    noun: 'key',
    group: 'keys',
    list: ({ keys }, { limit }) => keys.list({ query: { limit } }),
    brief: ({ id, name, permission, created_at }) => {
      return { id, reference: '', status: `${name}, ${permission}`, created_at };
    },
  }),
};

export type RecordName = keyof typeof recordKinds;

export function recordKind(name: string): RecordKind | undefined {
  return Object.values<RecordKind>(recordKinds).find((each) => each.name === name);
}

export function kindOfGroup(name: string): RecordKind | undefined {
  return Object.values<RecordKind>(recordKinds).find(({ group }) => group === name);
}

/** The kind of record that an ID belongs to, by its prefix; undefined for any other text. */
export function kindOfId(id: string): RecordKind | undefined {
  const prefix = /^([a-z]+)_[0-9A-Za-z]{5,}$/.exec(id)?.[1];
  return Object.values<RecordKind>(recordKinds).find((each) => each.prefix === prefix);
}

/** The part of the context that is used. */
interface ChoiceContext {
  client(): Promise<Client>;
  serviceNow(): number;
  output: { times: TimeStyle };
}

/**
 * Lists the latest records of a kind, newest first, each with its reference or ID, recipient or size, status and age;
 * empty for kinds that are not picked from a list.
 */
export async function latestRecords(
  context: ChoiceContext,
  name: string,
  statuses?: readonly string[],
): Promise<Choice<string>[]> {
  const kind = recordKind(name);
  if (kind?.isPicked !== true) return [];
  // Without a list the user types the ID.
  const briefs = await ifSupported(kind.latest(await context.client(), max_offered, statuses), []);
  const rows = briefs.map(({ id, reference, about = '', status, created_at }) => {
    const made = styledTime(created_at, context.serviceNow(), context.output.times, ageOf);
    return [reference || id, about, status, made].map((text) => ({ text: oneLine(text) }));
  });
  const names = alignedRows(rows, { room: null, indent: 0 });
  return briefs.map(({ id, reference }, index) => ({
    name: names[index] ?? id,
    value: id,
    ...(reference === '' ? {} : { description: id }),
  }));
}

/** Reads the ID of a record from stdin where a positional is `-`, as another command writes it with `-o id`. */
export async function withIdFromStdin(
  { positionals, flags }: Pick<CommandSpec, 'positionals' | 'flags'>,
  own: RawInput,
  context: { readFile(path: string): Promise<string> },
): Promise<RawInput> {
  const entries = Object.entries(positionals);
  const readsStdin = ([, positional]: (typeof entries)[number], at: number) =>
    own.words[at] === '-' && !positional.variadic && recordKind(positional.kind) !== undefined;
  const index = entries.findIndex(readsStdin);
  const [name] = entries[index] ?? [];
  if (name === undefined) return own;
  const lines = (await context.readFile('-')).split('\n').map((line) => line.trim());
  const ids = lines.filter((line) => line !== '');
  const [id] = ids;
  if (id === undefined || ids.length > 1) {
    const several = Object.hasOwn(flags, 'from')
      ? 'For several, use --from -.'
      : 'For several, use xargs -n 1.';
    const hint = id === undefined ? 'The command before it has found nothing.' : several;
    throw new UsageError(`${positionalLabel(name)} is one ID, and stdin has ${ids.length} lines.`, { hint });
  }
  return { ...own, words: own.words.with(index, id) };
}

/** The command that lists the records of a kind; null for an unknown kind. */
export function listOfKind(name: string): NextStep | null {
  const known = recordKind(name);
  return known === undefined ? null : { ...invocation(`${known.group} list`), when: 'see what there is' };
}

/** Says that a record is gone which an earlier run has created with the same idempotency key; null if it is there. */
export async function goneText<T extends { id: string }>(
  { data: { id }, replayed }: { data: T; replayed: boolean },
  look: (id: string) => Promise<unknown>,
): Promise<string | null> {
  if (!replayed || (await unlessMissing(look(id))) !== null) return null;
  return `${id} was created with this idempotency key before, and was deleted since: use another key.`;
}

/** The error for an ID of one kind of record where another kind is expected; null for any other text. */
export function otherKindError(id: string, expected: string): { message: string; next: NextStep[] } | null {
  const known = kindOfId(id);
  const wanted = recordKind(expected);
  if (known === undefined || wanted === undefined || known === wanted) return null;
  if (wanted.alsoBy === known.name) return null;
  const { name, noun, group } = known;
  // Keys can only be listed.
  const show = name === 'key' ? invocation('keys list') : invocation(`${group} get`, [id]);
  return {
    message: `${id} is ${withArticle(noun)} ID, not ${withArticle(wanted.noun)}.`,
    next: [{ ...show, when: `see the ${noun}` }],
  };
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

export function ordersText(count: number): string {
  return count === 1 ? '1 order' : `${count} orders`;
}

/** Commands of deliveries that also work without `deliveries`: the short name, and the verb that it stands for. */
export const shortcuts: Readonly<Record<string, string>> = {
  find: 'get',
  explain: 'explain',
  where: 'explain',
  proof: 'explain',
  watch: 'watch',
  edit: 'edit',
  note: 'note',
  cancel: 'cancel',
  retry: 'retry',
  wait: 'wait',
  reschedule: 'reschedule',
  assign: 'assign',
};

/** Shown in help, and by completion. */
export const shortcutSummary =
  'The same for a delivery as its commands: find is get, where and proof are explain';

/** `cancel order 1042` is not about a delivery: it is left to the guesses for unknown commands. */
const otherNoun =
  /^(order|route|quote|batch(e|es)?|event|webhook|store|courier|driver|charge|dispute|key)s?$/;

/** Verbs that other records than deliveries have, by the group of the record whose ID follows. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  find: ['orders', 'routes', 'batches'],
  cancel: ['orders', 'batches'],
  wait: ['orders', 'batches'],
};

/**
 * The line with the whole command: `deliveries cancel 1042` for `cancel 1042`, `orders cancel ord_1` for `cancel ord_1`.
 * `webhooks resend` is about an event.
 */
export function withoutShortcut(argv: readonly string[]): readonly string[] {
  const [word = '', ...words] = argv;
  const rest = /^(deliver(y|ies)|is|of)$/.test(words[0] ?? '') ? words.slice(1) : words;
  if (/^webhooks?$/.test(word) && /^(resend|redeliver|replay|retry)$/.test(words[0] ?? ''))
    return ['events', 'resend', ...words.slice(1)];
  if (word === 'notes' && words[0] === 'list') return [word, ...words.slice(1)];
  if (word === 'charges' && /\d/.test(rest[0] ?? '')) return ['charges', 'list', '--order', ...rest];
  const verb = Object.hasOwn(shortcuts, word) ? shortcuts[word] : undefined;
  if (verb === undefined || otherNoun.test(rest[0] ?? '')) return argv;
  const other = kindOfId(rest[0] ?? '')?.group ?? '';
  if (ofOthers[word]?.includes(other)) return [other, verb, ...rest];
  return ['deliveries', verb, ...wordsFor(verb, rest)];
}

/** `assign 1042 to Sam` names the driver; all words after `find` or `explain` are one search text, as a caller says them. */
function wordsFor(verb: string, words: readonly string[]): readonly string[] {
  if (verb === 'assign') {
    const [delivery = '', driver = '', ...more] = words.filter((each) => each !== 'to');
    const isNamed = driver !== '' && !driver.startsWith('-');
    return isNamed ? [delivery, '--driver', driver, ...more] : words;
  }
  if (verb !== 'get' && verb !== 'explain') return words;
  const end = words.findIndex((each) => each.startsWith('-'));
  const said = end < 0 ? words : words.slice(0, end);
  return [...(said.length === 0 ? [] : [said.join(' ')]), ...words.slice(said.length)];
}
