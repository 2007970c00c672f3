import { SMTPServer } from 'smtp-server';
import { certificate } from './certificate.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Whether the connection was encrypted when the message came. */
  is_encrypted: boolean;
  /** The user who was authenticated; null without one. */
  user: string | null;
  /** The unfolded lines before the first empty one. */
  headers: string[];
  /** The decoded text. */
  text: string;
}

export interface MailServer {
  port: number;
  received: ReceivedMail[];
  stop: () => Promise<void>;
}

interface Behaviour {
  /** Resolves before the recipient is answered; throws a refusal. */
  onRecipient?: () => Promise<void>;
  /** Called once a message has arrived; throws a refusal. */
  onMessage?: () => void;
  /** Whether it offers STARTTLS; default true. */
  starttls?: boolean;
  password?: string;
}

/** A refusal by the server. */
export function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** A real SMTP server on a free port of this machine that keeps the messages that it gets. */
export async function startMailServer(behaviour: Behaviour = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const { onRecipient, onMessage, starttls = true, password } = behaviour;
  const server = new SMTPServer({
    ...certificate,
    disableReverseLookup: true,
    authOptional: password === undefined,
    closeTimeout: 50,
    ...(starttls ? {} : { disabledCommands: ['STARTTLS'] }),
    onAuth: (auth, _session, callback) => {
      if (auth.password === password) callback(null, { user: auth.username });
      else callback(refusal(535, 'wrong password'));
    },
    onRcptTo: (_address, _session, callback) => {
      (onRecipient?.() ?? Promise.resolve()).then(() => callback(), callback);
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          is_encrypted: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
          ...partsOf(Buffer.concat(chunks).toString('utf8')),
        });
        try {
          onMessage?.();
          callback();
        } catch (fault) {
          callback(fault instanceof Error ? fault : new Error('refused'));
        }
      });
    },
  });
  // A client that gives up ends its connection in the middle.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    port: address.port,
    received,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function partsOf(raw: string): { headers: string[]; text: string } {
  const end = raw.indexOf('\r\n\r\n');
  const headers = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  return { headers: headers.map(decodedHeader), text: decodedText(raw.slice(end + 4), headers) };
}

function decodedText(body: string, headers: readonly string[]): string {
  const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(headers.join('\n'))?.[1];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8').replaceAll('\r\n', '\n');
  const text = encoding === 'quoted-printable' ? decodedQuotes(body.replaceAll('=\r\n', '')) : body;
  return text.replaceAll('\r\n', '\n');
}

/** Words such as `=?UTF-8?Q?Caf=C3=A9?=` (RFC 2047). */
function decodedHeader(header: string): string {
  return header
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodedQuotes(text.replaceAll('_', ' ')),
    );
}

function decodedQuotes(text: string): string {
  return text.replace(/(?:=[0-9A-F]{2})+/gi, (found) =>
    Buffer.from(found.replaceAll('=', ''), 'hex').toString('utf8'),
  );
}
