import { defineCommand } from '../command.ts';
import { Failure } from '../failures/failure.ts';
import { type Column, list } from '../result.ts';
import { checkMachine, checkService, type Finding } from '../settings/health.ts';

const columns: Column<Finding>[] = [
  { field: 'check', header: 'Check', kind: 'id', value: ({ check }) => check },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'found', header: 'Found', kind: 'text', prose: true, value: ({ found }) => found },
  { field: 'remedy', header: 'What to do', kind: 'text', prose: true, value: ({ remedy }) => remedy },
];

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Look for what is wrong on this machine and at the service',
  description: 'Each check is ok, warn or fail, with what to do. The exit code is 1 where one failed.',
  examples: [
    { command: 'waybill doctor', summary: 'Every check' },
    { command: 'waybill doctor --json', summary: 'For programs' },
  ],
  effect: 'none',
  async run(context) {
    const findings = [...(await checkMachine(context)), ...(await checkService(context))];
    const answer = list({ data: findings, columns });
    const failed = findings.filter(({ status }) => status === 'fail');
    if (failed.length === 0) return answer;
    if (!context.output.json) return { ...answer, exit: 1 };
    const texts = failed.map(({ check, found }) => `${check}: ${found}`);
    const hint = failed.map(({ remedy }) => remedy).join('\n');
    throw new Failure(1, 'check_failed', texts.join('\n'), { hint, answer });
  },
});
