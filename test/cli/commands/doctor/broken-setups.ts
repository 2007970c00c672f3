import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startServer } from '../../../../src/service/server.ts';
import { freshHome, type RunOptions, waybill } from '../../harness.ts';

/** A service over HTTP with a key; it runs until the process ends, because several files share it. */
export const server = await startServer({
  ...{ host: '127.0.0.1', port: 0, database: ':memory:', publicUrl: null, sandbox: true, seed: '7' },
  log: () => {},
});
export const key = server.keys?.test ?? '';

export interface Finding {
  check: string;
  status: string;
  found: string;
  remedy: string;
  command: string | null;
}

/** A home for running commands, which a fix can change. */
export interface Patient {
  options: RunOptions & { home: string; env: Record<string, string> };
  settings: string;
  database: string;
}

/** A home with a profile of the service, unless overridden; null: without a profile. */
export function patient(shop: Record<string, unknown> | null, env: Record<string, string> = {}): Patient {
  const home = freshHome();
  const settings = join(home, '.config/waybill/profiles.json');
  mkdirSync(join(settings, '..'), { recursive: true, mode: 0o700 });
  const profiles = { shop: { base_url: server.url, api_key: key, mode: 'test', ...shop } };
  if (shop !== null) writeFileSync(settings, JSON.stringify({ current: 'shop', profiles }), { mode: 0o600 });
  const options = { home, env: { WAYBILL_REQUEST_TIMEOUT: '1s', ...env }, sleep: async () => {} };
  return { options, settings, database: join(home, '.local/share/waybill/waybill.db') };
}

/** The same home after a change. */
export async function changed(made: Patient, change: (made: Patient) => unknown): Promise<Patient> {
  await change(made);
  return made;
}

async function wrong({ options }: Patient): Promise<Finding[]> {
  const { stdout } = await waybill(['doctor', '--json'], options);
  const all: Finding[] = JSON.parse(stdout);
  return all.filter(({ status }) => status !== 'ok');
}

/** Runs the suggested command of a finding: ours in this process, each in the state that the previous one left. */
export async function follow({ command }: Finding, { options }: Patient, answer = key): Promise<void> {
  if (!command?.startsWith('waybill ')) execFileSync('sh', ['-c', command ?? 'false']);
  let stdin: string | undefined;
  for (const line of command?.split(' | ') ?? []) {
    const words = line.replace('URL', server.url).split(' ').slice(1);
    if (!line.startsWith('waybill ')) continue;
    const asked = words[0] === 'login' ? { tty: true, answers: [answer] } : {};
    const { stdout, stderr, exit } = await waybill(words, {
      ...options,
      ...asked,
      ...(stdin === undefined ? {} : { stdin }),
    });
    expect([exit, stderr]).toEqual([0, expect.anything()]);
    stdin = stdout;
  }
}

export interface Case {
  check: string;
  broken(): Patient | Promise<Patient>;
  /** The suggested fix. */
  says: RegExp | string;
  heal(finding: Finding, patient: Patient): unknown;
}

export const unset =
  (name: string) =>
  (_: Finding, { options }: Patient) =>
    Reflect.deleteProperty(options.env, name);
export const aside = (path: string) => renameSync(path, `${path}.aside`);
/** A modified database of the embedded service. */
export async function stored(change: (file: string) => void): Promise<Patient> {
  const made = patient(null);
  await waybill(['whoami'], made.options);
  change(made.database);
  return made;
}

/** Breaks something, checks that it is reported with a fix, applies the fix, and checks that the problem is gone. */
export async function healed({ check, broken, says, heal }: Case): Promise<void> {
  const made = await broken();
  const [finding, ...others] = (await wrong(made)).filter((each) => each.check === check);
  if (finding === undefined) throw new Error(`nothing is wrong with: ${check}`);
  expect(others).toEqual([]);
  const said = [finding.remedy, finding.command ?? ''].filter((text) => text !== '').join(' ');
  if (typeof says === 'string') expect(said).toBe(says);
  else expect(said).toMatch(says);
  await heal(finding, made);
  expect((await wrong(made)).filter((each) => each.check === check)).toEqual([]);
}
