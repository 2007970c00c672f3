import { describe, expect, test } from 'vitest';
import { isJpeg, withoutMetadata } from '../../src/domain/pictures.ts';
import { jpeg } from '../service/fleet/fleet.ts';

const bytes = (...parts: (Buffer | number[] | string)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
const cleaned = (picture: Buffer) => Buffer.from(withoutMetadata(picture.toString('base64')), 'base64');

describe('JPEG', () => {
  const segment = (marker: number, text: string) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(text.length + 2);
    return bytes([0xff, marker], length, text);
  };
  const start = bytes([0xff, 0xd8], segment(0xe0, 'JFIF\0'));
  const profile = segment(0xe2, 'ICC_PROFILE\0colors');
  const adobe = segment(0xee, 'Adobe');
  const frame = segment(0xc0, 'size');
  const tables = segment(0xdb, 'tables');
  const scan = bytes(segment(0xda, 'head'), 'image', [0xff, 0x00], 'more', [0xff, 0xd0, 0xff, 0xd7], 'rest');
  const end = bytes([0xff, 0xd9]);
  const place = segment(0xe1, 'Exif\0\0GPS 41.88 -87.62 ICC_PROFILE');

  test('place, comment, other metadata and what follows the image are removed, wherever they are', () => {
    const photo = bytes(
      start,
      place,
      profile,
      segment(0xe2, 'MPF\0'),
      segment(0xe0, 'JFXX\0\x13 a smaller image'),
      segment(0xef, 'last'),
      adobe,
      frame,
      segment(0xfe, 'comment'),
      tables,
      [...scan],
    );
    const given = bytes(photo, place, scan, end, 'a second image', place);
    expect(cleaned(given)).toEqual(bytes(start, profile, adobe, frame, tables, scan, scan, end));
    expect(cleaned(given).includes('GPS')).toBe(false);
    expect(cleaned(bytes(start, [0xff, 0xe1, 0, 2]))).toEqual(start);
    // Before a marker there may be bytes that only fill up.
    const filled = bytes(start, [0xff, 0xff], place, tables, [...scan], [0xff], place, [0xff], end);
    expect(cleaned(filled)).toEqual(bytes(start, tables, scan, end));
    expect(cleaned(bytes(start, [0xff, 0xff, 0xff]))).toEqual(bytes(start, [0xff]));
  });

  test('a picture without metadata stays as it is, also one that ends early', () => {
    for (const picture of [
      bytes(start, tables, scan, end),
      bytes(start, tables, scan),
      bytes(start, scan, segment(0xc4, 'a\xff\xe1\0\x02b'), scan, end),
      bytes([0xff, 0xd8, 0xff]),
      bytes(start, tables, [0xff, 0xe1, 0]),
      bytes(start, [0, 0xe1, 0, 2, 1]),
    ])
      expect(cleaned(picture)).toEqual(picture);
  });
});

describe('PNG', () => {
  const signature = bytes([0x89], 'PNG\r\n', [0x1a], '\n');
  const chunk = (type: string, data: string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return bytes(length, type, data, 'sums');
  };

  test('place, texts, time and what follows the image are removed', () => {
    const image = [chunk('IHDR', 'size'), chunk('IDAT', 'image'), chunk('IEND', '')];
    const texts = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].map((type) => chunk(type, 'GPS 41.88'));
    const [header = signature, ...rest] = image;
    expect(cleaned(bytes(signature, header, ...texts, ...rest, 'after'))).toEqual(bytes(signature, ...image));
    expect(cleaned(bytes(signature, header, chunk('tIME', '')))).toEqual(bytes(signature, header));
  });
});

test('anything else stays as it is', () => {
  expect(withoutMetadata('R0lGODlh')).toBe('R0lGODlh');
});

const whole = Buffer.from(jpeg.split(',')[1] ?? '', 'base64');
const frame = whole.indexOf(bytes([0xff, 0xc9]));
const withFrame = (head: number[], rest = head.length) =>
  bytes(whole.subarray(0, frame + 1), head, whole.subarray(frame + 1 + rest));

test.each([
  ['a photo', whole, true],
  ['a photo with more after its end', bytes(whole, 'more'), true],
  ['nothing', Buffer.alloc(0), false],
  ['six bytes that begin as one', bytes([0xff, 0xd8, 0xff], [0, 0, 0]), false],
  ['its beginning and zeros', bytes([0xff, 0xd8, 0xff, 0xe0], Buffer.alloc(500)), false],
  ['its beginning and end', bytes([0xff, 0xd8], Buffer.alloc(500, 'x'), [0xff, 0xd9]), false],
  ['a photo that was cut off', whole.subarray(0, -2), false],
  ['one without a height', withFrame([0xc9, 0, 11, 8, 0, 0, 0, 1]), false],
  ['one without a width', withFrame([0xc9, 0, 11, 8, 0, 1, 0, 0]), false],
  ['one whose frame ends after its size', withFrame([0xc9, 0, 7, 8, 0, 1, 0, 1], 12), false],
  ['one with Huffman tables for a frame', withFrame([0xc4, 0, 11, 8, 0, 1, 0, 1]), false],
  ['one with other tables for a frame', withFrame([0xdb, 0, 11, 8, 0, 1, 0, 1]), false],
  ['one without its start', bytes([0xff, 0xdb], whole.subarray(2)), false],
  ['one without a scan', bytes(whole.subarray(0, whole.indexOf(bytes([0xff, 0xda]))), [0xff, 0xd9]), false],
  ['a web page', bytes('<script>'.repeat(50)), false],
])('%s: %#', (_, picture, expected) => {
  expect(isJpeg(picture.toString('base64'))).toBe(expected);
});
