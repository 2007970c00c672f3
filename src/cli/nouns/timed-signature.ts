/** Signatures of webhooks with the time in them, as the platform sends them. */
import { createHmac } from 'node:crypto';
import { BadValue, type Flag, textFlag } from '../kit/args/flags.ts';

/**
 * The one form of a signature that is known beside Standard Webhooks: `t=SECONDS,v1=HEX` in a header of its own, an
 * HMAC-SHA256, by the whole secret, of the time, a dot and the body. The public platform sends it as `Burq-Signature`.
 */
const known_header = 'burq-signature';

export function timedHex(body: string, seconds: string, secret: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}

/** The header with a signature made at a time in milliseconds. */
export function timedHeader(body: string, now: number, secret: string): string {
  const seconds = String(Math.floor(now / 1000));
  return `t=${seconds},v1=${timedHex(body, seconds, secret)}`;
}

/** The time and the signatures of such a header, these separated by blanks; null if it has another form. */
export function readTimedHeader(text: string): { timestamp: string; signature: string } | null {
  const parts = text.split(',').map((part) => part.trim());
  const times = parts.filter((part) => part.startsWith('t='));
  const signatures = parts.filter((part) => part.startsWith('v1='));
  const [time] = times;
  if (time === undefined || times.length > 1 || signatures.length === 0) return null;
  return { timestamp: time.slice(2), signature: signatures.map((each) => each.slice(3)).join(' ') };
}

/** The header of a received webhook that has such a signature; null if it has the one of Standard Webhooks. */
export function timedHeaderName(
  given: string | undefined,
  headers: Readonly<Record<string, string>>,
): string | null {
  if (given !== undefined) return given;
  const isKnown = known_header in headers && !('webhook-signature' in headers);
  return isKnown ? known_header : null;
}

/** `--signature-header Burq-Signature`, in lower case. */
export function signatureHeaderFlag(summary: string): Flag<string | undefined> {
  const base = textFlag({ summary, placeholder: 'NAME' });
  const read = (texts: readonly string[]) => {
    const name = (texts.at(-1) ?? '').trim();
    if (/^[a-z][\w-]*$/i.test(name) && !/^(webhook-|content-|user-agent$)/i.test(name))
      return name.toLowerCase();
    throw new BadValue(`must be the name of a header such as Burq-Signature, not "${name}"`);
  };
  return { ...base, read, absent: () => undefined };
}
