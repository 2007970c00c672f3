import { invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase } from '../kit/output/message.ts';
import { orderIds, type Plan } from './plan.ts';

const goOn = phrase`Continue with: \`${invocation('new', [], { resume: true })}\`.`;

/** Whether there is anything to resume. */
export function isResumable({ orders, draft }: Plan): boolean {
  return orders.length > 0 || (draft !== null && Object.keys(draft.answers).length > 0);
}

/** What exists at the service, and how to continue. */
export function statusText(plan: Plan, doing = ''): Text {
  if (!isResumable(plan)) return 'Nothing was changed at the service.';
  return phrase`${stateText(plan, doing)} ${goOn}`;
}

/** What exists at the service, and whether input was saved. */
export function stateText(plan: Plan, doing = ''): string {
  return [`${recordsText(plan)}${doing}`, ...pendingTexts(plan), ...inputTexts(plan)].join(' ');
}

/** `Order ord_1 is in draft route rte_1. Nothing was dispatched.` */
function recordsText(plan: Plan): string {
  const ids = orderIds(plan);
  if (ids.length === 0) return 'No order was created yet.';
  const [what, stay] = ids.length === 1 ? ['Order', 'is'] : ['Orders', 'are'];
  const route = plan.route?.id ?? null;
  const place = route === null ? 'open' : `in draft route ${route}`;
  const end = plan.dispatch === null ? ' Nothing was dispatched.' : '';
  return `${what} ${ids.join(', ')} ${stay} ${place}.${end}`;
}

/** The requests whose outcome is unknown. */
function pendingTexts({ orders, route, dispatch }: Plan): string[] {
  const what = [
    ...(orders.some(({ id }) => id === null) ? ['another order was created'] : []),
    ...(route !== null && route.id === null ? ['their route was created'] : []),
    ...(dispatch === null ? [] : ['the route was dispatched']),
  ];
  return what.map((text) => `It is not known yet whether ${text}; it is never done twice.`);
}

function inputTexts({ draft }: Plan): string[] {
  return draft === null ? [] : ['Your input was saved.'];
}
