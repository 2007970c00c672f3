/**
 * The words of the protocol between waybill and a courier's own server. Names and reasons are those of the logistics
 * interface of Open Delivery (https://www.opendelivery.com.br) where it has them; reasons that it lacks come last.
 */

/** The value of `protocol` in a courier's description. */
export const courierProtocol = 'waybill-courier/1';

/** The calls that a courier answers, relative to its address. */
export const courierPaths = {
  describe: '/courier',
  quote: '/quotes',
  delivery: '/deliveries/{orderId}',
  cancel: '/deliveries/{orderId}/cancel',
  simulate: '/deliveries/{orderId}/simulate',
} as const;

/** The events of a delivery, in their usual order. */
export const deliveryEvents = [
  'PENDING',
  'ACCEPTED',
  'REJECTED',
  'PICKUP_ONGOING',
  'ARRIVED_AT_MERCHANT',
  'ORDER_PICKED',
  'DELIVERY_ONGOING',
  'ARRIVED_AT_CUSTOMER',
  'ORDER_DELIVERED',
  'RETURNING_TO_MERCHANT',
  'RETURNED_TO_MERCHANT',
  'DELIVERY_FINISHED',
  'CANCELLED',
] as const;

/** Why a courier takes no quote request, order or cancellation. */
export const rejectionReasons = [
  'PRICE_EXCEEDED',
  'VEHICLE_NOT_AVAILABLE',
  'NO_DELIVERYPERSON_AVAILABLE',
  'DOES_NOT_MEET_REQUESTED_TIMES',
  'REGION_NOT_SERVED',
  'OTHER',
  'ADDRESS_UNKNOWN',
  'DISTANCE_TOO_LONG',
  'ITEM_TOO_LARGE',
  'VALUE_TOO_HIGH',
  'CONTACT_REFUSED',
  'SIGNATURE_NOT_OFFERED',
  'SCHEDULED_NOT_TAKEN',
  'QUOTE_EXPIRED',
  'ACCOUNT_BLOCKED',
  'ORDER_ALREADY_PICKED',
] as const;

/** Why a merchant cancels. */
export const cancelReasons = [
  'CONSUMER_CANCELLATION_REQUESTED',
  'NO_SHOW',
  'PROBLEM_AT_MERCHANT',
  'HIGH_ACCEPTANCE_TIME',
  'INCORRECT_ORDER_OR_PRODUCT_PICKUP',
  'PROBLEM_RESOLUTION',
  'DISCOMBINE_ORDER',
  'OTHER',
] as const;

/** Why a courier brings a delivery back or gives it up. */
export const problemReasons = [
  'DELIVERYPERSON_OCCURRENCE',
  'PAYMENT_PROBLEMS',
  'WRONG_PRODUCT_OR_ITEM',
  'ORDER_DELAYED',
  'ORDER_DAMAGED_OR_VIOLATED',
  'CUSTOMER_DID_NOT_PLACE_ORDER',
  'CUSTOMER_ADDRESS_UNKNOWN',
  'ORDER_MISSING_ITEMS',
  'NOBODY_TO_RECEIVE',
  'DELIVERYPERSON_WAITING_PAYMENT_FOR_ALREADY_PAID_ORDER',
  'ORDER_DELIVERED_WITHOUT_PAYMENT',
  'FRAUD_OR_THEFT',
  'OTHER',
] as const;

export const parcelSizes = ['SMALL', 'MEDIUM', 'LARGE', 'EXTRA_LARGE'] as const;
export const courierVehicles = ['CAR', 'SUV', 'PICKUP_TRUCK', 'CARGO_VAN', 'BOX_TRUCK'] as const;
export const proofKinds = ['PHOTO', 'SIGNATURE'] as const;
/** Whether the courier posts events or waits to be asked. */
export const trackingModes = ['push', 'pull'] as const;

export type DeliveryEventType = (typeof deliveryEvents)[number];
export type RejectionReason = (typeof rejectionReasons)[number];
export type ProblemReason = (typeof problemReasons)[number];
