import { defaultMailRules, type MailRules } from '../../../domain/service-limits.ts';
import { BadValue, choice, type Flag, flag, integer, text } from '../../kit/args/flags.ts';
import { wordsFlag } from './words-flag.ts';

const mail = 'Notices by e-mail';

/** The mail server; without a host no notices are sent. */
export const smtpFlags = {
  smtpHost: text({
    summary: 'SMTP server for notices to recipients (default: no notices)',
    group: mail,
    placeholder: 'HOST',
  }),
  smtpPort: integer({
    summary: 'Port of the SMTP server (default: 587, with --smtp-tls tls 465)',
    ...{ minimum: 1, maximum: 65_535, group: mail, placeholder: 'PORT' },
  }),
  smtpTls: choice({
    choices: ['starttls', 'tls', 'none'],
    summary: 'Encryption: required by STARTTLS, from the start, or none',
    ...{ default: 'starttls', group: mail },
  }),
  smtpFrom: text({ summary: 'Address that notices come from', group: mail, placeholder: 'EMAIL' }),
  smtpFromName: text({
    summary: 'Name beside that address (default: none)',
    ...{ group: mail, placeholder: 'NAME' },
  }),
  smtpReplyTo: text({
    summary: 'Address for replies (default: that of --smtp-from)',
    ...{ group: mail, placeholder: 'EMAIL' },
  }),
  smtpTrustAccounts: flag({
    summary: 'Let each account choose the name of the sender and the address for replies',
    group: mail,
  }),
  smtpTestRecipient: recipientsFlag(),
  smtpPerDay: integer({
    summary: 'Maximum notices of each account and mode a day',
    ...{
      minimum: 1,
      maximum: 1_000_000,
      default: defaultMailRules.per_day,
      group: mail,
      placeholder: 'COUNT',
    },
  }),
  smtpUser: text({ summary: 'User of the SMTP server', group: mail, placeholder: 'USER' }),
  smtpPasswordFile: text({
    summary: 'File with the password of that user; WAYBILL_SMTP_PASSWORD can have it instead',
    ...{ group: mail, placeholder: 'FILE' },
  }),
};

/** `--smtp-test-recipient`: addresses, and domains such as `@shop.example`. */
function recipientsFlag(): Flag<string[]> {
  const summary = 'Address or domain (@shop.example) that test mode may send to (default: none)';
  return wordsFlag({ summary, placeholder: 'EMAIL', group: mail }, readRecipient);
}

function readRecipient(given: string): string {
  if (/^[^\s@<>,]*@[^\s@<>,]+$/.test(given)) return given;
  throw new BadValue(`must be an address, or a domain such as @shop.example, not "${given}"`);
}

/** Returns what the operator permits about notices. */
export function mailRulesOf(flags: RuleValues): { mail_rules: MailRules } {
  return {
    mail_rules: {
      test_recipients: flags.smtpTestRecipient,
      per_day: flags.smtpPerDay,
      from_name: flags.smtpFromName ?? '',
      reply_to: flags.smtpReplyTo ?? null,
      trusts_accounts: flags.smtpTrustAccounts,
    },
  };
}

type RuleValues = Pick<
  SmtpValues,
  'smtpTestRecipient' | 'smtpPerDay' | 'smtpFromName' | 'smtpReplyTo' | 'smtpTrustAccounts'
>;

export type SmtpValues = { [K in keyof typeof smtpFlags]: ReturnType<(typeof smtpFlags)[K]['read']> };
