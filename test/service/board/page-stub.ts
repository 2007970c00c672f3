import { createContext, runInContext } from 'node:vm';
import actions from '../../../src/service/board/browser/actions.js?raw';
import basics from '../../../src/service/board/browser/basics.js?raw';
import drivers from '../../../src/service/board/browser/drivers.js?raw';
import forms from '../../../src/service/board/browser/forms.js?raw';
import panel from '../../../src/service/board/browser/panel.js?raw';
import problems from '../../../src/service/board/browser/problems.js?raw';
import records from '../../../src/service/board/browser/records.js?raw';
import suggestions from '../../../src/service/board/browser/suggestions.js?raw';
import { startFixture } from '../fixture.ts';

/** A request of the board. */
export interface BoardCall {
  method: string;
  path: string;
  body: Record<string, unknown> | undefined;
}

/** An answer of the service; one with a code is a refusal. */
export type BoardAnswer = Record<string, unknown> & { code?: string };

type Listener = (event: { preventDefault: () => void }) => unknown;

/** As much of an element of a page as the actions of the board need. */
class StubElement {
  readonly name: string;
  readonly attributes = new Map<string, string>();
  readonly dataset: Record<string, string> = {};
  readonly listeners = new Map<string, Listener>();
  readonly classList = { toggle: () => {}, add: () => {} };
  children: (StubElement | string)[] = [];
  disabled = false;
  hidden = false;
  open = false;
  outerHTML = '';
  textContent = '';

  constructor(name: string) {
    this.name = name;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
    if (name.startsWith('data-')) this.dataset[name.slice(5)] = String(value);
  }

  append(...children: (StubElement | string)[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: (StubElement | string)[]): void {
    this.children = children;
  }

  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, listener);
  }

  insertBefore(child: StubElement): void {
    this.children.push(child);
  }

  contains(): boolean {
    return false;
  }

  matches(): boolean {
    return false;
  }

  querySelectorAll(): StubElement[] {
    return [];
  }

  focus(): void {}

  /** This element and those inside it. */
  all(): StubElement[] {
    return [this, ...this.children.flatMap((child) => (typeof child === 'string' ? [] : child.all()))];
  }

  querySelector(name: string): StubElement | undefined {
    return this.all().find((each) => each.name === name);
  }

  text(): string {
    const inner = this.children.map((child) => (typeof child === 'string' ? child : child.text()));
    return [this.textContent, ...inner].join('');
  }
}

/** The script of the board without a browser: what it knows is given, and what it sends is kept. */
export async function startBoard(answer: (call: BoardCall) => BoardAnswer) {
  const { service } = await startFixture();
  const { body } = await service.fetch({ method: 'GET', path: '/board', headers: {}, body: '' });
  const [, vocabulary = ''] =
    /<script[^>]*id="vocabulary"[^>]*>([\s\S]*?)<\/script>/.exec(String(body)) ?? [];
  const calls: BoardCall[] = [];
  const elements = new Map([
    ['#vocabulary', Object.assign(new StubElement('script'), { textContent: vocabulary })],
  ]);
  let given: Record<string, string | string[]> = {};
  let opened: StubElement[] = [];
  const elementOf = (selector: string) => {
    const known = elements.get(selector) ?? new StubElement(selector);
    elements.set(selector, known);
    return known;
  };
  const page = createContext({
    document: {
      createElement: (name: string) => new StubElement(name),
      querySelector: elementOf,
      querySelectorAll: (selector: string) => (selector.startsWith('#actions') ? opened : []),
    },
    FormData: class {
      get = (name: string) => [given[name] ?? ''].flat()[0];
      getAll = (name: string) => [given[name] ?? []].flat();
    },
    addEventListener: () => {},
    URL,
    setTimeout: () => 0,
    clearTimeout: () => {},
    ask: (method: string, path: string, sent?: Record<string, unknown>) => {
      const call = { method, path, body: sent === undefined ? undefined : structuredClone(sent) };
      calls.push(call);
      return answer(call);
    },
  });
  const prelude = `
    class Refused extends Error { code = ''; related_ids = []; }
    const changed_code = 'record_changed';
    const key = 'wb_test', filters = {}, found = null;
    const now = () => Date.parse('2026-03-02T12:00:00.000Z');
    let busy = 0;
    const show = () => {};
    const say = (message) => (one('#said').textContent = message);
    const openItem = () => {};
    const signs = {}, toneOf = () => '';
    const createList = () => ({ set() {} });
    async function call(...sent) {
      const answer = ask(...sent);
      if (answer.code) throw Object.assign(new Refused(answer.message), answer);
      return answer;
    }
    const listOf = async (path) => (await call('GET', path)).data ?? [];`;
  const exported =
    '({ one, filters, readAll, pauseText, overdueBy, records, kinds, historyOf, deliveryFacts, textLink, deliveryActions, orderActions, driverActions, showActions, driverChoice, targetOfDelivery })';
  const parts_of_page = [basics, records, problems, drivers, forms, suggestions, actions, panel];
  const script = [prelude, ...parts_of_page, exported].join('\n');
  const parts = runInContext(script, page);
  return {
    parts,
    calls,
    /** Sends the form or presses the button of an action. */
    use: async (action: StubElement, values: typeof given = {}) => {
      given = values;
      const event = { preventDefault: () => {} };
      const form = action.querySelector('form') ?? action;
      opened = 'seen' in action.dataset ? [action] : [];
      action.open = true;
      await action.listeners.get('toggle')?.(event);
      const listener = form.listeners.get('submit') ?? form.listeners.get('click');
      await listener?.(event);
      // What the action does goes on after the event.
      for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
    },
    results: () => elementOf('#results').text(),
    resultButton: () => elementOf('#results').querySelector('button'),
  };
}

export type { StubElement };
