import type { LeftOut } from './ready-orders.ts';

/** What a file has that is not read, as found so far: each remark once, with the first line that it is about. */

const max_remarks = 20;

export interface Remarks {
  /** `detail` follows the remark, from the first line only. */
  add(text: string, line: number, detail?: string): void;
  texts(): string[];
}

export function createRemarks(): Remarks {
  const found = new Map<string, { rows: number; line: number; detail: string }>();
  return {
    add: (text, line, detail = '') => {
      const known = found.get(text);
      if (known !== undefined) known.rows += 1;
      else if (found.size < max_remarks) found.set(text, { rows: 1, line, detail });
    },
    texts: () =>
      [...found].map(([text, { rows, line, detail }]) => {
        const where = rows === 1 ? `line ${line}` : `${rows} rows, such as line ${line}`;
        return `${text} (${[where, detail].filter(Boolean).join(': ')}).`;
      }),
  };
}

/** What the readers of a file report besides its rows. */
export interface Findings {
  leaveOut(reason: LeftOut, ref: string): void;
  remarks: Remarks;
}
