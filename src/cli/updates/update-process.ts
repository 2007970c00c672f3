/**
 * A child process: requests the newest version from a registry and writes it to a file, both given as arguments. It has
 * one second and ignores all errors.
 */
import { storeLatestVersion } from './fetch-latest-version.ts';

const limit_ms = 1000;

const [registry, file] = process.argv.slice(2);
setTimeout(() => process.exit(), limit_ms);
if (registry !== undefined && file !== undefined)
  void storeLatestVersion(registry, file).finally(() => process.exit());
