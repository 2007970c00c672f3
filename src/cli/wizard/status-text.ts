import { invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase } from '../kit/output/message.ts';
import { orderIds, type Plan } from './plan.ts';

const goOn = phrase`Continue with: \`${invocation('new', [], { resume: true })}\`.`;

/** Whether there is anything to take up again. */
export function isWorthKeeping({ orders, draft }: Plan): boolean {
  return orders.length > 0 || (draft !== null && Object.keys(draft.answers).length > 0);
}

/** What is true at the service right now, and how to go on. */
export function standingText(plan: Plan, doing = ''): Text {
  if (!isWorthKeeping(plan)) return 'Nothing was changed at the service.';
  return phrase`${stateText(plan, doing)} ${goOn}`;
}

/** What is true at the service, and what was typed. */
export function stateText(plan: Plan, doing = ''): string {
  return [`${thereText(plan)}${doing}`, ...unsureTexts(plan), ...typedTexts(plan)].join(' ');
}

/** `The order ord_1 stays, in the draft route rte_1. Nothing is dispatched.` */
function thereText(plan: Plan): string {
  const ids = orderIds(plan);
  if (ids.length === 0) return 'No order was created yet.';
  const [what, stay] = ids.length === 1 ? ['Order', 'is'] : ['Orders', 'are'];
  const route = plan.route?.id ?? null;
  const place = route === null ? 'open' : `in draft route ${route}`;
  const end = plan.dispatch === null ? ' Nothing was dispatched.' : '';
  return `${what} ${ids.join(', ')} ${stay} ${place}.${end}`;
}

/** What was sent and not heard of. */
function unsureTexts({ orders, route, dispatch }: Plan): string[] {
  const what = [
    ...(orders.some(({ id }) => id === null) ? ['another order was created'] : []),
    ...(route !== null && route.id === null ? ['their route was created'] : []),
    ...(dispatch === null ? [] : ['the route was dispatched']),
  ];
  return what.map((text) => `It is not known yet whether ${text}; it is never done twice.`);
}

function typedTexts({ draft }: Plan): string[] {
  return draft === null ? [] : ['Your input was saved.'];
}
