/** Places, known by their index in the given order, that must be brought into a sequence. */
export interface SequenceModel {
  /** The way from each place to each, the same in both directions. */
  legs: readonly (readonly number[])[];
  /** For each place those that must come before it. */
  earlier: readonly (readonly number[])[];
}

/** The way between two places; nothing before the first place and behind the last. */
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

/** Whether every place comes after those that must come before it. */
export function keepsPrecedence(model: SequenceModel, sequence: readonly number[]): boolean {
  const seen = new Set<number>();
  for (const place of sequence) {
    if (!earlierOf(model, place).every((other) => seen.has(other))) return false;
    seen.add(place);
  }
  return true;
}
