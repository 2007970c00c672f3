import type { Delivery } from '../../../contract/deliveries.ts';

/** Describes how a delivery ended that did not arrive: `was canceled by swiftly: no driver`. */
export function endingText(delivery: Delivery): string {
  const { status, cancellation_reason } = delivery;
  const canceled = because(cancellation_reason);
  const failed = because(failureText(delivery));
  if (status === 'customer_canceled') return `was canceled${canceled}`;
  if (status === 'provider_canceled')
    return `was canceled by ${delivery.service || 'the provider'}${canceled}`;
  if (status === 'burq_canceled')
    return cancellation_reason ? `was canceled${canceled}` : 'was canceled by the operator of the service.';
  if (status === 'failed') return `failed${failed}`;
  if (status === 'enroute_to_return') return `is on its way back${failed}`;
  if (status === 'returned') return `went back to ${delivery.pickup_name || 'the pickup'}${failed}`;
  return `is ${status}.`;
}

/** Why a delivery failed or is returned: the message, or the code if the message is empty. */
export function failureText({ failure_reason, failure_message }: Delivery): string | null {
  return failure_message || failure_reason;
}

function because(reason: string | null): string {
  return !reason ? '.' : `: ${reason.replace(/\.+$/, '')}.`;
}
