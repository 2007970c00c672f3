/**
 * Writes the committed files that derive from tables of the program: the completion scripts of all commands and flags,
 * and the reference pages of the guide with exit codes, environment variables, output formats, scenarios, every
 * command, and the table of couriers (`courier-table.ts`). Run `node src/build/reference.ts` after changing any of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionScript, scriptNames, shells } from '../cli/completion/shell-scripts.ts';
import { guideText } from '../cli/help/guide-pages.ts';
import { topicPage } from '../cli/help/help-pages.ts';
import { topics } from '../cli/help/help-topics.ts';
import type { Block, Page, Section } from '../cli/help/page-layout.ts';
import { loadCommands } from '../cli/kit/args/command-input.ts';
import { tree } from '../cli/tree.ts';
import { withCourierTable } from './courier-table.ts';

/** Where agents look for the skills of a project. */
export const skillFile = ['.agents', 'skills', 'waybill', 'SKILL.md'];

/** Generates the reference pages as Markdown, by file name. */
export async function referencePages(): Promise<Record<string, string>> {
  const pages = topics.map((topic) => [`${topic.name}.md`, pageMarkdown(topicPage(topic))] as const);
  return { ...Object.fromEntries(pages), 'commands.md': await commandsMarkdown() };
}

/** The agent skill, in the open format of https://agentskills.io: the guide's page for agents with its name before it. */
export function agentSkill(): string {
  const description =
    'Ship, quote, find, explain, cancel and account for last-mile deliveries with the waybill command line. Use it for orders that couriers are to carry, and for questions about deliveries.';
  return `---\nname: waybill\ndescription: ${description}\n---\n\n${guideText('agents')}`;
}

/** All commands with their summaries, grouped as in the help. */
async function commandsMarkdown(): Promise<string> {
  const parts: string[] = [];
  for (const title of tree.sections) {
    const rows: string[] = [];
    for (const group of tree.groups.filter(({ section }) => section === title)) {
      for (const { name, summary } of await loadCommands(group))
        rows.push(tableRow(`waybill ${group.name} ${name}`, summary));
    }
    for (const { name, summary } of tree.singles.filter(({ section }) => section === title))
      rows.push(tableRow(`waybill ${name}`, summary));
    if (rows.length > 0) parts.push(`## ${title}\n\n${table('Command', rows)}`);
  }
  const help = [
    'Every command. `waybill COMMAND -h` shows usage, examples and the main flags on one screen, `waybill COMMAND --help`',
    'everything, with JSON and exit codes; `waybill commands COMMAND --json` is the same for programs.',
  ].join(' ');
  return `# Commands\n\n${help}\n\n${parts.join('\n')}`;
}

function pageMarkdown({ name, summary, sections: parts }: Page): string {
  const title = name.replace('waybill help ', '').replaceAll('-', ' ');
  const heading = `# ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${summary}.\n`;
  return [heading, ...parts.map(sectionMarkdown)].join('\n');
}

function sectionMarkdown({ title, blocks }: Section): string {
  const heading = title === null ? '' : `## ${title}\n\n`;
  return heading + blocks.map(blockMarkdown).join('\n');
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `${block.text}\n`;
    case 'lines':
      return table(
        '',
        block.lines.map(([left, right]) => tableRow(left.trim().replace(/ {2,}/g, ' '), right)),
      );
    case 'examples':
      return `\`\`\`console\n${block.examples.map(({ command, summary }) => `# ${summary}\n$ ${command}`).join('\n')}\n\`\`\`\n`;
    case 'code':
      return `\`\`\`text\n${block.text}\n\`\`\`\n`;
  }
}

function table(heading: string, rows: readonly string[]): string {
  return `| ${heading} | |\n|---|---|\n${rows.join('\n')}\n`;
}

function tableRow(left: string, right: string): string {
  return `| \`${left}\` | ${right.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`.replaceAll('\n', ' ');
}

if (import.meta.main) {
  for (const shell of shells) {
    const file = join(import.meta.dirname, '..', '..', 'completions', scriptNames[shell]);
    writeFileSync(file, completionScript(shell, tree));
  }
  for (const [name, markdown] of Object.entries(await referencePages()))
    writeFileSync(join(import.meta.dirname, '..', 'guide', name), markdown);
  writeFileSync(join(import.meta.dirname, '..', '..', ...skillFile), agentSkill());
  const couriers = join(import.meta.dirname, '..', 'guide', 'connecting-couriers.md');
  writeFileSync(couriers, await withCourierTable(readFileSync(couriers, 'utf8')));
}
