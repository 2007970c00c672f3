import { type JsonFields, textAt, toFields } from '../../../src/providers/json-messages.ts';
import { invalid } from './errors.ts';

/** Refuses a body that the published schema of quotes does not allow. */
export function checkQuoteRequest(body: JsonFields): void {
  for (const name of ['pickup_address', 'dropoff_address'])
    if (textAt(body, name) === null) throw invalid(name, 'This field is required.');
  for (const name of ['pickup_phone_number', 'dropoff_phone_number']) {
    const phone = body[name];
    if (phone !== undefined && !/^\+[0-9]+$/.test(String(phone)))
      throw invalid(name, `${name.replaceAll('_', ' ')} is not valid.`);
  }
}

/** Refuses a body that the published schema of deliveries does not allow. */
export function checkDeliveryRequest(body: JsonFields): void {
  for (const name of ['pickup_name', 'dropoff_name', 'pickup_phone_number', 'dropoff_phone_number'])
    if (textAt(body, name) === null) throw invalid(name, 'This field is required.');
  checkQuoteRequest(body);
  checkNotes(body);
  if (!Array.isArray(body.manifest_items) || body.manifest_items.length === 0)
    throw invalid('manifest_items', 'This field is required.');
  checkHandover(body);
}

/** Refuses notes that are too long. */
export function checkNotes(body: JsonFields): void {
  for (const name of ['pickup_notes', 'dropoff_notes'])
    if (String(body[name] ?? '').length > 280) throw invalid(name, 'at most 280 characters');
}

/** Refuses to leave a parcel at the door if a signature or a PIN is required. */
function checkHandover(body: JsonFields): void {
  const wanted = toFields(body.dropoff_verification);
  const isMet = [wanted.signature_requirement, wanted.pincode].some(
    (each) => toFields(each).enabled === true,
  );
  const isLeft =
    body.deliverable_action === 'deliverable_action_leave_at_door' ||
    body.undeliverable_action === 'leave_at_door';
  if (isMet && isLeft) throw invalid('param_details', 'leave at door excludes verification by the recipient');
}
