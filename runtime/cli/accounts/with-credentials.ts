/** Gives a command access to the service's accounts with model providers. */
import { defined } from '../../../proto/defined.ts'
import {
  everyTenant,
  type AccountOptions,
  type CredentialOwner,
} from '../../../proto/accounts/credential.ts'
import { systemClock } from '../../lib/clock.ts'
import { loadConfig, type Config, type SettingName } from '../../config/config.ts'
import { tokenText } from '../../config/value-texts.ts'
import {
  openCredentials,
  type Credentials,
  type CredentialsDeps,
} from '../../accounts/credentials/open.ts'
import { readAmount } from '../../accounts/credentials/prices.ts'
import { openSealer } from '../../accounts/seal/seal.ts'
import { UsageError, type CliInput, type CliOption } from '../command.ts'
import { parseOption } from '../terminal/parse-option.ts'
import { withStore } from '../with-store.ts'

export function withCredentials<T>(
  use: (credentials: Credentials, deps: CredentialsDeps & { config: Config }) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  const sealer = openSealer(config)
  return withStore((store) => {
    const deps = { store, sealer, clock: systemClock, config }
    return use(openCredentials(deps), deps)
  })
}

export const credentialSettings: readonly SettingName[] = ['NATS_URL', 'DATA_DIR', 'SEAL_KEY']

export const tenantOption = {
  tenant: { value: 'T', help: 'For this tenant only (default: for all without their own).' },
} satisfies Record<string, CliOption>

export const accountOptions = {
  ...tenantOption,
  'base-url': { value: 'URL', help: 'Its address, if not the provider’s own.' },
  model: { value: 'M', help: 'The model for tasks that name none.' },
  'price-in': { value: 'USD', help: 'Price per million input tokens, for cost limits.' },
  'price-out': { value: 'USD', help: 'Price per million output tokens; both or none.' },
} satisfies Record<string, CliOption>

export function readOwner({ tenant }: CliInput['values']): CredentialOwner {
  return tenant === undefined ? everyTenant : parseOption('tenant', tenant, tokenText)
}

export function readOptions(values: CliInput['values']): AccountOptions {
  const { 'base-url': baseUrl, model, 'price-in': priceIn, 'price-out': priceOut } = values
  if ((priceIn === undefined) !== (priceOut === undefined)) {
    throw new UsageError('--price-in and --price-out are given together')
  }
  return {
    ...defined({ baseUrl, model }),
    ...(priceIn !== undefined && {
      price: {
        inputPerMillionUsd: readDollars('price-in', priceIn),
        outputPerMillionUsd: readDollars('price-out', priceOut!),
      },
    }),
  }
}

/**
 * An empty variable in a script would count as a price of 0, so a cost limit would never be
 * reached.
 */
function readDollars(option: string, text: string): number {
  const dollars = readAmount(text)
  if (dollars !== undefined) return dollars
  throw new UsageError(`--${option} takes US dollars such as 0.25, not "${text}"`)
}

export function ownerText(owner: CredentialOwner): string {
  return owner === everyTenant ? 'everybody' : `tenant ${owner}`
}
