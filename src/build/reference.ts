/**
 * Writes the committed files that derive from tables of the program: the completion scripts of all commands and flags,
 * the skill for agents, the reference pages of the guide (exit codes, environment variables, output formats, scenarios,
 * every command), and the table of couriers in the guide. Run `node src/build/reference.ts` after changing any of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionScript, scriptNames, shells } from '../cli/completion/shell-scripts.ts';
import { guideText } from '../cli/help/guide-pages.ts';
import { topicPage } from '../cli/help/help-pages.ts';
import { topics } from '../cli/help/help-topics.ts';
import type { Block, Page, Section } from '../cli/help/page-layout.ts';
import { loadCommands } from '../cli/kit/args/command-input.ts';
import { yesNo } from '../cli/kit/output/text-formatting.ts';
import { tree } from '../cli/tree.ts';
import type { CourierAdapter, CourierCapabilities } from '../providers/courier.ts';
import { connectableCouriers } from '../providers/directory.ts';

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
    case 'examples': {
      const examples = block.examples.map(({ command, summary }) => `# ${summary}\n$ ${command}`);
      return `\`\`\`console\n${examples.join('\n')}\n\`\`\`\n`;
    }
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

/** The page of the guide with its table of what each courier can and cannot do, made from the adapters. */
export async function withCourierTable(page: string): Promise<string> {
  const adapters = await Promise.all(connectableCouriers.map(({ load }) => load()));
  return page.replace(
    /(\n## What each courier can do\n\n)[^\n]+(?:\n[^\n]+)*/,
    (_, heading: string) => heading + courierTable(adapters),
  );
}

function courierTable(adapters: readonly CourierAdapter[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...adapters.map(({ title, name }) => `${title} (\`${name}\`)`)]),
    line(['---', ...adapters.map(() => '---')]),
    line(['Run against the live service', ...adapters.map(liveText)]),
    ...capabilityRows.map(([label, text]) =>
      line([label, ...adapters.map(({ capabilities }) => text(capabilities))]),
    ),
  ].join('\n');
}

const capabilityRows: readonly [label: string, text: (capabilities: CourierCapabilities) => string][] = [
  ['Vehicles', ({ vehicles }) => vehicles.map(inWords).join(', ') || 'chosen by the courier'],
  ['Largest item', ({ largest_item }) => inWords(largest_item)],
  ['Scheduled deliveries', ({ scheduled }) => yesNo(scheduled)],
  ['Signature', ({ signature }) => yesNo(signature)],
  ['Photo', ({ photo }) => yesNo(photo)],
  ['PIN', ({ pin }) => yesNo(pin)],
  ['Tip', ({ tip }) => yesNo(tip)],
  ['Changes after booking', ({ edits }) => yesNo(edits)],
  ['Returns', ({ returns }) => yesNo(returns)],
  ['Cancel until', ({ cancel_until }) => cancelTexts[cancel_until]],
  ['Reports by itself', ({ reports }) => yesNo(reports === 'push')],
  ['Position of the driver', ({ location }) => yesNo(location)],
  ['Price of a quote is binding', ({ binding_quotes }) => yesNo(binding_quotes)],
  ['Countries', ({ countries }) => countries.join(', ')],
  ['Currencies', ({ currencies }) => currencies.join(', ')],
];

const cancelTexts: Readonly<Record<CourierCapabilities['cancel_until'], string>> = {
  assigned: 'a driver is assigned',
  picked_up: 'the pickup',
  refused: 'the courier refuses',
};

function liveText({ is_untested_live }: CourierAdapter): string {
  return is_untested_live === true ? 'not yet' : 'checked by `npm run check:courier -- URL`';
}

function inWords(name: string): string {
  return name.replaceAll('_', ' ');
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
