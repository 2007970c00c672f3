const words: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed, so it is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by a private authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the issuer of the certificate is not known, or is missing in its chain',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of the certificate is not known, or is missing in its chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of the certificate is not known, or is missing in its chain',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet; check the clock of this machine',
  CERT_REVOKED: 'the certificate is revoked',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not speak TLS; an address with http:// may be right',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not speak TLS; an address with http:// may be right',
};

/** Faults that a certificate to trust would mend. */
const untrusted = /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** Describes an error of TLS by its code; null for any other error. */
export function tlsFault(error: Error, code: string): string | null {
  if (!/^(CERT_|DEPTH_ZERO|ERR_TLS_|ERR_SSL_|SELF_SIGNED|UNABLE_TO_)/.test(code)) return null;
  const known = code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? otherHost(error) : words[code];
  const [first = ''] = error.message.split('\n');
  const advice = untrusted.test(code) ? '. NODE_EXTRA_CA_CERTS names a file with certificates to trust' : '';
  return `TLS: ${known ?? first}${advice}`;
}

/** Node's error has the certificate, whose names are `DNS:a.example, IP Address:10.0.0.1`. */
function otherHost(error: Error): string {
  const host = 'host' in error && typeof error.host === 'string' ? error.host : 'this host';
  const cert = 'cert' in error ? error.cert : null;
  const listed = typeof cert === 'object' && cert !== null && 'subjectaltname' in cert && cert.subjectaltname;
  const names = typeof listed === 'string' ? listed.replaceAll(/(DNS|IP Address):/g, '') : '';
  return names === ''
    ? `the certificate is not for ${host}`
    : `the certificate is for ${names}, not for ${host}`;
}

const max_probe_ms = 3000;

/** The certificate that a host presents, without trusting it; null if it does not speak TLS. Nothing else is sent. */
async function presentedCertificate({ hostname, port }: URL) {
  const { connect } = await import('node:tls');
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<{ valid_to: string } | null>();
  const isName = !/^[\d.]+$|:/.test(host);
  const servername = isName ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...servername });
  socket.setTimeout(max_probe_ms, () => resolve(null));
  socket.on('error', () => resolve(null));
  socket.on('close', () => resolve(null));
  socket.once('secureConnect', () => resolve(socket.getPeerCertificate()));
  return promise.finally(() => socket.destroy());
}

/** Adds what another look at the host shows: when its certificate expired, or that it expects https. */
export async function tlsDetails(url: URL, code: string | null, isRead: boolean): Promise<string | null> {
  if (url.protocol === 'https:' && code === 'CERT_HAS_EXPIRED') {
    const found = await presentedCertificate(url);
    const at = new Date(found?.valid_to ?? '');
    return Number.isNaN(at.getTime()) ? null : `It expired on ${at.toISOString().slice(0, 10)}.`;
  }
  const isCut = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
  if (url.protocol !== 'http:' || !isRead || !isCut) return null;
  return (await presentedCertificate(url)) === null
    ? null
    : 'The port expects https: use https:// in the address.';
}
