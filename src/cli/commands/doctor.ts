import { defineCommand } from '../command.ts';
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
    return list({ data: findings, columns, exit: findings.some(({ status }) => status === 'fail') ? 1 : 0 });
  },
});
