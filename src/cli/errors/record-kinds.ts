import { invocation, type NextStep } from '../kit/result/message.ts';

interface RecordKind {
  /** The kind of the positional that takes such an ID. */
  kind: string;
  noun: string;
  /** The group whose `list` shows all. */
  group: string;
  /** Another kind whose IDs identify one, too. */
  alsoBy?: string;
}

/** Kinds of records by the prefix of their IDs. */
const kinds: Readonly<Record<string, RecordKind>> = {
  ord: { kind: 'order', noun: 'order', group: 'orders', alsoBy: 'delivery' },
  rte: { kind: 'route', noun: 'route', group: 'routes' },
  dlv: { kind: 'delivery', noun: 'delivery', group: 'deliveries', alsoBy: 'order' },
  bat: { kind: 'batch', noun: 'batch', group: 'batches' },
  evt: { kind: 'event', noun: 'event', group: 'events' },
  whe: { kind: 'webhook_endpoint', noun: 'webhook endpoint', group: 'webhooks' },
  str: { kind: 'store', noun: 'store', group: 'stores' },
  drv: { kind: 'driver', noun: 'driver', group: 'drivers' },
  key: { kind: 'key', noun: 'key', group: 'keys' },
};

/** The kind of record that an ID belongs to, by its prefix; undefined for any other text. */
export function kindOfId(id: string): RecordKind | undefined {
  const prefix = /^([a-z]+)_[0-9A-Za-z]{5,}$/.exec(id)?.[1] ?? '';
  return Object.hasOwn(kinds, prefix) ? kinds[prefix] : undefined;
}

/** The command that lists the records of a kind; null if there is none. */
export function listOfKind(kind: string): NextStep | null {
  const known = Object.values(kinds).find((each) => each.kind === kind);
  return known === undefined ? null : { ...invocation(`${known.group} list`), when: 'see what there is' };
}

/** The error for an ID of one kind of record where another kind is expected; null for any other text. */
export function otherKind(id: string, expected: string): { message: string; next: NextStep[] } | null {
  const known = kindOfId(id);
  const wanted = Object.values(kinds).find(({ kind }) => kind === expected);
  if (known === undefined || wanted === undefined || known === wanted) return null;
  if (wanted.alsoBy === known.kind) return null;
  const { noun, group, kind } = known;
  // Keys can only be listed.
  const show = kind === 'key' ? invocation('keys list') : invocation(`${group} get`, [id]);
  const hasToBeRouted = kind === 'order' && wanted.kind === 'route';
  return {
    message: `${id} is ${withArticle(noun)} ID, not ${withArticle(wanted.noun)}.`,
    next: [{ ...show, when: `see the ${noun}` }, ...(hasToBeRouted ? [routeOfOrder(id)] : [])],
  };
}

/** Orders are quoted and dispatched in a route. */
export function routeOfOrder(order: string): NextStep {
  return { ...invocation('routes create', [order]), when: 'make a route of an order' };
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
