import { StoreConflict } from './store.ts'

/**
 * For compare-and-set: `write` reads a value and writes the next one. It is called again at once if
 * another writer was faster. After `attemptsMax` conflicts, throws the last conflict, or the error
 * that `giveUp` makes of it.
 */
export async function retryConflicts<T>(
  attemptsMax: number,
  write: (attempt: number) => Promise<T>,
  giveUp: (conflict: StoreConflict) => Error = (conflict) => conflict,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(attempt)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      if (attempt >= attemptsMax) throw giveUp(error)
    }
  }
}
