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
