import type { Client } from '../client/client.ts';
import type { Command } from './command.ts';
import type { Connection } from './connect.ts';
import type { Context } from './context.ts';
import { Declined, UsageError } from './failure.ts';
import { type GlobalValues, readGlobals } from './globals.ts';
import type { Host } from './host.ts';
import { type OutputSettings, outputOf } from './output/format.ts';
import { oneLine, sanitized } from './output/sanitize.ts';
import type { Parsed } from './parse.ts';
import { saveProfile } from './profiles.ts';
import { isCi, progressOn } from './progress.ts';
import { readSettings, type Settings } from './settings.ts';
import { readInputFile } from './sources.ts';
import { createWatch, type Watch } from './watch.ts';

/** One run of a command: what it is given, and what must be closed behind it. */
export interface Session {
  context: Context;
  output: OutputSettings;
  serviceNow(): number;
  close(): Promise<void>;
}

/** Makes the context of a command. Nothing is read or connected before the command asks for it. */
export function openSession(command: Command, parsed: Parsed, host: Host): Session {
  const values = readGlobals(parsed.global);
  const settings = once(() => readSettings(values, parsed.origins, host));
  const output = outputOf(values, host, () =>
    command.effect === 'none' ? undefined : settings().profile?.output,
  );
  const say = (text: string) => void host.stderr.write(`${text}\n`).catch(() => {});
  const links: Link[] = [];
  const link = (chosen: Settings, learnMode: boolean) => {
    const made = createLink({ settings: chosen, values, output, host, say, learnMode });
    links.push(made);
    return made;
  };
  const main = once(() => link(settings(), command.effect === 'write'));
  let standing: string | null = null;
  const untouched = command.effect === 'none' ? null : 'Nothing was changed at the service.';
  host.interruption.standing = () => standing ?? links.at(-1)?.watch.standing() ?? untouched;
  const latest = () => links.at(-1)?.watch.serviceNow() ?? host.now();
  const context: Context = {
    client: () => main().client(),
    connect: (chosen) => link(chosen, false).client(),
    get settings() {
      return settings();
    },
    asked: values,
    output,
    host,
    now: () => host.now(),
    serviceNow: latest,
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    signal: host.signal,
    get interactive() {
      return canAsk(values, output, host);
    },
    prompts: () => host.prompts(output.accessible),
    confirm: (question) =>
      confirmed(question, { values, interactive: canAsk(values, output, host), host, output }),
    note: (line) => {
      if (!output.quiet) say(oneLine(line));
    },
    warn: (line) => say(oneLine(line)),
    progress: (text) => progressOn(host, output, text),
    readFile: (path) => readInputFile(path, host),
    standing: (text) => {
      standing = sanitized(text);
    },
    onStop: (work) => {
      host.interruption.work.push(work);
    },
    idempotencyKey: (part) => main().watch.newKey(part),
  };
  const close = async () => {
    for (const made of links) await made.close();
  };
  return { context, output, serviceNow: latest, close };
}

interface Link {
  watch: Watch;
  client(): Promise<Client>;
  close(): Promise<void>;
}

interface LinkOptions {
  settings: Settings;
  values: GlobalValues;
  output: OutputSettings;
  host: Host;
  learnMode: boolean;
  say(text: string): void;
}

/** A way to the service that opens at its first use. */
function createLink({ settings, values, output, host, say, learnMode }: LinkOptions): Link {
  let mode = settings.mode;
  let isSaid = output.quiet || output.json;
  const watch = createWatch({
    host,
    settings,
    dryRun: values.dryRun,
    curl: values.curl,
    debug: values.debug,
    json: output.json,
    idempotencyKey: values.idempotencyKey ?? null,
    say,
    beforeWrite: () => {
      if (!isSaid) say(`${settings.name} · ${mode === null ? 'mode not known' : `${mode} mode`}`);
      isSaid = true;
    },
  });
  const opened = once(async () => {
    const { connect } = await import('./connect.ts');
    const connection = await connect(settings, {
      host,
      watch,
      requestTimeout: values.requestTimeout,
      learnMode: learnMode && !values.dryRun && needsMode(settings),
    });
    mode = connection.mode;
    await keepMode(settings, mode);
    return connection;
  });
  let connection: Promise<Connection> | null = null;
  return {
    watch,
    client: async () => {
      connection ??= opened();
      return (await connection).client;
    },
    close: async () => {
      await (await connection?.catch(() => null))?.close();
    },
  };
}

/** The mode of a key that is not the profile's own is not known from the profile. */
function needsMode({ mode, keyOrigin }: Settings): boolean {
  return mode === null || keyOrigin === 'flag' || keyOrigin === 'environment';
}

async function keepMode(
  { file, name, profile, mode: before }: Settings,
  mode: Settings['mode'],
): Promise<void> {
  if (profile === null || before !== null || mode === null) return;
  await saveProfile(file, name, { ...profile, mode });
}

function canAsk(values: GlobalValues, output: OutputSettings, host: Host): boolean {
  return host.stdin.isTerminal && host.stderr.isTerminal && values.input && !output.json && !isCi(host);
}

interface Asking {
  values: GlobalValues;
  interactive: boolean;
  host: Host;
  output: OutputSettings;
}

async function confirmed(question: string, { values, interactive, host, output }: Asking): Promise<void> {
  if (values.yes) return;
  if (!interactive) {
    throw new UsageError(`Nobody can be asked: ${question}`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: 'Say yes beforehand with --yes.',
    });
  }
  const prompts = await host.prompts(output.accessible);
  if (!(await prompts.confirm(question))) throw new Declined();
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
