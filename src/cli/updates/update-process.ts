/**
 * A program of its own: asks a registry for the newest version and writes it into a file, both given. It
 * has a second, and whatever goes wrong is of no account.
 */
import { lookForUpdate } from './look.ts';

const limit_ms = 1000;

const [registry, file] = process.argv.slice(2);
setTimeout(() => process.exit(), limit_ms);
if (registry !== undefined && file !== undefined)
  void lookForUpdate(registry, file).finally(() => process.exit());
