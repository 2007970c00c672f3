import { defineCommand, positional } from '../../command.ts';
import { flag, text } from '../../line/flags.ts';
import { headerFlag } from '../../webhooks/received.ts';

export const verify = defineCommand({
  name: 'verify',
  aliases: ['check'],
  summary: 'Check the signature of a received webhook, on this machine alone',
  description: [
    'By the Standard Webhooks rules, with their published library. The body must be the very bytes that came; the secret',
    'comes from --secret-file or the variable WAYBILL_WEBHOOK_SECRET, never from an argument, and in a terminal it is',
    'asked for. Exit 0 where it is valid, else 9 with the reason: another secret, a changed body, older than 5 minutes.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads the body from stdin', optional: true }) },
  flags: {
    file: text({ summary: 'The body, to the byte; - for stdin', short: 'f', placeholder: 'FILE' }),
    header: headerFlag(),
    id: text({ summary: 'Header webhook-id', placeholder: 'ID' }),
    timestamp: text({ summary: 'Header webhook-timestamp', placeholder: 'SECONDS' }),
    signature: text({ summary: 'Header webhook-signature', placeholder: 'SIGNATURE' }),
    secretFile: text({ summary: 'File that holds the secret, whsec_...', placeholder: 'FILE' }),
    ignoreAge: flag({ summary: 'Check the signature alone, however old it is' }),
  },
  examples: [
    {
      command: [
        'waybill webhooks verify --file body.json --secret-file secret.txt',
        "--header 'webhook-id: evt_...' --header 'webhook-timestamp: 1772445600' --header 'webhook-signature: v1,...'",
      ].join(' '),
      summary: 'The body in a file, the headers as they came',
    },
    {
      command:
        'waybill webhooks verify - --id ID --timestamp SECONDS --signature SIGNATURE --ignore-age < body.json',
      summary: 'An old one, its secret in the environment',
    },
  ],
  effect: 'none',
  async run(context, { flags: { ignoreAge, ...given }, positionals: { stdin } }) {
    const { verification } = await import('../../webhooks/verification.ts');
    return verification(context, { ...given, stdin }, ignoreAge);
  },
});
