import type { Sending } from '../../../../../src/cli/commands/orders/import/send-chunks.ts';
import { ApiError, Unreachable } from '../../../../../src/client/errors.ts';

type Client = Sending['client'];
type Create = Parameters<Client['orders']['create' | 'createMany']>[0];

/** A service that creates orders, once per key, and keeps them. */
export interface MadeUpService {
  client: Client;
  /** References of the created orders, in order. */
  made: string[];
  /** Sizes of the received requests, including repeats. */
  requests: number[];
}

interface Behaviour {
  /** Why an order is refused, by reference. */
  refuses?: Readonly<Record<string, string>>;
  /** Reports only the first error of a request. */
  tellsOne?: boolean;
  /** The number of orders whose IDs the response leaves out. */
  forgets?: number;
  /** Called before and after each request. */
  around?: (moment: 'before' | 'after', number: number) => void;
}

const rest = { service_time: null, request_id: null, status: 200, replayed: false };

/** Responds like the API, as far as an import uses it. */
export function madeUpService({
  refuses = {},
  tellsOne = false,
  forgets = 0,
  around = () => {},
}: Behaviour = {}): MadeUpService {
  const made: string[] = [];
  const requests: number[] = [];
  const answers = new Map<string, { body: string; id: string; refs: string[] }>();
  const answerTo = ({ body, idempotencyKey = '' }: Create): { id: string; refs: string[] } => {
    const known = answers.get(idempotencyKey);
    const text = JSON.stringify(body);
    if (known?.body === text) return known;
    if (known !== undefined) throw refusal('idempotency_key_reuse', 422, []);
    const refs = body.orders.map(({ external_order_ref = '' }) => external_order_ref);
    const faults = refs.flatMap((ref, index) =>
      refuses[ref] === undefined ? [] : [{ path: `orders[${index}].tip`, message: refuses[ref] }],
    );
    if (faults.length > 0) throw refusal('invalid_request', 400, faults.slice(0, tellsOne ? 1 : undefined));
    made.push(...refs);
    const answer = { body: text, id: String(answers.size), refs };
    answers.set(idempotencyKey, answer);
    return answer;
  };
  const create: unknown = async (request: Create) => {
    const number = requests.push(request.body.orders.length);
    around('before', number);
    const { id, refs } = answerTo(request);
    around('after', number);
    const data =
      'settings' in request.body
        ? { object: 'batch', batch_id: `bat_${id}` }
        : { object: 'created_orders', order_ids: refs.slice(forgets).map((ref) => `ord_${ref}`) };
    return { ...rest, data };
  };
  const get: unknown = async ({ params }: { params: { batch_id: string } }) => {
    const found = [...answers.values()].find(({ id }) => `bat_${id}` === params.batch_id);
    return { ...rest, data: { orders: found?.refs.map((ref) => ({ order_id: `ord_${ref}` })) ?? [] } };
  };
  return { client: clientOf(create, get), made, requests };
}

/** Only these calls are used. */
function clientOf(create: unknown, get: unknown): Client {
  const client: unknown = { orders: { create, createMany: create }, batches: { get } };
  if (isClient(client)) return client;
  throw new TypeError('no client');
}

function isClient(client: unknown): client is Client {
  return typeof client === 'object' && client !== null;
}

export function refusal(
  code: string,
  status: number,
  details: { path: string; message: string }[],
): ApiError {
  return new ApiError(`It is refused: ${code}`, { code, status, details });
}

export function unreachable(): Unreachable {
  return new Unreachable('No answer.');
}
