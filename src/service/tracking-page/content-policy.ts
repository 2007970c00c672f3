import { hash } from 'node:crypto';
import { html, type Markup, verbatim } from './markup.ts';

/** The sources that a page may load from, besides its own inline style and script. */
interface PageContent {
  style: string;
  script: string;
  /** Further rules, such as `worker-src 'self'`. */
  rules?: readonly string[];
  /** The sources of pictures. */
  pictures: readonly string[];
}

/** The policy of a page: its own inline style and script, and requests to the service (Content Security Policy 3). */
export function contentPolicy({ style, script, rules = [], pictures }: PageContent): Markup {
  const all = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    ...rules,
    ['img-src', ...pictures].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return html`<meta http-equiv="Content-Security-Policy" content="${verbatim(all.join('; '))}">`;
}

/** The hash source of an inline text (Content Security Policy Level 3, 2.3.1). */
function hashOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`;
}
