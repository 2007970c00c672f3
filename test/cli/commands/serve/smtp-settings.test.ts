import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mailRulesOf, smtpFlags, smtpSettingsOf } from '../../../../src/cli/commands/serve/serve-flags.ts';
import { freshHome, waybill } from '../../harness.ts';

const folder = freshHome();
writeFileSync(join(folder, 'password'), 'from the file\n');
const flags: Parameters<typeof smtpSettingsOf>[1] = {
  ...{
    smtpHost: 'mail.example',
    smtpPort: undefined,
    smtpTls: 'starttls',
    smtpFrom: 'orders@shop.example',
  },
  ...{ smtpUser: undefined, smtpPasswordFile: undefined },
};
const own = { host: 'mail.example', from: 'orders@shop.example' };

test('the password is read from a variable or a file, and ports follow the encryption', () => {
  const environment = { WAYBILL_SMTP_PASSWORD: 'from the variable' };
  const read = (changes: Partial<typeof flags>) =>
    smtpSettingsOf({ environment, folder }, { ...flags, ...changes });
  expect(read({})).toEqual({ ...own, port: 587, tls: 'starttls', user: null, password: 'from the variable' });
  expect(read({ smtpTls: 'tls', smtpUser: 'shop', smtpPasswordFile: 'password' })).toEqual({
    ...{ ...own, port: 465, tls: 'tls', user: 'shop', password: 'from the file' },
  });
  expect(read({ smtpPort: 2525 })).toMatchObject({ port: 2525 });
  expect(read({ smtpHost: undefined, smtpFrom: undefined })).toBeNull();
});

test.each([
  [['--smtp-from', 'orders@shop.example'], 'have no server'],
  [['--smtp-host', 'mail.example'], 'missing or wrong'],
  [['--smtp-host', 'mail.example', '--smtp-from', 'Shop <a@b.example>'], 'missing or wrong'],
  [
    ['--smtp-host', 'mail.example', '--smtp-from', 'a@b.example', '--smtp-user', 'shop'],
    'password of the SMTP',
  ],
  [
    ['--smtp-host', 'mail.example', '--smtp-from', 'a@b.example', '--smtp-password-file', 'gone'],
    'cannot be read: gone',
  ],
])('serve %j is refused before it starts', async (given, message) => {
  const { exit, stderr } = await waybill(['serve', '--database', ':memory:', ...given], {
    home: freshHome(),
  });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('the name, the replies and the recipients of test mode are the rules of the operator', () => {
  const rest = { smtpFromName: 'Shop', smtpReplyTo: undefined, smtpTrustAccounts: false, smtpPerDay: 10 };
  const { mail_rules } = mailRulesOf({ ...rest, smtpTestRecipient: ['@shop.example'] });
  expect(mail_rules).toEqual({
    ...{ test_recipients: ['@shop.example'], per_day: 10, from_name: 'Shop', reply_to: null },
    trusts_accounts: false,
  });
  const { smtpTestRecipient } = smtpFlags;
  expect(smtpTestRecipient.read(['@shop.example, sam@mail.example'])).toHaveLength(2);
  expect(() => smtpTestRecipient.read(['shop.example'])).toThrow('must be an address');
});

test('a password is sent without encryption to this machine only', () => {
  const plain = { ...flags, smtpTls: 'none', smtpUser: 'shop' } as const;
  const host = { environment: { WAYBILL_SMTP_PASSWORD: 'secret' }, folder };
  expect(() => smtpSettingsOf(host, plain)).toThrow('not sent without encryption');
  expect(smtpSettingsOf(host, { ...plain, smtpHost: '127.0.0.1' })).toMatchObject({
    tls: 'none',
    user: 'shop',
  });
});
