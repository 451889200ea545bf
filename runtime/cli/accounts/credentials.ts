import { apiProviders } from '../../../proto/accounts/credential.ts'
import { EnvironmentAccounts } from '../../accounts/credentials/environment.ts'
import { addressOf } from '../../accounts/credentials/addresses.ts'
import { checkKeyOrder, providerOf, type AccountOrder } from '../../accounts/credentials/order.ts'
import type { Config } from '../../config/config.ts'
import { CommandFailed, type CliCommand, type CliCommandGroup } from '../command.ts'
import { listCredentialsCommand } from './credentials-list.ts'
import { loginCommand } from './login.ts'
import { resealCommand } from './reseal.ts'
import { tryKey } from './try-key.ts'
import { promptForSecret } from '../terminal/secret-input.ts'
import {
  accountOptions,
  credentialSettings as settings,
  ownerText,
  readOptions,
  readOwner,
  tenantOption,
  withCredentials,
} from './with-credentials.ts'

const set: CliCommand = {
  usage: 'credentials set PROVIDER [--tenant T] [--base-url URL] [--model M] [--no-check]',
  about: 'Set the account with a provider by its API key, read from stdin or from a prompt.',
  more:
    `Providers: ${apiProviders.join(', ')}. The last two and azure need --base-url. ` +
    'The key is tried once, with a request that costs nothing; a refused one is not stored.',
  arguments: [1, 1],
  options: {
    ...accountOptions,
    'no-check': { help: 'Store the key without trying it.' },
  },
  settings,
  examples: [
    'troupe credentials set openai < key.txt',
    'troupe credentials set groq --tenant acme --model llama-4',
    'troupe credentials set azure --base-url https://mine.openai.azure.com --model gpt-5',
    'troupe credentials set ollama --base-url http://localhost:11434 --model qwen3 < /dev/null',
  ],
  async run({ args: [name = ''], values, switches }) {
    const provider = providerOf(name)
    const owner = readOwner(values)
    const options = readOptions(values)
    const apiKey = await promptForSecret(`API key of ${provider}: `)
    const order = { provider, ...options, ...(apiKey !== '' && { apiKey }) }
    const { hint } = await withCredentials(async ({ setKey }, { config }) => {
      if (!switches.has('no-check')) await assertAccepted(order, config)
      return await setKey(owner, order, 'operator')
    })
    const which = hint === '' ? '' : ` (…${hint})`
    console.log(`set ${provider}${which} for ${ownerText(owner)}`)
    return 0
  },
}

/** Throws {@link CommandFailed} for a key that the provider refuses. */
async function assertAccepted(order: AccountOrder, config: Config): Promise<void> {
  const { provider, apiKey = '' } = order
  const configured = new EnvironmentAccounts(config).find(provider)?.baseUrl
  const rule = { mayBePrivate: true, hasAddress: configured !== undefined }
  const { baseUrl = configured ?? addressOf(provider) } = checkKeyOrder(order, rule)
  if (baseUrl === undefined) return
  const verdict = await tryKey(provider, baseUrl, apiKey)
  if (verdict.kind === 'refused') {
    throw new CommandFailed(
      `${provider} refuses the key: ${verdict.why}. Nothing was stored; check the key, or use --no-check.`,
    )
  }
  if (verdict.kind === 'unknown') {
    console.error(`The key could not be tried (${verdict.why}); it was stored anyway.`)
  }
}

const remove: CliCommand = {
  usage: 'credentials remove PROVIDER [--tenant T]',
  about: 'Remove the account with a provider. Tasks that use it fail at their next step.',
  arguments: [1, 1],
  options: tenantOption,
  settings,
  examples: ['troupe credentials remove openai', 'troupe credentials remove groq --tenant acme'],
  async run({ args: [name = ''], values }) {
    const provider = providerOf(name)
    const owner = readOwner(values)
    const wasThere = await withCredentials(({ records }) => records.remove(owner, provider))
    if (!wasThere) throw new CommandFailed(`${ownerText(owner)} has no account with ${provider}`)
    console.log(`removed ${provider} of ${ownerText(owner)}`)
    return 0
  },
}

export const credentialsCommandGroup: CliCommandGroup = {
  about: 'Accounts with model providers: set, log in, list, remove and reseal.',
  commands: {
    set,
    login: loginCommand,
    list: listCredentialsCommand,
    remove,
    reseal: resealCommand,
  },
}
