/**
 * Removes the metadata of pictures: the place and time of a photo, the device, a second smaller image. The image and
 * its colors stay as they are.
 */

/** A picture in base64: JPEG or PNG; anything else stays as it is. */
export function withoutMetadata(picture: string): string {
  const bytes = Buffer.from(picture, 'base64');
  if (picture.startsWith('/9j/')) return Buffer.concat(jpegParts(bytes)).toString('base64');
  return picture.startsWith('iVBORw0KGgo') ? Buffer.concat(pngParts(bytes)).toString('base64') : picture;
}

const marker_start = 0xff;
const start_of_image = 0xd8;
const start_of_scan = 0xda;
const end_of_image = 0xd9;

/** Whether base64 is a whole JPEG: a frame with a size, the data of a scan, and the end. */
export function isJpeg(picture: string): boolean {
  const bytes = Buffer.from(picture, 'base64');
  const [start, ...parts] = jpegParts(bytes).filter(([first]) => first === marker_start);
  const hasSize = (part: Buffer) =>
    isFrame(part[1] ?? 0) && part.length > 9 && part.readUInt16BE(5) > 0 && part.readUInt16BE(7) > 0;
  const has = (wanted: number) => parts.some(([, marker]) => marker === wanted);
  return start?.[1] === start_of_image && parts.some(hasSize) && has(start_of_scan) && has(end_of_image);
}

/** The markers of frames; those of Huffman tables, arithmetic coding and an extension lie between. */
function isFrame(marker: number): boolean {
  return (marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** The segments of a JPEG (ITU-T T.81, annex B) up to its end; what follows bytes that are no segment stays. */
function jpegParts(bytes: Buffer): Buffer[] {
  const parts = [bytes.subarray(0, 2)];
  let at = afterFilling(bytes, 2);
  while (at + 4 <= bytes.length && bytes[at] === marker_start) {
    const marker = bytes[at + 1] ?? 0;
    if (marker < 0xc0) break;
    if (marker === end_of_image) return [...parts, bytes.subarray(at, at + 2)];
    const header_end = at + 2 + bytes.readUInt16BE(at + 2);
    const end = marker === start_of_scan ? endOfScan(bytes, header_end) : header_end;
    const segment = bytes.subarray(at, end);
    if (!isMetadata(marker, segment)) parts.push(segment);
    at = afterFilling(bytes, end);
  }
  return [...parts, bytes.subarray(at)];
}

/** The place of a marker behind the bytes before it that only fill up. */
function afterFilling(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === marker_start && bytes[at + 1] === marker_start) at += 1;
  return at;
}

/** The place of the first marker after the data of a scan, in which a marker is escaped or a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(marker_start, from);
  while (at !== -1) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && (next & 0xf8) !== 0xd0) return at;
    at = bytes.indexOf(marker_start, at + 1);
  }
  return bytes.length;
}

/** The length of a JFIF segment without a thumbnail. A JFXX segment, with one, is longer. */
const max_jfif_length = 18;

/** Application segments and comments, except those that say how the colors are stored: JFIF, ICC profile, Adobe. */
function isMetadata(marker: number, segment: Buffer): boolean {
  if (marker === 0xfe) return true;
  if (marker === 0xe0) return segment.length > max_jfif_length;
  const isProfile = marker === 0xe2 && segment.includes('ICC_PROFILE');
  return (marker & 0xf0) === 0xe0 && marker !== 0xee && !isProfile;
}

const png_signature_length = 8;
const textChunks = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'];

/** The chunks of a PNG up to its end: length, type, data and checksum of each. */
function pngParts(bytes: Buffer): Buffer[] {
  const parts = [bytes.subarray(0, png_signature_length)];
  let at = png_signature_length;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (!textChunks.includes(type)) parts.push(bytes.subarray(at, end));
    if (type === 'IEND') return parts;
    at = end;
  }
  return [...parts, bytes.subarray(at)];
}
