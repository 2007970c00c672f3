import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The findings of axe-core on a page as it is, by the rules of WCAG 2.2 AA and good practice: each rule with its
 * elements. The page needs no other content security policy, as axe-core is run by the browser's debugger.
 */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const findings: unknown = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
  return Array.isArray(findings) ? findings.map(String) : [String(findings)];
}

/** What is wrong with a page for readers who have doubled the size of text in their browser. */
export async function largeTextFindings(page: Page): Promise<string[]> {
  const findings: unknown = await page.evaluate(`(() => {
    const root = document.documentElement;
    const size = () => parseFloat(getComputedStyle(document.body).fontSize);
    const before = size();
    root.style.fontSize = '200%';
    const found = [
      size() < before * 2 && 'the text keeps its size',
      root.scrollWidth > innerWidth && 'wider than the screen',
    ];
    root.style.fontSize = '';
    return found.filter(Boolean);
  })()`);
  return Array.isArray(findings) ? findings.map(String) : [String(findings)];
}
