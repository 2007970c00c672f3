import { fieldsOf, type JsonFields, textAt } from '../../../src/providers/json-messages.ts';
import { invalid } from './errors.ts';

/** Refuses a body that the published schema of quotes does not allow. */
export function checkQuoteRequest(body: JsonFields): void {
  for (const name of ['pickup_address', 'dropoff_address']) checkAddress(body, name);
  for (const name of ['pickup_phone_number', 'dropoff_phone_number']) {
    const phone = body[name];
    if (phone !== undefined && !/^\+[0-9]+$/.test(String(phone)))
      throw invalid(name, `${name.replaceAll('_', ' ')} is not valid.`);
  }
  for (const name of ['pickup_latitude', 'pickup_longitude', 'dropoff_latitude', 'dropoff_longitude'])
    if (body[name] !== undefined && typeof body[name] !== 'number') throw invalid(name, 'must be a number');
  checkAmount(body, 'manifest_total_value');
}

/** Refuses a body that the published schema of deliveries does not allow. */
export function checkDeliveryRequest(body: JsonFields): void {
  for (const name of ['pickup_name', 'dropoff_name', 'pickup_phone_number', 'dropoff_phone_number'])
    if (textAt(body, name) === null) throw invalid(name, 'This field is required.');
  checkQuoteRequest(body);
  checkNotes(body);
  checkItems(body.manifest_items);
  checkChoice(body, 'deliverable_action', [
    'deliverable_action_meet_at_door',
    'deliverable_action_leave_at_door',
  ]);
  checkChoice(body, 'undeliverable_action', ['leave_at_door', 'return', 'discard']);
  checkAmount(body, 'tip');
  checkHandover(body);
}

/** Refuses notes that are too long. */
export function checkNotes(body: JsonFields): void {
  for (const name of ['pickup_notes', 'dropoff_notes'])
    if (String(body[name] ?? '').length > 280) throw invalid(name, 'at most 280 characters');
}

/** An address is a JSON text of its parts, or free text. */
function checkAddress(body: JsonFields, name: string): void {
  const text = textAt(body, name);
  if (text === null) throw invalid(name, 'This field is required.');
  if (!text.startsWith('{')) return;
  const { street_address, ...parts } = fieldsOf(JSON.parse(text));
  const isStreet = Array.isArray(street_address) && street_address.every((line) => typeof line === 'string');
  if (!isStreet) throw invalid(name, 'street_address must be a list of texts');
  for (const [part, value] of Object.entries(parts))
    if (typeof value !== 'string') throw invalid(name, `${part} must be a text`);
}

function checkAmount(body: JsonFields, name: string): void {
  const amount = body[name];
  if (amount === undefined) return;
  if (!Number.isInteger(amount) || Number(amount) < 0) throw invalid(name, 'must be a whole number of cents');
}

function checkChoice(body: JsonFields, name: string, choices: readonly unknown[]): void {
  const value = body[name];
  if (value !== undefined && !choices.includes(value))
    throw invalid(name, `not one of ${choices.join(', ')}`);
}

function checkItems(value: unknown): void {
  if (!Array.isArray(value) || value.length === 0) throw invalid('manifest_items', 'This field is required.');
  for (const item of value.map(fieldsOf)) {
    if (!Number.isInteger(item.quantity) || Number(item.quantity) < 1)
      throw invalid('manifest_items', 'quantity must be at least 1');
    if (typeof item.name !== 'string') throw invalid('manifest_items', 'name must be a text');
    checkChoice(item, 'size', ['small', 'medium', 'large', 'xlarge', 'big']);
  }
}

/** Refuses to leave a parcel at the door if a signature or a PIN is required. */
function checkHandover(body: JsonFields): void {
  const wanted = fieldsOf(body.dropoff_verification);
  const isMet = [wanted.signature_requirement, wanted.pincode].some(
    (each) => fieldsOf(each).enabled === true,
  );
  const isLeft =
    body.deliverable_action === 'deliverable_action_leave_at_door' ||
    body.undeliverable_action === 'leave_at_door';
  if (isMet && isLeft) throw invalid('param_details', 'leave at door excludes verification by the recipient');
}
