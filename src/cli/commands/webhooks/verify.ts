import { flag, text } from '../../kit/args/flags.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { headerFlag } from './received.ts';

export const verify = defineCommand({
  name: 'verify',
  aliases: ['check'],
  summary: 'Verify the signature of a webhook locally',
  description: [
    'Verifies per Standard Webhooks, with its official library. The body must be byte-for-byte what was received. The',
    'secret comes from --secret-file, the variable WAYBILL_WEBHOOK_SECRET or a prompt, never from an argument. The',
    'exit code is 0 if the signature is valid, and otherwise 9 with the reason: wrong secret or body, or older than',
    '5 minutes.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads the body from stdin', optional: true }) },
  flags: {
    file: text({ summary: 'File with the raw body; - for stdin', short: 'f', placeholder: 'FILE' }),
    header: headerFlag(),
    id: text({ summary: 'Header webhook-id', placeholder: 'ID' }),
    timestamp: text({ summary: 'Header webhook-timestamp', placeholder: 'SECONDS' }),
    signature: text({ summary: 'Header webhook-signature', placeholder: 'SIGNATURE' }),
    secretFile: text({ summary: 'File with the secret, whsec_...', placeholder: 'FILE' }),
    ignoreAge: flag({ summary: 'Accept any age' }),
  },
  examples: [
    {
      command: [
        'waybill webhooks verify --file body.json --secret-file secret.txt',
        "--header 'webhook-id: evt_...' --header 'webhook-timestamp: 1772445600' --header 'webhook-signature: v1,...'",
      ].join(' '),
      summary: 'Read the body from a file',
    },
    {
      command:
        'waybill webhooks verify - --id ID --timestamp SECONDS --signature SIGNATURE --ignore-age < body.json',
      summary: 'Verify an old webhook, with the secret in the environment',
    },
  ],
  effect: 'none',
  async run(context, { flags: { ignoreAge, ...given }, positionals: { stdin } }) {
    const { verifyWebhook } = await import('./verification.ts');
    return verifyWebhook(context, { ...given, stdin }, ignoreAge);
  },
});
