/**
 * The interface as lines that can be compared: operations, parameters, answers and fields. Run this file to list what
 * has changed since the last release, with `--write` at a release to keep the lines of today.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describeInterface } from '../../src/contract/openapi.ts';
import { type Fields, isFields } from '../../src/domain/fields.ts';

const file = new URL('released-interface.txt', import.meta.url);

/** The lines of the last release. */
export function releasedLines(): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

/** The lines of today. Fields and rules that are components of their own are written where they are used. */
export function interfaceLines(): string[] {
  const document: Fields = JSON.parse(JSON.stringify(describeInterface('https://shop.example')));
  const at = (path: string): Fields =>
    path
      .split('/')
      .slice(1)
      .reduce<Fields>((found, name) => fieldsOf(found[name]), document);
  const lines: string[] = [];
  for (const [path, methods] of Object.entries(fieldsOf(document.paths))) {
    for (const [method, operation] of Object.entries(fieldsOf(methods))) {
      const { operationId, parameters, requestBody, responses } = fieldsOf(operation);
      const start = `${method.toUpperCase()} ${path}`;
      lines.push(`${start} ${operationId}`);
      for (const parameter of Array.isArray(parameters) ? parameters : []) {
        const { name, in: place, required, schema } = at(String(fieldsOf(parameter).$ref).slice(1));
        lines.push(`${start} ${place} ${name}${required === true ? '!' : ''} ${typeText(schema)}`);
      }
      const body = schemaIn(requestBody);
      if (body !== undefined) lines.push(`${start} body ${typeText(body)}`);
      for (const [status, response] of Object.entries(fieldsOf(responses))) {
        const schema = schemaIn(at(String(fieldsOf(response).$ref).slice(1))) ?? schemaIn(response);
        lines.push(`${start} ${status} ${schema === undefined ? '' : typeText(schema)}`);
      }
    }
  }
  for (const [title, schema] of Object.entries(at('/components/schemas'))) {
    if (!/^[A-Z]\w*$/.test(title)) continue;
    const { properties, required } = fieldsOf(schema);
    const needed = Array.isArray(required) ? required : [];
    for (const [name, field] of Object.entries(fieldsOf(properties))) {
      const { $ref } = fieldsOf(field);
      const isShared = typeof $ref === 'string' && !/\/[A-Z]\w*$/.test($ref);
      const text = typeText(isShared ? at($ref.slice(1)) : field);
      lines.push(`${title}.${name}${needed.includes(name) ? '!' : ''} ${text}`);
    }
  }
  return lines.map((line) => line.trimEnd()).sort();
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function schemaIn(holder: unknown): unknown {
  const [content] = Object.values(fieldsOf(fieldsOf(holder).content));
  return fieldsOf(content).schema;
}

function typeText(schema: unknown): string {
  const { $ref, type, anyOf, oneOf, items, enum: values, const: value } = fieldsOf(schema);
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? '';
  const shapes = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const texts = shapes.map(typeText);
  // Values may be added to a list that takes any text.
  const isOpen = texts.includes('string') && shapes.some((shape) => Array.isArray(fieldsOf(shape).enum));
  if (isOpen) return 'open list';
  if (texts.length > 0) return [...new Set(texts)].join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) return values.join(',');
  return type === 'array' ? `${typeText(items)}[]` : String(type ?? 'any');
}

if (import.meta.main === true) {
  const [today, before] = [interfaceLines(), releasedLines()];
  if (process.argv.includes('--write')) writeFileSync(file, `${today.join('\n')}\n`);
  for (const line of before.filter((each) => !today.includes(each))) console.log(`- ${line}`);
  for (const line of today.filter((each) => !before.includes(each))) console.log(`+ ${line}`);
}
