import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import type { Show } from '../../kit/result/result.ts';
import type { ShownFinding } from './finding.ts';

/** As wide as the longest of them, so that findings stand below each other. */
const [statusWidth, checkWidth] = ['fail'.length, 'settings folder'.length];

/** A finding as lines for people: what was found, and below it what to do. */
export function findingText({ check, status, found, remedy, command }: ShownFinding, show: Show): string {
  const sides = (left: string, right: string) => [
    { text: left, paint: show.status, width: statusWidth },
    { text: right, width: checkWidth },
  ];
  const paint = status === 'ok' ? show.dim : show.strong;
  const cures: Cell[] = [{ text: oneLine(remedy) }, { text: oneLine(command ?? ''), isWhole: true }];
  const rows = [
    [...sides(status, check), { text: oneLine(found) }],
    ...cures.filter(({ text }) => text !== '').map((cure) => [...sides('', ''), { ...cure, paint }]),
  ];
  return alignedRows(rows, { room: show.room, indent: 0 }).join('\n');
}
