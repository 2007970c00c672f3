import type { Fields } from './records.ts';
import type { Switches } from './switches.ts';

/** An answer before it is written. */
export interface Reply {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
}

export function json(status: number, data: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(data) };
}

/** The answer of an accepted write, as the switch says. */
export function written(status: number, data: Fields, { writes }: Switches): Reply {
  if (writes === 'empty') return { status, type: 'text/plain', body: '' };
  if (writes === 'html') return { status, type: 'text/html', body: '<html><body>Thank you</body></html>' };
  return json(status, data);
}

/** A list of the deliveries, as the switches say. */
export function listed(data: readonly Fields[], query: URLSearchParams, switches: Switches): Reply {
  const { list, pages, page_size } = switches;
  if (pages === 'right') {
    if (list === 'array') return json(200, data);
    return json(
      200,
      list === 'data' ? { data } : { object: 'list', data, has_more: false, next_cursor: null },
    );
  }
  const page = Number(query.get('cursor') ?? 1);
  const shown = data.slice((page - 1) * page_size, page * page_size);
  const has_more = page * page_size < data.length;
  if (pages === 'silent') return json(200, list === 'array' ? shown : { data: shown });
  const next_cursor = has_more && pages === 'cursor' ? `${page + 1}` : null;
  return json(200, { data: shown, has_more, next_cursor });
}

export function refused(status: number, code: string, message: string, { errors }: Switches): Reply {
  switch (errors) {
    case 'flat':
      return json(status, { code, message });
    case 'nested':
      return json(status, { error: { code, message } });
    case 'message':
      return json(status, { message });
    case 'text':
      return { status, type: 'text/plain', body: message };
    case 'html':
      return page(status, message);
  }
}

function page(status: number, text: string): Reply {
  const body = `<!DOCTYPE html><html><head><title>${text}</title></head><body><h1>${text}</h1></body></html>`;
  return { status, type: 'text/html; charset=utf-8', body };
}
