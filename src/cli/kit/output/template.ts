import { Liquid, LiquidError, type Template } from 'liquidjs';
import { UsageError } from '../errors/failure.ts';
import { runWithTimeout, SyncTimeout } from '../system/sync-timeout.ts';
import { fieldAdvice } from './field-check.ts';
import type { Place, Shape, Shaped } from './shape.ts';
import { plainText, registerFilters } from './template-filters.ts';

/** The time limit for the records of a page, in milliseconds. */
const timeout_ms = 10_000;
/** The length limit of a template, and the engine's memory limit. */
const most = { parseLimit: 1_000_000, memoryLimit: 50_000_000 };
/** These tags would read other templates. */
const otherFiles = ['include', 'render', 'layout', 'block'];

/**
 * Replaces `
 * `, `\t` and `\\` in the text of a flag.
 */
export function withEscapes(text: string): string {
  const characters: Record<string, string> = { n: '\n', t: '\t', '\\': '\\' };
  return text.replace(/\\([nt\\])/g, (_, letter: string) => characters[letter] ?? letter);
}

/**
 * Applies the Liquid template of `--template` to each record, on lines of its own. A field that a record does not have
 * is an error, except in `if` or with a `default`. UsageError for an invalid template.
 */
export function templateShape(text: string): Shape {
  let place: Place = { now: 0, times: null, isTerminal: false };
  const engine = engineWith(() => place);
  const template = parseTemplate(engine, text);
  return {
    isEach: true,
    async made(documents, at) {
      place = at;
      const whole: Shaped = { text: '', fault: null };
      for (const data of documents.flat()) {
        const made = renderRecord(engine, template, data);
        whole.text += made.text;
        whole.fault = made.fault;
        if (made.fault !== null) break;
      }
      return whole;
    },
  };
}

function engineWith(place: () => Place): Liquid {
  const engine = new Liquid({
    ...most,
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    templates: {},
    outputEscape: plainText,
  });
  for (const tag of otherFiles) delete engine.tags[tag];
  registerFilters(engine, place);
  return engine;
}

function parseTemplate(engine: Liquid, text: string): Template[] {
  try {
    return engine.parse(text);
  } catch (error) {
    throw new UsageError(`Invalid --template.\n${errorText(error)}`, { code: 'bad_expression' });
  }
}

function renderRecord(engine: Liquid, template: Template[], data: unknown): Shaped {
  try {
    const scope = typeof data === 'object' && data !== null ? data : { value: data };
    const text = String(runWithTimeout(() => engine.renderSync(template, scope), timeout_ms));
    return { text: text === '' || text.endsWith('\n') ? text : `${text}\n`, fault: null };
  } catch (error) {
    if (error instanceof SyncTimeout)
      throw new UsageError(`--template was stopped: ${error.message}.`, { code: 'expression_failed' });
    if (!LiquidError.is(error)) throw error;
    const field = /^undefined variable: ([^,]*)/.exec(error.message)?.[1];
    const advice = field === undefined ? {} : fieldAdvice([data], [field.replaceAll(/\.\d+/g, '')]);
    const message = `--template does not fit the answer.\n${errorText(error)}`;
    return { text: '', fault: { message, details: { code: 'expression_failed', ...advice } } };
  }
}

/** The engine's message, with the line of the template and its position. */
function errorText(error: unknown): string {
  if (!LiquidError.is(error)) return String(error);
  return `${error.message}\n${error.context}`;
}
