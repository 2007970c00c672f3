/** Places to be ordered, identified by their index in the given order. */
export interface SequenceModel {
  /** The distance between each pair of places, symmetric. */
  legs: readonly (readonly number[])[];
  /** For each place, the places that must come before it. */
  earlier: readonly (readonly number[])[];
}

/** The distance between two places; 0 before the first and after the last. */
export function legOf(model: SequenceModel, from: number | undefined, to: number | undefined): number {
  if (from === undefined || to === undefined) return 0;
  return model.legs[from]?.[to] ?? 0;
}

/** The places that must come before this one. */
export function earlierOf(model: SequenceModel, place: number | undefined): readonly number[] {
  return place === undefined ? [] : (model.earlier[place] ?? []);
}

export function sequenceLength(model: SequenceModel, sequence: readonly number[]): number {
  return sequence.reduce((total, place, index) => total + legOf(model, sequence[index - 1], place), 0);
}

/** Whether every place comes after its predecessors. */
export function keepsPrecedence(model: SequenceModel, sequence: readonly number[]): boolean {
  const seen = new Set<number>();
  for (const place of sequence) {
    if (!earlierOf(model, place).every((other) => seen.has(other))) return false;
    seen.add(place);
  }
  return true;
}
