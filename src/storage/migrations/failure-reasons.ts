import type { ColumnTypes } from './first-schema.ts';

/** Splits the reason of a failed delivery, which was a code or a sentence, into a code and a message. */
export function failureReasons({ json_text, json_with }: ColumnTypes): string[] {
  const reason = json_text('record', ['failure_reason']);
  const known = Object.entries(codes).map(([text, code]) => `when '${text}' then '${code}'`);
  const code = `case ${reason} ${known.join(' ')}
    else case when status = 'failed' then 'provider_refused' else 'handover_failed' end end`;
  const said = Object.entries(messages).map(([text, message]) => `when '${text}' then '${message}'`);
  const message = `case ${reason} ${said.join(' ')} else ${reason} end`;
  return [
    `update deliveries set record = ${json_with('record', { failure_message: "''" })} where ${reason} is null`,
    `update deliveries set record = ${json_with('record', { failure_reason: code, failure_message: message })}
      where ${reason} is not null`,
  ];
}

/** The codes of the reasons that the service and the simulated couriers gave; other reasons are a provider's. */
const codes = {
  payment_declined: 'payment_declined',
  no_provider_available: 'no_provider_available',
  'the provider did not answer': 'provider_unreachable',
  'the provider is no longer connected': 'provider_not_connected',
  'The courier could not go on': 'courier_failed',
  'Nobody could be reached at the dropoff': 'recipient_unreachable',
  'The recipient refused the parcel': 'recipient_refused',
  'The recipient is not known at the address': 'wrong_address',
  'The recipient did not pass the age check': 'age_check_failed',
  'The parcel did not come back within 24 hours': 'return_not_completed',
};

const messages = {
  payment_declined: 'the payment was declined',
  no_provider_available: 'no provider offers a quote',
};
