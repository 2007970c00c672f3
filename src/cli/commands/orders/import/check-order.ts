/** The rules of one order, checked on this machine as the service does: its fields, addresses, coordinates and times. */
import { Compile } from 'typebox/schema';
import type { Fault } from '../../../../contract/errors.ts';
import { toFaults } from '../../../../contract/faults.ts';
import { OrderRequest } from '../../../../contract/orders.ts';
import { addressRule, formFault, hasZipOrState } from '../../../../domain/address-text.ts';
import type { Fields } from '../../../../domain/fields.ts';
import type { Gazetteer } from '../../../../domain/gazetteer.ts';
import { distanceFault, givenCoordinates } from '../../../../domain/geography.ts';
import { createLocator } from '../../../../domain/locator.ts';
import { conflictsIn, timeFault } from '../../../../domain/order-rules.ts';
import { noRoomFault } from '../../../../domain/phone-notes.ts';
import { readPhone } from '../../../../domain/phones.ts';
import { once } from '../../../kit/once.ts';
import { readLoadedAddress } from '../../../session/gazetteer.ts';

const orderSchema = once(() => Compile(OrderRequest));

/** True if every field is as the contract describes it. */
export function isOrder(fields: Fields): fields is OrderRequest {
  return orderSchema().Check(fields);
}

export type OrderCheck = (fields: Fields) => Fault[];

/** The facts that the service reports. */
interface Known {
  /** The service's time in milliseconds since the epoch; null if it is unknown. */
  now: number | null;
  /** The limit that the account has set, in cents. */
  tip_limit?: number | null;
  /** The tables by which addresses are checked as the service does; absent: their form is checked alone. */
  gazetteer?: Gazetteer | null;
}

/**
 * Checks orders on this machine. The service may still refuse one without faults: for an unknown store, and for an
 * address if the tables are absent.
 */
export function createOrderCheck({ now, tip_limit, gazetteer = null }: Known): OrderCheck {
  const locate = gazetteer === null ? null : createLocator(gazetteer, readLoadedAddress);
  const checks = contactChecks(locate);
  return (fields) => {
    const contacts = contactFaults(fields, checks);
    if (isOrder(fields)) {
      const far = locate === null ? [] : distanceFaults(fields, locate);
      return [...conflictsIn(fields, tip_limit), ...contacts, ...far, ...timeFaults(fields, now)];
    }
    const [, errors] = orderSchema().Errors(fields);
    const broken = toFaults(errors, 'order').map(withUnit);
    return [...broken, ...contacts.filter(({ path }) => !broken.some((fault) => fault.path === path))];
  };
}

/** Explains amounts in dollars, as other arguments take them. */
function withUnit({ path, message }: Fault): Fault {
  const isAmount = path === 'order_value' || path === 'tip';
  return { path, message: isAmount ? `${message}; it is whole cents, 1250 for $12.50` : message };
}

/** Checks a text: returns the fault, as the end of a sentence that begins with the field, or null if it is valid. */
type TextCheck = (text: string) => string | null;

type Locate = ReturnType<typeof createLocator>;

/** The checks by field. Results for pickups are kept: a file has few, and parsing phone numbers takes most of the time. */
function contactChecks(locate: Locate | null): [field: string, check: TextCheck][] {
  const addressFault = (line: string) => addressFaultIn(line, locate);
  return [
    ['pickup_phone_number', withMemory(phoneNumberFault)],
    ['pickup_address', withMemory(addressFault)],
    ['dropoff_phone_number', phoneNumberFault],
    ['dropoff_address', addressFault],
  ];
}

function phoneNumberFault(text: string): string | null {
  const phone = readPhone(text);
  if ('fault' in phone) return phone.fault;
  return phone.extra === '' ? null : noRoomFault(phone.extra);
}

function addressFaultIn(line: string, locate: Locate | null): string | null {
  if (locate === null) return formFault(line) ?? (hasZipOrState(line) ? null : addressRule);
  const located = locate(line);
  return 'fault' in located ? located.fault : null;
}

const max_kept = 1_000;

function withMemory(check: TextCheck): TextCheck {
  const known = new Map<string, string | null>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size === max_kept) known.clear();
    const fault = check(text);
    known.set(text, fault);
    return fault;
  };
}

function contactFaults(fields: Fields, checks: readonly [field: string, check: TextCheck][]): Fault[] {
  return checks.flatMap(([path, check]) => {
    const { [path]: text } = fields;
    const message = typeof text === 'string' ? check(text) : null;
    return message === null ? [] : [{ path, message }];
  });
}

/** The faults of given coordinates that cannot belong to their address. */
function distanceFaults(order: OrderRequest, locate: Locate): Fault[] {
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
