import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

const decoders: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * A body without its content encodings, which a service may use although no request asks for one. Null if an encoding
 * is not known, the bytes are not valid, or the body is longer than the limit.
 */
export function decodedBody(bytes: Buffer, encodings: string, max_bytes: number): Buffer | null {
  let body = bytes;
  for (const encoding of encodings.toLowerCase().split(',').reverse()) {
    const decode = decoders[encoding.trim()];
    if (decode === undefined) return null;
    try {
      body = decode(body, { maxOutputLength: max_bytes });
    } catch {
      return null;
    }
  }
  return body;
}
