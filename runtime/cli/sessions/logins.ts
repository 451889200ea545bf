/** Logins with sites over REST: what `fill_login` fills into forms. */
import { confirm } from '../terminal/confirm.ts'
import { UsageError, type CliCommand, type CliCommandGroup, type CliInput } from '../command.ts'
import { callService, callVariables as variables, idPart } from '../service-call.ts'
import { secretReader } from '../terminal/secret-input.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'

interface ListedLogin {
  readonly name: string
  readonly origin: string
  readonly subdomains: boolean
  readonly has: readonly string[]
  readonly last_used_at?: string
}

const columns: readonly TextColumn<ListedLogin>[] = [
  { head: 'LOGIN', cell: ({ name }) => name },
  {
    head: 'SITE',
    cell: ({ origin, subdomains }) => (subdomains ? `${origin} and below` : origin),
  },
  { head: 'HAS', cell: ({ has }) => has.join(', ') },
  { head: 'LAST USED', cell: ({ last_used_at: time }) => time && `${time.slice(0, 16)}Z` },
]

const list: CliCommand = {
  usage: 'logins list [--json]',
  about: 'List your logins with sites, without their values.',
  options: { json: { help: 'Print the service’s answer as JSON.' } },
  variables,
  examples: ['troupe logins list'],
  async run({ switches }) {
    const found = await callService<{ items: readonly ListedLogin[] }>('GET', '/v1/logins')
    if (switches.has('json')) console.log(prettyJson(found))
    else if (found.items.length > 0) console.log(tableText(columns, found.items))
    else console.log('no logins yet: troupe logins add https://shop.example --username ada')
    return 0
  },
}

const valueOptions = {
  username: { value: 'NAME', help: 'The user name.' },
  'with-totp': { help: 'Ask for the secret of one-time codes, too: base32, or an otpauth:// URI.' },
  'no-password': { help: 'Ask for no password.' },
} as const

/** What options and prompts give; what is left empty is left out. */
async function valuesOf({ values, switches }: CliInput) {
  const ask = secretReader()
  const password = switches.has('no-password') ? '' : await ask('Password: ')
  const totp = switches.has('with-totp') ? await ask('Secret of one-time codes: ') : ''
  const { username = '' } = values
  const given = Object.entries({ username, password, totp }).filter(([, value]) => value !== '')
  return Object.fromEntries(given)
}

const add: CliCommand = {
  usage: 'logins add ORIGIN [--name N] [--username U] [--with-totp] [--no-password] [--subdomains]',
  about: 'Store a login with a site; its password is read from stdin or from a prompt.',
  more:
    'It is filled in on pages of this origin only. From a pipe, the first line is the password and ' +
    'the second the secret of one-time codes.',
  arguments: [1, 1],
  options: {
    name: { value: 'N', help: 'Default: the host of the origin.' },
    ...valueOptions,
    subdomains: { help: 'Also on every name below that of the origin.' },
    'allow-http': { help: 'Required if the origin has the scheme http.' },
  },
  variables,
  examples: [
    'troupe logins add https://shop.example --username ada',
    'troupe logins add https://shop.example --name shop-admin --username root --with-totp < secrets.txt',
  ],
  async run(input) {
    const { args, values, switches } = input
    const { name } = await callService<ListedLogin>('POST', '/v1/logins', {
      origin: args[0],
      ...(values['name'] !== undefined && { name: values['name'] }),
      ...(switches.has('subdomains') && { subdomains: true }),
      ...(switches.has('allow-http') && { allow_http: true }),
      ...(await valuesOf(input)),
    })
    console.log(`stored ${name}`)
    return 0
  },
}

const change: CliCommand = {
  usage: 'logins change NAME [--username U] [--with-totp] [--no-password]',
  about: 'Change a login: its password is read from stdin or from a prompt.',
  more: 'What is left empty stays as it is.',
  arguments: [1, 1],
  options: valueOptions,
  variables,
  examples: ['troupe logins change shop.example'],
  async run(input) {
    const values = await valuesOf(input)
    if (Object.keys(values).length === 0) throw new UsageError('nothing was entered to change')
    await callService('PATCH', pathOf(input.args[0]), values)
    console.log(`changed ${input.args[0]}`)
    return 0
  },
}

const remove: CliCommand = {
  usage: 'logins remove NAME [--yes]',
  about: 'Delete a login with a site.',
  arguments: [1, 1],
  options: { yes: { help: 'Do not ask.' } },
  variables,
  examples: ['troupe logins remove shop.example'],
  async run({ args: [name], switches }) {
    if (!switches.has('yes') && !(await confirm(`Delete the login ${name}?`))) return 1
    await callService('DELETE', pathOf(name))
    console.log(`deleted ${name}`)
    return 0
  },
}

const pathOf = (name: string | undefined) => `/v1/logins/${idPart(name)}`

export const loginsCommandGroup: CliCommandGroup = {
  about: 'Logins with sites: what fill_login fills into forms, without showing it.',
  commands: { list, add, change, remove },
}
