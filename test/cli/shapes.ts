import { shapeText } from '../../src/cli/help/command-facts.ts';
import type { Answer, Shape } from '../../src/cli/kit/result/shape.ts';
import { isFields } from '../../src/domain/fields.ts';

/**
 * The parts of some JSON that differ from the help; empty if it fits one of the answers. Without answers everything
 * fits.
 */
export function misfits(data: unknown, answers: readonly Answer[]): string[] {
  if (answers.length === 0) return [];
  const found = answers.map(({ form, shape }) =>
    faultsOf(data, form === 'array' ? { kind: 'list', of: shape } : shape, ''),
  );
  return found.some((faults) => faults.length === 0)
    ? []
    : (found.toSorted((a, b) => a.length - b.length)[0] ?? []);
}

function faultsOf(data: unknown, shape: Shape, where: string): string[] {
  switch (shape.kind) {
    case 'either':
      return shape.of.some((each) => faultsOf(data, each, where).length === 0)
        ? []
        : [fault(where, data, shape)];
    case 'list':
      return Array.isArray(data)
        ? data.flatMap((each: unknown, index) => faultsOf(each, shape.of, `${where}[${index}]`))
        : [fault(where, data, shape)];
    case 'object':
      return isFields(data) ? fieldFaults(data, shape, where) : [fault(where, data, shape)];
    case 'word':
      return isWord(data, shape.text) ? [] : [fault(where, data, shape)];
  }
}

function fieldFaults(
  data: Record<string, unknown>,
  { fields }: Extract<Shape, { kind: 'object' }>,
  where: string,
): string[] {
  const known = fields.map(({ name }) => name);
  const strange = Object.keys(data).filter((name) => !known.includes(name));
  return [
    ...strange.map((name) => `${where}.${name} is not told`),
    ...fields.flatMap(({ name, shape, optional }) => {
      if (Object.hasOwn(data, name)) return faultsOf(data[name], shape, `${where}.${name}`);
      return optional ? [] : [`${where}.${name} is missing`];
    }),
  ];
}

const types: Readonly<Record<string, (data: unknown) => boolean>> = {
  string: (data) => typeof data === 'string',
  integer: (data) => Number.isInteger(data),
  number: (data) => typeof data === 'number',
  boolean: (data) => typeof data === 'boolean',
  time: (data) => typeof data === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(data),
  null: (data) => data === null,
  object: isFields,
};

/** Texts with spaces are prose, and any value is accepted. */
function isWord(data: unknown, text: string): boolean {
  const type = types[text];
  if (type !== undefined) return type(data);
  const choices = text.split(' | ');
  if (choices.some((choice) => /\s/.test(choice))) return true;
  return choices.some((choice) => choice === String(data) || choice === JSON.stringify(data));
}

function fault(where: string, data: unknown, shape: Shape): string {
  return `${where} is ${JSON.stringify(data)?.slice(0, 60)}, not ${shapeText(shape)}`;
}
