/** Extensions over REST: what Chromium has in the sessions that name them. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { sizeWord } from '../../lib/text/sizes.ts'
import { CommandFailed, type CliCommand, type CliCommandGroup } from '../command.ts'
import { callService, callVariables as variables, idPart, sendForm } from '../service-call.ts'
import { confirm } from '../terminal/confirm.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { packedFolder } from './packed-folder.ts'

interface ListedExtension {
  readonly id: string
  readonly name: string
  readonly chromium_id: string
  readonly manifest: { readonly name: string; readonly version: string }
  readonly size_bytes: number
  readonly createdAt: string
}

const columns: readonly TextColumn<ListedExtension>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'EXTENSION', cell: ({ manifest: { name, version } }) => `${name} ${version}` },
  { head: 'SIZE', cell: ({ size_bytes: size }) => sizeWord(size), alignsRight: true },
  { head: 'UPLOADED', cell: ({ createdAt: time }) => `${time.slice(0, 16)}Z` },
]

const list: CliCommand = {
  usage: 'extensions list [--json]',
  about: 'List your extensions.',
  options: { json: { help: 'Print the service’s answer as JSON.' } },
  variables,
  examples: ['troupe extensions list'],
  async run({ switches }) {
    const found = await callService<readonly ListedExtension[]>('GET', '/v1/extensions')
    if (switches.has('json')) console.log(prettyJson(found))
    else if (found.length > 0) console.log(tableText(columns, found))
    else console.log('no extensions yet: upload one with extensions add NAME PATH')
    return 0
  },
}

const add: CliCommand = {
  usage: 'extensions add NAME PATH',
  about: 'Upload an extension, its folder, a ZIP or a CRX, and print its id.',
  more: 'Name the id in browser.extensions of a session. The same NAME has the same id in Chromium.',
  arguments: [2, 2],
  variables,
  examples: ['troupe extensions add reader ./reader', 'troupe extensions add reader reader.crx'],
  async run({ args: [name, path] }) {
    const bytes = await fileOrFolder(path!).catch((cause: Error) => {
      throw new CommandFailed(`${path} cannot be read: ${cause.message}`)
    })
    const form = new FormData()
    form.append('name', name!)
    form.append('file', new Blob([Uint8Array.from(bytes)]), basename(path!))
    const { id } = await sendForm<ListedExtension>('/v1/extensions', form)
    console.log(id)
    return 0
  },
}

const fileOrFolder = async (path: string) => (await packedFolder(path)) ?? readFile(path)

const remove: CliCommand = {
  usage: 'extensions remove ID [--yes]',
  about: 'Delete an extension; sessions that have it keep it until they end.',
  arguments: [1, 1],
  options: { yes: { help: 'Do not ask.' } },
  variables,
  examples: ['troupe extensions remove ext_…'],
  async run({ args: [id], switches }) {
    if (!switches.has('yes') && !(await confirm(`Delete ${id}?`))) return 1
    await callService('DELETE', `/v1/extensions/${idPart(id)}`)
    console.log(`deleted ${id}`)
    return 0
  },
}

export const extensionsCommandGroup: CliCommandGroup = {
  about: 'Extensions of Chromium that sessions can have.',
  commands: { list, add, remove },
}
