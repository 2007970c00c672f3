import type { OutputSettings } from './format.ts';
import type { Shape } from './shape.ts';

interface Machine {
  /** The text of a file; `-` is stdin. */
  readFile(path: string): Promise<string>;
  /** Prints a line on stderr. */
  warn(line: string): void;
}

type Asked = Pick<OutputSettings, 'jq' | 'template'>;

/**
 * Creates the transformation of `--jq` or `--template`. UsageError if it is invalid, so call it before anything is
 * done.
 */
export async function shapeOf({ jq, template }: Asked, machine: Machine): Promise<Shape | null> {
  if (jq !== null) return (await import('./jq.ts')).jqShape(jq, machine);
  if (template === null) return null;
  const text = template.startsWith('@') ? await machine.readFile(template.slice(1)) : null;
  const { templateShape, withEscapes } = await import('./template.ts');
  return templateShape(text ?? withEscapes(template));
}
