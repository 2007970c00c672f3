import { Compile } from 'typebox/schema';
import type { Fault } from '../../../../contract/errors.ts';
import { faultsOf } from '../../../../contract/faults.ts';
import { OrderRequest } from '../../../../contract/orders.ts';
import { normalizeAddress } from '../../../../domain/addresses.ts';
import type { Fields } from '../../../../domain/fields.ts';
import { distanceFault, givenCoordinates } from '../../../../domain/geography.ts';
import { createLocator, type Gazetteer } from '../../../../domain/locate-address.ts';
import { addressRule, conflictsIn, timeFault } from '../../../../domain/order-rules.ts';
import { normalizePhone, phoneFault } from '../../../../domain/phones.ts';

/** The local check of an order. */
export interface OrderCheck {
  isOrder(fields: Fields): fields is OrderRequest;
  /**
   * Lists the faults of an order. The service may still refuse one without faults: for an unknown store, and for an
   * address if the tables are absent.
   */
  faultsIn(fields: Fields): Fault[];
}

/** The facts that the service reports. */
interface Known {
  /** The service's time in milliseconds since the epoch; null if it is unknown. */
  now: number | null;
  /** The limit that the account has set, in cents. */
  tip_limit?: number | null;
  /** The tables by which addresses are checked as the service does; absent: their form is checked alone. */
  gazetteer?: Gazetteer | null;
}

export function createOrderCheck({ now, tip_limit, gazetteer = null }: Known): OrderCheck {
  const contract = Compile(OrderRequest);
  const locate = gazetteer === null ? null : createLocator(gazetteer);
  const checks = endChecks(locate === null ? addressFormFault : addressFaultBy(locate));
  const isOrder = (fields: Fields): fields is OrderRequest => contract.Check(fields);
  return {
    isOrder,
    faultsIn: (fields) => {
      const ends = endFaults(fields, checks);
      if (isOrder(fields)) {
        const far = locate === null ? [] : distanceFaults(fields, locate);
        return [...conflictsIn(fields, tip_limit), ...ends, ...far, ...timeFaults(fields, now)];
      }
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

/** Checks a text: returns the fault, as the end of a sentence that begins with the field, or null if it is valid. */
type Reader = (text: string) => string | null;

function addressFormFault(line: string): string | null {
  return normalizeAddress(line) === null ? addressRule : null;
}

function addressFaultBy(locate: ReturnType<typeof createLocator>): Reader {
  return (line) => {
    const located = locate(line);
    return 'fault' in located ? located.fault : null;
  };
}

interface EndCheck {
  end: string;
  phone: Reader;
  address: Reader;
}

/** Caches checked contacts: a file has few pickups, and parsing phone numbers takes most of the time. */
function endChecks(address: Reader): EndCheck[] {
  return [
    { end: 'pickup', phone: remembering(phoneNumberFault), address: remembering(address) },
    { end: 'dropoff', phone: phoneNumberFault, address },
  ];
}

function phoneNumberFault(text: string): string | null {
  return normalizePhone(text) === null ? phoneFault(text) : null;
}

const max_cached = 1_000;

function remembering(read: Reader): Reader {
  const known = new Map<string, string | null>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
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
    const found = [
      { path: phonePath, message: typeof phone === 'string' ? check.phone(phone) : null },
      { path: addressPath, message: typeof address === 'string' ? check.address(address) : null },
    ];
    faults.push(...found.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }])));
  }
  return faults;
}

/** The faults of given coordinates that cannot belong to their address. */
function distanceFaults(order: OrderRequest, locate: ReturnType<typeof createLocator>): Fault[] {
  return (['pickup', 'dropoff'] as const).flatMap((end) => {
    const given = { latitude: order[`${end}_latitude`], longitude: order[`${end}_longitude`] };
    const [point, address] = [givenCoordinates(given), order[`${end}_address`]];
    const located = point === undefined || address === undefined ? null : locate(address);
    if (point === undefined || located === null || 'fault' in located) return [];
    const message = distanceFault(point, located);
    return message === null ? [] : [{ path: `${end}_latitude`, message }];
  });
}

function timeFaults({ pickup_at, dropoff_at }: OrderRequest, now: number | null): Fault[] {
  if (now === null) return [];
  return Object.entries({ pickup_at, dropoff_at }).flatMap(([path, text]) => {
    const message = text === undefined ? null : timeFault(Date.parse(text), now);
    return message === null ? [] : [{ path, message }];
  });
}
