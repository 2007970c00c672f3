import { existsSync } from 'node:fs';
import type { Host } from '../kit/host/host.ts';
import { type Column, list } from '../kit/result/result.ts';
import { quoted } from '../kit/result/shell-words.ts';
import { defineCommand } from '../session/command.ts';
import { cacheFolder, configFolder, dataFolder, profilesFile } from '../settings/paths.ts';
import { readProfiles } from '../settings/profiles.ts';
import { installationOf } from './installation/installation.ts';

interface RemovalStep {
  removes: string;
  path: string | null;
  /** A line for a shell. */
  command: string;
}

const columns: readonly Column<RemovalStep>[] = [
  { field: 'removes', header: 'Removes', kind: 'text', value: ({ removes }) => removes },
  { field: 'command', header: 'Command', kind: 'text', value: ({ command }) => command },
  { field: 'path', header: 'Path', kind: 'text', wide: true, value: ({ path }) => path },
];

export const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'Show what to run to remove waybill and its data',
  description: [
    'Lists the commands in the order in which they work, for this installation and the folders that exist. Removes',
    'nothing itself. Leave out the lines of what you want to keep: the data folder holds the deliveries of the embedded',
    'service.',
  ].join('\n'),
  examples: [
    { command: 'waybill uninstall', summary: 'Show what is where, and what removes it' },
    { command: "waybill uninstall --jq '.[].command'", summary: 'Print the commands alone' },
  ],
  effect: 'none',
  async run({ host }) {
    return list({ data: stepsOf(host), columns, notes: ['Nothing was removed.'] });
  },
});

function stepsOf(host: Host): RemovalStep[] {
  const { way, path, remove, folder } = installationOf(host);
  const start = way === 'project' && folder !== null ? `cd ${quoted(folder)} && ` : '';
  return [
    { removes: 'shell completion', path: null, command: 'waybill completion --uninstall' },
    ...keychainSteps(host),
    ...folderSteps(host),
    { removes: `waybill (${way})`, path, command: start + remove.map(quoted).join(' ') },
  ];
}

/** Keys in the keychain of the system outlive the settings. */
function keychainSteps(host: Host): RemovalStep[] {
  const { profiles } = readProfiles(profilesFile(host));
  return Object.entries(profiles)
    .filter(([, { api_key_in }]) => api_key_in === 'keychain')
    .map(([name]) => ({
      removes: `key of profile ${name} in the keychain`,
      path: null,
      command: `waybill logout --profile ${quoted(name)}`,
    }));
}

/** On macOS, settings and data share a folder. */
function folderSteps(host: Host): RemovalStep[] {
  const contents = [
    { path: dataFolder(host), removes: 'deliveries of the embedded service' },
    { path: configFolder(host), removes: 'settings and profiles' },
    { path: cacheFolder(host), removes: 'compiled code and completion IDs' },
  ];
  const paths = [...new Set(contents.map(({ path }) => path))].filter((path) => existsSync(path));
  const remover = host.platform === 'win32' ? 'rmdir /s' : 'rm -r';
  return paths.map((path) => ({
    removes: contents
      .filter((each) => each.path === path)
      .map(({ removes }) => removes)
      .join(', '),
    path,
    command: `${remover} ${quoted(path)}`,
  }));
}
