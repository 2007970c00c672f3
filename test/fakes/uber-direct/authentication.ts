import { Refused } from './errors.ts';
import type { State } from './records.ts';

const token_life_seconds = 2_592_000;

/** The answer to a request for a token, by OAuth 2.0 client credentials. */
export function issueToken(state: State, raw: string): { status: number; body: object } {
  const form = new URLSearchParams(raw);
  const { client_id, client_secret } = state.account;
  const scope = form.get('scope') ?? 'eats.deliveries';
  if (form.get('client_id') !== client_id || form.get('client_secret') !== client_secret)
    return {
      status: 401,
      body: { error: 'invalid_client', error_description: 'invalid client credentials' },
    };
  const access_token = `token_${state.next()}`;
  state.tokens.set(access_token, state.now() + token_life_seconds * 1000);
  return { status: 200, body: { access_token, expires_in: token_life_seconds, token_type: 'Bearer', scope } };
}

/** Refuses a request whose token is missing, unknown or expired. */
export function authorize(state: State, authorization: string | undefined): void {
  const expires = state.tokens.get(authorization?.replace(/^Bearer /, '') ?? '');
  if (expires === undefined || expires <= state.now()) throw new Refused('unauthorized');
}
