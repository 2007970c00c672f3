import { UsageError } from '../../kit/errors/failure.ts';
import { bytesOfFile } from '../../kit/system/files.ts';

/** The largest file whose data URL the service accepts. */
const max_bytes = 48 * 1024;

/** The first bytes of each kind of image, in Latin-1. */
const kinds: readonly [type: string, start: RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  [
    'image/svg+xml',
    /^(\xef\xbb\xbf)?\s*(<\?xml[\s\S]*?\?>\s*|<!--[\s\S]*?-->\s*|<!doctype[^>]*>\s*)*<svg[\s>]/i,
  ],
];

/**
 * The logo for the service: a URL as it is, and the data URL of a file. UsageError if the file is not such an image.
 */
export function logoOf(given: string, folder: string): string {
  if (/^(https?|data):/i.test(given)) return given;
  const bytes = bytesOfFile(given, folder);
  const [type] = kinds.find(([, start]) => start.test(bytes.toString('latin1'))) ?? [];
  if (type === undefined) throw new UsageError(`${given} is not a PNG, JPEG, GIF, WebP or SVG image.`);
  if (bytes.length > max_bytes) {
    throw new UsageError(`${given} has ${Math.ceil(bytes.length / 1024)} kB; a logo may have up to 48 kB.`, {
      hint: 'Make the image smaller, or pass the https URL of one.',
    });
  }
  return `data:${type};base64,${bytes.toString('base64')}`;
}
