/**
 * Changes contact data, notes and tip of a delivery. Its courier is asked first (`agreeChanges`); what it accepts is
 * written to the delivery and to its order, and a higher tip is charged (`editRow`).
 */
import { type Delivery, max_detail_notes } from '../../contract/deliveries.ts';
import type { editDelivery } from '../../contract/delivery-changes.ts';
import { type Fault, Problem } from '../../contract/errors.ts';
import { sumAmounts } from '../../domain/charges.ts';
import { hasEndedBadly } from '../../domain/delivery-states.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { dollars } from '../../domain/money.ts';
import { tipFault } from '../../domain/order-rules.ts';
import { createSearchText, deliveryWordsInSearch, wordsInSearch } from '../../domain/search-text.ts';
import { editFault } from '../../domain/status-words.ts';
import type { UpdateAnswer, UpdateRequest } from '../../providers/port.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { chargesOfDelivery, deliveriesOfOrder, newestNotes } from '../../storage/deliveries.ts';
import { lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { driverNumbers, updateSearchDocument } from '../../storage/search.ts';
import { deliveryFor, lockDeliveryFor } from '../deliveries/delivery.ts';
import { charge, saveDelivery, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import {
  createViewpoint,
  type DeliveryRecord,
  deliveryRecord,
  deliveryView,
} from '../deliveries/delivery-view.ts';
import { invalidField } from '../http/answers.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { type OrderEnd, type OrderRecord, orderRecord } from '../orders/order.ts';
import { searchedOf } from '../orders/search.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { type PlaceReading, placeReading, readPlaceContact, throwFaults } from '../stores/places.ts';
import { bookedCourier } from './cancel-delivery.ts';

type Request = Call<typeof editDelivery>;
type Kind = 'pickup' | 'dropoff';
type Changes = Record<Kind, Partial<OrderEnd>> & { tip?: number };
type Editable = Pick<DeliveryRecord | OrderRecord, Kind | 'tip'>;

/** Another request changed the delivery while its courier was asked. */
class ChangedMeanwhile extends Error {
  readonly row: DeliveryRow;

  constructor(row: DeliveryRow) {
    super(`delivery ${row.id} was changed`);
    this.row = row;
  }
}

/**
 * Changes contact data and notes of pickup and dropoff, never the addresses, also in the order. Throws
 * `delivery_not_editable`.
 */
export const changeDelivery: Handler<typeof editDelivery> = async (call) => {
  const { readPhone } = await placeReading(call);
  for (;;) {
    const found = await call.service.storage.run((db) => deliveryFor(db, call, call.params.deliveryid));
    const changes = changesOf(call, readPhone, found);
    requireHigherTip(call, found, changes);
    const isTaken = await agreeChanges(call, found, changes);
    try {
      return await writeChanges(call, readPhone, { found, changes, isTaken });
    } catch (fault) {
      if (!(fault instanceof ChangedMeanwhile)) throw fault;
      // The courier may have received the lower of two tips last.
      const tip = deliveryRecord(fault.row).tip ?? 0;
      const isHigher = changes.tip !== undefined && tip > changes.tip;
      if (isTaken && isHigher) await agreeChanges(call, found, { pickup: {}, dropoff: {}, tip });
    }
  }
};

/** Writes changes to the current delivery. Throws `ChangedMeanwhile` if they are not those that the courier was asked for. */
async function writeChanges(
  call: Request,
  readPhone: PlaceReading['readPhone'],
  { found, changes, isTaken }: { found: DeliveryRow; changes: Changes; isTaken: boolean },
): Promise<Delivery> {
  const { service, params, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await lockDeliveryFor(db, call, params.deliveryid);
    const isTipped = isTaken && changes.tip !== undefined;
    const isRaised = isTipped && deliveryRecord(row).tip !== deliveryRecord(found).tip;
    const changed = JSON.stringify(changesOf(call, readPhone, row));
    if (isRaised || changed !== JSON.stringify(changes)) throw new ChangedMeanwhile(row);
    requireHigherTip(call, row, changes);
    const saved = await editRow({ db, chance, now, providers: service.providers }, row, changes, isTaken);
    return deliveryView(saved, createViewpoint(call));
  }, 'read committed');
}

/**
 * Asks the courier of a dispatched delivery to accept the changes before they are stored; returns whether it was asked.
 * Throws `delivery_not_editable` if it refuses or does not respond.
 */
export async function agreeChanges(
  call: Pick<CallBase, 'service' | 'now'>,
  row: DeliveryRow,
  changes: Changes,
): Promise<boolean> {
  requireEditable(row, changes);
  const provider = call.service.providers.find(({ name }) => name === row.service);
  const courier = provider?.update === undefined ? null : await bookedCourier(call, row);
  if (provider?.update === undefined || courier === null) return false;
  const answer = await withTimeout(
    call.service,
    provider.update({ ...courier.request, ...courierChanges(row, changes) }),
    provider,
  ).catch((): UpdateAnswer => ({ kind: 'refused', reason: 'the courier is not responding, try again' }));
  if (answer.kind === 'taken') return true;
  throw new Problem('delivery_not_editable', `Delivery ${row.id} cannot be changed: ${answer.reason}.`);
}

/** The changes that concern a courier, without values that stay the same. */
function courierChanges(
  row: DeliveryRow,
  changes: Changes,
): Pick<UpdateRequest, 'changes' | 'changes_contact'> {
  const record = deliveryRecord(row);
  const changed = <F extends keyof OrderEnd>(kind: Kind, field: F) => {
    const value = changes[kind][field];
    return value === record[kind][field] ? undefined : value;
  };
  const pickup_notes = changed('pickup', 'notes');
  const dropoff_notes = changed('dropoff', 'notes');
  const added = addedTip(row, changes);
  const contact = (['name', 'phone', 'unit'] as const).flatMap((field) => [
    changed('pickup', field),
    changed('dropoff', field),
  ]);
  return {
    changes: { ...withoutAbsent({ pickup_notes, dropoff_notes }), ...(added > 0 && { tip: changes.tip }) },
    changes_contact: contact.some((value) => value !== undefined),
  };
}

function addedTip(row: DeliveryRow, { tip }: Changes): number {
  return tip === undefined ? 0 : tip - (deliveryRecord(row).tip ?? 0);
}

/**
 * Throws `invalid_request` for a tip that is too large, or less than what is paid: a courier does not give it back; and
 * `delivery_not_editable` if the payment of a higher one is declined.
 */
function requireHigherTip({ caller }: Request, row: DeliveryRow, changes: Changes): void {
  const { tip_limit, payment_method } = caller.settings;
  const added = addedTip(row, changes);
  const message =
    added < 0 && isPaid(row)
      ? lowerTipFault(row)
      : tipFault(changes.tip ?? 0, [deliveryRecord(row)], tip_limit);
  if (message !== null) throw invalidField('tip', message, 'The tip is wrong.');
  if (payment_method.status !== 'declining' || !isPaid(row) || added === 0) return;
  const declined = `Delivery ${row.id} cannot be changed: the payment of the tip was declined.`;
  throw new Problem('delivery_not_editable', declined);
}

function lowerTipFault(row: DeliveryRow): string {
  const current = deliveryRecord(row).tip ?? 0;
  return `must be at least the current ${dollars(current)} (${current} cents): a tip is not taken back`;
}

/** A stored delivery is paid when it is initiated, with its tip. */
function isPaid({ status }: DeliveryRow): boolean {
  return status !== 'request';
}

/**
 * Changes the ends of a delivery and of its order, and charges the part of the tip that is not charged yet. What its
 * courier has taken is changed although it was picked up or delivered meanwhile. Throws `delivery_not_editable`.
 */
export async function editRow(
  context: TransitionContext,
  row: DeliveryRow,
  changes: Changes,
  isTaken: boolean,
): Promise<DeliveryRow> {
  if (!isTaken || hasEndedBadly(row.status)) requireEditable(row, changes);
  const record = deliveryRecord(row);
  const changed = withChanges(record, changes);
  if (editableText(changed) === editableText(record)) return row;
  const saved = await saveDelivery(context, row, changed);
  if (changes.tip !== undefined && isPaid(row)) await chargeTip(context, saved, changes.tip);
  await changeOrder(context.db, row, changes, context.now);
  return saved;
}

/** The record of a delivery or an order with the changes. */
function withChanges<R extends Editable>(record: R, changes: Changes) {
  const pickup = { ...record.pickup, ...changes.pickup };
  const dropoff = { ...record.dropoff, ...changes.dropoff };
  const { tip = record.tip } = changes;
  return { ...record, pickup, dropoff, tip };
}

/** What can change of a record, as a text to compare. */
function editableText({ pickup, dropoff, tip }: Editable): string {
  return JSON.stringify([pickup, dropoff, tip]);
}

async function chargeTip(context: TransitionContext, row: DeliveryRow, tip: number): Promise<void> {
  const charged = await chargesOfDelivery(context.db, row.id);
  const amount = tip - sumAmounts(charged.filter(({ kind }) => kind === 'tip'));
  if (amount > 0) await charge(context, row, [{ kind: 'tip', amount }], charged);
}

function changesOf({ body }: Request, readPhone: PlaceReading['readPhone'], row: DeliveryRow): Changes {
  const before = deliveryRecord(row);
  const faults: Fault[] = [];
  const contactAt = (kind: Kind, text: string, given: string | undefined): Partial<OrderEnd> => {
    const notes = given ?? before[kind].notes;
    const contact = readPlaceContact(readPhone, { text, notes, path: `${kind}_phone_number`, faults });
    return contact.notes === notes ? { phone: contact.phone } : contact;
  };
  const changesAt = (kind: Kind): Partial<OrderEnd> => {
    const name = body[`${kind}_name`];
    const phone = body[`${kind}_phone_number`];
    const unit = body[`${kind}_unit`];
    const notes = body[`${kind}_notes`];
    const email = kind === 'dropoff' ? body.dropoff_email : undefined;
    return {
      ...withoutAbsent({ name, notes }),
      ...(phone !== undefined && contactAt(kind, phone, notes)),
      ...withoutAbsent({ email, unit }),
    };
  };
  const { tip } = body;
  const ends = { pickup: changesAt('pickup'), dropoff: changesAt('dropoff') };
  const changes = { ...ends, ...(tip !== undefined && { tip }) };
  throwFaults({ read: [{ faults, unplaced: [] }] });
  return changes;
}

/** Writes the changes to the order too, so that a later attempt uses them. */
async function changeOrder(db: Connection, row: DeliveryRow, changes: Changes, now: number): Promise<void> {
  const order = await lockOrder(db, row.order_id);
  if (order === undefined) return;
  const change = { record: JSON.stringify(withChanges(orderRecord(order), changes)) };
  const changed = { ...order, ...change };
  await setOrderStatus(db, { id: order.id, from: order.status, to: order.status, now, change });
  const deliveries = await deliveriesOfOrder(db, order.id);
  const delivery_ids = deliveries.map(({ id }) => id);
  const notes = await newestNotes(db, delivery_ids, max_detail_notes);
  const added = [
    ...deliveries.map((each) => deliveryWordsInSearch(deliveryRecord(each))),
    ...notes.map(({ note }) => note),
    ...(await driverNumbers(db, order.id)),
  ];
  // People of earlier deliveries are found by their numbers, to be erased.
  const others = deliveries.filter(({ id }) => id !== row.id);
  const phones = others.flatMap(({ pickup_phone, dropoff_phone }) => [pickup_phone, dropoff_phone]);
  const numbers = phones.map((phone) => wordsInSearch(phone, 'phone')).join('');
  const text = createSearchText(searchedOf(changed), added) + numbers;
  await updateSearchDocument(db, { order_id: order.id, text });
}

/** Throws `delivery_not_editable`. After the pickup nothing of it can be changed. */
function requireEditable(row: DeliveryRow, { pickup }: Changes): void {
  const fault = editFault(row, Object.keys(pickup).length > 0);
  if (fault !== null) throw new Problem('delivery_not_editable', fault);
}
