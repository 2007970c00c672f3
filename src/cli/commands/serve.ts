/** `serve`: what is shown when the service is ready, and what `--check` finds. It runs in `serve/run-server.ts`. */
import { flagLabel, nameEnvVar } from '../kit/args/command-input.ts';
import type { Flag, GivenInput, Origin } from '../kit/args/flags.ts';
import { besideOrBelow } from '../kit/output/aligned-rows.ts';
import { wrapProse } from '../kit/output/terminal-lines.ts';
import { dashed, invocation, shellLine } from '../kit/result/message.ts';
import {
  type Formatters,
  listResult,
  type Result,
  streamFormats,
  streamResult,
} from '../kit/result/result.ts';
import { databaseOf, sameDatabase, withoutPassword } from '../session/administer.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { placeServicesOf } from '../session/embedded-settings.ts';
import { type Entry, entryColumns, entryShape } from '../settings/setting-entries.ts';
import { embeddedFile } from '../settings/settings.ts';
import { checkSecretKeyFile, type Ready, runServer } from './serve/run-server.ts';
import {
  dialectOf,
  limitsInFlags,
  mailRulesOf,
  mapTilesOf,
  mcpSettingsOf,
  retentionOf,
  serveFlags,
  smtpSettingsOf,
} from './serve/serve-flags.ts';

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the delivery service',
  description: [
    'On a new database it creates an account and prints its test and live keys (shown once). Without --database it',
    'serves the data of the embedded service. Each request is logged as a line on stderr. SIGTERM, SIGHUP and Ctrl+C',
    'shut down gracefully; a second signal stops at once. Every flag can also be set by its environment variable and by',
    'a line of the file of --config.',
  ].join('\n'),
  flags: serveFlags,
  configFlag: 'config',
  examples: [
    { command: 'waybill serve', summary: 'Serve on http://127.0.0.1:4010' },
    {
      command: 'waybill serve --port 0 --database ./shop.db --json',
      summary: 'In a script: the ready line is JSON',
    },
    { command: 'waybill serve --database postgres://localhost/waybill', summary: 'Use PostgreSQL' },
    {
      command: 'waybill serve --config waybill.conf --check',
      summary: 'Show the settings of a file and the environment',
    },
  ],
  effect: 'none',
  formats: streamFormats,
  answers: (of) => [
    of.lines(
      of.object({
        type: '"ready"',
        url: 'string',
        database: 'string',
        keys: of.orNull(of.object({ test: 'string', live: 'string' })),
        metrics_url: of.orNull('string'),
      }),
    ),
    of.each(entryShape(of), 'with --check'),
  ],
  exits: { 7: 'the database cannot be used' },
  errors: ['storage_unavailable'],
  related: ['login', 'listen', 'openapi'],
  async run(context, { flags, given }) {
    const map_tiles = mapTilesOf(flags);
    const mcp = mcpSettingsOf(flags);
    const smtp = smtpSettingsOf(context.host, flags) ?? undefined;
    const database = databaseOf(context.host, flags.database);
    if (flags.check) {
      await checkSecretKeyFile(context, database, flags.secretKeyFile);
      return checkResult(context, given);
    }
    const { metricsHost, metricsPort } = flags;
    const ready = runServer(context, {
      host: flags.host,
      port: flags.port,
      otherPort: false,
      database,
      mustExist: flags.mustExist,
      wait_ms: flags.waitForDatabase,
      secretKeyFile: flags.secretKeyFile,
      publicUrl: flags.publicUrl ?? null,
      sandbox: given.has('sandbox') ? flags.sandbox : null,
      dialect: dialectOf(flags.dialect, given.has('sandbox') ? flags.sandbox : !/^postgres/.test(database)),
      seed: flags.seed ?? null,
      clockOwner: flags.clockOwner,
      allowLoopbackWebhooks: flags.allowLoopbackWebhooks,
      allowPrivateCouriers: flags.allowPrivateCouriers,
      ...limitsInFlags(flags),
      retention: retentionOf(flags),
      smtp,
      mail_rules: mailRulesOf(flags),
      places: placeServicesOf(flags),
      map_tiles,
      mcp,
      metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
      drain_ms: flags.drainDelay,
      log_format: flags.logFormat,
      logsRequests: true,
    });
    const isOwn = database === embeddedFile(context.host);
    return streamResult(ready, (line, show) => readyText(line, show, isOwn));
  },
});

/** Formats it for people; `isOwn` if the data is the embedded service's, whose key a profile has. */
export function readyText(ready: Ready, show: Formatters, isOwn: boolean): string {
  return wrapProse(textOf(ready, show, isOwn), show.room);
}

function textOf({ url, database, keys, metrics_url }: Ready, show: Formatters, isOwn: boolean): string {
  const metrics = metrics_url === null ? '' : `\n${show.dim(`Metrics: ${metrics_url}`)}`;
  const place = `Ready at ${url}\n${show.dim(`Database: ${database}`)}${metrics}`;
  if (keys === null) return `${place}\n${keyText({ url, database }, isOwn)}`;
  return [
    place,
    '',
    'Created an account. Its API keys are shown only once:',
    ...keyLines('test', keys.test, show),
    ...keyLines('live', keys.live, show),
    'Use a key in another terminal:',
    `  WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... waybill whoami`,
  ].join('\n');
}

function keyLines(mode: string, key: string, { room }: Formatters): string[] {
  return besideOrBelow({ text: mode }, { text: key }, { room, indent: 2 });
}

/** Keys are stored as hashes, so they cannot be shown again. */
function keyText({ url, database }: Pick<Ready, 'url' | 'database'>, isOwn: boolean): string {
  const create = 'waybill keys create --permission write';
  if (isOwn) return `To create an API key for it, run on this machine: ${create}`;
  return [
    'The account already exists; its API keys are not shown again. Create another one with:',
    `  WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... ${create}`,
    'Without a key, create one on the machine of the database:',
    `  ${shellLine(invocation('admin accounts', ['create-key', 'ACCOUNT'], sameDatabase(database)))}`,
  ].join('\n');
}

/** The flags that are not settings of the service. */
const notSettings: readonly string[] = ['check', 'config'];

/** Lists the settings that `serve` would use, with the source of each. */
function checkResult(context: Context, given: GivenInput): Result {
  const file = given.find('config')?.texts.at(-1) ?? null;
  const data: Entry[] = [];
  for (const [name, flag] of Object.entries(serveFlags)) {
    if (notSettings.includes(name)) continue;
    const found = given.find(name);
    const origin = found?.origin ?? 'default';
    const value = found === null ? flag.defaultText : valueText(flag, found.texts);
    data.push({
      key: dashed(name),
      value: name === 'database' ? databaseText(context, found?.texts.at(-1)) : value,
      origin,
      source: sourceOf(name, origin, file),
    });
  }
  return listResult({ data, columns: entryColumns(true) });
}

function valueText({ kind, read }: Flag<unknown>, texts: readonly string[]): string {
  if (kind === 'switch') return read(texts) === true ? 'yes' : 'no';
  return texts.join(', ');
}

function databaseText(context: Context, given: string | undefined): string {
  return withoutPassword(databaseOf(context.host, given));
}

function sourceOf(name: string, origin: Origin, file: string | null): string | null {
  if (origin === 'flag') return flagLabel(name);
  if (origin === 'environment') return nameEnvVar(name);
  return origin === 'file' ? file : null;
}
