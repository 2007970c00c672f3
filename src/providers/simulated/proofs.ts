import type { ProofType } from '../../contract/vocabulary.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import type { AcceptedOrder, Chance, Report } from '../port.ts';
import type { Courier } from './couriers.ts';

type Proof = Pick<Report, 'proof' | 'signature'>;

/**
 * The proof of a delivery; empty if absent. A photo if the courier takes photos, plus a signature if the order
 * requires one; otherwise, for a handover in person, the recipient's PIN.
 */
export function proofOf(courier: Courier, reference: string, order: AcceptedOrder): Proof {
  const types = proofTypes(courier, order);
  if (types.length === 0) return {};
  const url = (type: ProofType) =>
    `https://couriers.example/proofs/${encodeURIComponent(reference)}/${encodeURIComponent(order.order_id)}/${type}.png`;
  const proof = types.map((type) => ({ type, url: url(type) }));
  if (!types.includes('signature')) return { proof };
  return { proof, signature: { name: order.recipient, image_url: url('signature') } };
}

/** The PIN of a handover that is proved by one; the same in every report. */
export function pinOf(courier: Courier, chance: Chance, order: AcceptedOrder): Pick<Report, 'pin'> {
  if (!proofTypes(courier, order).includes('pin')) return {};
  const number = Math.floor(chance(`${courier.name} pin ${order.fate ?? order.order_id}`) * 10_000);
  return { pin: String(number).padStart(4, '0') };
}

const LATE_MINUTES = 10;

/** Minutes from `delivered` to its proof. */
export function proofDelay(courier: Courier, { scenario }: AcceptedOrder): number {
  return scriptOf(scenario).proof === 'late' ? LATE_MINUTES : courier.proof_late_minutes;
}

export function isProofLate(courier: Courier, order: AcceptedOrder): boolean {
  return proofDelay(courier, order) > 0;
}

function proofTypes(courier: Courier, order: AcceptedOrder): ProofType[] {
  const { proof: fate } = scriptOf(order.scenario);
  if (fate === 'never') return [];
  // A scenario with a proof has one for every courier.
  const kinds: readonly ProofType[] =
    fate !== undefined && courier.proof.length === 0 ? ['photo'] : courier.proof;
  const wanted: ProofType[] = ['photo'];
  if (fate !== 'photo_only' && order.request_signature) wanted.push('signature');
  else if (fate !== 'photo_only' && !order.request_contactless) wanted.push('pin');
  return wanted.filter((type) => kinds.includes(type));
}
