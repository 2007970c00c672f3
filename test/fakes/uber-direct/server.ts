import { type JsonFields, parseFields } from '../../../src/providers/json-messages.ts';
import { type FakeAnswer, type FakeRequest, fakeHttp } from '../fake-http.ts';
import { authorize, issueToken } from './authentication.ts';
import { deliveryObject } from './delivery-object.ts';
import { type ErrorCode, Refused } from './errors.ts';
import {
  cancelDelivery,
  createDelivery,
  createQuote,
  findDelivery,
  listDeliveries,
  proofOfDelivery,
  updateDelivery,
} from './operations.ts';
import { type Account, type DeliveryRecord, newState, type State } from './records.ts';
import { cancelByCourier, sendBack, stepCourier } from './robo-courier.ts';
import { type Push, positionPush, refundPush, statusPush } from './webhooks.ts';

/** A request as it arrived. */
export interface Arrived {
  method: string;
  path: string;
  body: JsonFields;
}

/**
 * What happens to the next requests of a kind: an error of the courier, `lost` (it acts and the answer is lost),
 * `unreached` (the connection ends before it acts), or a status with a body that is not its own.
 */
export interface Fault {
  /** Method and path, such as `POST /deliveries`; the customer is left out of the path. */
  request: string;
  kind:
    | { code: ErrorCode; metadata?: Record<string, string> }
    | 'lost'
    | 'unreached'
    | { status: number; body: unknown };
  /** Default 1. */
  times?: number;
}

export interface UberDirect {
  origin: string;
  state: State;
  /** In the order in which they came, without those for tokens. */
  requests: Arrived[];
  faults: Fault[];
  /** Every webhook, in the order in which it was made. */
  pushes: Push[];
  /** Sends webhooks, at once and before the answer of the call that they are about; null: they are only kept. */
  webhook: { send: ((push: Push) => Promise<unknown>) | null };
  /** The courier goes one step further: assigned, near the pickup, picked up, on its way, near, delivered. */
  step(id: string, skip?: readonly string[]): Promise<Push>;
  cancel(id: string, reason: string): Promise<Push>;
  /** The parcel cannot be handed over. Gives the ID of the journey back. */
  sendBack(id: string, reason: string): Promise<string>;
  /** Gives so many cents of the fee back. */
  refund(id: string, cents: number): Promise<Push>;
  reportPosition(id: string): Promise<Push>;
  close(): Promise<void>;
}

/** A fake of the Uber Direct courier: its authentication and its interface on one port. */
export async function uberDirect(account: Account, now: () => number = Date.now): Promise<UberDirect> {
  const state = newState(account, now);
  const parts: Parts = { state, requests: [], faults: [], onChange: pushStatus };
  const pushes: Push[] = [];
  const webhook: UberDirect['webhook'] = { send: null };
  const { url, close } = await fakeHttp((request) => serve(request, parts));

  async function send(push: Push): Promise<Push> {
    pushes.push(push);
    await webhook.send?.(push);
    return push;
  }

  function pushStatus(delivery: DeliveryRecord): Promise<Push> {
    return send(statusPush(state, delivery));
  }

  function changed(id: string, change: (delivery: DeliveryRecord) => void): Promise<Push> {
    const delivery = findDelivery(state, id);
    change(delivery);
    return pushStatus(delivery);
  }

  return {
    ...{ origin: url, state, requests: parts.requests, faults: parts.faults, pushes, webhook, close },
    step: (id, skip) => changed(id, (delivery) => stepCourier(state, delivery, skip)),
    cancel: (id, reason) => changed(id, (delivery) => cancelByCourier(state, delivery, reason)),
    sendBack: async (id, reason) => {
      const back = sendBack(state, findDelivery(state, id), reason);
      await pushStatus(findDelivery(state, id));
      return back.id;
    },
    refund: (id, cents) => {
      const delivery = findDelivery(state, id);
      delivery.refund = {
        ...{ id: `refund-${id}`, created_at: new Date(now()).toISOString(), currency_code: 'USD' },
        refund_fees: [{ category: 'DELIVERY', fee_code: 'UBER_DELIVERY_FEE', value: cents }],
        ...{ total_uber_refund: cents, total_partner_refund: 0 },
      };
      return send(refundPush(state, delivery));
    },
    reportPosition: (id) => send(positionPush(state, findDelivery(state, id))),
  };
}

interface Parts {
  state: State;
  requests: Arrived[];
  faults: Fault[];
  onChange: (delivery: DeliveryRecord) => Promise<Push>;
}

async function serve(request: FakeRequest, parts: Parts): Promise<FakeAnswer> {
  const { method, path: pathname, query, body } = request;
  if (pathname === '/oauth/v2/token') return issueToken(parts.state, body);
  const path = pathname.replace(`/v1/customers/${parts.state.account.customer_id}`, '');
  const search = query.size === 0 ? '' : `?${query}`;
  parts.requests.push({ method, path: `${path}${search}`, body: parseFields(body) });
  const kind = faultFor(parts.faults, `${method} ${path}`);
  if (kind === 'unreached') return null;
  if (typeof kind === 'object' && 'status' in kind) return kind;
  const answer = await answered(parts, request, { path, kind });
  return kind === 'lost' ? null : answer;
}

async function answered(
  parts: Parts,
  { method, path: pathname, query, headers, body }: FakeRequest,
  { path, kind }: { path: string; kind: Fault['kind'] | undefined },
): Promise<FakeAnswer> {
  try {
    authorize(parts.state, headers.authorization);
    if (path === pathname) throw new Refused('customer_not_found');
    if (typeof kind === 'object' && 'code' in kind) throw new Refused(kind.code, kind.metadata);
    return { status: 200, body: await act(parts, `${method} ${path}`, parseFields(body), query) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: error.body };
  }
}

async function act(parts: Parts, call: string, body: JsonFields, query: URLSearchParams): Promise<object> {
  const { state, onChange } = parts;
  if (call === 'POST /delivery_quotes') return createQuote(state, body);
  if (call === 'GET /deliveries') return listDeliveries(state, query);
  if (call === 'POST /deliveries') {
    const { delivery, is_new } = createDelivery(state, body);
    if (is_new) await onChange(delivery);
    return deliveryObject(state, delivery);
  }
  const [, method, id = '', action = ''] = /^(\w+) \/deliveries\/(\w+)\/?([\w-]*)$/.exec(call) ?? [];
  const delivery = findDelivery(state, id);
  if (method === 'POST' && action === 'proof-of-delivery') return proofOfDelivery(delivery, body);
  if (method === 'POST' && action === 'cancel') {
    cancelDelivery(state, delivery);
    await onChange(delivery);
  } else if (method === 'POST') updateDelivery(state, delivery, body);
  return deliveryObject(state, delivery);
}

function faultFor(faults: Fault[], request: string): Fault['kind'] | undefined {
  const fault = faults.find((each) => each.request === request && each.times !== 0);
  if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
  return fault?.kind;
}
