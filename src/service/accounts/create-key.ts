import type { KeyRow } from '../../storage/database.ts';
import { hashOf } from '../http/authentication.ts';
import type { Secrets } from '../runtime/secrets.ts';

/** Creates a key and its row; the key itself is not stored. */
export async function makeKey(
  secrets: Secrets,
  row: Omit<KeyRow, 'hash' | 'last_four' | 'revoked_at' | 'last_used_at'>,
): Promise<{ key: string; row: KeyRow }> {
  const key = `wb_${row.test_mode === 1 ? 'test' : 'live'}_${await secrets.base62(32)}`;
  const fresh = { revoked_at: null, last_used_at: null };
  return { key, row: { ...row, ...fresh, hash: hashOf(key), last_four: key.slice(-4) } };
}
