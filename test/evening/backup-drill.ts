import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Reader } from '../kills/database-reader.ts';

/** Copies a database as the guide says; false, with nothing copied, without tools that are as new as the server. */
export async function copyDatabase(
  database: Reader,
  { from, to, folder }: { from: string; to: string; folder: string },
): Promise<boolean> {
  const [server] = await database.rows<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  const version = toolVersion();
  if (version === null || version < Math.floor(Number(server?.version) / 10_000)) return false;
  const file = join(folder, 'waybill.dump');
  execFileSync('pg_dump', ['--format=custom', `--file=${file}`, from]);
  execFileSync('pg_restore', [`--dbname=${to}`, file]);
  return true;
}

/** The main version of the tools; null if they are not installed. */
function toolVersion(): number | null {
  try {
    const text = execFileSync('pg_dump', ['--version'], { encoding: 'utf8' });
    execFileSync('pg_restore', ['--version'], { stdio: 'ignore' });
    return Number(/\d+/.exec(text)?.[0] ?? 0);
  } catch {
    return null;
  }
}
