/** Requests of the courier protocol, which `contract/courier-protocol` describes. */
import type { CourierQuoteRequest, DeliveryRequest } from '../../contract/courier-protocol/schemas.ts';
import type { courierVehicles, parcelSizes } from '../../contract/courier-protocol/words.ts';
import type { ItemSize, VehicleType } from '../../contract/vocabulary.ts';
import { normalizeAddress } from '../../domain/addresses.ts';
import type { CourierCreateRequest, CourierOrder, CourierStop } from '../courier.ts';

/** The currency of an order's own amounts. */
const currency = 'USD';

const sizes = {
  small: 'SMALL',
  medium: 'MEDIUM',
  large: 'LARGE',
  extra_large: 'EXTRA_LARGE',
} as const satisfies Record<ItemSize, (typeof parcelSizes)[number]>;

const vehicles = {
  car: 'CAR',
  suv: 'SUV',
  pickup_truck: 'PICKUP_TRUCK',
  cargo_van: 'CARGO_VAN',
  box_truck: 'BOX_TRUCK',
} as const satisfies Record<VehicleType, (typeof courierVehicles)[number]>;

export function quoteBody({ pickup, dropoff, ...order }: CourierOrder): CourierQuoteRequest {
  return {
    orderDisplayId: order.external_order_ref,
    merchant: { name: pickup.name, phone: pickup.phone },
    pickupAddress: addressOf(pickup),
    pickupInstructions: pickup.notes,
    customerName: dropoff.name,
    customerPhone: dropoff.phone,
    deliveryAddress: addressOf(dropoff),
    specialInstructions: dropoff.notes,
    items: order.items.map(({ name, quantity, size }) => ({ name, quantity, size: sizes[size] })),
    packageDescription: order.items_description,
    totalOrderPrice: { value: order.order_value, currency },
    tip: { value: order.tip, currency },
    ...(order.vehicle === null ? {} : { vehicle: { type: [vehicles[order.vehicle]] } }),
    signatureRequired: order.request_signature,
    leaveAtDoor: order.request_contactless && !order.request_signature,
    returnToMerchant: true,
    ...(order.pickup_at === null ? {} : { pickupDatetime: new Date(order.pickup_at).toISOString() }),
    ...(order.dropoff_at === null ? {} : { deliveryDatetime: new Date(order.dropoff_at).toISOString() }),
  };
}

export function createBody({ quote_reference, order }: CourierCreateRequest): DeliveryRequest {
  return { quoteId: quote_reference, ...quoteBody(order) };
}

function addressOf({ address, unit }: CourierStop) {
  const parts = normalizeAddress(address);
  const place = parts?.place ?? [];
  const street = place.slice(0, -1).join(', ');
  const city = place.length > 1 ? (place.at(-1) ?? '') : '';
  return {
    formattedAddress: address,
    country: 'US',
    ...(street === '' ? {} : { street }),
    ...(city === '' ? {} : { city }),
    ...(parts === null || parts.state === null ? {} : { state: parts.state }),
    ...(parts === null || parts.zip === null ? {} : { postalCode: parts.zip }),
    ...(unit === '' ? {} : { complement: unit }),
  };
}
