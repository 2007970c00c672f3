/** Explains to the merchant why a request to another server failed. */

/** A request was not sent; the message says why. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** The meaning of error codes: of the system, of TLS, and of undici. */
const meanings: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  EPIPE: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'its address is unreachable',
  ENETUNREACH: 'its address is unreachable',
  EADDRNOTAVAIL: 'its address is unreachable',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate not trusted (self-signed)',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate not trusted (unknown CA)',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate not trusted (unknown CA)',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate not trusted (unknown CA)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'certificate not trusted (unknown CA, or missing intermediate certificates)',
  EPROTO: 'it does not support TLS',
  UND_ERR_HEADERS_OVERFLOW: 'its response headers are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its response does not match its Content-Length',
  HTTPParserError: 'its response is not valid HTTP/1.1',
  SyntaxError: 'its response is not valid HTTP/1.1',
  ERR_INVALID_URL: 'its URL is invalid',
  UND_ERR_DESTROYED: 'sending was stopped',
  UND_ERR_CLOSED: 'sending was stopped',
};

/** Why a request failed. */
export function explainNetworkError(fault: unknown): string {
  if (fault instanceof NotSent) return fault.message;
  const code = codeOf(fault);
  const meaning = meanings[code];
  if (meaning !== undefined) return meaning;
  if (code.startsWith('HPE_')) return 'its response is not valid HTTP/1.1';
  if (code.startsWith('ERR_SSL_')) return 'the TLS handshake failed';
  return `it could not be sent (${code})`;
}

/** Why a name could not be resolved. */
export function reasonOfLookup(hostname: string, fault: unknown): string {
  const code = codeOf(fault);
  if (code === 'ENOTFOUND' || code === 'ENODATA') return `${hostname} has no address`;
  return `the address lookup of ${hostname} failed (${code})`;
}

export function codeOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown';
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name;
}
