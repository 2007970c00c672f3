import { expect, test } from 'vitest';
import {
  methodReason,
  paidStatuses,
  squareStatuses,
  statusReason,
  unfulfilledStatuses,
  wooStatuses,
} from '../../../../../../src/cli/commands/orders/import/reading/ready-orders.ts';

const layout = {
  ...{ preset: null, map: [], store: null, only: [], statuses: [], isOrderPerRow: false },
  ...{ set: [], dateAttributes: [] },
};

// Names of shipping methods from documentation and bug reports of Shopify, WooCommerce and Zapiet, and translations.
test.each<[method: string, reason: string | null]>([
  ['Local Delivery', null],
  ['Local delivery (within 5 miles)', null],
  ['Flat rate', null],
  ['flat_rate', null],
  ['Free shipping', null],
  ['Standard', null],
  ['Courier', null],
  ['Lieferung vor Ort', null],
  ['Entrega a domicilio', null],
  ['Delivery by pickup truck', null],
  ['Upstate delivery', null],
  ['', null],
  ['Local Pickup', 'picked up by the customer'],
  ['local_pickup', 'picked up by the customer'],
  ['Store Pickup - Main St', 'picked up by the customer'],
  ['Pick up in store', 'picked up by the customer'],
  ['Curbside', 'picked up by the customer'],
  ['Collect from shop', 'picked up by the customer'],
  ['Click and collect', 'picked up by the customer'],
  ['Will call', 'picked up by the customer'],
  ['Recogida local', 'picked up by the customer'],
  ['Recoger en tienda', 'picked up by the customer'],
  ['Retiro en local', 'picked up by the customer'],
  ['Abholung vor Ort', 'picked up by the customer'],
  ['Selbstabholer', 'picked up by the customer'],
  ['Retrait en magasin', 'picked up by the customer'],
  ['Ritiro in negozio', 'picked up by the customer'],
  ['Afhalen in de winkel', 'picked up by the customer'],
  ['Standard (USPS) 5-7 Days', 'sent by post'],
  ['Economy (USPS)', 'sent by post'],
  ['UPS® Ground', 'sent by post'],
  ['FedEx Home Delivery', 'sent by post'],
  ['Priority Mail', 'sent by post'],
  ['First-Class Package', 'sent by post'],
  ['Ground Advantage', 'sent by post'],
  ['International Shipping', 'sent by post'],
  ['Correos Express', 'sent by post'],
])('the shipping method "%s"', (method, reason) => {
  expect(methodReason(method, layout, null)?.left_out ?? null).toBe(reason);
});

test.each<[status: string, ready: readonly string[], isTaken: boolean]>([
  ['paid', paidStatuses, true],
  ['PAID', paidStatuses, true],
  ['partially_refunded', paidStatuses, true],
  ['authorized', paidStatuses, true],
  ['', paidStatuses, true],
  ['pending', paidStatuses, false],
  ['expired', paidStatuses, false],
  ['voided', paidStatuses, false],
  ['refunded', paidStatuses, false],
  ['unfulfilled', unfulfilledStatuses, true],
  ['partial', unfulfilledStatuses, true],
  ['PENDING', unfulfilledStatuses, true],
  ['fulfilled', unfulfilledStatuses, false],
  ['on_hold', unfulfilledStatuses, false],
  ['restocked', unfulfilledStatuses, false],
  ['Processing', wooStatuses, true],
  ['wc-processing', wooStatuses, true],
  ['Ready to ship', wooStatuses, true],
  ['On hold', wooStatuses, false],
  ['wc-on-hold', wooStatuses, false],
  ['Pending payment', wooStatuses, false],
  ['Draft', wooStatuses, false],
  ['Shipped', wooStatuses, false],
  ['Delivered', wooStatuses, false],
  ['Out for delivery', wooStatuses, false],
  ['Completado', wooStatuses, false],
  ['Abgeschlossen', wooStatuses, false],
  ['Reembolsado', wooStatuses, false],
  ['Pendiente de pago', wooStatuses, false],
  ['In Progress', squareStatuses, true],
  ['Completed', squareStatuses, false],
  ['Canceled', squareStatuses, false],
])('the status "%s"', (status, ready, isTaken) => {
  expect(statusReason(status, ready, layout)).toEqual(isTaken ? null : { left_out: `status "${status}"` });
  const named = { ...layout, statuses: [status.replaceAll(' ', '-').toUpperCase()] };
  expect(statusReason(status, ready, named)).toBeNull();
});

test('a method that --only names is taken, whatever it says', () => {
  const only = [['Shipping method', 'Economy (USPS)']] as const;
  expect(methodReason('Economy (USPS)', { ...layout, only }, 'Shipping Method')).toBeNull();
});
