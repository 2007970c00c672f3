/** Bodies of HTTP with a content encoding. */

/**
 * Decodes the content encoding of a body; a server may use one although no request asks for it. Returns the body
 * unchanged if the encoding is unknown, the bytes are invalid, or the decoded body is longer than the limit.
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
