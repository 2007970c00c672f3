import type {
  createDriver,
  deleteDriver,
  getDriver,
  LinkedDriver,
  listDrivers,
  renewDriverLink,
} from '../../contract/drivers.ts';
import { type Fault, Problem } from '../../contract/errors.ts';
import type { Connection, DriverRow } from '../../storage/database.ts';
import {
  deleteDriver as deleteRow,
  findDriver,
  insertDriver,
  listDrivers as listRows,
  updateDriver,
} from '../../storage/drivers.ts';
import { hashOf } from '../http/authentication.ts';
import { type CallBase, type Handler, publicUrlOf } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { phoneOf } from '../stores/read-place.ts';
import { type DriverLoad, loadDriverLoad, loadDrivers } from './driver-load.ts';
import { driverView } from './driver-view.ts';

export const addDriver: Handler<typeof createDriver> = async (call) => {
  const { caller, body, now, id, commit } = call;
  const { token, link_hash } = await newLink(call);
  const row: DriverRow = {
    ...{ id: id('drv'), ...caller.scope, name: body.name.trim(), phone: await readPhone(body.phone_number) },
    ...{ vehicle_type: body.vehicle_type ?? 'car', link_hash, on_duty: 0, position: null, plan: '[]' },
    ...{ created_at: now, updated_at: now },
  };
  const driver = await commit(async (transaction) => {
    await insertDriver(transaction, row);
    return linkedView(call, await loadDriverLoad(transaction, row), token);
  });
  // The fleet may have become a provider.
  call.service.connections.forget();
  return driver;
};

export const pageOfDrivers: Handler<typeof listDrivers> = async ({ service, caller, query }) => {
  const wanted = { ...caller.scope, ...pageRequest(query, 'drv') };
  const page = await service.storage.read((db) => listRows(db, wanted));
  const loads = await service.storage.read((db) => loadDrivers(db, page.rows));
  return { ...pageOf(page, ({ id }) => id), data: loads.map(driverView) };
};

export const readDriver: Handler<typeof getDriver> = async (call) => {
  const load = await call.service.storage.read(async (db) =>
    loadDriverLoad(db, await driverFor(db, call, call.params.driver_id)),
  );
  return driverView(load);
};

/** Replaces the link, so that a lost phone sees nothing more. */
export const renewLink: Handler<typeof renewDriverLink> = async (call) => {
  const { token, link_hash } = await newLink(call);
  const updated_at = call.now;
  return call.commit(async (transaction) => {
    const row = await driverFor(transaction, call, call.params.driver_id);
    await updateDriver(transaction, { id: row.id, link_hash, updated_at });
    return linkedView(call, await loadDriverLoad(transaction, { ...row, updated_at }), token);
  });
};

export const dropDriver: Handler<typeof deleteDriver> = async (call) =>
  call.commit(async (transaction) => {
    const row = await driverFor(transaction, call, call.params.driver_id);
    const { id, name } = row;
    const { deliveries } = await loadDriverLoad(transaction, row);
    if (deliveries.length > 0) {
      const count = deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`;
      const related_ids = deliveries.map((each) => each.id);
      throw new Problem('driver_has_stops', `${name} still has ${count}.`, [], { related_ids });
    }
    await deleteRow(transaction, id);
    return { id, object: 'driver', deleted: true };
  });

/** The row of a caller's driver. Throws `record_not_found`. */
export async function driverFor(db: Connection, { caller }: CallBase, driver_id: string): Promise<DriverRow> {
  const row = await findDriver(db, caller.scope, driver_id);
  if (row === undefined) throw new Problem('record_not_found', `There is no driver ${driver_id}.`);
  return row;
}

/** A token of 131 random bits, and its hash. */
async function newLink({ service }: CallBase): Promise<{ token: string; link_hash: string }> {
  const token = await service.secrets.base62(22);
  return { token, link_hash: hashOf(token) };
}

function linkedView(call: CallBase, load: DriverLoad, token: string): LinkedDriver {
  return { ...driverView(load), link: `${publicUrlOf(call)}/drive/${token}` };
}

/** The digits of a phone number. Throws `invalid_request`. */
async function readPhone(text: string): Promise<string> {
  const phones = await import('../../domain/phones.ts');
  const faults: Fault[] = [];
  const phone = phoneOf(phones, text, 'phone_number', faults);
  if (faults.length > 0) throw new Problem('invalid_request', 'The body is invalid.', faults);
  return phone;
}
