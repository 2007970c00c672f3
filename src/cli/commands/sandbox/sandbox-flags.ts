import { BadValue, type Flag, type FlagOptions, text } from '../../kit/args/flags.ts';
import { moment } from '../../kit/args/time-arguments.ts';
import { watchFlags } from '../../waiting/waiting-flags.ts';

const watching = watchFlags('Ctrl+C, or the time of --until');

/** For a running clock, which is polled every second. */
export const clockWatchFlags = {
  ...watching,
  until: moment({
    summary: 'Stop when the clock reaches this time, such as 2h from now',
    group: 'Waiting',
  }),
  interval: { ...watching.interval, summary: 'Time between polls (default 1s)' },
};

/** How many seconds pass in one: `--rate 60`, `--rate 0.5`. */
export function rate(options: FlagOptions): Flag<number | undefined> {
  const base = text({ placeholder: 'RATE', ...options });
  return {
    ...base,
    defaultText: '60',
    read: (texts) => readRate(texts.at(-1) ?? ''),
    absent: () => undefined,
  };
}

function readRate(given: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(given) ? Number(given) : 0;
  if (value >= 0.001 && value <= 86_400) return value;
  throw new BadValue(`must be a number from 0.001 to 86400, not "${given}"`);
}
