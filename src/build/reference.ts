/**
 * Writes the reference pages of the guide from the tables that the program uses: exit codes, environment variables,
 * output formats, scenarios, and every command, and the table of couriers. Run `node src/build/reference.ts` after
 * changing any of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { topicPage } from '../cli/help/help.ts';
import type { Block, Page, Section } from '../cli/help/layout.ts';
import { topics } from '../cli/help/topics.ts';
import { commandsOf } from '../cli/kit/args/command-spec.ts';
import { tree } from '../cli/tree.ts';
import { withCourierTable } from './courier-table.ts';

/** Generates the reference pages as Markdown, by file name. */
export async function referencePages(): Promise<Record<string, string>> {
  const pages = topics.map((topic) => [`${topic.name}.md`, pageMarkdown(topicPage(topic))] as const);
  return { ...Object.fromEntries(pages), 'commands.md': await commandsMarkdown() };
}

/** All commands with their summaries, grouped as in the help. */
async function commandsMarkdown(): Promise<string> {
  const parts: string[] = [];
  for (const title of tree.sections) {
    const rows: string[] = [];
    for (const group of tree.groups.filter(({ section }) => section === title)) {
      for (const { name, summary, hidden } of await commandsOf(group))
        if (!hidden) rows.push(tableRow(`waybill ${group.name} ${name}`, summary));
    }
    for (const { name, summary } of tree.singles.filter(({ section }) => section === title))
      rows.push(tableRow(`waybill ${name}`, summary));
    if (rows.length > 0) parts.push(`## ${title}\n\n${table('Command', rows)}`);
  }
  return `# Commands\n\nEvery command. \`waybill COMMAND --help\` shows its flags, examples and JSON.\n\n${parts.join('\n')}`;
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
  for (const [name, markdown] of Object.entries(await referencePages()))
    writeFileSync(join(import.meta.dirname, '..', 'guide', name), markdown);
  const couriers = join(import.meta.dirname, '..', 'guide', 'connecting-couriers.md');
  writeFileSync(couriers, await withCourierTable(readFileSync(couriers, 'utf8')));
}
