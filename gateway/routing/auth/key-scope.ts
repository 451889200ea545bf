/** Checks that a key's scopes allow what is requested with it. */
import { ServiceError } from '../../../proto/errors.ts'
import type { KeyScope } from '../../../proto/accounts/key-scopes.ts'

/** Throws `forbidden` if private networks are requested and the key may not reach them. */
export function requirePrivateScope(
  { allowPrivate = false }: { readonly allowPrivate?: boolean },
  wanted: boolean | undefined,
): void {
  if (!wanted || allowPrivate) return
  const message =
    'This key does not allow private networks; the operator can create one that does: npm run ' +
    'troupe -- keys create --allow-private.'
  throw new ServiceError('forbidden', message)
}

/** One of the scopes is enough; `any` requires a key but no scope. */
export type WantedScope = KeyScope | readonly KeyScope[] | 'any'

/** Throws `forbidden` naming the scopes that would be enough. */
export function requireScope(has: readonly KeyScope[], wanted: WantedScope): void {
  if (wanted === 'any') return
  const enough: readonly KeyScope[] = typeof wanted === 'string' ? [wanted] : wanted
  if (enough.some((scope) => has.includes(scope))) return
  const one =
    enough.length === 1 ? `the scope ${enough[0]}` : `one of the scopes ${enough.join(', ')}`
  const owned = has.join(', ') || 'none'
  const message = `This key does not allow that: it needs ${one}, but has ${owned}.`
  throw new ServiceError('forbidden', message, { scopes: [...enough] })
}
