/** Sends messages through an SMTP server. */
import type Mailer from 'nodemailer/lib/mailer';
import type { Timers } from './time.ts';

/** A message in plain text to one recipient. */
export interface Mail {
  /** Identifies the message; a repeat has the same, so that mail programs can show it once. */
  id: string;
  /** The name of the sender, beside the address of the service. */
  from_name: string;
  to: string;
  /** Where replies go; absent: to the address of the service. */
  reply_to?: string;
  subject: string;
  text: string;
}

/** Sends messages. Rejects with `MailFault`. */
export type SendMail = (mail: Mail) => Promise<void>;

/** A message was not accepted. Its text names neither the recipient nor the message. */
export class MailFault extends Error {
  /** Whether the server has refused the message for good, so that a repeat has no use. */
  readonly is_final: boolean;

  constructor(message: string, { is_final }: { is_final: boolean }) {
    super(message);
    this.name = 'MailFault';
    this.is_final = is_final;
  }
}

/** How the SMTP server is reached. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** `starttls` refuses a server without it, `tls` encrypts from the start, `none` never encrypts. */
  tls: 'starttls' | 'tls' | 'none';
  /** Null: without authentication. */
  user: string | null;
  password: string;
  /** The address that messages come from. */
  from: string;
  /** Certificates of authorities to trust instead of Node's own, as PEM. */
  ca?: string;
}

/** From the connection to the response to a message; a task is hung after 12 seconds. */
const limit_ms = 8_000;
/** For the connection, the greeting, and each response. */
const silence_ms = 5_000;

/** Sends messages through an SMTP server, each on a connection of its own. The library is loaded with the first one. */
export function createSmtpMailer(settings: SmtpSettings, timers: Timers): SendMail {
  let opened: Promise<Mailer> | undefined;
  return async ({ id, from_name, to, reply_to, subject, text }) => {
    opened ??= openTransport(settings);
    const transport = await opened;
    const { from } = settings;
    const [, domain] = from.split('@');
    const controller = new AbortController();
    const cancel = timers.after(limit_ms, () => controller.abort());
    try {
      await transport.sendMail({
        from: { name: oneLine(from_name), address: from },
        to: { name: '', address: to },
        ...(reply_to === undefined ? {} : { replyTo: { name: '', address: reply_to } }),
        subject: oneLine(subject),
        text,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        // The text is the shop's: it must not name files or addresses to read.
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: controller.signal,
      });
    } catch (fault) {
      throw toMailFault(fault);
    } finally {
      cancel();
    }
  };
}

async function openTransport({ host, port, tls, user, password, ca }: SmtpSettings): Promise<Mailer> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user === null ? {} : { auth: { user, pass: password } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: silence_ms,
    greetingTimeout: silence_ms,
    socketTimeout: silence_ms,
    dnsTimeout: silence_ms,
  });
}

/** A line break would end a header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** The commands whose refusal is about this message; a refused login is about the settings. */
const aboutMessage = ['MAIL FROM', 'RCPT TO', 'DATA'];

/** The texts of servers repeat the recipient's address, so only the code is kept. */
function toMailFault(fault: unknown): MailFault {
  const { code, command, responseCode } = partsOf(fault);
  if (typeof responseCode === 'number') {
    const is_final = responseCode >= 500 && aboutMessage.some((each) => each === command);
    return new MailFault(`the SMTP server answered ${responseCode} to ${command}`, { is_final });
  }
  const reason = code === 'EABORT' || code === 'ETIMEDOUT' ? 'no response in time' : code;
  return new MailFault(`the SMTP server cannot be used: ${reason}`, { is_final: false });
}

function partsOf(fault: unknown) {
  const parts = new Map(typeof fault === 'object' && fault !== null ? Object.entries(fault) : []);
  const text = (name: string, otherwise: string) => {
    const value: unknown = parts.get(name);
    return typeof value === 'string' && /^[\w -]{1,40}$/.test(value) ? value : otherwise;
  };
  const responseCode: unknown = parts.get('responseCode');
  return { code: text('code', 'unknown error'), command: text('command', 'a command'), responseCode };
}
