import type {
  CourierDescription,
  CourierQuoteRequest,
} from '../../../../contract/courier-protocol/schemas.ts';

/** Two addresses in Chicago, for couriers that name none. */
const chicago = {
  pickup: {
    formattedAddress: '233 S Wacker Dr, Chicago, IL 60606, USA',
    country: 'US',
    state: 'IL',
    city: 'Chicago',
    street: '233 S Wacker Dr',
    postalCode: '60606',
  },
  delivery: {
    formattedAddress: '600 E Grand Ave, Chicago, IL 60611, USA',
    country: 'US',
    state: 'IL',
    city: 'Chicago',
    street: '600 E Grand Ave',
    postalCode: '60611',
    complement: 'Apt 5',
  },
};

/** An address that does not exist, which no courier serves. */
export const nowhere = { formattedAddress: '1 Null Island, XX 00000', country: 'US', postalCode: '00000' };

/** An order as waybill sends it. */
export function sampleOrder(addresses: CourierDescription['testAddresses'] = chicago): CourierQuoteRequest {
  return {
    orderDisplayId: 'A-100',
    merchant: { name: 'Lakeside Books', phone: '+13125557701' },
    pickupAddress: addresses.pickup,
    pickupInstructions: 'Back door',
    customerName: 'Ada Byron',
    customerPhone: '+13125557702',
    deliveryAddress: addresses.delivery,
    specialInstructions: 'Ring twice',
    items: [{ name: 'Atlas', quantity: 2, size: 'SMALL' }],
    packageDescription: 'Books',
    totalOrderPrice: { value: 2500, currency: 'USD' },
    tip: { value: 300, currency: 'USD' },
    signatureRequired: false,
    leaveAtDoor: false,
    returnToMerchant: true,
  };
}
