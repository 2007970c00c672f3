import { createHmac } from 'node:crypto';
import type { Webhook } from 'standardwebhooks';
import type { Event } from '../../../contract/events.ts';
import type { WireRequest } from '../../../contract/operation.ts';
import { Failure } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/command.ts';
import { changeProfile, readProfiles } from '../../settings/settings.ts';

/** The length of webhook endpoint secrets. */
const secret_bytes = 32;

/** The part of the context that is used. */
interface Asking {
  settings: Pick<Context['settings'], 'profile' | 'file' | 'name' | 'apiKey'>;
  host: Pick<Context['host'], 'randomBase64'>;
}

/**
 * Returns the secret that signs forwarded events, the same in every run: it is created on first use and stored in the
 * profile. Without a profile for this service it is derived from the API key.
 */
export async function listeningSecret({ settings, host }: Asking): Promise<string> {
  const { profile, file, name, apiKey } = settings;
  if (profile === null) return derived(apiKey);
  // Another process or a new key may have changed the profile.
  const kept = readProfiles(file).profiles[name] ?? profile;
  if (kept.listening_secret !== undefined) return kept.listening_secret;
  let secret = whole(await host.randomBase64(secret_bytes));
  changeProfile(file, name, (now = kept) => {
    // Another process may have created one in the meantime.
    secret = now.listening_secret ?? secret;
    return { ...now, listening_secret: secret };
  });
  return secret;
}

function derived(apiKey: string | null): string {
  if (apiKey !== null) return whole(createHmac('sha256', apiKey).update('waybill listen').digest('base64'));
  throw new Failure(4, 'no_api_key', 'The signing secret is derived from the API key, and no key is set.', {
    hint: 'Set WAYBILL_API_KEY, or log in.',
  });
}

function whole(base64: string): string {
  return `whsec_${base64}`;
}

/** Creates the request for an event, signed at the current time, like a webhook of the service. */
export function signedRequest(
  event: Event,
  url: string,
  { webhook, now }: { webhook: Webhook; now: number },
): WireRequest {
  const { pathname, search } = new URL(url);
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': webhook.sign(event.id, new Date(now), body),
  };
  return { method: 'POST', path: pathname + search, headers, body };
}
