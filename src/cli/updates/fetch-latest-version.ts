import { get as plainGet } from 'node:http';
import { get } from 'node:https';
import { changeUpdate } from './record.ts';

/** Larger than any package description; a longer response is something else. */
const max_characters = 1_000_000;

/** Requests the newest version from a registry and stores it. Never rejects: the next day tries again. */
export async function storeLatestVersion(registry: string, file: string): Promise<void> {
  try {
    const latest = versionIn(JSON.parse(await textAt(`${registry}/waybill/latest`)));
    if (latest !== null) changeUpdate(file, { latest });
  } catch {}
}

/** The version if the package is this program, not another one of the same name. */
function versionIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null) return null;
  const { name, version, bin }: Record<string, unknown> = { ...data };
  const isOurs =
    typeof bin === 'object' && bin !== null && 'waybill' in bin && bin.waybill === 'bin/waybill.cjs';
  return name === 'waybill' && isOurs && typeof version === 'string' ? version : null;
}

function textAt(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ask = url.startsWith('https:') ? get : plainGet;
  const request = ask(url, { headers: { accept: 'application/json' } }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > max_characters) request.destroy(new Error('it does not end'));
    });
    response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error('refused'))));
    response.on('error', reject);
  });
  request.on('error', reject);
  return promise;
}
