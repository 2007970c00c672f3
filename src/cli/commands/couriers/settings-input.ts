import type { Courier } from '../../../contract/couriers.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Prompts } from '../../kit/host/prompts.ts';
import { jsonFault } from '../../kit/output/json-fault.ts';
import type { Context } from '../../session/command.ts';

type Setting = Courier['settings'][number];

/** Reads settings from a file, or from stdin for `-`: a JSON object of texts. Throws UsageError. */
export async function settingsFrom(context: Context, file: string): Promise<Record<string, string>> {
  const text = await context.readFile(file);
  const param = '--settings-from';
  const settings = parsed(text, param);
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw new UsageError('--settings-from must hold a JSON object, such as {"client_id": "..."}.', { param });
  }
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings)) {
    // The message does not repeat the value, which may be a secret.
    if (typeof value !== 'string') throw new UsageError(`The setting ${name} must be a text.`, { param });
    values[name] = value;
  }
  return values;
}

function parsed(text: string, param: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${param} is not valid JSON: ${jsonFault(text, { isSecret: true })}.`, {
      param,
      hint: 'Give a JSON object, such as {"client_id": "..."}.',
    });
  }
}

/**
 * Asks for each setting of a courier; an empty answer keeps the value there is. Throws UsageError without a terminal.
 */
export async function askSettings(context: Context, courier: Courier): Promise<Record<string, string>> {
  if (!context.interactive) {
    const names = courier.settings.map(({ name, is_optional }) =>
      is_optional ? `${name} (optional)` : name,
    );
    throw new UsageError('Missing: --settings-from.', {
      code: 'missing_input',
      missing: ['--settings-from'],
      hint: `Give a JSON object with ${names.join(', ')} with --settings-from FILE, or - for stdin.`,
    });
  }
  const prompts = await context.prompts();
  const values: Record<string, string> = {};
  for (const setting of courier.settings) {
    context.note(setting.help);
    const value = await askSetting(prompts, setting);
    if (value !== '') values[setting.name] = value;
  }
  return values;
}

async function askSetting(prompts: Prompts, setting: Setting): Promise<string> {
  const { label, is_secret, is_optional, is_set, choices, value } = setting;
  const note = is_set ? 'Enter keeps it' : 'optional';
  const question = is_set || is_optional ? `${label} (${note})` : label;
  if (choices.length > 0) {
    const none = is_optional ? [{ name: 'not set', value: '' }] : [];
    const all = [...none, ...choices.map((choice) => ({ name: choice, value: choice }))];
    return prompts.select(label, all, { initial: value ?? undefined });
  }
  const isRequired = !is_optional && !is_set;
  if (!is_secret) {
    const check = (text: string) => (isRequired && text.trim() === '' ? 'Required.' : null);
    return (await prompts.text(question, { initial: value ?? undefined, check })).trim();
  }
  for (;;) {
    const answer = (await prompts.secret(question)).trim();
    if (answer !== '' || !isRequired) return answer;
  }
}
