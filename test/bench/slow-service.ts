import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'rolldown';
import { rawTexts } from '../../src/build/package-plugins.ts';

const root = join(import.meta.dirname, '..', '..');

type Keys = { test: string; live: string };

/** A process with slow couriers. */
export interface SlowService {
  url: string;
  keys: Keys | null;
  /** The keys of the second account of `two-accounts`. */
  neighbour?: Keys;
  child: ChildProcess;
}

/** Bundles a script like the program, so that it starts as quickly; returns its path. */
export async function builtScript(folder: string, name = 'slow-couriers'): Promise<string> {
  const dir = join(folder, name);
  await build({
    input: join(root, `test/bench/${name}.ts`),
    platform: 'node',
    external: ['pg-native'],
    resolve: { alias: { ulid: join(root, 'node_modules/ulid/dist/browser/index.js') } },
    plugins: [rawTexts],
    output: { dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs', minify: true },
    logLevel: 'warn',
  });
  const tables = join(root, 'src/service/runtime');
  for (const file of readdirSync(tables))
    if (file.endsWith('.bin')) copyFileSync(join(tables, file), join(dir, file));
  return join(dir, `${name}.mjs`);
}

/** Starts a process on a database, with the couriers' records in another. */
export async function begin(script: string, ...args: readonly string[]): Promise<SlowService> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const ready: Omit<SlowService, 'child'> = JSON.parse(line);
    return { ...ready, child };
  }
  throw new Error('the service ended before it was ready');
}
