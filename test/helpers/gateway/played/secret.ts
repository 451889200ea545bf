/** A secret of the service that is not in a store. */
import type { ServiceSecret } from '../../../../runtime/accounts/keys/service-secret.ts'

export const playedSecret = (text: string): ServiceSecret => ({
  ...{ text, id: 'played' },
  onChange: () => () => undefined,
})
