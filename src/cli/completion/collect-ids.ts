import { moneyText } from '../kit/args/flags.ts';
import { isPlain, type Seen } from './id-records.ts';

/** Records found in the result of a command. */
export interface Sightings {
  records: Seen[];
  gone: Set<string>;
  /** All test records were deleted. */
  isReset: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The kinds of records by ID prefix, with their descriptions. */
const kinds: Readonly<Record<string, { kind: string; status(record: Fields): string }>> = {
  ord: { kind: 'order', status: statusOf },
  rte: { kind: 'route', status: statusOf },
  rq: { kind: 'quote', status: offerOf },
  quo: { kind: 'delivery_quote', status: offerOf },
  dlv: { kind: 'delivery', status: statusOf },
  bat: { kind: 'batch', status: statusOf },
  evt: { kind: 'event', status: ({ type }) => wordIn(type) },
  whe: { kind: 'webhook_endpoint', status: statusOf },
  str: { kind: 'store', status: ({ created_at }) => dayIn(created_at) },
  drv: { kind: 'driver', status: ({ on_duty }) => (on_duty === true ? 'on duty' : 'off duty') },
  key: { kind: 'key', status: keyText },
};

function statusOf({ status }: Fields): string {
  return wordIn(status);
}

/** `swiftly 8.50` */
function offerOf({ provider, service, cost_of_delivery, fee, service_fee }: Fields): string {
  const cents = [cost_of_delivery, fee, service_fee].filter((amount) => typeof amount === 'number');
  const price = cents.length === 0 ? '' : moneyText(cents.reduce((sum, amount) => sum + amount, 0));
  return `${wordIn(provider) || wordIn(service)} ${price}`.trim();
}

function keyText({ permission, test_mode, revoked_at }: Fields): string {
  const parts = [wordIn(permission), test_mode === true ? 'test' : test_mode === false ? 'live' : ''];
  return [...parts, typeof revoked_at === 'string' ? 'revoked' : ''].filter((part) => part !== '').join(' ');
}

/** A store has no status: its creation date identifies it, as its name is not stored. */
function dayIn(value: unknown): string {
  const day = typeof value === 'string' ? /^\d{4}-\d\d-\d\d/.exec(value)?.[0] : undefined;
  return day === undefined ? '' : `made ${day}`;
}

/** A keyword of the contract; empty for any other value. */
function wordIn(value: unknown): string {
  return typeof value === 'string' && /^[a-z][a-z0-9_.]{0,39}$/.test(value) ? value : '';
}

/** The maximum depth of a record in a result. */
const deepest = 5;
/** More would not be stored. */
export const enough = 2000;

/** Collects records from a result or a part of one. */
export function look(data: unknown, found: Sightings, at: number, depth = 0): void {
  if (found.records.length >= enough || depth > deepest) return;
  if (Array.isArray(data)) for (const each of data) look(each, found, at, depth + 1);
  else if (isFields(data)) {
    if (data.object === 'sandbox_reset') found.isReset = true;
    note(data, found, at);
    for (const part of Object.values(data)) {
      if (typeof part === 'object' && part !== null) look(part, found, at, depth + 1);
    }
  }
}

function note(record: Fields, found: Sightings, at: number): void {
  const id = record.id ?? record.batch_id;
  const prefix = typeof id === 'string' ? /^([a-z]{2,3})_[0-9A-Za-z]{4,40}$/.exec(id)?.[1] : undefined;
  const known = prefix === undefined ? undefined : kinds[prefix];
  if (typeof id !== 'string' || known === undefined) return;
  if (record.deleted === true) found.gone.add(id);
  else {
    const { kind } = known;
    found.records.push({ kind, id, status: known.status(record), reference: referenceIn(record), at });
    const provider = wordIn(record.service) || wordIn(record.provider);
    if (provider !== '')
      found.records.push({ kind: 'provider', id: provider, status: '', reference: '', at });
  }
}

function referenceIn({ external_order_ref, route_id, object }: Fields): string {
  const reference = object === 'route_quote' ? route_id : external_order_ref;
  return typeof reference === 'string' && isPlain(reference) ? reference : '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
