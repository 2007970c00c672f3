import { afterEach, expect, test } from 'vitest';
import {
  createSmtpMailer,
  type Mail,
  MailFault,
  type SmtpSettings,
} from '../../../src/service/runtime/mailer.ts';
import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';
import { certificate } from '../../fakes/smtp/certificate.ts';
import { type MailServer, refusal, startMailServer } from '../../fakes/smtp/mail-server.ts';
import { freePort } from '../../local-server.ts';

const mail: Mail = {
  ...{ id: 'tsk_1', from_name: 'Pizza & Friends', to: 'dana@mail.example' },
  ...{ subject: 'Your order', text: 'Hello Dana\n' },
};
const mailerTo = (settings: SmtpSettings) => createSmtpMailer(settings, realTimers);
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serverWith(behaviour: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(behaviour);
  stops.push(server.stop);
  return server;
}

function settingsOf({ port }: { port: number }, changes: Partial<SmtpSettings> = {}): SmtpSettings {
  const encrypted = { tls: 'starttls', ca: certificate.cert } as const;
  return {
    ...{ host: '127.0.0.1', port, user: null, password: '', from: 'orders@shop.example' },
    ...{ ...encrypted, ...changes },
  };
}

async function faultOf(sending: Promise<void>): Promise<MailFault> {
  const fault: unknown = await sending.then(
    () => null,
    (error: unknown) => error,
  );
  if (fault instanceof MailFault) return fault;
  throw new Error(`no fault of a mail: ${fault}`);
}

test('a message arrives encrypted, with its sender and its own ID', async () => {
  const server = await serverWith();
  await mailerTo(settingsOf(server))({ ...mail, reply_to: 'help@shop.example' });
  expect(server.received).toMatchObject([
    { from: 'orders@shop.example', to: ['dana@mail.example'], is_encrypted: true, text: 'Hello Dana\n' },
  ]);
  expect(server.received[0]?.headers).toEqual(
    expect.arrayContaining([
      'From: "Pizza & Friends" <orders@shop.example>',
      'To: dana@mail.example',
      'Reply-To: help@shop.example',
      'Subject: Your order',
      'Message-ID: <tsk_1@shop.example>',
      'Auto-Submitted: auto-generated',
    ]),
  );
});

test('a name or a subject with line breaks adds no header and no recipient', async () => {
  const server = await serverWith();
  const attack = 'Dana\r\nBcc: all@mail.example\r\n\r\nBuy now\u2028X-More: 1';
  await mailerTo(settingsOf(server))({
    ...mail,
    from_name: `${attack}, "<a@b.example>"`,
    subject: attack,
  });
  const [received] = server.received;
  expect(received?.to).toEqual(['dana@mail.example']);
  expect(received?.text).toBe('Hello Dana\n');
  const names = received?.headers.map((header) => header.split(':')[0]);
  expect(names).not.toContain('Bcc');
  expect(names).not.toContain('X-More');
  expect(received?.headers).toContain('Subject: Dana Bcc: all@mail.example Buy now X-More: 1');
});

test('names and texts keep their letters', async () => {
  const server = await serverWith();
  await mailerTo(settingsOf(server))({
    ...mail,
    from_name: 'Café Zoë',
    subject: 'Su pedido está cerca',
    text: 'Señora\n',
  });
  expect(server.received[0]?.text).toBe('Señora\n');
  expect(server.received[0]?.headers).toEqual(
    expect.arrayContaining(['From: Café Zoë <orders@shop.example>', 'Subject: Su pedido está cerca']),
  );
});

test('a user is authenticated; a wrong password is a fault that may be repaired', async () => {
  const server = await serverWith({ password: 'right' });
  await mailerTo(settingsOf(server, { user: 'shop', password: 'right' }))(mail);
  expect(server.received).toMatchObject([{ user: 'shop' }]);
  const fault = await faultOf(mailerTo(settingsOf(server, { user: 'shop', password: 'wrong' }))(mail));
  expect([fault.is_final, fault.message]).toEqual([false, expect.stringContaining('535')]);
});

test.each([
  [550, true],
  [451, false],
])(
  'a recipient refused with %i: final is %s; the fault does not name the recipient',
  async (code, is_final) => {
    const server = await serverWith({
      onRecipient: async () => {
        throw refusal(code, '<dana@mail.example> is not known here');
      },
    });
    const fault = await faultOf(mailerTo(settingsOf(server))(mail));
    expect([fault.is_final, fault.message]).toEqual([
      is_final,
      `the SMTP server answered ${code} to RCPT TO`,
    ]);
    expect(String(fault.stack)).not.toContain('dana');
    expect(fault.cause).toBeUndefined();
  },
);

test('without STARTTLS or with an unknown certificate nothing is sent', async () => {
  const plain = await serverWith({ starttls: false });
  expect((await faultOf(mailerTo(settingsOf(plain))(mail))).is_final).toBe(false);
  const server = await serverWith();
  const { ca: _, ...untrusting } = settingsOf(server);
  await faultOf(mailerTo(untrusting)(mail));
  expect([plain.received, server.received]).toEqual([[], []]);
  await mailerTo(settingsOf(plain, { tls: 'none' }))(mail);
  expect(plain.received).toMatchObject([{ is_encrypted: false }]);
});

test('an unreachable server is a fault that may pass', async () => {
  const port = await freePort();
  const fault = await faultOf(mailerTo(settingsOf({ port }))(mail));
  expect([fault.is_final, fault.message]).toEqual([false, 'the SMTP server cannot be used: ESOCKET']);
});

test('a server that never answers is given up after eight seconds', async () => {
  let fire = () => {};
  const timers: Timers = {
    ...realTimers,
    after: (delay_ms, wake) => {
      expect(delay_ms).toBe(8_000);
      fire = wake;
      return () => {};
    },
  };
  const server = await serverWith({
    onRecipient: () => {
      fire();
      return new Promise(() => {});
    },
  });
  const fault = await faultOf(createSmtpMailer(settingsOf(server), timers)(mail));
  expect(fault.is_final).toBe(false);
  expect(server.received).toEqual([]);
});
