import { product } from '../product.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a child process: without our variables, which may contain keys, and without those that change how
 * Node runs.
 */
export function childEnvironment(environment: Environment): Record<string, string | undefined> {
  const isForUs = (name: string) => name.startsWith(product.environment_prefix) || name === 'NODE_OPTIONS';
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isForUs(name)));
}

/** The path of a program of ours that runs as a child process; null in the single executable, which has no files. */
export async function ownProgram(name: string): Promise<string | null> {
  const { isSea } = process.getBuiltinModule('node:sea');
  if (isSea()) return null;
  const { join } = await import('node:path');
  return join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? `${name}.ts` : `${name}.cjs`);
}
