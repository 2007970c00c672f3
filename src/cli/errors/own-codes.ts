import type { ExitCode } from '../kit/errors/failure.ts';

/** The meaning of an error code of this program; those of the service are in the contract's table. */
export interface OwnMeaning {
  exit: ExitCode;
  when: string;
}

/** Codes that any command can fail with. */
export const usualCodes = {
  internal: { exit: 1, when: 'Internal error.' },
  output_failed: { exit: 1, when: 'The output could not be written, for example because the disk is full.' },
  usage: { exit: 2, when: 'Conflicting or unknown arguments.' },
  unknown_command: { exit: 2, when: 'Unknown command.' },
  unknown_flag: { exit: 2, when: 'Unknown flag.' },
  unknown_field: { exit: 2, when: 'Unknown output field.' },
  bad_expression: { exit: 2, when: 'Invalid --jq filter.' },
  expression_failed: { exit: 2, when: 'The --jq filter failed on this output.' },
  missing_input: { exit: 2, when: 'Missing input; `missing` lists it.' },
  missing_value: { exit: 2, when: 'A flag is missing its value.' },
  bad_value: { exit: 2, when: 'Invalid value.' },
  confirmation_needed: { exit: 2, when: 'Confirmation required, but there is no terminal for a prompt.' },
  settings_broken: { exit: 2, when: 'The settings file is invalid.' },
  settings_unusable: { exit: 2, when: 'The settings file cannot be read or written.' },
  declined: { exit: 3, when: 'Declined at the prompt.' },
  no_api_key: { exit: 4, when: 'No API key is configured.' },
  keychain_empty: { exit: 4, when: 'The key is missing from the system keychain.' },
  keychain_unreadable: { exit: 4, when: 'The system keychain does not respond.' },
  profile_not_found: { exit: 5, when: 'No such profile.' },
  not_supported: { exit: 6, when: 'The service does not have this operation.' },
  unreachable: { exit: 7, when: 'The service did not respond.' },
  outcome_unknown: { exit: 7, when: 'The response was lost: the service may have executed the request.' },
  unexpected_answer: { exit: 7, when: 'The response is not from a waybill service.' },
  storage_damaged: { exit: 7, when: 'The database of the embedded service is damaged.' },
  interrupted: {
    exit: 130,
    when: 'Interrupted with Ctrl+C or by the end of stdin at a prompt; 143 for SIGTERM, 129 for SIGHUP.',
  },
} as const satisfies Record<string, OwnMeaning>;

/** Codes of particular commands. */
export const ownCodes = {
  bad_rows: { exit: 2, when: 'The file has invalid rows; nothing was sent.' },
  file_unwritable: { exit: 2, when: 'A result file next to the imported file cannot be written.' },
  plan_broken: { exit: 2, when: 'The saved wizard progress cannot be read.' },
  plan_unusable: { exit: 2, when: 'Wizard progress cannot be saved.' },
  nothing_to_resume: { exit: 5, when: 'There is no saved wizard progress.' },
  key_not_identified: {
    exit: 6,
    when: 'The API key to replace cannot be identified or its new one cannot be shown.',
  },
  above_max_cost: { exit: 6, when: 'The quote costs more than --max-cost.' },
  above_max_fee: { exit: 6, when: 'Canceling costs more than --max-fee.' },
  migrations_pending: { exit: 6, when: 'The database lacks migrations of this version.' },
  account_not_empty: { exit: 6, when: 'The account has records, so it cannot be deleted.' },
  duplicate_ref: { exit: 6, when: 'Another order of the last 24 hours has this reference.' },
  search_incomplete: {
    exit: 6,
    when: 'Nothing was found, but the service may have records that cannot be searched.',
  },
  profile_settled: { exit: 6, when: 'The URL of a profile with a key cannot be changed.' },
  profile_exists: { exit: 6, when: 'The profile already exists.' },
  import_begun: { exit: 6, when: 'The file is imported in part: go on with --resume.' },
  import_running: { exit: 6, when: 'The file is being imported.' },
  bulk_running: { exit: 6, when: 'The file with the IDs is in use by the same command.' },
  wizard_running: { exit: 6, when: 'The unfinished delivery is open in another terminal.' },
  import_differs: { exit: 6, when: 'The file or its options have changed since the import was started.' },
  journal_damaged: { exit: 6, when: 'The import journal cannot be read.' },
  still_pending: { exit: 8, when: 'Timed out while still pending.' },
  bad_outcome: { exit: 9, when: 'Ended unsuccessfully.' },
  no_quotes: { exit: 9, when: 'No provider offers a quote; `reasons` says why.' },
  delivery_failed: { exit: 9, when: 'The delivery failed at once (10: only some of several did).' },
  delivery_STATUS: { exit: 9, when: 'The delivery has this status and can no longer reach the other one.' },
  order_STATUS: { exit: 9, when: 'The order has this status and can no longer reach the other one.' },
  route_STATUS: { exit: 9, when: 'The route has this status and can no longer reach the other one.' },
  batch_not_dispatched: { exit: 9, when: 'No order of the batch was dispatched.' },
  no_webhook_endpoint: { exit: 9, when: 'No endpoint subscribes to this event type.' },
  webhook_attempt_failed: { exit: 9, when: 'The endpoint did not accept the event.' },
  webhook_not_valid: { exit: 9, when: 'The signature or age is invalid.' },
  batch_partly_dispatched: { exit: 10, when: 'Some orders of the batch were not dispatched.' },
  rows_failed: { exit: 10, when: 'Some rows failed.' },
  some_not_changed: { exit: 10, when: 'Some deliveries were refused or failed.' },
  some_not_resent: { exit: 10, when: 'Some events were not sent.' },
} as const satisfies Record<string, OwnMeaning>;

/** An error code of this program. */
export type OwnCode = keyof typeof ownCodes | keyof typeof usualCodes;
