/** Files between this machine and the browser. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { commandLimits } from '../../../proto/commands/limits.ts'
import { CommandFailed, type CliCommand } from '../command.ts'
import { alignColumns } from '../help.ts'
import { inSession, actedOptions, actedVariables as variables } from './in-session.ts'
import {
  askBrowserService,
  bytesOfService,
  runInSession,
  sessionPath,
  type SessionPlace,
} from './service.ts'
import { unreadable } from './verbs/verb-input.ts'
import { printedText, save } from './verbs/verb-output.ts'

export const uploadVerb: CliCommand = {
  usage: 'browser upload TARGET FILE... [options]',
  about:
    'Put files of this machine into a file input, or drop them where a page takes dropped files.',
  arguments: [2, commandLimits.uploadMore + 2],
  options: actedOptions,
  variables,
  examples: ['troupe browser upload e5 cv.pdf', 'troupe browser upload e5 front.jpg back.jpg'],
  async run(input) {
    const [target, ...paths] = input.args
    const sizes = paths.map(sizeOf)
    const isJson = input.switches.has('json')
    const text = await inSession(input, async (acted) => {
      const { session } = acted
      const put = (files: object) => runInSession(acted, 'upload', { target, ...files })
      const output = sizes.every(fitsInRequest)
        ? await put(inlineOf(paths))
        : await withUploads(acted, paths, (uploads) => put({ uploads }))
      const verb = { command: 'upload', examples: [] } as const
      return printedText({ name: 'upload', verb, session, output, path: undefined, isJson })
    })
    console.log(text)
    return 0
  },
}

const fitsInRequest = (bytes: number) => Math.ceil(bytes / 3) * 4 <= commandLimits.inlineFileChars

function sizeOf(path: string): number {
  return onDisk(path, () => statSync(path).size)
}

/** Small files are a part of the request. */
function inlineOf(paths: readonly string[]) {
  const [first, ...more] = paths.map((path) => ({
    name: basename(path),
    content: onDisk(path, () => readFileSync(path)).toString('base64'),
    base64: true,
  }))
  return { ...first, ...(more.length > 0 && { more }) }
}

/** Others are sent before, one after the other; if they are refused then, they are not kept. */
async function withUploads<R>(
  { base, session }: SessionPlace,
  paths: readonly string[],
  put: (ids: readonly string[]) => Promise<R>,
): Promise<R> {
  const path = sessionPath(session, '/uploads')
  const ids: string[] = []
  try {
    for (const file of paths) {
      const sent = { base, method: 'POST', path, file } as const
      ids.push((await askBrowserService<{ id: string }>(sent)).id)
    }
    return await put(ids)
  } catch (error) {
    const remove = (id: string) =>
      askBrowserService({ base, method: 'DELETE', path: `${path}/${id}` })
    // What went wrong is what counts.
    await Promise.allSettled(ids.map(remove))
    throw error
  }
}

function onDisk<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw unreadable(path, error)
  }
}

interface Download {
  readonly id: string
  readonly suggested_file_name: string
  readonly size: number
  readonly state: string
}

const listed = async (base: string, session: string) => {
  const path = sessionPath(session, '/downloads')
  return (await askBrowserService<{ items: readonly Download[] }>({ base, method: 'GET', path }))
    .items
}

export const downloadsVerb: CliCommand = {
  usage: 'browser downloads [options]',
  about: 'List what the browser has downloaded, or is downloading.',
  options: actedOptions,
  variables,
  examples: ['troupe browser downloads'],
  async run(input) {
    const { items, session } = await inSession(input, async ({ base, session }) => ({
      ...{ session, items: await listed(base, session) },
    }))
    const rows = items.map((item) => [
      ...[item.id, item.state, `${item.size} bytes`, item.suggested_file_name],
    ])
    const text = rows.length > 0 ? alignColumns(rows, '') : 'Nothing was downloaded.'
    console.log(input.switches.has('json') ? JSON.stringify({ session, downloads: items }) : text)
    return 0
  },
}

export const downloadVerb: CliCommand = {
  usage: 'browser download NAME [FILE] [options]',
  about: 'Save a download, by its name or id, in this folder or as FILE, and print its path.',
  arguments: [1, 2],
  options: actedOptions,
  variables,
  examples: ['troupe browser download report.csv', 'troupe browser download fil_… /tmp/report.csv'],
  async run(input) {
    const [wanted, given] = input.args
    const { path, session } = await inSession(input, async ({ base, session }) => {
      const items = await listed(base, session)
      const found = items.findLast((each) => [each.id, each.suggested_file_name].includes(wanted!))
      if (found === undefined) {
        const names = items.map((item) => item.suggested_file_name).join(', ') || 'none'
        throw new CommandFailed(`there is no download ${wanted}; there are: ${names}`)
      }
      const bytes = await bytesOfService(base, sessionPath(session, `/downloads/${found.id}`))
      const path = given ?? freePath(found.suggested_file_name)
      save(path, bytes)
      return { path, session }
    })
    console.log(input.switches.has('json') ? JSON.stringify({ session, file: path }) : path)
    return 0
  },
}

/** The page has chosen the name: it must not lead out of the folder, hide, or replace a file. */
function freePath(name: string): string {
  const plain = basename(name).replace(/^\.+/, '') || 'download'
  const dot = plain.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, '']
  for (let number = 1; ; number++) {
    const path = join('.', number === 1 ? plain : `${stem}-${number}${extension}`)
    if (!existsSync(path)) return path
  }
}
