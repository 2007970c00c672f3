import type { LinkedDriver } from '../../../contract/drivers.ts';
import { withQrCode } from '../../kit/output/qr-code.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { type DrawingResult, drawing } from '../../kit/result/result.ts';

/** A driver's new link: drawn as a QR code for people. */
export function linkResult(driver: LinkedDriver, first: string): DrawingResult {
  const { id, name, link } = driver;
  return drawing({
    data: driver,
    id,
    rows: [[id, name, link]],
    draw: ({ room, strong }) => {
      const shown = link === null ? 'The link was shown before.' : withQrCode({ url: link }, { room });
      return `${strong(oneLine(first))}\n${id}\n\n${shown}`;
    },
    notes: link === null ? [] : linkNotes(link),
  });
}

/** Says that the link is a secret, and what must run for it to work. */
function linkNotes(link: string): Text[] {
  const secret = 'Everyone with this link is this driver. It will not be shown again.';
  if (!/^https?:\/\/(127(\.\d+){3}|localhost|\[::1\])[:/]/.test(link)) return [secret];
  const serve = invocation('serve', [], { 'public-url': 'URL' });
  return [secret, phrase`It works on this machine only: for phones, run \`${serve}\` at an https address.`];
}
