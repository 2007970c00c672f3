import { contextFlagsOf, withContextFlags } from '../kit/args/context-flags.ts';
import { type GlobalValues, globalsFor, readGlobals } from '../kit/args/global-flags.ts';
import type { CommandTree } from '../kit/args/input.ts';
import type { Parsed } from '../kit/args/parsed-line.ts';
import { Declined, UsageError } from '../kit/errors/failure.ts';
import type { InterruptionStatus, Prompts } from '../kit/host/host.ts';
import { once } from '../kit/once.ts';
import { type OutputSettings, outputOf } from '../kit/output/output-settings.ts';
import { createWaits, isCi, isRedrawn, type Waits } from '../kit/output/progress.ts';
import { oneLine, sanitized } from '../kit/output/safe-text.ts';
import { type Beside, sentence, worded } from '../kit/output/value-text.ts';
import {
  type Invocation,
  invocation,
  invocationsIn,
  isoTime,
  phrase,
  shellLine,
  stepObject,
  type Text,
  textOf,
} from '../kit/result/message.ts';
import { readInputFile } from '../kit/system/files.ts';
import { withPreferences } from '../settings/entries.ts';
import type { Profile } from '../settings/profiles.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Command, Context, Reach } from './command.ts';
import type { ServiceHost } from './connect.ts';
import { type LazyConnection, lazyConnection, sayOn } from './lazy-connection.ts';

/** One run of a command: its context, and what has to be closed afterwards. */
export interface Session {
  context: Context;
  output: OutputSettings;
  serviceNow(): number;
  /** Adds the account flags of this run to a command. */
  place<T extends Invocation>(line: T): T;
  /** The format flags of the line. */
  formatFlags(): readonly string[];
  close(): Promise<void>;
}

/** The parts that all contexts of a run share. */
interface Run {
  command: Command;
  parsed: Parsed;
  host: ServiceHost;
  tree: CommandTree;
  values: GlobalValues;
  output: OutputSettings;
  waits: Waits;
  /** The connections made so far; the last one has the service's time. */
  connections: LazyConnection[];
  /** The text of an interruption that the command has set. */
  interruptionText: (() => Text) | null;
}

/** Creates the context of a command. Nothing is read or connected before the command needs it. */
export function openSession(
  command: Command,
  parsed: Parsed,
  { host, tree }: { host: ServiceHost; tree: CommandTree },
): Session {
  // A look-up without a terminal writes no file and needs no interruption text.
  const isSeen = host.stdout.isTerminal || host.stderr.isTerminal;
  if (command.effect !== 'read' || isSeen) host.interruption.listen();
  const asked = readGlobals(parsed.global);
  const settings = once(() => readSettings(asked, parsed.origins, host));
  const values = preferring(asked, { command, parsed, host }, settings);
  const output = outputOf(values, host, () =>
    command.effect === 'none' ? undefined : settings().profile?.output,
  );
  const waits = createWaits(host, output, { debug: values.debug, say: (text) => sayOn(host, text) });
  const run: Run = {
    command,
    parsed,
    host,
    tree,
    values,
    output,
    waits,
    connections: [],
    interruptionText: null,
  };
  host.interruption.status = () => interruptionStatus(run);
  let first: LazyConnection | null = null;
  const connection = ({ reads, opensUnchanged }: Reach = {}) => {
    const writes = command.effect === 'write' && reads !== true;
    first ??= addConnection(run, settings(), { writes, opensUnchanged: opensUnchanged === true });
    return first;
  };
  const context = contextOf(run, settings, connection);
  return {
    context,
    output,
    serviceNow: context.serviceNow,
    place: context.inContext,
    formatFlags: () => contextFlagsOf(parsed).format,
    close: async () => {
      for (const made of run.connections) await made.close();
    },
  };
}

/**
 * Adds the profile's preferences to the global flags. A command without a service works even if the profile is
 * unreadable, as it may be the one that repairs it.
 */
function preferring(
  asked: GlobalValues,
  { command, parsed, host }: Pick<Run, 'command' | 'parsed' | 'host'>,
  settings: () => Settings,
): GlobalValues {
  const profile = profileOf(command, settings);
  if (!profile?.preferences) return asked;
  return readGlobals(withPreferences(parsed.global, globalsFor(command), profile, host.environment));
}

function profileOf({ effect }: Command, settings: () => Settings): Profile | null {
  try {
    return settings().profile;
  } catch (error) {
    if (effect === 'none') return null;
    throw error;
  }
}

/** A connection of the run to the service in the settings. */
function addConnection(
  run: Run,
  settings: Settings,
  access: { writes: boolean; opensUnchanged: boolean },
): LazyConnection {
  const { values, output, host, waits } = run;
  const made = lazyConnection({
    settings,
    values,
    output,
    host,
    waits,
    ...access,
    warn: (line) => sayOn(host, sentence(line, besideOf(run))),
    agree: () => agreeToUnknownMode(run, settings),
  });
  run.connections.push(made);
  return made;
}

