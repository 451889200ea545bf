/** Profiles over REST: what sessions keep for later ones. */
import { sizeWord } from '../../lib/text/sizes.ts'
import { confirm } from '../terminal/confirm.ts'
import { UsageError, type CliCommand, type CliCommandGroup } from '../command.ts'
import { callService, callVariables as variables, idPart } from '../service-call.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { jsonIn } from './state.ts'

interface ListedProfile {
  readonly name: string
  readonly status: string
  readonly in_use_by?: string
  readonly version: number
  readonly size_bytes: number
  readonly last_used_at?: string
  readonly versions: readonly ListedVersion[]
}

interface ListedVersion {
  readonly version: number
  readonly saved_at: string
  readonly size_bytes: number
  readonly session_id: string
  readonly chromium: string
  readonly restored_from?: number
}

const json = { json: { help: 'Print the service’s answer as JSON.' } } as const
const pathOf = (name: string | undefined) => `/v1/profiles/${idPart(name)}`
const minuteOf = (time: string) => `${time.slice(0, 16)}Z`

const columns: readonly TextColumn<ListedProfile>[] = [
  { head: 'PROFILE', cell: ({ name }) => name },
  { head: 'STATUS', cell: ({ status, in_use_by: id }) => (id ? `in use by ${id}` : status) },
  { head: 'VERSION', cell: ({ version }) => version || undefined, alignsRight: true },
  { head: 'SIZE', cell: ({ size_bytes: size }) => sizeWord(size), alignsRight: true },
  { head: 'LAST USED', cell: ({ last_used_at: time }) => time && minuteOf(time) },
]

const list: CliCommand = {
  usage: 'profiles list [--json]',
  about: 'List your profiles.',
  options: json,
  variables,
  examples: ['troupe profiles list'],
  async run({ switches }) {
    const found = await callService<{ items: readonly ListedProfile[] }>('GET', '/v1/profiles')
    if (switches.has('json')) console.log(prettyJson(found))
    else if (found.items.length > 0) console.log(tableText(columns, found.items))
    else console.log('no profiles yet: create a session with browser.profile {name, persist: true}')
    return 0
  },
}

const versionColumns: readonly TextColumn<ListedVersion>[] = [
  { head: 'VERSION', cell: ({ version }) => version, alignsRight: true },
  { head: 'SAVED', cell: ({ saved_at: time }) => minuteOf(time) },
  { head: 'SIZE', cell: ({ size_bytes: size }) => sizeWord(size), alignsRight: true },
  { head: 'BY SESSION', cell: ({ session_id: id }) => id },
  { head: 'CHROMIUM', cell: ({ chromium }) => chromium },
  { head: 'COPY OF', cell: ({ restored_from: version }) => version, alignsRight: true },
]

const show: CliCommand = {
  usage: 'profiles show NAME [--json]',
  about: 'List the versions of a profile, the newest first.',
  arguments: [1, 1],
  options: json,
  variables,
  examples: ['troupe profiles show shop'],
  async run({ args: [name], switches }) {
    const profile = await callService<ListedProfile>('GET', pathOf(name))
    if (switches.has('json')) console.log(prettyJson(profile))
    else if (profile.versions.length > 0) console.log(tableText(versionColumns, profile.versions))
    else console.log('not saved yet')
    return 0
  },
}

const save: CliCommand = {
  usage: 'profiles save NAME SESSION',
  about: 'Save what a running session has now under that name; the session goes on.',
  arguments: [2, 2],
  variables,
  examples: ['troupe profiles save shop ses_…'],
  async run({ args: [name, session] }) {
    const path = `/v1/sessions/${idPart(session)}/profile/save`
    const { version } = await callService<{ version: number }>('POST', path, { name })
    console.log(`version ${version} of ${name} is saved`)
    return 0
  },
}

