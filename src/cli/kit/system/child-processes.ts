import { product } from '../product.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment for a program that this one starts: without any variable of ours, as keys travel in those, and
 * without what would change how a Node runs.
 */
export function childEnvironment(environment: Environment): Record<string, string | undefined> {
  const isForUs = (name: string) => name.startsWith(product.environment_prefix) || name === 'NODE_OPTIONS';
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isForUs(name)));
}

/** The file of a program of ours that runs in a process of its own; null in the single executable, which has no files. */
export async function ownProgram(name: string): Promise<string | null> {
  const { isSea } = process.getBuiltinModule('node:sea');
  if (isSea()) return null;
  const { join } = await import('node:path');
  return join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? `${name}.ts` : `${name}.cjs`);
}
