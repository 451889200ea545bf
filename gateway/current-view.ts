/** One actor's view for a caller of REST: from the actor itself, unless its record says enough. */
import { mayTryElsewhere } from '../proto/errors.ts'

interface Reading<V> {
  /** What the last record says; undefined where there is none, or it is another tenant's. */
  readonly known: V | undefined
  /** Nothing changes any more, and nobody need be woken to say so. */
  readonly isOver: (view: V) => boolean
  readonly ask: () => Promise<V>
}

/** An actor that cannot be reached at the moment is as it was last seen. */
export async function currentView<V>({ known, isOver, ask }: Reading<V>): Promise<V> {
  if (known && isOver(known)) return known
  try {
    return await ask()
  } catch (error) {
    if (known && mayTryElsewhere(error)) return known
    throw error
  }
}

/** Without a tenant: somebody who knows the id, where that is enough. */
export interface Whose {
  readonly tenant?: string
}

export const ofTenant = <V extends { readonly tenant: string }>(
  view: V | undefined,
  { tenant }: Whose,
): V | undefined => (tenant === undefined || view?.tenant === tenant ? view : undefined)
