import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { expect, test } from 'vitest';
import { tlsFault } from '../../src/client/errors.ts';
import { certificate } from '../fakes/smtp/certificate.ts';
import { listening, opened } from './connections.ts';

// For tests only: a self-signed certificate for localhost that has expired.
const key = pem('PRIVATE KEY', [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXvP/VCaPX9MGxpTpVHi0W18LcG/pFk79E/LpnM6j1tOhRANC',
  'AARw6TEU8icEBQlnnrT5DVnLqL8cm9fDs966nqWie50dbEmGRh7l7g1wSUj4cMYPg/AUhR6PAAfFQwc6z3Ve04Yw',
]);
const expired = pem('CERTIFICATE', [
  'MIIBZjCCAQ2gAwIBAgIUe9w8w+y9VLLomgtdFwKEJSFD5FswCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MB4X',
  'DTI2MTEyNDEzNTAxNFoXDTI2MTEyMzEzNTAxNFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAEcOkxFPInBAUJZ560+Q1Zy6i/HJvXw7Peup6lonudHWxJhkYe5e4NcElI+HDGD4PwFIUejwAHxUMHOs91XtOGMKM9',
  'MDswGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBQ7uWM4dQRfCHpyHuOPaatGM8vbZTAKBggqhkjOPQQD',
  'AgNHADBEAiADsjWRNSAG8rfTo6MIhMisUi94qNVuEqMU0bopXVJDHAIgH6MXIrGc3FDcQng+BiVQcUqZ9mnG4vlSss7SEFnQ',
  'nIo=',
]);

function pem(label: string, lines: readonly string[]): string {
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

async function faultAt(scheme: string, server: Parameters<typeof listening>[0]): Promise<string> {
  const transport = opened(`${scheme}://${await listening(server)}`, { requestTimeout_ms: 10_000 });
  const sent = transport({ method: 'GET', path: '/', headers: {}, body: '' });
  return sent.then(
    ({ status }) => `status ${status}`,
    (error: Error) => error.message,
  );
}

const answer = (_: unknown, response: { end(): void }) => response.end();

test('an untrusted certificate is named in own words', async () => {
  const text = await faultAt('https', createSecureServer(certificate, answer));
  expect(text).toMatch(/TLS: the certificate is self-signed, so it is not trusted\. NODE_EXTRA_CA_CERTS/);
  expect(text).not.toContain('--use-system-ca');
});

test('an expired certificate has its date', async () => {
  const text = await faultAt('https', createSecureServer({ key, cert: expired }, answer));
  expect(text).toMatch(/TLS: the certificate has expired\. It expired on 2026-11-23\.$/);
});

test('http and https at the wrong port', async () => {
  expect(await faultAt('https', createServer(answer))).toMatch(/does not speak TLS; an address with http:/);
  const secure = createSecureServer(certificate, answer);
  expect(await faultAt('http', secure)).toMatch(/The port expects https: use https:/);
});

test('a certificate for another host names both', () => {
  const error = Object.assign(new Error('x'), {
    host: 'api.shop.example',
    cert: { subjectaltname: 'DNS:other.example, IP Address:10.0.0.1' },
  });
  expect(tlsFault(error, 'ERR_TLS_CERT_ALTNAME_INVALID')).toBe(
    'TLS: the certificate is for other.example, 10.0.0.1, not for api.shop.example',
  );
  expect(tlsFault(new Error('slow'), 'ETIMEDOUT')).toBeNull();
});
