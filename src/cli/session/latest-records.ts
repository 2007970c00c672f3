import { Unsupported } from '../../client/errors.ts';
import type { Choice } from '../kit/host/host.ts';
import { alignedRows } from '../kit/output/rows.ts';
import { oneLine } from '../kit/output/sanitize.ts';
import { ageOf, styledTime } from '../kit/output/times.ts';
import type { Context } from './command.ts';

/** The part of the context that is used. */
interface Asking extends Pick<Context, 'client' | 'serviceNow'> {
  output: Pick<Context['output'], 'times'>;
}

interface Offering {
  /** Only lists what can still be dispatched. */
  onlyOpen?: boolean;
}

/** The statuses of orders that can be added to a route, and of routes that can be quoted and dispatched. */
export const openStatuses = { order: ['open', 'failed'], route: ['draft'] } as const;

/** Checks the status again, as another service may ignore the filter. */
function isOpen(kind: keyof typeof openStatuses, status: string): boolean {
  return openStatuses[kind].some((open) => open === status);
}

/** A record to choose from. */
interface Offer {
  id: string;
  /** What identifies it to people: its reference or ID, recipient or size, and status. */
  words: readonly string[];
  created_at: string;
}

/** Typing filters the choices; older records need their full ID. */
const most = 50;

/** Lists the latest records of a kind, newest first; empty for kinds without a list. */
export async function latestRecords(
  context: Asking,
  kind: string,
  options: Offering = {},
): Promise<Choice<string>[]> {
  const isListed = Object.hasOwn(lists, kind);
  const offers = isListed ? ((await lists[kind]?.(context, options).catch(noneIfUnsupported)) ?? []) : [];
  const rows = offers.map(({ words, created_at }) => {
    const made = styledTime(created_at, context.serviceNow(), context.output.times, ageOf);
    return [...words, made].map((text) => ({ text: oneLine(text) }));
  });
  const names = alignedRows(rows, { room: null, indent: 0 });
  return offers.map(({ id, words }, index) => ({
    name: names[index] ?? id,
    value: id,
    ...(words[0] === id ? {} : { description: id }),
  }));
}

/** Without a list the user types the ID. */
function noneIfUnsupported(error: unknown): Offer[] {
  if (error instanceof Unsupported) return [];
  throw error;
}

const query = { limit: most };

const lists: Readonly<Record<string, (context: Asking, options: Offering) => Promise<Offer[]>>> = {
  delivery: async (context) => {
    const { data } = await (await context.client()).deliveries.list({ query });
    return data.data.map(({ id, external_order_ref, dropoffs, status, created_at }) => {
      const words = [external_order_ref || id, dropoffs[0]?.dropoff_name ?? '', status];
      return { id, words, created_at };
    });
  },
  order: async (context, { onlyOpen = false }) => {
    const narrowed = onlyOpen ? { ...query, status: [...openStatuses.order] } : query;
    const { data } = await (await context.client()).orders.list({ query: narrowed });
    const orders = data.data.filter(({ status }) => !onlyOpen || isOpen('order', status));
    return orders.map(({ id, external_order_ref, dropoff_name, status, created_at }) => {
      return { id, words: [external_order_ref || id, dropoff_name, status], created_at };
    });
  },
  route: async (context, { onlyOpen = false }) => {
    const narrowed = onlyOpen ? { ...query, status: 'draft' as const } : query;
    const { data } = await (await context.client()).routes.list({ query: narrowed });
    const routes = data.data.filter(({ status }) => !onlyOpen || isOpen('route', status));
    return routes.map(({ id, order_ids, status, created_at }) => {
      return { id, words: [id, ordersText(order_ids.length), status], created_at };
    });
  },
  batch: async (context) => {
    const { data } = await (await context.client()).batches.list({ query });
    return data.data.map(({ batch_id: id, order_count, status, created_at }) => {
      return { id, words: [id, ordersText(order_count), status], created_at };
    });
  },
};

function ordersText(count: number): string {
  return count === 1 ? '1 order' : `${count} orders`;
}
