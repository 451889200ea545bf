/** One actor's view for a REST caller: asked from the actor itself, unless its record is final. */
import { mayTryElsewhere } from '../../proto/errors.ts'

interface Reading<V> {
  /** The last record; undefined if there is none or if it is another tenant's. */
  readonly known: V | undefined
  /** True if the view cannot change any more, so the actor need not be woken. */
  readonly isOver: (view: V) => boolean
  readonly ask: () => Promise<V>
}

/** Asks the actor; falls back to the last record while the actor cannot be reached. */
export async function currentView<V>({ known, isOver, ask }: Reading<V>): Promise<V> {
  if (known && isOver(known)) return known
  try {
    return await ask()
  } catch (error) {
    if (known && mayTryElsewhere(error)) return known
    throw error
  }
}

/** The caller's tenant. Without a tenant, knowing the id is sufficient. */
export interface ViewOwner {
  readonly tenant?: string
}

export const ofTenant = <V extends { readonly tenant: string }>(
  view: V | undefined,
  { tenant }: ViewOwner,
): V | undefined => (tenant === undefined || view?.tenant === tenant ? view : undefined)
