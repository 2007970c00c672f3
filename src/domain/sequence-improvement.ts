/**
 * Improves a sequence until neither of two moves helps: reversing a section (2-opt), and moving up to three
 * neighboring places (or-opt). Every move keeps the precedence of places.
 */
import { earlierOf, keepsPrecedence, legOf, type SequenceModel } from './sequence-model.ts';

const LONGEST_MOVED = 3;

/** Returns a sequence that is never longer than the given one, which must keep precedence. */
export function improvedSequence(model: SequenceModel, given: readonly number[]): number[] {
  let sequence = [...given];
  for (;;) {
    while (reverseStretches(model, sequence));
    const moved = moveStretch(model, sequence);
    if (moved === null) return sequence;
    sequence = moved;
  }
}

/** Tries to reverse every section, in place; true if any reversal shortened the sequence. */
function reverseStretches(model: SequenceModel, sequence: number[]): boolean {
  let changed = false;
  for (let first = 0; first < sequence.length - 1; first++) {
    for (let last = first + 1; last < sequence.length; last++) {
      if (bindsInto(model, sequence, first, last)) break;
      if (reversalGain(model, sequence, first, last) <= 0) continue;
      sequence.splice(first, last - first + 1, ...sequence.slice(first, last + 1).reverse());
      changed = true;
      break;
    }
  }
  return changed;
}

/** Whether the last place of a section must come after another place in it. */
function bindsInto(model: SequenceModel, sequence: number[], first: number, last: number): boolean {
  const earlier = earlierOf(model, sequence[last]);
  if (earlier.length === 0) return false;
  for (let index = first; index < last; index++) {
    if (earlier.includes(sequence[index] ?? -1)) return true;
  }
  return false;
}

function reversalGain(model: SequenceModel, sequence: number[], first: number, last: number): number {
  const before = sequence[first - 1];
  const behind = sequence[last + 1];
  const now = legOf(model, before, sequence[first]) + legOf(model, sequence[last], behind);
  const then = legOf(model, before, sequence[last]) + legOf(model, sequence[first], behind);
  return now - then;
}

/** Returns the sequence after the first improving move, or null. */
function moveStretch(model: SequenceModel, sequence: readonly number[]): number[] | null {
  for (let size = 1; size <= LONGEST_MOVED; size++) {
    for (let first = 0; first + size <= sequence.length; first++) {
      const stretch = sequence.slice(first, first + size);
      const others = [...sequence.slice(0, first), ...sequence.slice(first + size)];
      const saved = insertionCost(model, others, stretch, first);
      const moved = insertBetter(model, others, stretch, saved);
      if (moved !== null) return moved;
    }
  }
  return null;
}

function insertBetter(model: SequenceModel, others: number[], stretch: number[], saved: number) {
  for (let at = 0; at <= others.length; at++) {
    if (insertionCost(model, others, stretch, at) >= saved) continue;
    const moved = [...others.slice(0, at), ...stretch, ...others.slice(at)];
    if (keepsPrecedence(model, moved)) return moved;
  }
  return null;
}

/** How much longer a sequence becomes by inserting a section at an index, without the section's own legs. */
function insertionCost(model: SequenceModel, others: number[], stretch: number[], at: number): number {
  const before = others[at - 1];
  const behind = others[at];
  const detour = legOf(model, before, stretch[0]) + legOf(model, stretch.at(-1), behind);
  return detour - legOf(model, before, behind);
}
