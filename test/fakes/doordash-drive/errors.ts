import type { FakeAnswer } from '../fake-http.ts';

type Answer = NonNullable<FakeAnswer>;

export const invalid = (field: string, error: string): Answer => ({
  status: 400,
  body: {
    code: 'validation_error',
    message: 'Some request values are not valid',
    field_errors: [{ field, error }],
  },
});

export const unauthenticated = (message: string): Answer => ({
  status: 401,
  body: { code: 'authentication_error', message },
});

export const unknownDelivery = (external_delivery_id: string): Answer => ({
  status: 404,
  body: { code: 'unknown_delivery_id', message: 'The external delivery ID is unknown', external_delivery_id },
});

export const duplicateDelivery = (external_delivery_id: string): Answer => ({
  status: 409,
  body: { code: 'duplicate_delivery_id', message: 'Duplicate external delivery ID', external_delivery_id },
});

export const cancelNotAllowed = (reason: string): Answer => ({
  status: 409,
  body: { code: 'cancel_not_allowed', message: 'Cancellation is no longer possible', reason },
});

export const updateNotAllowed = (reason: string): Answer => ({
  status: 409,
  body: { code: 'update_not_allowed', message: 'Update is no longer possible', reason },
});

const invalidDelivery = (reason: string): Answer => ({
  status: 422,
  body: { code: 'invalid_delivery_parameters', message: 'The delivery is not valid', reason },
});

/** The documented errors that no input of a test brings about, by what a test calls them. */
export const errorsOnDemand = {
  authentication_error: unauthenticated('The [exp] is in the past; the JWT is expired'),
  authorization_error: {
    status: 403,
    body: { code: 'authorization_error', message: 'The credentials do not work for this operation' },
  },
  unknown_business_id: {
    status: 404,
    body: { code: 'unknown_business_id', message: 'The business is unknown', external_business_id: 'b' },
  },
  unknown_store_id: {
    status: 404,
    body: {
      code: 'unknown_store_id_under_business_id',
      message: 'The store is unknown',
      external_business_id: 'b',
      external_store_id: 's',
    },
  },
  distance_too_long: invalidDelivery('distance_too_long'),
  pickup_address_not_in_coverage: invalidDelivery('pickup_address_not_in_coverage'),
  delivery_address_not_in_coverage: invalidDelivery('delivery_address_not_in_coverage'),
  outside_of_delivery_time: invalidDelivery('outside_of_delivery_time'),
  throttled: { status: 429, body: { message: 'Too many requests' } },
  service_fault: { status: 500, body: { code: 'service_fault', message: 'Internal service failure' } },
  delivery_abandoned: cancelNotAllowed('delivery_abandoned'),
  delivery_creation_in_progress: cancelNotAllowed('delivery_creation_in_progress'),
  duplicate_request: cancelNotAllowed('duplicate_request'),
  update_window_closed: updateNotAllowed('update_window_closed'),
} as const satisfies Readonly<Record<string, Answer>>;

export type ErrorOnDemand = keyof typeof errorsOnDemand;
