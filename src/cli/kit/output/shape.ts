/** The text made of data, up to the document that the filter does not fit. */
export interface Shaped {
  text: string;
  /** Why a document failed; null if none did. */
  fault: string | null;
}

/** Transforms data to text as the user requested. */
export interface Shape {
  /** Transforms documents one by one. Throws UsageError if the filter was stopped. */
  made(documents: readonly unknown[], isTerminal: boolean): Promise<Shaped>;
}
