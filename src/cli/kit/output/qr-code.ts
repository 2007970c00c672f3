/** A link as a QR code. */
import { encode } from 'uqr';
import type { Formatters } from '../result/result.ts';

/** The empty modules around the code, which cameras need. */
const border = 2;

/** A link with its QR code below; the link alone if the terminal is too narrow. */
export function withQrCode({ url }: { url: string }, { room }: Pick<Formatters, 'room'>): string {
  const rows = qrRows(url);
  const isTooWide = room !== null && (rows[0]?.length ?? 0) > room;
  return isTooWide ? url : [url, '', ...rows].join('\n');
}

/** Draws two modules per character. The light modules are drawn, for dark terminals; cameras read the inverse too. */
function qrRows(text: string): string[] {
  const { data, size } = encode(text, { border });
  const isLight = (x: number, y: number) => y < size && data[y]?.[x] !== true;
  return Array.from({ length: Math.ceil(size / 2) }, (_, row) =>
    Array.from({ length: size }, (__, x) => block(isLight(x, row * 2), isLight(x, row * 2 + 1))).join(''),
  );
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}
