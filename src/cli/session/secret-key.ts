import { resolve } from 'node:path';
import { type Flag, text } from '../kit/args/flags.ts';
import type { Host } from '../kit/host/host.ts';

/** `--secret-key-file`: the keys that encrypt stored secrets. */
export function secretKeyFlag(): Flag<string | undefined> {
  return text({
    summary: 'File of the key that encrypts stored secrets (default: beside a SQLite file)',
    placeholder: 'FILE',
  });
}

/** The location of the keys that encrypt stored secrets; empty: beside the database. */
export function secretKeyOf({ environment, folder }: Pick<Host, 'environment' | 'folder'>, file?: string) {
  const path = file ?? environment.WAYBILL_SECRET_KEY_FILE;
  return {
    value: environment.WAYBILL_SECRET_KEY || undefined,
    file: path ? resolve(folder, path) : undefined,
  };
}
