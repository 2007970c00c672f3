import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../local-server.ts';
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
import { type Account, type DeliveryRecord, type Fields, fieldsOf, newState, type State } from './records.ts';
import { cancelByCourier, loseCourier, sendBack, stepCourier } from './robo-courier.ts';
import { type Push, positionPush, refundPush, statusPush } from './webhooks.ts';

/** A request as it arrived. */
export interface Arrived {
  method: string;
  path: string;
  body: Fields;
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
    | { status: number; body: string };
  /** Default 1. */
  times?: number;
}

export interface UberDirect {
  origin: string;
  state: State;
  /** In the order in which they came, without those for tokens. */
  requests: Arrived[];
  faults: Fault[];
  /** Requests within ten minutes before they are limited; the courier's test limit is 200. */
  rate: { limit: number };
  /** Every webhook, in the order in which it was made. */
  pushes: Push[];
  /** Sends webhooks, at once and before the answer of the call that they are about; null: they are only kept. */
  webhook: { send: ((push: Push) => Promise<unknown>) | null };
  /** The courier goes one step further: assigned, near the pickup, picked up, on its way, near, delivered. */
  step(id: string, skip?: readonly string[]): Promise<Push>;
  loseCourier(id: string): Promise<Push>;
  cancel(id: string, reason: string): Promise<Push>;
  /** The parcel cannot be handed over. Gives the ID of the journey back. */
  sendBack(id: string, reason: string): Promise<string>;
  /** Gives so many cents of the fee back. */
  refund(id: string, cents: number): Promise<Push>;
  reportPosition(id: string): Promise<Push>;
  close(): Promise<void>;
}

const tenMinutes = 600_000;

/** A fake of the Uber Direct courier: its authentication and its interface on one port. */
export async function uberDirect(account: Account, now: () => number = Date.now): Promise<UberDirect> {
  const state = newState(account, now);
  const parts: Parts = {
    state,
    requests: [],
    faults: [],
    rate: { limit: 200 },
    arrivals: [],
    onChange: pushStatus,
  };
  const pushes: Push[] = [];
  const webhook: UberDirect['webhook'] = { send: null };
  const server = createServer((request, response) => {
    serve(request, response, parts).catch(() => response.destroy());
  });
  const { port, close } = await listenLocally(server);

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
    origin: `http://127.0.0.1:${port}`,
    state,
    requests: parts.requests,
    faults: parts.faults,
    rate: parts.rate,
    pushes,
    webhook,
    step: (id, skip) => changed(id, (delivery) => stepCourier(state, delivery, skip)),
    loseCourier: (id) => changed(id, (delivery) => loseCourier(state, delivery)),
    cancel: (id, reason) => changed(id, (delivery) => cancelByCourier(state, delivery, reason)),
    sendBack: async (id, reason) => {
      const back = sendBack(state, findDelivery(state, id), reason);
      await pushStatus(findDelivery(state, id));
      return back.id;
    },
    refund: (id, cents) => {
      const delivery = findDelivery(state, id);
      const fees = [{ category: 'DELIVERY', fee_code: 'UBER_DELIVERY_FEE', value: cents }];
      const totals = { total_uber_refund: cents, total_partner_refund: 0 };
      const created_at = new Date(now()).toISOString();
      delivery.refund = {
        id: `refund-${id}`,
        created_at,
        currency_code: 'USD',
        refund_fees: fees,
        ...totals,
      };
      return send(refundPush(state, delivery));
    },
    reportPosition: (id) => send(positionPush(state, findDelivery(state, id))),
    close,
  };
}

interface Parts {
  state: State;
  requests: Arrived[];
  faults: Fault[];
  rate: { limit: number };
  /** When the latest requests came. */
  arrivals: number[];
  onChange: (delivery: DeliveryRecord) => Promise<Push>;
}

async function serve(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://courier');
  const method = request.method ?? 'GET';
  const raw = await text(request);
  if (url.pathname === '/oauth/v2/token') {
    const { status, body } = issueToken(parts.state, method, raw);
    return reply(response, status, body);
  }
  const path = url.pathname.replace(`/v1/customers/${parts.state.account.customer_id}`, '');
  parts.requests.push({ method, path: `${path}${url.search}`, body: parsed(raw) });
  const fault = faultOf(parts.faults, `${method} ${path}`);
  if (fault?.kind === 'unreached') return void response.destroy();
  if (typeof fault?.kind === 'object' && 'status' in fault.kind) {
    response.writeHead(fault.kind.status, { 'content-type': 'text/html' }).end(fault.kind.body);
    return;
  }
  const answer = await answered(parts, request, { method, path, url, raw, fault });
  if (fault?.kind === 'lost') return void response.destroy();
  reply(response, answer.status, answer.body, answer.status === 429 ? { 'retry-after': '60' } : {});
}

interface Call {
  method: string;
  path: string;
  url: URL;
  raw: string;
  fault: Fault | undefined;
}

async function answered(
  parts: Parts,
  request: IncomingMessage,
  { method, path, url, raw, fault }: Call,
): Promise<{ status: number; body: object }> {
  try {
    limitRate(parts);
    authorize(parts.state, request.headers.authorization);
    if (!url.pathname.startsWith(`/v1/customers/${parts.state.account.customer_id}/`))
      throw new Refused('customer_not_found');
    if (typeof fault?.kind === 'object' && 'code' in fault.kind)
      throw new Refused(fault.kind.code, fault.kind.metadata);
    return { status: 200, body: await act(parts, `${method} ${path}`, parsed(raw), url.searchParams) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: error.body };
  }
}

async function act(parts: Parts, call: string, body: Fields, query: URLSearchParams): Promise<object> {
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

function limitRate({ state, rate, arrivals }: Parts): void {
  const now = state.now();
  arrivals.push(now);
  if (arrivals.filter((at) => at > now - tenMinutes).length > rate.limit)
    throw new Refused('customer_limited');
}

function faultOf(faults: Fault[], request: string): Fault | undefined {
  const fault = faults.find((each) => each.request === request && each.times !== 0);
  if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
  return fault;
}

function parsed(raw: string): Fields {
  try {
    return fieldsOf(JSON.parse(raw));
  } catch {
    return {};
  }
}

function reply(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
