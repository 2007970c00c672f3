import type { KeyUse, KeyUses, Rotation, SecretRotation } from '../../../service/secret-rotation.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { secretKeyFlag, secretKeyOf } from '../../session/connect.ts';
import { databaseFlag, databaseOf } from '../../session/database-flag.ts';
import { unavailable } from '../admin/administer.ts';

export type { KeyUse, KeyUses, Rotation };

export const secretsFlags = { database: databaseFlag(), secretKeyFile: secretKeyFlag() };

/** Works on the database itself, without an API key, and closes it at the end. */
export async function withSecrets<T>(
  { host }: Context,
  flags: { database: string | undefined; secretKeyFile: string | undefined },
  work: (secrets: SecretRotation) => Promise<T>,
): Promise<T> {
  const { openSecretRotation } = await import('../../../service/secret-rotation.ts');
  const database = databaseOf(host, flags.database);
  const secrets = await openSecretRotation(database, secretKeyOf(host, flags.secretKeyFile)).catch(
    (error: unknown) => {
      throw unavailable(error) ?? error;
    },
  );
  try {
    return await work(secrets);
  } catch (error) {
    throw keyFailure(error) ?? error;
  } finally {
    await secrets.close();
  }
}

/** The failure of a key that is missing or is not one; null for any other error. */
function keyFailure(error: unknown): Failure | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'secret_key_missing')) return null;
  return new Failure(6, 'secret_key_missing', error.message, {
    hint: 'Name the key with WAYBILL_SECRET_KEY, or its file with --secret-key-file.',
    next: [{ ...invocation('secrets status'), when: 'see which keys the database needs' }],
    cause: error,
  });
}
