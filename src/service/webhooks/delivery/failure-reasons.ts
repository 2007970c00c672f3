/** Why nothing was sent, in words for the merchant. */
export class Unsendable extends Error {
  override readonly name = 'Unsendable';
}

/** What the codes of faults mean: of the system, of TLS, and of undici. */
const meanings: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken before the answer was complete',
  EPIPE: 'the connection was broken before the answer was complete',
  UND_ERR_SOCKET: 'the connection was broken before the answer was complete',
  ETIMEDOUT: 'no connection came about in time',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  EADDRNOTAVAIL: 'there is no way to its address',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate not trusted (self-signed)',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate not trusted (unknown CA)',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate not trusted (unknown CA)',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate not trusted (unknown CA)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'certificate not trusted (unknown CA, or missing intermediate certificates)',
  EPROTO: 'it does not speak TLS',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer is not as long as it says',
  HTTPParserError: 'its answer is not HTTP/1.1',
  SyntaxError: 'its answer is not HTTP/1.1',
  ERR_INVALID_URL: 'its URL cannot be read',
  UND_ERR_DESTROYED: 'sending was stopped',
  UND_ERR_CLOSED: 'sending was stopped',
};

/** Why a post came to nothing. */
export function reasonOf(fault: unknown): string {
  if (fault instanceof Unsendable) return fault.message;
  const code = codeOf(fault);
  const meaning = meanings[code];
  if (meaning !== undefined) return meaning;
  if (code.startsWith('HPE_')) return 'its answer is not HTTP/1.1';
  if (code.startsWith('ERR_SSL_')) return 'it does not speak TLS as it should';
  return `it could not be sent (${code})`;
}

/** Why a name has no address just now. */
export function reasonOfLookup(hostname: string, fault: unknown): string {
  const code = codeOf(fault);
  if (code === 'ENOTFOUND' || code === 'ENODATA') return `${hostname} has no address`;
  return `the address of ${hostname} could not be found out (${code})`;
}

function codeOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown';
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name;
}
