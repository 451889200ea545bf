/** What the parts of a test can tell about a condition that never held. */

type Witness = () => string

const witnesses = new Set<Witness>()

/** Returns what ends it. */
export function addWitness(tell: Witness): () => void {
  witnesses.add(tell)
  return () => witnesses.delete(tell)
}

/** A paragraph of each; empty if there is none. */
export const testimony = (): string => [...witnesses].map((tell) => tell()).join('\n')
