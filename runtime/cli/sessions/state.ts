/** The storage state of a session, from and to a file. */
import { readFile } from 'node:fs/promises'
import { CommandFailed, UsageError, type CliCommand } from '../command.ts'
import { callService, callVariables as variables, idPart } from '../service-call.ts'
import { prettyJson } from '../terminal/table.ts'

export const stateCommand: CliCommand = {
  usage: 'sessions state ID [--indexed-db | --load FILE]',
  about: 'Print what keeps a session logged in, or replace it by what a file has.',
  more:
    'Cookies and local storage, in the format of Playwright’s storageState. Whoever has such a file ' +
    'has the logins: protect it like a password.',
  arguments: [1, 1],
  options: {
    'indexed-db': { help: 'Print IndexedDB too.' },
    load: { value: 'FILE', help: 'Replace the state by that of this file.' },
  },
  variables,
  examples: [
    'troupe sessions state ses_… > state.json',
    'troupe sessions state ses_… --load state.json',
  ],
  async run({ args: [id], values: { load }, switches }) {
    const path = `/v1/sessions/${idPart(id)}/storage-state`
    const withDatabases = switches.has('indexed-db')
    if (load === undefined) {
      const query = withDatabases ? '?indexed_db=true' : ''
      console.log(prettyJson(await callService('GET', path + query)))
      return 0
    }
    if (withDatabases) throw new UsageError('a file is loaded whole: leave --indexed-db out')
    await callService('PUT', path, await jsonIn(load))
    console.log(`${id} has the state of ${load}`)
    return 0
  },
}

export async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}`)
  }
}
