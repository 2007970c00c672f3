import { exits } from '../errors/exit-codes.ts';
import { type ExitCode, Failure } from '../kit/errors/failure.ts';
import { redacted } from '../kit/output/redaction.ts';
import { invocationsIn, joinedTexts } from '../kit/result/message.ts';
import { type Column, list } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { type Finding, findingText, type ShownFinding } from './doctor/finding.ts';

const columns: Column<ShownFinding>[] = [
  { field: 'check', header: 'Check', kind: 'id', value: ({ check }) => check },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'found', header: 'Found', kind: 'text', value: ({ found }) => found },
  { field: 'remedy', header: 'Fix', kind: 'text', value: ({ remedy }) => remedy },
  { field: 'command', header: 'Command', kind: 'text', value: ({ command }) => command },
];

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Diagnose problems with this machine and the service',
  description: [
    'Each check is ok, warn or fail, with a suggested fix. It never changes anything, and each check takes at most 10',
    's. The exit code is 0 if no check failed, otherwise that of the first failure.',
  ].join('\n'),
  examples: [
    { command: 'waybill doctor', summary: 'Run every check' },
    { command: 'waybill doctor --json', summary: 'Print results as JSON' },
  ],
  effect: 'none',
  async run(context) {
    const { examine } = await import('./doctor/examine.ts');
    const findings = await examine(context);
    const shown = findings.map((finding) => shownFinding(finding, context));
    const answer = list({ data: shown, columns, draw: findingText, isDense: true });
    const failed = findings.filter(({ status }) => status === 'fail');
    const [first] = failed;
    if (first === undefined) return answer;
    const exit = exitOf(first);
    if (!context.output.json) return { ...answer, exit };
    const texts = failed.map(({ check, found }) => `${check}: ${found}`);
    const next = failed
      .flatMap(({ command }) => invocationsIn(command ?? ''))
      .map((line) => ({ ...line, when: '' }));
    const remedies = failed.map(({ remedy }) => remedy).filter((remedy) => remedy !== '');
    const hint = remedies.length === 0 ? {} : { hint: joinedTexts(remedies, '\n') };
    throw new Failure(exit, first.code ?? 'internal', texts.join('\n'), { ...hint, next, answer });
  },
});

/** Adds the context flags to a finding's commands, so that they use the same account as this run. */
function shownFinding(finding: Finding, { plainText }: Context): ShownFinding {
  const { remedy, command } = finding;
  // A service may repeat the request's secrets in its refusal.
  const text = redacted(plainText(remedy));
  return { ...finding, remedy: text, command: command === null ? null : plainText(command) };
}

function exitOf({ exit_code }: Finding): ExitCode {
  return exits.find(({ code }) => code === exit_code)?.code ?? 1;
}
