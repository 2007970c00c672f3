import type { getOrder } from '../../contract/orders.ts';
import { deliveryById } from '../../storage/deliveries.ts';
import { orderById } from '../../storage/orders.ts';
import type { Handler } from '../http/handler.ts';
import { orderNotFound } from '../orders/order-handlers.ts';
import { orderView } from '../orders/order-view.ts';
import { deliveryView, viewpointOf } from './delivery-view.ts';

/** Reads an order, with its latest delivery if requested. */
export const readOneOrder: Handler<typeof getOrder> = async (call) => {
  const { service, caller, params, query } = call;
  const { account_id, test_mode } = caller.scope;
  const { storage } = service;
  const row = await storage.first(orderById, params.order_id, account_id, test_mode);
  if (row === undefined) throw orderNotFound(params.order_id);
  if (query.expand === undefined) return orderView(row);
  if (row.delivery_id === null) return { ...orderView(row), delivery: null };
  const delivery = await storage.first(deliveryById, row.delivery_id, account_id, test_mode);
  return {
    ...orderView(row),
    delivery: delivery === undefined ? null : deliveryView(delivery, viewpointOf(call)),
  };
};