/** The context with the settings of a service and the connection to it. */
function contextOf(
  run: Run,
  settings: () => Settings,
  connection: (reach?: Reach) => LazyConnection,
): Context {
  const { tree, parsed, host, values, output, waits } = run;
  const place = <T extends Invocation>(line: T) => withContextFlags(line, contextFlagsOf(parsed));
  return {
    tree,
    client: (reach) => connection(reach).client(),
    runService: () => connection().run(),
    mode: () => connection().mode(),
    has: (feature) => connection().has(feature),
    at: (chosen) => {
      const other = addConnection(run, chosen, { writes: false, opensUnchanged: false });
      return contextOf(
        run,
        () => chosen,
        () => other,
      );
    },
    get settings() {
      return settings();
    },
    globals: values,
    inContext: place,
    plainText: (text) => textOf(text, { place, time: isoTime }),
    stepObject: (step) => stepObject(place(step)),
    commandText: (line) => shellLine(place(line)),
    isTyped: (name) => parsed.origins.get(name) === 'flag',
    output,
    host,
    now: () => host.now(),
    serviceNow: () => serviceNow(run),
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    get signal() {
      return host.signal;
    },
    get interactive() {
      return canAsk(run);
    },
    prompts: () => promptsOf(run),
    confirm: (question, { despiteYes } = { despiteYes: false }) =>
      confirm(question, { run, connection, despiteYes }),
    note: (line, { isWhole = false } = {}) => {
      const beside = besideOf(run);
      if (!output.quiet) sayOn(host, isWhole ? oneLine(worded(line, beside)) : sentence(line, beside));
    },
    warn: (line) => sayOn(host, sentence(line, besideOf(run))),
    progress: (text) => waits.open(text),
    readFile: (path) => readInputFile(path, host),
    setInterruptionText: (text) => {
      run.interruptionText = typeof text === 'function' ? text : () => text;
    },
    onStop: (work) => {
      host.interruption.listen();
      host.interruption.work.push(work);
    },
    idempotencyKey: (part) => connection().observer.newKey(part),
  };
}

function serviceNow({ connections, host }: Run): number {
  return connections.at(-1)?.observer.serviceNow() ?? host.now();
}

/** The context of messages on stderr. */
function besideOf(run: Run): Beside {
  const place = <T extends Invocation>(line: T) => withContextFlags(line, contextFlagsOf(run.parsed));
  return { output: run.output, stderr: run.host.stderr, now: serviceNow(run), place };
}

/** The text of an interruption: what the command has set, or else what is known of its writes. */
function interruptionStatus(run: Run): InterruptionStatus | null {
  const untouched = run.command.effect === 'none' ? null : 'Nothing was changed at the service.';
  const text = run.interruptionText?.() ?? run.connections.at(-1)?.observer.writeOutcome() ?? untouched;
  if (text === null) return null;
  const beside = besideOf(run);
  return { text: sanitized(worded(text, beside)), next: invocationsIn(text).map(beside.place) };
}

function canAsk({ values, output, host }: Run): boolean {
  return host.stdin.isTerminal && host.stderr.isTerminal && values.input && !output.json && !isCi(host);
}

/** Plain lines if the terminal cannot redraw. */
function promptsOf({ output, host }: Run): Promise<Prompts> {
  return host.prompts(!isRedrawn(host, output), output.stderrColour);
}

/** A service that does not report the mode of a key may be live: each write needs confirmation. */
async function agreeToUnknownMode(run: Run, { name }: Settings): Promise<void> {
  if (run.values.yes) return;
  const login = invocation('login', [], { mode: 'test' });
  if (!canAsk(run)) {
    throw new UsageError(`The service does not say whether the key of ${name} is for test or live mode.`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: phrase`Agree with --yes, or store the mode: \`${login}\`, or --mode live.`,
      next: [{ ...login, when: 'store the mode of the key' }],
    });
  }
  const prompts = await promptsOf(run);
  const question = `It is not known whether the key of ${name} is for test or live mode. Continue?`;
  if (!(await prompts.confirm(question))) throw new Declined();
}

interface Confirmation {
  run: Run;
  connection(): LazyConnection;
  /** Whether it is asked in spite of --yes. */
  despiteYes: boolean;
}

/** The account is shown above the question. */
async function confirm(question: Text, { run, connection, despiteYes }: Confirmation): Promise<void> {
  if (run.values.yes && !despiteYes) return;
  if (!canAsk(run)) {
    throw new UsageError(phrase`Confirmation required: ${question}`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: 'Pass --yes to run without a prompt.',
    });
  }
  if (run.command.effect === 'write') {
    await connection().mode();
    connection().announce();
  }
  const prompts = await promptsOf(run);
  if (!(await prompts.confirm(worded(question, besideOf(run))))) throw new Declined();
}
