import type { getDelivery, listDeliveries } from '../contract/deliveries.ts';
import { Problem } from '../contract/errors.ts';
import { type DeliveryStatus, groupNames, type StatusGroup, statusGroups } from '../contract/vocabulary.ts';
import { phoneDigits } from '../domain/phone-digits.ts';
import { deliveryById, listDeliveries as listRows } from '../storage/deliveries.ts';
import { deliveryView } from './delivery-view.ts';
import type { Handler } from './endpoint.ts';
import { pageOf, pageRequest } from './pages.ts';

export const pageOfDeliveries: Handler<typeof listDeliveries> = async ({ service, caller, query }) => {
  const { external_order_ref, service: provider } = query;
  const wanted = {
    ...caller.scope,
    ...pageRequest(query, 'dlv'),
    status: query.status === undefined ? undefined : statusesOf(query.status),
    external_order_ref,
    service: provider,
    phone: query.phone === undefined ? undefined : phoneDigits(query.phone),
  };
  const page = await service.storage.run((db) => listRows(db, wanted));
  return pageOf(page, (row) => deliveryView(row, service.publicUrl));
};

export const readDelivery: Handler<typeof getDelivery> = async ({ service, caller, params }) => {
  const { account_id, test_mode } = caller.scope;
  const row = await service.storage.first(deliveryById, params.deliveryid, account_id, test_mode);
  if (row !== undefined) return deliveryView(row, service.publicUrl);
  throw new Problem('record_not_found', `There is no delivery ${params.deliveryid}.`);
};

/** A group's name stands for its statuses. */
function statusesOf(status: DeliveryStatus | StatusGroup): readonly DeliveryStatus[] {
  return isGroup(status) ? statusGroups[status] : [status];
}

function isGroup(status: DeliveryStatus | StatusGroup): status is StatusGroup {
  return groupNames.some((name) => name === status);
}
