import { Compile } from 'typebox/schema';
import type { Fault } from '../../../../contract/errors.ts';
import { faultsOf } from '../../../../contract/faults.ts';
import { OrderRequest } from '../../../../contract/orders.ts';
import { normalizeAddress } from '../../../../domain/addresses.ts';
import { addressRule, conflictsIn, timeFault } from '../../../../domain/order-rules.ts';
import { normalizePhone, phoneFault } from '../../../../domain/phones.ts';
import type { Fields } from './rows.ts';

/** The local check of an order. */
export interface OrderCheck {
  isOrder(fields: Fields): fields is OrderRequest;
  /** Lists the faults of an order; if it is empty, the service may still not know a ZIP code or a store. */
  faultsIn(fields: Fields): Fault[];
}

/** The facts that the service reports. */
interface Known {
  /** The service's time in milliseconds since the epoch; null if it is unknown. */
  now: number | null;
  /** The limit that the account has set, in cents. */
  tip_limit?: number | null;
}

export function createOrderCheck({ now, tip_limit }: Known): OrderCheck {
  const contract = Compile(OrderRequest);
  const checks = endChecks();
  const isOrder = (fields: Fields): fields is OrderRequest => contract.Check(fields);
  return {
    isOrder,
    faultsIn: (fields) => {
      const ends = endFaults(fields, checks);
      if (isOrder(fields)) return [...conflictsIn(fields, tip_limit), ...ends, ...timeFaults(fields, now)];
      const [, errors] = contract.Errors(fields);
      const broken = faultsOf(errors, 'order').map(inUnits);
      return [...broken, ...ends.filter(({ path }) => !broken.some((fault) => fault.path === path))];
    },
  };
}

/** Explains amounts in dollars, as other arguments take them. */
function inUnits({ path, message }: Fault): Fault {
  const isAmount = path === 'order_value' || path === 'tip';
  return { path, message: isAmount ? `${message}; it is whole cents, 1250 for $12.50` : message };
}

type Reader = (text: string) => unknown;

interface EndCheck {
  end: string;
  phone: Reader;
  address: Reader;
}

/** Caches checked contacts: a file has few pickups, and parsing phone numbers takes most of the time. */
function endChecks(): EndCheck[] {
  const pickup = { phone: remembering(normalizePhone), address: remembering(normalizeAddress) };
  return [
    { end: 'pickup', ...pickup },
    { end: 'dropoff', phone: normalizePhone, address: normalizeAddress },
  ];
}

const max_cached = 1_000;

function remembering(read: Reader): Reader {
  const known = new Map<string, unknown>();
  return (text) => {
    if (known.has(text)) return known.get(text);
    if (known.size === max_cached) known.clear();
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

function endFaults(fields: Fields, checks: readonly EndCheck[]): Fault[] {
  const faults: Fault[] = [];
  for (const check of checks) {
    const [phonePath, addressPath] = [`${check.end}_phone_number`, `${check.end}_address`];
    const { [phonePath]: phone, [addressPath]: address } = fields;
    if (typeof phone === 'string' && check.phone(phone) === null)
      faults.push({ path: phonePath, message: phoneFault(phone) });
    if (typeof address === 'string' && check.address(address) === null)
      faults.push({ path: addressPath, message: addressRule });
  }
  return faults;
}

function timeFaults({ pickup_at, dropoff_at }: OrderRequest, now: number | null): Fault[] {
  if (now === null) return [];
  return Object.entries({ pickup_at, dropoff_at }).flatMap(([path, text]) => {
    const message = text === undefined ? null : timeFault(Date.parse(text), now);
    return message === null ? [] : [{ path, message }];
  });
}
