import type { CourierHttpRequest, CourierHttpResponse, CourierPorts } from '../courier.ts';
import { numberAt, parseFields, textAt } from '../json-fields.ts';
import { ProviderFault } from '../port.ts';
import { isRefusal } from './refusals.ts';
import type { UberDirectSettings } from './settings.ts';

const origin = 'https://api.uber.com';
const tokenUrl = 'https://auth.uber.com/oauth/v2/token';
/** The hosts that are called. */
export const hosts = [origin, tokenUrl].map((url) => new URL(url).host);
const scope = 'eats.deliveries';
/** A token is replaced this long before it expires. */
const margin_ms = 60_000;

/** The connection to Uber Direct. */
export interface UberDirectClient {
  /**
   * Sends a request about the customer's deliveries, with a token that is kept; the path is that below the customer.
   */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<CourierHttpResponse>;
}

interface Token {
  text: string;
  expires_at: number;
}

export function createClient(settings: UberDirectSettings, ports: CourierPorts): UberDirectClient {
  /** Concurrent calls share one request for a token. */
  let kept: Promise<Token | CourierHttpResponse> | null = null;

  function renew(): Promise<Token | CourierHttpResponse> {
    const pending = requestToken(settings, ports);
    kept = pending;
    const drop = () => {
      if (kept === pending) kept = null;
    };
    pending.then((found) => isToken(found) || drop(), drop);
    return pending;
  }

  async function token(): Promise<Token | CourierHttpResponse> {
    const pending = kept ?? renew();
    const found = await pending;
    if (!isToken(found) || found.expires_at > ports.now()) return found;
    return kept === null || kept === pending ? renew() : kept;
  }

  async function send(request: CourierHttpRequest): Promise<CourierHttpResponse> {
    const found = await token();
    if (!isToken(found)) return found;
    const authorization = `Bearer ${found.text}`;
    return ports.http({ ...request, headers: { ...request.headers, authorization } });
  }

  return {
    call: async (method, path, body) => {
      const request: CourierHttpRequest = {
        method,
        url: `${origin}/v1/customers/${encodeURIComponent(settings.customer_id)}${path}`,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Without a free courier Uber responds with 503.
        isAnswer: (response) => isRefusal(parseFields(response.body)),
      };
      const used = kept;
      const response = await send(request);
      // Without a kept token the one that was refused is new: another one would be refused, too.
      if (response.status !== 401 || used === null) return response;
      if (kept === used) kept = null;
      return send(request);
    },
  };
}

function isToken(found: Token | CourierHttpResponse): found is Token {
  return 'expires_at' in found;
}

/** A new token by OAuth 2.0 client credentials (RFC 6749, section 4.4), or the response that refuses one. */
async function requestToken(
  settings: UberDirectSettings,
  ports: CourierPorts,
): Promise<Token | CourierHttpResponse> {
  const asked = ports.now();
  const response = await postForm({ ...credentials(settings), scope }, ports);
  // Some organizations have the scope without being allowed to name it.
  const isScopeRefused = textAt(parseFields(response.body), 'error') === 'invalid_scope';
  const last = isScopeRefused ? await postForm(credentials(settings), ports) : response;
  const fields = parseFields(last.body);
  const text = textAt(fields, 'access_token');
  const life_seconds = numberAt(fields, 'expires_in');
  if (last.status === 200 && text !== null && life_seconds !== null) {
    return { text, expires_at: asked + life_seconds * 1000 - margin_ms };
  }
  if (last.status === 200 || last.status >= 500) {
    throw new ProviderFault(`Uber's server for tokens responded with status ${last.status} and no token`);
  }
  return { ...last, status: 401 };
}

function credentials({ client_id, client_secret }: UberDirectSettings): Record<string, string> {
  return { client_id, client_secret, grant_type: 'client_credentials' };
}

function postForm(form: Record<string, string>, { http }: CourierPorts): Promise<CourierHttpResponse> {
  return http({
    method: 'POST',
    url: tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  });
}
