import { createServer } from 'node:https';
import { expect, onTestFinished, test } from 'vitest';
import { listenLocally } from '../../../local-server.ts';
import { quotedRoute, sandbox } from '../../sandbox.ts';
import { running } from './listeners.ts';

/** A self-signed certificate for localhost; its key is used for nothing else. */
const key = pem('PRIVATE KEY', [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEES+tvFm4UTyLWYexjDJE003qaGNtWHF4KxsWRCU3/WhRANCAAQL',
  '0sfHX7VDd49Scp50qDBWhb2EfARv5GpQmoSyB93Wz4lgx/a4nS4fV4ZrNje0ZuYVvarvcB0dVd/31dOpSmXX',
]);
const cert = pem('CERTIFICATE', [
  'MIIBmjCCAUGgAwIBAgIUdzs1p6+7kp7A3cpmfLHwHk3Tz+wwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2',
  'MTEyMTE2NDgyNloYDzIxMjYxMDI4MTY0ODI2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC',
  'AAQL0sfHX7VDd49Scp50qDBWhb2EfARv5GpQmoSyB93Wz4lgx/a4nS4fV4ZrNje0ZuYVvarvcB0dVd/31dOpSmXXo28wbTAdBgNV',
  'HQ4EFgQU/lfYg24d1dYbsA74o+1iuUAtep8wHwYDVR0jBBgwFoAU/lfYg24d1dYbsA74o+1iuUAtep8wDwYDVR0TAQH/BAUwAwEB',
  '/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDRwAwRAIgbazLPNcliU0r1JSPf1ngmVfbzgeMUrffDPCm',
  'FnNCybECICWhZ93gq1SCYAT8l4sUArdnTDuXaHDQ7a33DPL3TuJZ',
]);

function pem(label: string, lines: readonly string[]): string {
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

async function secureServer(): Promise<{ url: string; arrived: () => number }> {
  let count = 0;
  const server = createServer({ key, cert }, (request, response) => {
    count += 1;
    request.resume();
    response.end();
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return { url: `https://127.0.0.1:${port}`, arrived: () => count };
}

test.each([
  [[], 'down', 0],
  [['--skip-verify'], 'forwarded', 1],
])('an untrusted certificate, with %j: %s', async (flags, type, arrivals) => {
  const box = await sandbox();
  const server = await secureServer();
  const line = ['listen', '--forward-to', server.url, ...flags, '--json'];
  const listener = await running(box.run, line, { now: () => Date.now() });
  await quotedRoute(box);
  await box.json(['sandbox', 'advance', '--drain']);
  const [notice] = await listener.printed(type);
  await listener.stop();
  expect(server.arrived()).toBe(arrivals);
  if (type === 'down') expect(notice?.reason).toMatch(/^No response from https:.*TLS: /);
});
