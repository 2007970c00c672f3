import type { FailureReason } from '../contract/vocabulary.ts';

/** Why a delivery failed or is being returned: a code for programs and a message for people. */
export interface Failure {
  failure_reason: FailureReason;
  failure_message: string;
}

/** The default message of each code. */
export const failureMessages: Readonly<Record<FailureReason, string>> = {
  no_provider_available: 'no provider offers a quote',
  payment_declined: 'the payment was declined',
  provider_refused: 'the provider declined it',
  provider_unreachable: 'the provider did not respond',
  provider_not_connected: 'the provider is no longer connected',
  courier_failed: 'the courier could not finish the delivery',
  recipient_unreachable: 'the recipient could not be reached at the dropoff',
  recipient_refused: 'the recipient refused the parcel',
  wrong_address: 'the recipient is unknown at the address',
  age_check_failed: 'the recipient did not pass the age check',
  handover_failed: 'the parcel could not be handed over',
  return_not_completed: 'the parcel was not returned within 24 hours',
};

/** A failure with the message of its reporter, or the default message. */
export function failureOf(code: FailureReason, message = failureMessages[code]): Failure {
  return { failure_reason: code, failure_message: message };
}
