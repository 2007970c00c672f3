import type { ExitCode } from './exit-codes.ts';

/** What an error code of this program says; those of the interface stand in its own table. */
export interface OwnMeaning {
  exit: ExitCode;
  when: string;
}

/** Codes that any command can end with. */
export const usualCodes = {
  internal: { exit: 1, when: 'A fault of this program.' },
  output_failed: { exit: 1, when: 'The answer could not be written: a full disk, for example.' },
  usage: { exit: 2, when: 'The line contradicts itself, or names what there is not.' },
  unknown_command: { exit: 2, when: 'There is no such command.' },
  unknown_flag: { exit: 2, when: 'The command has no such flag.' },
  unknown_field: { exit: 2, when: 'The answer has no such field.' },
  bad_expression: { exit: 2, when: 'The filter of --jq, or the text of --template, is none.' },
  expression_failed: { exit: 2, when: 'The filter, or the template, does not fit the answer.' },
  missing_input: { exit: 2, when: 'Something is missing; `missing` names all of it.' },
  missing_value: { exit: 2, when: 'A flag has no value.' },
  bad_value: { exit: 2, when: 'A value cannot be read.' },
  confirmation_needed: { exit: 2, when: 'A yes is needed, and nobody can be asked.' },
  settings_broken: { exit: 2, when: 'The settings file is not what this program wrote.' },
  settings_unusable: { exit: 2, when: 'The settings file cannot be read or written.' },
  declined: { exit: 3, when: 'The person said no.' },
  no_api_key: { exit: 4, when: 'There is no key for the place.' },
  keychain_empty: { exit: 4, when: "The system's keychain has lost the key." },
  keychain_unreadable: { exit: 4, when: "The system's keychain does not answer." },
  profile_not_found: { exit: 5, when: 'There is no such profile.' },
  unreachable: { exit: 7, when: 'No answer came.' },
  unexpected_answer: { exit: 7, when: 'The answer is none of this interface.' },
  storage_damaged: { exit: 7, when: 'The database of the embedded service is damaged.' },
  interrupted: {
    exit: 130,
    when: 'Ctrl+C, or the end of stdin at a prompt; 143 or 129 where SIGTERM or SIGHUP ended it.',
  },
} as const satisfies Record<string, OwnMeaning>;

/** Codes that some commands end with. */
export const ownCodes = {
  bad_rows: { exit: 2, when: 'Rows of the file cannot be sent; nothing was.' },
  file_unwritable: { exit: 2, when: 'A file beside the imported one cannot be written.' },
  plan_broken: { exit: 2, when: 'What was left of a delivery cannot be read.' },
  plan_unusable: { exit: 2, when: 'What is typed cannot be kept in its file.' },
  nothing_to_resume: { exit: 5, when: 'No delivery was left half way.' },
  above_max_cost: { exit: 6, when: 'The quote costs more than --max-cost.' },
  above_max_fee: { exit: 6, when: 'Canceling costs more than --max-fee.' },
  profile_settled: { exit: 6, when: 'The address of the profile stays: its key is for that service.' },
  profile_exists: { exit: 6, when: 'There is a profile of that name.' },
  import_begun: { exit: 6, when: 'The file is imported in part: go on with --resume.' },
  import_running: { exit: 6, when: 'The file is being imported.' },
  import_differs: { exit: 6, when: 'The file, or how it is sent, is not as it was at the beginning.' },
  completion_unusable: { exit: 2, when: 'The place of a script of completion cannot be written.' },
  completion_changed: { exit: 6, when: 'What --install wrote into the file of the shell was changed since.' },
  not_ours: { exit: 6, when: 'The file where a script of completion belongs is none of ours.' },
  journal_damaged: { exit: 6, when: 'The journal beside the file cannot be read.' },
  still_pending: { exit: 8, when: 'Time ran out before it was settled.' },
  bad_outcome: { exit: 9, when: 'It ended badly.' },
  no_quotes: { exit: 9, when: 'No provider takes it; `reasons` says why.' },
  delivery_failed: { exit: 9, when: 'The delivery failed at once; 10 where only some of several did.' },
  delivery_STATUS: { exit: 9, when: 'The delivery has this status, and cannot get to the other any more.' },
  order_STATUS: { exit: 9, when: 'The order has this status, and cannot get to the other any more.' },
  route_STATUS: { exit: 9, when: 'The route has this status, and cannot get to the other any more.' },
  batch_not_dispatched: { exit: 9, when: 'No order of the batch was dispatched.' },
  no_webhook_endpoint: { exit: 9, when: 'No endpoint asks for the type of the event.' },
  webhook_attempt_failed: { exit: 9, when: 'The endpoint did not take the event.' },
  webhook_not_valid: { exit: 9, when: 'The signature, or the age, is wrong.' },
  batch_partly_dispatched: { exit: 10, when: 'Some orders of the batch were not dispatched.' },
  rows_failed: { exit: 10, when: 'Some rows were not made.' },
  some_not_resent: { exit: 10, when: 'Some events were not sent.' },
} as const satisfies Record<string, OwnMeaning>;

/** A code of this program. */
export type OwnCode = keyof typeof ownCodes | keyof typeof usualCodes;
