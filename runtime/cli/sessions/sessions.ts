/** Sessions over REST. */
import { spawn } from 'node:child_process'
import { containedChild } from '../../lib/network/contained.ts'
import { limits } from '../../../proto/limits.ts'
import { UsageError, type CliCommand, type CliCommandGroup } from '../command.ts'
import { alignColumns } from '../help.ts'
import { callService, callVariables as variables, idPart } from '../service-call.ts'
import { eventsCommand as events } from './events.ts'
import { saveCommand as save, shareCommand as share } from './kept.ts'
import { stateCommand as state } from './state.ts'
import { durationText, prettyJson, tableText, type TextColumn } from '../terminal/table.ts'

interface ListedSession {
  readonly id: string
  readonly status: string
  readonly reason?: string
  readonly headless: boolean
  readonly duration: number
  readonly steps: number
  readonly created_at: string
  readonly api_key_name: string
  readonly tags: readonly string[]
  /** In a list of several tenants. */
  readonly tenant?: string
}

interface SessionPage {
  readonly sessions: readonly ListedSession[]
  readonly total: number
  readonly page: number
  readonly total_pages: number
}

const json = { json: { help: 'Print the service’s answer as JSON.' } } as const

const columns: readonly TextColumn<ListedSession>[] = [
  { head: 'SESSION', cell: ({ id }) => id },
  { head: 'STATUS', cell: ({ status, reason }) => (reason ? `${status} (${reason})` : status) },
  { head: 'FOR', cell: ({ duration }) => durationText(duration * 1_000), alignsRight: true },
  { head: 'KIND', cell: ({ headless }) => (headless ? 'headless' : 'desktop') },
  { head: 'STEPS', cell: ({ steps }) => steps, alignsRight: true },
  { head: 'KEY', cell: ({ api_key_name: name }) => name, charsMax: 24 },
  { head: 'TAGS', cell: ({ tags }) => tags.join(' '), charsMax: 60 },
]
const tenantColumn: TextColumn<ListedSession> = { head: 'TENANT', cell: ({ tenant }) => tenant }

const list: CliCommand = {
  usage: 'sessions list [--status S] [--tenant T | --all-tenants] [--page N | --cursor C] [--json]',
  about: 'List your sessions, the newest first.',
  options: {
    status: {
      value: 'S',
      help: 'Only this status: starting, running, ending, completed, failed, lost.',
    },
    tenant: { value: 'T', help: 'Sessions of this tenant; the key needs the scope admin.' },
    'all-tenants': { help: 'Sessions of all tenants; the key needs the scope admin.' },
    page: { value: 'N', help: `Which page of ${limits.pageRows} (default: 1).` },
    cursor: { value: 'C', help: 'Instead of a page: what follows the `next_cursor` of an answer.' },
    ...json,
  },
  variables,
  examples: ['troupe sessions list --status running', 'troupe sessions list --tenant acme --json'],
  async run({ values, switches }) {
    const { status, tenant, page = '1', cursor } = values
    const isAll = switches.has('all-tenants')
    if (isAll && tenant !== undefined)
      throw new UsageError('use --tenant or --all-tenants, not both')
    const query = new URLSearchParams({
      ...{
        limit: String(limits.pageRows),
        sort_order: 'desc',
        ...(cursor ? { cursor } : { page }),
      },
      ...(status && { status }),
      ...(tenant && { tenant }),
    })
    const path = isAll || tenant !== undefined ? '/v1/admin/sessions' : '/v1/sessions'
    const found = await callService<SessionPage>('GET', `${path}?${query}`)
    if (switches.has('json')) console.log(prettyJson(found))
    else console.log(pageText(found))
    return 0
  },
}

function pageText({ sessions, total, page, total_pages: pages }: SessionPage): string {
  if (sessions.length === 0) return 'no sessions'
  const shown = sessions.some(({ tenant }) => tenant) ? [...columns, tenantColumn] : columns
  const table = tableText(shown, sessions)
  return pages > page ? `${table}\n${sessions.length} of ${total}; more: --page ${page + 1}` : table
}

interface ShownSession extends Omit<ListedSession, 'steps' | 'headless'> {
  readonly message?: string
  readonly expires_at?: string
  readonly idle_expires_at?: string
  readonly live_view_url: string
  readonly cdp_url?: string
}

const show: CliCommand = {
  usage: 'sessions show ID [--json]',
  about: 'Show one session: its state, its time left and its URLs.',
  more: 'Everyone who has the URLs can use the session.',
  arguments: [1, 1],
  options: json,
  variables,
  examples: ['troupe sessions show ses_…'],
  async run({ args: [id], switches }) {
    const session = await callService<ShownSession>('GET', `/v1/sessions/${idPart(id)}`)
    if (switches.has('json')) {
      console.log(prettyJson(session))
      return 0
    }
    console.log(alignColumns(detailsOf(session), ''))
    return 0
  },
}

function detailsOf(session: ShownSession): readonly (readonly [string, string])[] {
  const { id, status, reason, message, created_at, expires_at, idle_expires_at, tags } = session
  const why = message ?? reason
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Session', id],
    ['Status', why ? `${status}: ${why}` : status],
    ['Created', `${created_at}, ${durationText(session.duration * 1_000)} ago`],
    ['Ends', expires_at],
    ['Ends if idle', idle_expires_at],
    ['Tags', tags.join(' ')],
    ['Live view', session.live_view_url],
    ['CDP', session.cdp_url],
  ]
  return rows.flatMap(([name, text]) => (text ? [[name, text] as const] : []))
}

const end: CliCommand = {
  usage: 'sessions end (ID | --all)',
  about: 'End one session, or all of yours.',
  arguments: [0, 1],
  options: { all: { help: 'Every session of the key’s tenant.' } },
  variables,
  examples: ['troupe sessions end ses_…', 'troupe sessions end --all'],
  async run({ args: [id], switches }) {
    if ((id === undefined) === !switches.has('all')) throw new UsageError('give an ID or --all')
    await callService('DELETE', `/v1/sessions/${id === undefined ? 'all' : idPart(id)}`)
    console.log(id === undefined ? 'ended all' : `ended ${id}`)
    return 0
  },
}

const open: CliCommand = {
  usage: 'sessions open [ID] [--print]',
  about: 'Open the live view of a session in your browser; without ID, of a new session.',
  arguments: [0, 1],
  options: { print: { help: 'Only print the address.' } },
  variables: { ...variables, BROWSER: 'The program that opens it. (default: xdg-open)' },
  examples: ['troupe sessions open ses_…', 'troupe sessions open --print'],
  async run({ args: [id], switches }) {
    const session =
      id === undefined
        ? await callService<ShownSession>('POST', '/v1/sessions', {})
        : await callService<ShownSession>('GET', `/v1/sessions/${idPart(id)}`)
    console.log(session.live_view_url)
    if (!switches.has('print')) await openInBrowser(session.live_view_url)
    return 0
  },
}

/** The URL is printed already, so it is not an error if the machine has no browser. */
function openInBrowser(url: string): Promise<void> {
  return new Promise((resolve) => {
    const program = process.env['BROWSER'] || 'xdg-open'
    const child = containedChild(spawn(program, [url], { stdio: 'ignore', detached: true }))
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
    child.once('error', () => {
      console.error('No browser could be started here: open the address above yourself.')
      resolve()
    })
  })
}

export const sessionsCommandGroup: CliCommandGroup = {
  about: 'List, show, open and end sessions over REST, and keep their logins and what is recorded.',
  commands: { list, show, events, open, state, save, share, end },
}
