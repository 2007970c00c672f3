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
