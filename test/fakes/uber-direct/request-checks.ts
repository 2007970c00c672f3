import { invalid, Refused } from './errors.ts';
import { type Fields, fieldsOf, textOf, type Windows } from './records.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PHONE = /^\+[0-9]+$/;

/** Refuses a body that the published schema of quotes does not allow. */
export function checkQuoteRequest(body: Fields): void {
  for (const name of ['pickup_address', 'dropoff_address']) checkAddress(body, name);
  checkCommonFields(body);
}

/** Refuses a body that the published schema of deliveries does not allow. */
export function checkDeliveryRequest(body: Fields): void {
  for (const name of ['pickup_address', 'dropoff_address']) checkAddress(body, name);
  for (const name of ['pickup_name', 'dropoff_name', 'pickup_phone_number', 'dropoff_phone_number'])
    if ((textOf(body, name) ?? '') === '') throw invalid(name, 'This field is required.');
  checkCommonFields(body);
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
export function checkNotes(body: Fields): void {
  for (const name of ['pickup_notes', 'dropoff_notes', 'dropoff_seller_notes']) {
    const notes = body[name];
    if (notes === undefined) continue;
    if (typeof notes !== 'string' || notes.length > 280) throw invalid(name, 'at most 280 characters');
  }
}

/** An address is a JSON text of its parts, or free text. */
function checkAddress(body: Fields, name: string): void {
  const text = textOf(body, name);
  if (text === null || text.trim() === '') throw invalid(name, 'This field is required.');
  if (!text.startsWith('{')) return;
  const parts = fieldsOf(parsed(text, name));
  const street = parts.street_address;
  const isStreet =
    Array.isArray(street) && street.length > 0 && street.every((line) => typeof line === 'string');
  if (!isStreet) throw invalid(name, 'street_address must be a list of texts');
  for (const part of ['city', 'state', 'zip_code', 'country'])
    if (parts[part] !== undefined && typeof parts[part] !== 'string')
      throw invalid(name, `${part} must be a text`);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(name, 'the address is not a JSON text');
  }
}

function checkCommonFields(body: Fields): void {
  for (const name of ['pickup_phone_number', 'dropoff_phone_number']) {
    const phone = body[name];
    if (phone !== undefined && (typeof phone !== 'string' || !PHONE.test(phone)))
      throw invalid(name, `${name.replaceAll('_', ' ')} is not valid.`);
  }
  for (const name of ['pickup_latitude', 'pickup_longitude', 'dropoff_latitude', 'dropoff_longitude'])
    if (body[name] !== undefined && typeof body[name] !== 'number') throw invalid(name, 'must be a number');
  checkAmount(body, 'manifest_total_value');
}

function checkAmount(body: Fields, name: string): void {
  const amount = body[name];
  if (amount === undefined) return;
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount < 0)
    throw invalid(name, 'must be a whole number of cents');
}

function checkChoice(body: Fields, name: string, choices: readonly string[]): void {
  const value = body[name];
  if (value === undefined) return;
  if (typeof value !== 'string' || !choices.includes(value))
    throw invalid(name, `not one of ${choices.join(', ')}`);
}

function checkItems(value: unknown): void {
  if (!Array.isArray(value) || value.length === 0) throw invalid('manifest_items', 'This field is required.');
  for (const item of value.map(fieldsOf)) {
    const { quantity, weight } = item;
    if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1)
      throw invalid('manifest_items', 'quantity must be at least 1');
    if (typeof item.name !== 'string') throw invalid('manifest_items', 'name must be a text');
    checkChoice(item, 'size', ['small', 'medium', 'large', 'xlarge', 'big']);
    if (item.dimensions !== undefined && typeof weight !== 'number')
      throw invalid('manifest_items', 'weight is required with dimensions');
  }
}

/** A parcel can only be left at the door if nobody has to sign, show a document or enter a PIN. */
function checkHandover(body: Fields): void {
  const wanted = fieldsOf(body.dropoff_verification);
  const isMet =
    fieldsOf(wanted.signature_requirement).enabled === true ||
    fieldsOf(wanted.pincode).enabled === true ||
    wanted.identification !== undefined;
  const isLeft =
    body.deliverable_action === 'deliverable_action_leave_at_door' ||
    body.undeliverable_action === 'leave_at_door';
  if (isMet && isLeft) throw invalid('param_details', 'leave at door excludes verification by the recipient');
}

/** The windows of a request; the missing ends are what the courier would choose. Refuses impossible ones. */
export function windowsOf(body: Fields, now: number): Windows {
  const given = (name: string) => timeOf(body, name);
  const dropoff = given('dropoff_ready_dt');
  const deadline = given('pickup_deadline_dt');
  const latest_ready = Math.min(dropoff ?? now, deadline ?? Number.POSITIVE_INFINITY) - 10 * MINUTE;
  const pickup_ready = given('pickup_ready_dt') ?? Math.max(now, latest_ready);
  const pickup_deadline = deadline ?? Math.max(pickup_ready, now) + 30 * MINUTE;
  const dropoff_ready = dropoff ?? pickup_ready;
  const dropoff_deadline =
    given('dropoff_deadline_dt') ?? Math.max(dropoff_ready + 20 * MINUTE, pickup_deadline + 30 * MINUTE);
  // The courier's clock and ours differ by less than a minute.
  if (pickup_ready < now - MINUTE) throw new Refused('pickup_ready_too_early');
  if (pickup_ready >= now + 30 * DAY) throw new Refused('pickup_ready_too_late');
  if (pickup_deadline < pickup_ready + 10 * MINUTE) throw new Refused('pickup_window_too_small');
  if (pickup_deadline < now + 20 * MINUTE) throw new Refused('pickup_deadline_too_early');
  if (dropoff_ready > pickup_deadline) throw new Refused('dropoff_ready_after_pickup_deadline');
  if (dropoff_deadline < dropoff_ready + 20 * MINUTE) throw new Refused('dropoff_deadline_too_early');
  if (dropoff_deadline < pickup_deadline) throw new Refused('dropoff_deadline_before_pickup_deadline');
  return { pickup_ready, pickup_deadline, dropoff_ready, dropoff_deadline };
}

function timeOf(body: Fields, name: string): number | null {
  const text = body[name];
  if (text === undefined) return null;
  const time = typeof text === 'string' && text.includes('T') ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw invalid(name, 'must be a time as in RFC 3339');
  return time;
}
