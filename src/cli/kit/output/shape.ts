import type { FailureDetails } from '../errors/failure.ts';
import type { OutputSettings } from './format.ts';
import type { TimeStyle } from './times.ts';

/** What is known where text is made of data. */
export interface Place {
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
  times: TimeStyle;
  isTerminal: boolean;
}

/** What was made of data, up to where it did not fit. */
export interface Shaped {
  text: string;
  fault: { message: string; details: FailureDetails } | null;
}

/** Makes text of data as the person wants it. */
export interface Shape {
  /** It takes the records of a list one by one; else a list is one document, but in NDJSON. */
  isEach: boolean;
  /** The text of documents, each by itself. Throws UsageError where it must be given up. */
  made(documents: readonly unknown[], place: Place): Promise<Shaped>;
}

interface Machine {
  /** The text of a file; `-` is stdin. */
  readFile(path: string): Promise<string>;
  /** Says a line on stderr. */
  warn(line: string): void;
}

type Asked = Pick<OutputSettings, 'jq' | 'template'>;

/** What `--jq` or `--template` makes of the data. UsageError where it is none: to be asked before anything is done. */
export async function shapeOf({ jq, template }: Asked, machine: Machine): Promise<Shape | null> {
  if (jq !== null) return (await import('./jq.ts')).jqShape(jq, machine);
  if (template === null) return null;
  const text = template.startsWith('@') ? await machine.readFile(template.slice(1)) : null;
  const { templateShape, withEscapes } = await import('./template.ts');
  return templateShape(text ?? withEscapes(template));
}
