import type { SandboxProvider, Scenario, Steps } from '../../../contract/sandbox.ts';
import type { Column } from '../../kit/result/result.ts';

/** Columns of scenarios. */
export const scenarioColumns: Column<Scenario>[] = [
  { field: 'number', header: 'No', kind: 'text', value: ({ number }) => number },
  { field: 'name', header: 'Name', kind: 'id', value: ({ name }) => name },
  { field: 'happens', header: 'What happens', kind: 'text', prose: true, value: ({ happens }) => happens },
  { field: 'money', header: 'Money', kind: 'text', spare: 1, value: ({ money }) => money },
];

/** Fields of a delivery's status and its possible next ones. */
export const stepFields: Column<Steps>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id', value: ({ delivery_id }) => delivery_id },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'data', header: 'Next', kind: 'text', value: ({ data }) => data },
];

/** Fields of a simulated courier company. */
export const providerFields: Column<SandboxProvider>[] = [
  { field: 'name', header: 'Provider', kind: 'id', value: ({ name }) => name },
  { field: 'state', header: 'State', kind: 'status', value: ({ state }) => state },
  { field: 'slow_seconds', header: 'Seconds late', kind: 'count', value: ({ slow_seconds }) => slow_seconds },
  { field: 'until', header: 'Until', kind: 'time', value: ({ until }) => until },
];
