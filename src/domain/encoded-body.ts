/** Bodies of HTTP with a content encoding. */

/**
 * A body without its content encoding, which a server may use although no request asks for one. As it is, if the
 * encoding is not known, the bytes are not valid, or the decoded body is longer than the limit.
 */
export async function decodeBody(bytes: Buffer, encoding: string, maxOutputLength: number): Promise<Buffer> {
  // Loaded here, as few servers encode a response without being asked.
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  const decode = encoding.toLowerCase() === 'br' ? brotliDecompressSync : unzipSync;
  try {
    return decode(bytes, { maxOutputLength });
  } catch {
    return bytes;
  }
}
