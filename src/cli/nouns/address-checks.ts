/** The addresses of orders before they are sent: how they are read, and whether the geocoder finds them. */
import { ifSupported } from '../../client/errors.ts';
import type { FoundPlace } from '../../contract/places.ts';
import type { Fields } from '../../domain/fields.ts';
import type { Context } from '../session/command.ts';
import { loadGazetteer, readLoadedAddress } from '../session/gazetteer.ts';

/**
 * What waybill's own service changes of the addresses of an order or a store, and what may be wrong with them, in
 * sentences. Empty for a service other than waybill's, which reads addresses by rules of its own.
 */
export async function addressRemarks(context: Context, fields: Fields): Promise<string[]> {
  const addresses = ['pickup_address', 'dropoff_address', 'address'].flatMap((field) => {
    const { [field]: text } = fields;
    return typeof text === 'string' ? text : [];
  });
  await context.client();
  if (addresses.length === 0 || !context.has('account')) return [];
  await loadGazetteer();
  return addresses.flatMap((text) => {
    const read = readLoadedAddress(text);
    const remarks = 'fault' in read ? [] : [...read.warnings, ...read.changes];
    return remarks.length === 0 || 'fault' in read
      ? []
      : `"${text}" ${remarks.join('; ')}. It is read as ${read.address}.`;
  });
}

/** Prints these remarks for people. */
export async function noteAddresses(context: Context, fields: Fields): Promise<void> {
  if (context.output.json || context.output.quiet) return;
  for (const text of await addressRemarks(context, fields)) context.note(text);
}

/** Warnings about addresses that can be sent all the same. Each continues a sentence that begins with the address. */
const placeWarnings: Partial<Record<NonNullable<FoundPlace['problem']>, string>> = {
  not_found: 'is not found by the geocoder',
  other_state: 'is found in another state only',
  too_far: 'is found far from its ZIP code only',
};

interface CheckedPlaces {
  /** By the address as given. */
  warnings: ReadonlyMap<string, string>;
  /** How many addresses were not looked up. */
  unchecked: number;
}

const max_addresses = 20;

/**
 * Has the service's geocoder look addresses up, for at most `limit_ms`. Null if the service has none, or cannot be
 * asked: such a check is not necessary.
 */
export async function checkPlaces(
  context: Context,
  addresses: readonly string[],
  limit_ms: number,
): Promise<CheckedPlaces | null> {
  try {
    const client = await context.client({ reads: true });
    const account = await ifSupported(client.account.get(), null);
    if (!account?.data.geocoder) return null;
    const found = new Map<string, string>();
    const until = context.now() + limit_ms;
    let unasked = [...new Set(addresses)];
    do {
      const lookup = unasked.slice(0, max_addresses);
      const { data } = (await client.places.find({ body: { addresses: lookup } })).data;
      const isOpen = ({ problem }: FoundPlace) => problem === 'not_asked';
      for (const { address, problem } of data) {
        const warning = problem === null ? undefined : placeWarnings[problem];
        if (warning !== undefined) found.set(address, warning);
      }
      const open = data.filter(isOpen).map(({ address }) => address);
      unasked = [...open, ...unasked.slice(max_addresses)];
      // A geocoder that does not answer at all is not asked about the rest.
      if (open.length === lookup.length) break;
    } while (unasked.length > 0 && context.now() < until);
    return { warnings: found, unchecked: unasked.length };
  } catch {
    return null;
  }
}
