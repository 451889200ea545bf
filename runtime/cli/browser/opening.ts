/** Opens, shows and closes the session of a folder. */
import type { CliCommand, CliInput } from '../command.ts'
import { UsageError } from '../command.ts'
import { alignColumns } from '../help.ts'
import { cliLimits } from '../limits.ts'
import {
  forgetSession,
  prepareStateFolder,
  presentFolder,
  rememberSession,
  sessionOfFolder,
  type FolderSession,
} from './folder-session.ts'
import {
  actedSession,
  inSession,
  isOfEnded,
  actedOptions,
  actedVariables as variables,
} from './in-session.ts'
import { askBrowserService, browserService, runInSession, sessionPath } from './service.ts'
import { objectIn, textOf } from './verbs/verb-input.ts'
import { printedText } from './verbs/verb-output.ts'
import { verbs } from './verbs/verbs.ts'

const { json } = actedOptions

export const openVerb: CliCommand = {
  usage: 'browser open [URL] [options]',
  about: 'Open a browser for this folder, or use the one that is open, and go to a URL.',
  more:
    'The session is that of the folder and of those below it, until `browser close`; it ends by itself after ' +
    `${cliLimits.browserIdleMinutes} minutes without a command.`,
  arguments: [0, 1],
  options: {
    desktop: { help: 'With a desktop, for a person who watches or helps, and for mouse-… verbs.' },
    profile: {
      value: 'NAME',
      help: 'Begin with the logins of this profile, and save it at the end.',
    },
    device: { value: 'NAME', help: 'Look like this device, for example "iPhone 15".' },
    body: { value: 'FILE', help: 'Further fields of POST /v1/sessions, as JSON.' },
    json,
  },
  variables: { SVC_BASE: variables.SVC_BASE, SVC_API_KEY: variables.SVC_API_KEY },
  examples: [
    'troupe browser open https://example.com',
    'troupe browser open https://example.com --profile shop --desktop',
  ],
  run: open,
}

interface Created {
  readonly id: string
  readonly live_view_url: string
}

interface OpenedSession {
  readonly session: string
  /** Undefined if the session was open before. */
  readonly live_view_url?: string
}

async function open(input: CliInput): Promise<number> {
  const base = browserService()
  const folder = presentFolder()
  const there = sessionOfFolder(base, folder)
  const isLive = there !== undefined && (await hasBrowser(there))
  if (there && !isLive) forgetSession(there)
  if (isLive && ['desktop', 'profile', 'device', 'body'].some((name) => isGiven(input, name))) {
    throw new UsageError(`${there.session} is open already; close it first, to open it otherwise`)
  }
  const opened: OpenedSession = isLive
    ? { session: there.session }
    : await create(base, folder, input)
  const { session, ...about } = opened
  const { live_view_url: liveView } = about
  const isJson = input.switches.has('json')
  if (liveView !== undefined && !isJson) console.log(`Opened ${session}; to watch: ${liveView}`)
  const [url] = input.args
  if (url === undefined) {
    if (isJson) console.log(JSON.stringify(opened))
    else if (liveView === undefined) console.log(`${session} is open.`)
    return 0
  }
  const output = await runInSession({ base, session }, 'navigate', { url })
  const answered = { name: 'open', verb: verbs.goto, session, path: undefined, isJson }
  console.log(printedText({ ...answered, output: { ...output, ...(isJson && about) } }))
  return 0
}

const isGiven = ({ values, switches }: CliInput, name: string) =>
  switches.has(name) || values[name] !== undefined

async function hasBrowser({ base, session }: FolderSession): Promise<boolean> {
  try {
    const { status } = await statusOf(base, session)
    return ['starting', 'running'].includes(status)
  } catch (error) {
    if (isOfEnded(error)) return false
    throw error
  }
}

interface ShownSession {
  readonly status: string
  readonly message?: string
  readonly live_view_url?: string
  readonly cdp_url?: string
  readonly idle_expires_at?: string
}

const statusOf = (base: string, session: string) =>
  askBrowserService<ShownSession>({ base, method: 'GET', path: sessionPath(session) })

/** If another process has opened one for the folder meanwhile, that one is used. */
async function create(base: string, folder: string, input: CliInput): Promise<OpenedSession> {
  const body = await creationBody(input)
  prepareStateFolder()
  const { id, live_view_url } = await askBrowserService<Created>({
    ...{ base, method: 'POST', path: '/v1/sessions', body },
  })
  const { session } = rememberSession({ base, folder, session: id })
  if (session === id) return { session, live_view_url }
  await askBrowserService({ base, method: 'DELETE', path: sessionPath(id) })
  return { session }
}

type Body = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** `evaluate`, because whoever has the key may run scripts there anyway. */
async function creationBody({ values, switches }: CliInput): Promise<object> {
  const { profile, device, body } = values
  const given = (body === undefined ? {} : objectIn(await textOf(body), body)) as Body
  const timeout = {
    idle_timeout: cliLimits.browserIdleMinutes,
    max_duration: cliLimits.browserMaxMinutes,
    ...(given['session']?.['timeout'] as object | undefined),
  }
  return {
    ...given,
    session: { tags: ['cli'], ...given['session'], timeout },
    browser: {
      headless: { active: !switches.has('desktop') },
      evaluate: { active: true },
      ...given['browser'],
      ...(profile !== undefined && { profile: { name: profile, persist: true } }),
      ...(device !== undefined && { device }),
    },
  }
}

export const statusVerb: CliCommand = {
  usage: 'browser status [options]',
  about: 'Show the session of this folder, and its addresses for a person and for CDP.',
  options: actedOptions,
  variables,
  examples: ['troupe browser status'],
  async run(input) {
    const { shown, ...acted } = await inSession(input, async ({ base, session, remembered }) => ({
      ...{ session, remembered },
      shown: await statusOf(base, session),
    }))
    if (input.switches.has('json')) {
      console.log(JSON.stringify({ ...shown, session: acted.session }))
      return 0
    }
    const rows: readonly (readonly [string, string | undefined])[] = [
      ['Session', acted.session],
      ['Status', shown.message ? `${shown.status}: ${shown.message}` : shown.status],
      ['Folder', acted.remembered?.folder],
      ['Ends if idle', shown.idle_expires_at],
      ['Live view', shown.live_view_url],
      ['CDP', shown.cdp_url],
    ]
    const known = rows.flatMap(([name, text]) => (text ? [[name, text] as const] : []))
    console.log(alignColumns(known, ''))
    return 0
  },
}

export const closeVerb: CliCommand = {
  usage: 'browser close [options]',
  about: 'End the session of this folder, with its browser and the files that its commands wrote.',
  options: actedOptions,
  variables,
  examples: ['troupe browser close'],
  async run(input) {
    const acted = actedSession(input)
    const isJson = input.switches.has('json')
    if (acted === undefined) {
      console.log(isJson ? '{}' : 'No browser is open for this folder.')
      return 0
    }
    const { base, session, remembered } = acted
    try {
      await askBrowserService({ base, method: 'DELETE', path: sessionPath(session) })
    } catch (error) {
      if (!isOfEnded(error)) throw error
    }
    if (remembered) forgetSession(remembered)
    console.log(isJson ? JSON.stringify({ session }) : `Closed ${session}.`)
    return 0
  },
}
