import {
  apiProviders,
  type AccountOptions,
  type CredentialRecord,
  type CredentialOwner,
} from '../../../proto/accounts/credential.ts'
import { EnvironmentAccounts } from '../../accounts/credentials/environment.ts'
import type { CliCommand } from '../command.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { credentialSettings, ownerText, withCredentials } from './with-credentials.ts'

/** An account as it is listed; one of the environment has no record. */
interface ListedAccount {
  readonly provider: string
  readonly owner?: CredentialOwner
  readonly record?: CredentialRecord
  readonly options: AccountOptions
}

export const listCredentialsCommand: CliCommand = {
  usage: 'credentials list [--json]',
  about:
    'List the stored accounts, then those of this environment. Secrets are not shown, ' +
    'except their last characters.',
  options: { json: { help: 'Print them as JSON, with the fields of GET /v1/credentials.' } },
  settings: credentialSettings,
  examples: ['troupe credentials list', 'troupe credentials list --json'],
  async run({ switches }) {
    const accounts = await withCredentials(async ({ records }, { config }) => [
      ...(await records.all()).map(storedAccount),
      ...environmentAccounts(new EnvironmentAccounts(config)),
    ])
    if (switches.has('json')) console.log(prettyJson(accounts.map(jsonOf)))
    else if (accounts.length > 0) console.log(tableText(columns, accounts))
    else console.log('no accounts yet: npm run troupe -- credentials set PROVIDER')
    return 0
  },
}

interface StoredAccount {
  readonly owner: CredentialOwner
  readonly record: CredentialRecord
}

const storedAccount = ({ owner, record }: StoredAccount): ListedAccount => ({
  ...{ provider: record.provider, owner, record, options: record },
})

function environmentAccounts(environment: EnvironmentAccounts): readonly ListedAccount[] {
  return apiProviders.flatMap((provider) => {
    const options = environment.find(provider)
    return options ? [{ provider, options }] : []
  })
}

const columns: readonly TextColumn<ListedAccount>[] = [
  { head: 'PROVIDER', cell: ({ provider }) => provider },
  { head: 'FOR', cell: ({ owner }) => (owner ? ownerText(owner) : 'environment') },
  { head: 'SECRET', cell: ({ record }) => record && secretText(record) },
  { head: 'MODEL', cell: ({ options }) => options.model },
  { head: 'ADDRESS', cell: ({ options }) => options.baseUrl },
  { head: '$/M TOKENS', cell: ({ options }) => priceText(options) },
  { head: 'SINCE', cell: ({ record }) => record && sinceText(record) },
  { head: 'LOGIN', cell: ({ record }) => record && loginText(record) },
]

function secretText({ kind, hint }: CredentialRecord): string {
  if (kind === 'oauth') return 'login'
  return hint === '' ? 'key' : `key …${hint}`
}

const sinceText = ({ setAtMs, by }: CredentialRecord) =>
  `${isoOf(setAtMs)?.slice(0, 10)}${by === 'tenant' ? ', by its tenant' : ''}`

const priceText = ({ price }: AccountOptions) =>
  price && `${price.inputPerMillionUsd} in, ${price.outputPerMillionUsd} out`

function loginText(record: CredentialRecord): string | undefined {
  if (record.kind !== 'oauth') return undefined
  const { expiresAtMs, renewalError, broken } = record
  if (broken !== undefined) return `LOG IN AGAIN: ${broken}`
  const token = `token until ${minute(expiresAtMs)}`
  if (!renewalError) return token
  return `${token}, NOT RENEWED at ${minute(renewalError.atMs)}: ${renewalError.text}`
}

const isoOf = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString()
const minute = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`

function jsonOf({ provider, owner, record, options }: ListedAccount) {
  const { model, baseUrl, price } = options
  const login = record?.kind === 'oauth' ? record : undefined
  return {
    provider,
    for: owner ? ownerText(owner) : 'environment',
    kind: record?.kind,
    hint: record?.hint,
    base_url: baseUrl,
    model,
    price: price && {
      input_per_million_usd: price.inputPerMillionUsd,
      output_per_million_usd: price.outputPerMillionUsd,
    },
    set_by: record?.by,
    created_at: isoOf(record?.setAtMs),
    expires_at: isoOf(login?.expiresAtMs),
    renewal_error: login?.renewalError?.text,
    login_needed: login?.broken,
  }
}
