import type { Fields } from '../../domain/fields.ts';
import type { Context } from '../session/command.ts';
import { loadGazetteer, readLoadedAddress } from '../session/gazetteer.ts';

/**
 * What waybill's own service changes of the addresses of an order or a store, and what may be wrong with them, in
 * sentences. Another service reads them by rules of its own.
 */
export async function addressRemarks(context: Context, fields: Fields): Promise<string[]> {
  const given = ['pickup_address', 'dropoff_address', 'address'].flatMap((field) => {
    const { [field]: text } = fields;
    return typeof text === 'string' ? text : [];
  });
  await context.client();
  if (given.length === 0 || !context.has('account')) return [];
  await loadGazetteer();
  return given.flatMap((text) => {
    const read = readLoadedAddress(text);
    const said = 'fault' in read ? [] : [...read.warnings, ...read.changes];
    return said.length === 0 || 'fault' in read
      ? []
      : `"${text}" ${said.join('; ')}. It is read as ${read.address}.`;
  });
}

/** Prints these remarks for people. */
export async function noteAddresses(context: Context, fields: Fields): Promise<void> {
  if (context.output.json || context.output.quiet) return;
  for (const text of await addressRemarks(context, fields)) context.note(text);
}