const restore: CliCommand = {
  usage: 'profiles restore NAME VERSION',
  about: 'Make an earlier version of a profile the newest one.',
  arguments: [2, 2],
  variables,
  examples: ['troupe profiles restore shop 3'],
  async run({ args: [name, version] }) {
    if (!/^[1-9]\d*$/.test(version!)) throw new UsageError('VERSION is a number, as in show')
    const body = { version: Number(version) }
    const profile = await callService<ListedProfile>('POST', `${pathOf(name)}/restore`, body)
    console.log(`version ${profile.version} of ${name} is a copy of ${version}`)
    return 0
  },
}

const copy: CliCommand = {
  usage: 'profiles copy NAME NEW',
  about: 'Copy the newest version of a profile under a new name.',
  arguments: [2, 2],
  variables,
  examples: ['troupe profiles copy shop shop-staging'],
  async run({ args: [name, to] }) {
    await callService('POST', `${pathOf(name)}/copy`, { name: to })
    console.log(`${to} is a copy of ${name}`)
    return 0
  },
}

const rename: CliCommand = {
  usage: 'profiles rename NAME NEW',
  about: 'Give a profile another name.',
  arguments: [2, 2],
  variables,
  examples: ['troupe profiles rename shop shop-old'],
  async run({ args: [name, to] }) {
    await callService('PATCH', pathOf(name), { name: to })
    console.log(`${name} is now ${to}`)
    return 0
  },
}

const load: CliCommand = {
  usage: 'profiles load NAME FILE',
  about: 'Save a profile with the logins of a file, in a short session of its own.',
  more: 'The file is a storageState of Playwright, or of `sessions state`. Other logins of the profile go.',
  arguments: [2, 2],
  variables,
  examples: ['troupe profiles load shop state.json'],
  async run({ args: [name, file] }) {
    const state = await jsonIn(file!)
    const { id } = await callService<{ id: string }>('POST', '/v1/sessions', {
      session: { storage_state: state },
      browser: { headless: { active: true }, profile: { name, persist: true } },
    })
    await callService('DELETE', `/v1/sessions/${idPart(id)}`)
    const { profile } = await callService<{
      profile: { saved_version?: number; problem?: string }
    }>(...(['GET', `/v1/sessions/${idPart(id)}`] as const))
    if (profile.saved_version === undefined) {
      console.error(`${name} was not saved: ${profile.problem}`)
      return 1
    }
    console.log(`version ${profile.saved_version} of ${name} has the logins of ${file}`)
    return 0
  },
}

const state: CliCommand = {
  usage: 'profiles state NAME [--indexed-db]',
  about:
    'Print the logins of a profile, as `sessions state` does, from a short session of its own.',
  more: 'Whoever has what it prints has the logins: protect it like a password.',
  arguments: [1, 1],
  options: { 'indexed-db': { help: 'Print IndexedDB too.' } },
  variables,
  examples: ['troupe profiles state shop > state.json'],
  async run({ args: [name], switches }) {
    const { id } = await callService<{ id: string }>('POST', '/v1/sessions', {
      browser: { headless: { active: true }, profile: { name } },
    })
    const path = `/v1/sessions/${idPart(id)}`
    try {
      const query = switches.has('indexed-db') ? '?indexed_db=true' : ''
      console.log(prettyJson(await callService('GET', `${path}/storage-state${query}`)))
    } finally {
      await callService('DELETE', path)
    }
    return 0
  },
}

const remove: CliCommand = {
  usage: 'profiles remove NAME [--yes]',
  about: 'Delete a profile with all its versions.',
  arguments: [1, 1],
  options: { yes: { help: 'Do not ask.' } },
  variables,
  examples: ['troupe profiles remove shop'],
  async run({ args: [name], switches }) {
    if (!switches.has('yes') && !(await confirm(`Delete ${name} with all its versions?`))) return 1
    await callService('DELETE', pathOf(name))
    console.log(`deleted ${name}`)
    return 0
  },
}

export const profilesCommandGroup: CliCommandGroup = {
  about: 'Profiles: the logins and other site data that sessions keep for later ones.',
  commands: { list, show, save, restore, copy, rename, load, state, remove },
}
