import { nearNames } from '../../domain/near-names.ts';
import type { CommandSpec } from '../kit/args/input.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Answer, Shape } from '../kit/result/shapes.ts';
import { factsOf } from './facts.ts';

/**
 * Refuses fields of `--json=a,b` that no line can have, before the stream is opened, as it may take long until the
 * first event. Throws UsageError.
 */
export function checkLineFields(command: CommandSpec, fields: readonly string[]): void {
  const shapes = factsOf([], command).answers.flatMap((each) => (isOnStdout(each) ? each.shape : []));
  const unknown = fields.filter((field) => !shapes.some((shape) => has(shape, field.split('.'))));
  if (unknown.length === 0) return;
  const choices = [...new Set(shapes.flatMap(namesOf))];
  const near = nearNames(unknown[0]?.split('.')[0] ?? '', choices);
  throw new UsageError(`The answer has no field ${unknown.map((name) => `"${name}"`).join(', ')}.`, {
    code: 'unknown_field',
    choices,
    ...(near.length === 0 ? {} : { hint: `Did you mean ${near.join(' or ')}?` }),
  });
}

/** Hints are lines on stderr. */
function isOnStdout({ form, when }: Answer): boolean {
  return form === 'lines' && when?.startsWith('on stderr') !== true;
}

/** Types of values that have no fields. */
const partless = /^(string|time|integer|number|boolean|null|true|".*")$|\|/;

function has(shape: Shape, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  if (shape.kind === 'word') return !partless.test(shape.text);
  if (shape.kind === 'list') return has(shape.of, path);
  if (shape.kind === 'either') return shape.of.some((each) => has(each, path));
  const field = shape.fields.find((each) => each.name === name);
  return field !== undefined && has(field.shape, rest);
}

function namesOf(shape: Shape): string[] {
  return shape.kind === 'object' ? shape.fields.map(({ name }) => name) : [];
}
