import { flag } from '../kit/args/flags.ts';
import { Failure } from '../kit/errors/failure.ts';
import { type Column, record } from '../kit/result/result.ts';
import { quoted } from '../kit/result/shell-words.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { isNewer } from '../updates/notice.ts';
import { readUpdate, updateFile } from '../updates/record.ts';
import { type Installation, type InstallationWay, installationOf } from './installation/installation.ts';

interface UpdatePlan {
  object: 'update';
  version: string;
  /** The newest version that the update notice has seen; null if it is not newer. */
  latest: string | null;
  installed_by: InstallationWay;
  path: string;
  /** Lines for a shell, in order. */
  commands: string[];
  updated: boolean;
}

const fields: readonly Column<UpdatePlan>[] = [
  { field: 'version', header: 'Version', kind: 'text', value: ({ version }) => version },
  { field: 'latest', header: 'Newest seen', kind: 'text', value: ({ latest }) => latest },
  { field: 'installed_by', header: 'Installed by', kind: 'text', value: ({ installed_by }) => installed_by },
  { field: 'path', header: 'Path', kind: 'text', value: ({ path }) => path },
  { field: 'commands', header: 'Update with', kind: 'text', value: ({ commands }) => commands },
  { field: 'updated', header: 'Updated', kind: 'text', value: ({ updated }) => updated },
];

export const update = defineCommand({
  name: 'update',
  aliases: ['upgrade'],
  summary: 'Show how to update waybill, or update it',
  description: [
    'Finds how this waybill was installed (npm, npx, a project, a source checkout, the single executable) and prints',
    'the commands that update it. Runs nothing without --run, and with it only after a prompt.',
  ].join('\n'),
  flags: { run: flag({ summary: 'Run the commands after a prompt' }) },
  examples: [
    { command: 'waybill update', summary: 'Print what to run' },
    { command: 'waybill update --run', summary: 'Run it after a prompt' },
  ],
  effect: 'none',
  confirms: (given) => given.has('run'),
  async run(context, { flags }) {
    const installation = installationOf(context.host);
    const plan = planOf(context, installation);
    if (!flags.run) {
      const note = installation.way === 'executable' ? [replaceText(installation)] : [];
      return record(plan, fields, { notes: note });
    }
    if (plan.commands.length === 0) {
      const hint = replaceText(installation);
      throw new Failure(2, 'cannot_update', 'The single executable cannot update itself.', { hint });
    }
    const line = plan.commands.join(' && ');
    if (installation.folder !== null && installation.folder !== context.host.folder) {
      throw new Failure(2, 'cannot_update', `Run the update in ${installation.folder}.`, { hint: line });
    }
    await context.confirm(`Run ${line}?`);
    for (const words of installation.update) await runStep(context, words);
    return record({ ...plan, updated: true }, fields);
  },
});

function planOf({ host }: Context, { way, path, update: steps, folder }: Installation): UpdatePlan {
  const { latest } = readUpdate(updateFile(host));
  const lines = steps.map((words) => words.map(quoted).join(' '));
  return {
    object: 'update',
    version: host.version,
    latest: latest !== null && isNewer(latest, host.version) ? latest : null,
    installed_by: way,
    path,
    commands: folder === null ? lines : [`cd ${quoted(folder)}`, ...lines],
    updated: false,
  };
}

function replaceText({ path }: Installation): string {
  return `Replace ${path} with the new executable; it has no other parts.`;
}

async function runStep({ host }: Context, words: readonly [string, ...string[]]): Promise<void> {
  const code = await host.run(words);
  if (code === 0) return;
  const line = words.map(quoted).join(' ');
  throw new Failure(1, 'update_failed', `${line} ended with exit code ${code}.`, {
    hint: 'Its own message is above. Correct the problem and run it again.',
  });
}
