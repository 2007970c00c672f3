import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { withQrCode } from '../../../../src/cli/commands/drivers.ts';

test('a link is drawn below itself as a QR code, which a reader decodes to the link', () => {
  const url = 'https://shop.example/drive/0123456789abcdef0123456789abcdef';
  const [first, empty, ...rows] = withQrCode({ url }, { room: null }).trimEnd().split('\n');
  expect([first, empty]).toEqual([url, '']);
  // Version 4 has 33 modules on each side, with a border of two.
  expect(rows.map((row) => row.length)).toEqual(Array(19).fill(37));
  const light = (x: number, y: number) => {
    const sign = rows[Math.floor(y / 2)]?.[x] ?? '';
    return sign === '█' || sign === (y % 2 === 0 ? '▀' : '▄');
  };
  const { data } = encode(url, { border: 2 });
  for (const [y, row] of data.entries())
    for (const [x, isDark] of row.entries()) expect(light(x, y)).toBe(!isDark);
});
